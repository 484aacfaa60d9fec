// What a problem is made of, for people and for JSON.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common.h"

namespace uptack::app {

/// Empty while least > most.
struct Range {
    double least = infinity;
    double most = -infinity;

    bool empty() const { return least > most; }
    void include(double value);
};

struct ProblemSummary {
    int movable_bodies = 0;
    int exact_cones = 0;
    int convex_cones = 0;
    Range mass_kg;          ///< of the movable bodies
    Range mu;               ///< of cones and box friction
    Range diagonal_per_kg;  ///< A_ii
    int zero_diagonal_rows = 0;
    double asymmetry = 0.0;         ///< max |A - A^T| / max |A|; 0 in the body form
    std::optional<double> density;  ///< entries of A / rows^2; absent when counting them would take too long
    double reference_energy_J = 0.0;  ///< the certificate of x = 0
};

ProblemSummary summarise(const Problem& problem);

/// Blocks that open and close: unilateral rows, friction cones, box friction.
int count_contacts(const Problem& problem);

/// Blocks by law_name().
std::map<std::string, int> count_laws(const Problem& problem);

/// "20 bodies, 240 rows in 80 blocks (80 convex friction cone)".
std::string describe_counts(const Problem& problem);

/// The same after the problem's name, if it has one.
std::string describe_size(const Problem& problem);

/// The line for a problem whose reference energy is not a number: no error can be measured against it.
std::string zero_energy_text(const std::string& file);

/// problem, form, bodies, rows, blocks, contacts, law_counts.
Json size_json(const Problem& problem);

}  // namespace uptack::app
