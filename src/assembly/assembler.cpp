#include "inside.h"
#include "uptack/assembly.h"

namespace uptack {
namespace {

std::vector<int> inverse_order(const std::vector<int>& order) {
    std::vector<int> rank(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<int>(i);
    return rank;
}

}  // namespace

Assembler::Inside::Inside(const Model& m)
    : model(m),
      body_order(uptack::body_order(m)),
      body_rank(inverse_order(body_order)),
      contacts(m, body_rank),
      joints(m) {}

Assembler::Assembler(const Model& model) : inside_(std::make_unique<Inside>(model)) {}
Assembler::~Assembler() = default;
Assembler::Assembler(Assembler&&) noexcept = default;
Assembler& Assembler::operator=(Assembler&&) noexcept = default;

void Assembler::assemble(const State& state, const ContactSet& contacts, const FreeMotion& motion,
                         const StepSettings& settings, StepProblem& step) {
    const assembly::StepFacts facts{.settings = settings, .time = state.time, .kick_s = motion.kick_s};
    assembly::BlockWriter writer(motion, step);
    writer.start(inside_->body_order);
    inside_->joints.add(facts, state, motion, writer);
    inside_->contacts.add(facts, state, motion, contacts.contacts, writer);
    writer.finish();
}

void Assembler::follow_curves(const State& ahead, std::span<const Vec6> velocity,
                              const StepSettings& settings, StepProblem& step) {
    if (settings.stabilisation != Stabilisation::recovery) return;
    inside_->joints.follow_curves(ahead, velocity, settings.step_s, step);
}

}  // namespace uptack
