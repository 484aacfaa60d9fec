// A world in code: a box dropped on the ground, stepped, and asked for forces and errors.
// The README shows this file; a test compares its output with expected/falling_box.txt.

#include <cstdio>

#include "uptack/simulation.h"

int main() {
    using namespace uptack;

    // 1. The world: a ground, and a box of 1 kg dropped from 10 cm.
    Model model;
    add_body(model, {.name = "ground", .kind = BodyKind::fixed, .shapes = {{.geometry = HalfSpace{}}}});
    const int box = add_body(model, {.name = "box",
                                     .pose = {.position = {0, 0, 0.2}},
                                     .shapes = {{.geometry = Box{{0.1, 0.1, 0.1}}}},
                                     .total_mass = 1.0});

    // 2. A second of motion; every step is solved to a relative error of 1e-8 and certified.
    SimulationSettings settings;
    settings.solver.stop.tolerance.value = 1e-8;
    Simulation simulation(model, settings);
    StepReport report;
    for (int i = 0; i < 240; ++i) report = simulation.step();

    // 3. Where it is, what holds it, how wrong that is.
    double carried = 0.0;
    for (const ContactReaction& contact : simulation.contact_reactions()) carried += contact.force_w[2];
    std::printf("height %.6f m, %d contacts carry %.4f N\n", simulation.state().pose[box].position[2],
                report.contacts, carried);
    std::printf("tolerance met: %s, confirmed by the certificate\n", report.tolerance_met ? "yes" : "no");
}
