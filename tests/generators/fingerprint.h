// One number that changes when any bit of a problem does.

#pragma once

#include <bit>
#include <cstdint>
#include <variant>

#include "uptack/problem.h"

namespace uptack::test {

/// FNV-1a over 64-bit words, lowest byte first, so that it does not depend on the machine's byte order.
class Fingerprint {
public:
    void add(std::uint64_t word) {
        for (int k = 0; k < 8; ++k) {
            value_ = (value_ ^ ((word >> (8 * k)) & 0xffU)) * 0x100000001b3ULL;
        }
    }
    void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
    void add(int value) { add(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))); }
    template <typename Range>
    void add_all(const Range& values) {
        for (const auto& value : values) add(value);
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

inline void add_law(Fingerprint& print, const Law& law) {
    print.add(static_cast<std::uint64_t>(law.index()));
    if (const auto* interval = std::get_if<Interval>(&law)) {
        print.add(interval->lower);
        print.add(interval->upper);
    }
    if (const auto* cone = std::get_if<FrictionCone>(&law)) {
        print.add(cone->mu);
        print.add(cone->mu_roll);
        print.add(cone->mu_spin);
        print.add(static_cast<std::uint64_t>(cone->model));
    }
    if (const auto* box = std::get_if<BoxFriction>(&law)) print.add(box->mu);
}

inline std::uint64_t fingerprint(const Problem& problem) {
    Fingerprint print;
    for (const Body& body : problem.bodies) {
        print.add(body.inverse_mass);
        print.add_all(body.inverse_inertia_w);
        print.add_all(body.free_velocity);
    }
    for (const JacobianRow& row : problem.jacobian) {
        print.add_all(row.a);
        print.add_all(row.b);
    }
    for (const Block& block : problem.blocks) {
        print.add(block.body_a);
        print.add(block.body_b);
        print.add(block.first_row);
        print.add(block.rows);
        add_law(print, block.law);
    }
    print.add_all(problem.bias);
    print.add_all(problem.compliance);
    return print.value();
}

}  // namespace uptack::test
