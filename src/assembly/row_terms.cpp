#include "row_terms.h"

#include <algorithm>
#include <cmath>

namespace uptack::assembly {
namespace {

// Rigid joints are pulled together no faster than this [m/s or rad/s].  Joints in motion drift by O(h^2), far
// below it; a joint that was defined apart comes together over some steps instead of in one bang.
constexpr double max_joint_speed = 100.0;

double spook_u(const StepSettings& settings) {
    return 1.0 / (1.0 + 4.0 * settings.spook_relaxation);
}

/// Bias and compliance without any law: the two formulas above, the push bounded by `max_speed`.
RowTerms stabilised(const StepFacts& step, const OneSided& m, double max_speed) {
    const double h = step.settings.step_s;
    const double bound = m.compliance > 0.0 ? infinity : max_speed;
    if (step.settings.stabilisation == Stabilisation::spook) {
        const double u = spook_u(step.settings);
        return {.law = {},
                .bias = std::clamp(4.0 * u / h * m.gap, -bound, bound) - u * m.before,
                .compliance = 4.0 * m.compliance * u / (h * step.kick_s)};
    }
    return {.law = {},
            .bias = std::clamp(m.recovery / h * m.gap, -bound, bound),
            .compliance = m.recovery * m.compliance / (h * step.kick_s)};
}

}  // namespace

RowTerms held_terms(const StepFacts& step, double phi, double before, double compliance) {
    RowTerms terms = stabilised(
        step,
        {.gap = phi, .before = before, .recovery = step.settings.joint_recovery, .compliance = compliance},
        max_joint_speed);
    terms.law = Bilateral{};
    return terms;
}

std::optional<RowTerms> one_sided_terms(const StepFacts& step, const OneSided& side) {
    const StepSettings& settings = step.settings;
    const double h = settings.step_s;
    const bool bounces =
        side.restitution > 0.0 && side.before < -settings.bounce_speed && side.gap + h * side.before <= 0.0;
    if (!bounces && side.restitution > 0.0 && side.gap > 0.0 && side.gap + h * side.free >= 0.0) {
        return std::nullopt;
    }
    RowTerms terms;
    const bool closed =
        side.gap <= settings.rest_gap && -side.gap <= std::max(settings.rest_gap, side.rest_overlap);
    if (closed && side.compliance == 0.0 && settings.stabilisation == Stabilisation::recovery) {
        terms.bias = 0.0;
    } else if (side.gap > 0.0) {
        terms.bias = side.gap / h;
        terms.compliance = side.compliance / (h * step.kick_s);
    } else {
        OneSided overlap = side;
        if (side.compliance > 0.0) overlap.recovery = 1.0;
        terms = stabilised(step, overlap, settings.max_recovery_speed);
    }
    if (bounces) {
        const double rebound = side.restitution * side.before;
        terms = {
            .law = {}, .bias = side.gap > 0.0 ? rebound : std::min(rebound, terms.bias), .compliance = 0.0};
    }
    terms.law = Unilateral{};
    return terms;
}

}  // namespace uptack::assembly
