// The one list of all solvers.  Adding a solver: its files, its options struct in solvers.h, an entry here.

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <functional>

#include "uptack/input_error.h"
#include "uptack/solvers.h"

namespace uptack {
namespace {

/// An option's value as somebody typed it.
struct OptionText {
    std::string where;  // "psor option omega"
    std::string text;

    double number(double low, double high) const {
        double value = 0.0;
        const char* last = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data(), last, value);
        if (error != std::errc{} || end != last || !(value >= low && value <= high)) {
            throw InputError(where, fmt::format("'{}' is not a number from {:g} to {:g}", text, low, high));
        }
        return value;
    }
    int whole(int low, int high) const {
        const double value = number(low, high);
        if (value != std::floor(value))
            throw InputError(where, fmt::format("'{}' is not a whole number", text));
        return static_cast<int>(value);
    }
    bool flag() const {
        if (text == "true" || text == "1") return true;
        if (text == "false" || text == "0") return false;
        throw InputError(where, fmt::format("'{}' is neither true nor false", text));
    }
};

template <class Options>
struct Field {
    OptionInfo info;
    std::function<void(Options&, const OptionText&)> set;
};

struct Entry {
    SolverInfo info;
    std::function<std::unique_ptr<Solver>(const OptionValues&)> make;
};

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += text.empty() ? word : ", " + word;
    return text;
}

template <class Options>
void set_option(const std::vector<Field<Options>>& fields, const OptionText& value, const std::string& name,
                Options& options) {
    std::vector<std::string> known;
    for (const Field<Options>& field : fields) {
        if (field.info.name == name) {
            field.set(options, value);
            return;
        }
        known.push_back(field.info.name);
    }
    throw InputError(value.where, known.empty() ? "unknown; this solver has no options"
                                                : "unknown; known are " + joined(known));
}

template <class Options>
Entry entry(const std::string& name, const std::string& summary,
            std::unique_ptr<Solver> (*make)(const Options&), const std::vector<Field<Options>>& fields) {
    Entry out{.info = {.name = name, .summary = summary, .options = {}}, .make = {}};
    for (const Field<Options>& field : fields) out.info.options.push_back(field.info);
    out.make = [=](const OptionValues& values) {
        Options options;
        for (const auto& [option, text] : values) {
            set_option(fields, {.where = fmt::format("{} option {}", name, option), .text = text}, option,
                       options);
        }
        return make(options);
    };
    return out;
}

constexpr double above_zero = 1e-6;
constexpr double below_two = 2.0 - 1e-6;
constexpr const char* cone_metric_help =
    "precondition normal and tangents apart; fewer, dearer iterations on spheres";

std::vector<Field<SpgOptions>> spg_fields() {
    return {
        {{"memory", fmt::format("{}", SpgOptions{}.memory), "objective values the line search looks back on"},
         [](SpgOptions& o, const OptionText& t) { o.memory = t.whole(1, 1000); }},
        {{"armijo", fmt::format("{}", SpgOptions{}.armijo), "sufficient decrease, 0 to 1"},
         [](SpgOptions& o, const OptionText& t) { o.armijo = t.number(0.0, 1.0); }},
        {{"step_min", fmt::format("{}", SpgOptions{}.step_min), "smallest spectral step"},
         [](SpgOptions& o, const OptionText& t) { o.step_min = t.number(1e-300, 1.0); }},
        {{"step_max", fmt::format("{}", SpgOptions{}.step_max), "largest spectral step"},
         [](SpgOptions& o, const OptionText& t) { o.step_max = t.number(1.0, 1e300); }},
        {{"cone_metric", "false", cone_metric_help},
         [](SpgOptions& o, const OptionText& t) { o.cone_metric = t.flag(); }},
    };
}

std::vector<Field<SimplexOptions>> simplex_fields() {
    return {
        {{"regularisation", fmt::format("{}", SimplexOptions{}.regularisation),
          "of the proximal steps, relative"},
         [](SimplexOptions& o, const OptionText& t) { o.regularisation = t.number(1e-14, 1.0); }},
        {{"sweeps", fmt::format("{}", SimplexOptions{}.sweeps),
          "sweeps that guess the active rows of a cold start"},
         [](SimplexOptions& o, const OptionText& t) { o.sweeps = t.whole(0, 100'000); }},
        {{"facets", fmt::format("{}", SimplexOptions{}.facets), "rays of the friction pyramid, 3 to 64"},
         [](SimplexOptions& o, const OptionText& t) { o.facets = t.whole(3, 64); }},
        {{"block_steps", "true", "exchange many rows at once while the objective falls"},
         [](SimplexOptions& o, const OptionText& t) { o.block_steps = t.flag(); }},
    };
}

std::vector<Field<NewtonOptions>> newton_fields() {
    return {
        {{"start_weight", fmt::format("{}", NewtonOptions{}.start_weight), "rho of the starting point"},
         [](NewtonOptions& o, const OptionText& t) { o.start_weight = t.number(1e-12, 1e6); }},
        {{"polish_floor", fmt::format("{}", NewtonOptions{}.polish_floor), "smallest rho of a Newton step"},
         [](NewtonOptions& o, const OptionText& t) { o.polish_floor = t.number(1e-15, 1.0); }},
        {{"prox_start", fmt::format("{}", NewtonOptions{}.prox_start), "first rho of the safeguard"},
         [](NewtonOptions& o, const OptionText& t) { o.prox_start = t.number(1e-12, 1e6); }},
        {{"prox_floor", fmt::format("{}", NewtonOptions{}.prox_floor), "its smallest rho"},
         [](NewtonOptions& o, const OptionText& t) { o.prox_floor = t.number(1e-12, 1e6); }},
        {{"prox_shrink", fmt::format("{}", NewtonOptions{}.prox_shrink), "ratio of successive rho, below 1"},
         [](NewtonOptions& o, const OptionText& t) { o.prox_shrink = t.number(1e-6, 0.99); }},
    };
}

const std::vector<Entry>& entries() {
    static const std::vector<Entry> all = {
        entry<AutoOptions>(
            "auto", "island by island, the method its progress asks for; every law; for simulations",
            make_auto,
            {{{"patience", fmt::format("{}", AutoOptions{}.patience),
               "sweeps before an island may be called stalled"},
              [](AutoOptions& o, const OptionText& t) { o.patience = t.whole(0, 1'000'000'000); }},
             {{"settle", "false", "small islands far below the tolerance; simulations ask for it"},
              [](AutoOptions& o, const OptionText& t) { o.settle = t.flag(); }},
             {{"explain", "false", "say what was solved how, and why, even when all went well"},
              [](AutoOptions& o, const OptionText& t) { o.explain = t.flag(); }}}),
        entry<PsorOptions>(
            "psor", "projected Gauss-Seidel with over-relaxation; every law; fast first digits", make_psor,
            {{{"omega", fmt::format("{}", PsorOptions{}.omega), "relaxation in (0, 2)"},
              [](PsorOptions& o, const OptionText& t) { o.omega = t.number(above_zero, below_two); }},
             {{"symmetric", "false", "every second sweep runs backwards"},
              [](PsorOptions& o, const OptionText& t) { o.symmetric = t.flag(); }}}),
        entry<NncgOptions>(
            "nncg", "conjugate gradient over Gauss-Seidel sweeps; every law; often best to 1e-2", make_nncg,
            {{{"omega", fmt::format("{}", NncgOptions{}.omega), "relaxation of the sweeps in (0, 2)"},
              [](NncgOptions& o, const OptionText& t) { o.omega = t.number(above_zero, below_two); }}}),
        entry<LeapOptions>(
            "leap", "Gauss-Seidel sweeps with long steps along what they change; large packings of bodies",
            make_leap,
            {{{"omega", fmt::format("{}", LeapOptions{}.omega), "relaxation of the sweeps in (0, 2)"},
              [](LeapOptions& o, const OptionText& t) { o.omega = t.number(above_zero, below_two); }}}),
        entry<ApgdOptions>("apgd",
                           "accelerated projected gradient; often the best first-order method from 1e-4 down",
                           make_apgd,
                           {{{"cone_metric", "false", cone_metric_help},
                             [](ApgdOptions& o, const OptionText& t) { o.cone_metric = t.flag(); }}}),
        entry<SpgOptions>("spg", "preconditioned spectral projected gradient (P-SPG-FB)", make_spg,
                          spg_fields()),
        entry<JacobiOptions>(
            "jacobi", "damped projected Jacobi with a safe diagonal; simple, slow, parallel", make_jacobi,
            {{{"omega", fmt::format("{}", JacobiOptions{}.omega), "relaxation in (0, 2)"},
              [](JacobiOptions& o, const OptionText& t) { o.omega = t.number(above_zero, below_two); }}}),
        entry<SimplexOptions>(
            "simplex", "sparse simplex on an incremental LDL^T; exact on scalar rows, friction as a pyramid",
            make_simplex, simplex_fields()),
        entry<NewtonOptions>("newton",
                             "interior point and semismooth Newton with factorisations; every law; to 1e-10",
                             make_newton, newton_fields()),
        entry<CgOptions>("cg", "conjugate gradient, for bilateral rows only", make_cg, {}),
    };
    return all;
}

}  // namespace

std::string_view status_name(Status status) {
    switch (status) {
        case Status::converged:
            return "converged";
        case Status::iteration_limit:
            return "iteration_limit";
        case Status::budget_spent:
            return "budget_spent";
        case Status::stalled:
            return "stalled";
        case Status::not_finite:
            return "not_finite";
        case Status::infeasible:
            return "infeasible";
        case Status::ill_conditioned:
            return "ill_conditioned";
        case Status::unsuitable:
            return "unsuitable";
    }
    return "unknown";
}

std::vector<SolverInfo> list_solvers() {
    std::vector<SolverInfo> list;
    for (const Entry& one : entries()) list.push_back(one.info);
    return list;
}

std::unique_ptr<Solver> make_solver(std::string_view name, const OptionValues& options) {
    std::vector<std::string> known;
    for (const Entry& one : entries()) {
        if (one.info.name == name) return one.make(options);
        known.push_back(one.info.name);
    }
    throw InputError("solver", fmt::format("'{}' is unknown; known are {}", name, joined(known)));
}

}  // namespace uptack
