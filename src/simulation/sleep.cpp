#include "sleep.h"

#include <algorithm>

namespace uptack::simulation {
namespace {

bool moves(const State& state, int body, const SleepSettings& settings) {
    const Vec6& v = state.velocity[body];
    return length(linear(v)) > settings.linear_speed || length(angular(v)) > settings.angular_speed;
}

bool can_wake(const State& state, int body) {
    const auto index = static_cast<std::size_t>(body);
    return sleeps(state, index) && !is_frozen(state, index);
}

bool wake_pair(int a, int b, const SleepSettings& settings, State& state) {
    if (a == no_body || b == no_body) return false;
    const bool wakes_a = can_wake(state, a) && moves(state, b, settings);
    const bool wakes_b = can_wake(state, b) && moves(state, a, settings);
    if (wakes_a) state.still_s[a] = 0.0;
    if (wakes_b) state.still_s[b] = 0.0;
    return wakes_a || wakes_b;
}

}  // namespace

bool wake(const Model& model, const ContactSet& contacts, const SleepSettings& settings, State& state) {
    bool woke = false;
    for (const Contact& contact : contacts.contacts) {
        woke = wake_pair(contact.body_a, contact.body_b, settings, state) || woke;
    }
    for (const Joint& joint : model.joints) {
        woke = wake_pair(joint.body_a, joint.body_b, settings, state) || woke;
    }
    return woke;
}

void doze(const StepProblem& step, const Islands& islands, const SleepSettings& settings, double h,
          std::vector<double>& still, State& state) {
    still.assign(islands.count, infinity);  // the shortest of each island
    for (std::size_t i = 0; i < step.model_body.size(); ++i) {
        const int body = step.model_body[i];
        double& since = state.still_s[body];
        since = moves(state, body, settings) ? 0.0 : since + h;
        if (islands.of_body[i] >= 0) still[islands.of_body[i]] = std::min(still[islands.of_body[i]], since);
    }
    for (std::size_t i = 0; i < step.model_body.size(); ++i) {
        const int island = islands.of_body[i];
        if (island < 0 || still[island] < settings.after_s) continue;
        state.still_s[step.model_body[i]] = infinity;
        state.velocity[step.model_body[i]] = {};
    }
}

}  // namespace uptack::simulation
