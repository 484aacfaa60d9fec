#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "checks.h"

namespace uptack {

int add_material(Model& model, Material material) {
    model::Faults faults(1);
    model::check_material(material, fmt::format("material '{}'", material.name), faults);
    faults.throw_first();
    model.materials.push_back(std::move(material));
    return static_cast<int>(model.materials.size()) - 1;
}

// Called for contacts: nothing here may allocate, so the result has no name.
Material combine(const Model& model, int material_a, int material_b) {
    Material both;
    both.name.clear();
    both.density = 0.0;
    const auto take = [&both](const Material& values) {
        both.friction = values.friction;
        both.restitution = values.restitution;
        both.rolling_friction = values.rolling_friction;
        both.spinning_friction = values.spinning_friction;
        both.compliance = values.compliance;
        both.adhesion = values.adhesion;
    };
    for (const MaterialPair& pair : model.material_pairs) {
        const bool same = pair.a == material_a && pair.b == material_b;
        const bool swapped = pair.a == material_b && pair.b == material_a;
        if (!same && !swapped) continue;
        take(pair.values);
        return both;
    }
    const Material& a = model.materials[static_cast<std::size_t>(material_a)];
    const Material& b = model.materials[static_cast<std::size_t>(material_b)];
    both.friction = std::sqrt(a.friction * b.friction);
    both.restitution = std::max(a.restitution, b.restitution);
    both.rolling_friction = a.rolling_friction + b.rolling_friction;
    both.spinning_friction = a.spinning_friction + b.spinning_friction;
    both.compliance = a.compliance + b.compliance;
    both.adhesion = std::min(a.adhesion, b.adhesion);
    return both;
}

}  // namespace uptack
