// Problem and solution files of every kind: Uptack's own, FCLIB, Siconos text.  Read or refused; what is read
// is written, read again, certified and, where small and tame, solved.

#include <algorithm>
#include <cmath>

#include "support/fuzz.h"
#include "support/judged_solve.h"
#include "support/private_file.h"
#include "uptack/problem_file.h"

namespace uptack::fuzz {
namespace {

constexpr ReadLimits limits{
    .max_rows = 2000, .max_bodies = 2000, .max_matrix_entries = 200'000, .max_name_bytes = 10'000};
constexpr int max_solved_rows = 60;

bool is_tame(double value) {
    return value == 0.0 || (std::abs(value) > 1e-9 && std::abs(value) < 1e9);
}

template <class Values>
bool all_tame(const Values& values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return is_tame(value); });
}

bool is_tame(const Block& block) {
    const auto* cone = std::get_if<FrictionCone>(&block.law);
    return cone == nullptr || (cone->mu < 1e3 && cone->mu_roll < 1e3 && cone->mu_spin < 1e3);
}

/// May a solver's claims be held against it?  With numbers near overflow all that is asked is an answer.
bool is_tame(const Problem& problem) {
    const auto body_tame = [](const Body& body) {
        return is_tame(body.inverse_mass) && all_tame(body.inverse_inertia_w) && all_tame(body.free_velocity);
    };
    const auto row_tame = [](const JacobianRow& row) { return all_tame(row.a) && all_tame(row.b); };
    return std::all_of(problem.bodies.begin(), problem.bodies.end(), body_tame) &&
           std::all_of(problem.jacobian.begin(), problem.jacobian.end(), row_tame) &&
           std::all_of(problem.blocks.begin(), problem.blocks.end(),
                       [](const Block& block) { return is_tame(block); }) &&
           (!problem.matrix || all_tame(problem.matrix->value)) && all_tame(problem.bias) &&
           all_tame(problem.compliance);
}

void check_round_trip(const PrivateFolder& folder, const Problem& problem) {
    const std::filesystem::path file = folder.path() / "again.h5";
    write_problem(file, problem);
    const Problem again = read_problem(file);
    require(again.bias == problem.bias && again.compliance == problem.compliance &&
                again.blocks.size() == problem.blocks.size() && again.bodies.size() == problem.bodies.size(),
            "a problem changes when it is written and read again");
}

void solve(const Problem& problem) {
    const StopRule rule{.tolerance = {1e-6}, .max_iterations = 30};
    for (const char* solver : {"auto", "psor"}) {
        if (is_tame(problem)) {
            judged_solve(problem, solver, rule);
            continue;
        }
        Solution solution;
        make_solver(solver)->solve(problem, solution, rule);
        require(solution.impulse.size() == problem.bias.size(), "a wrong number of impulses");
    }
}

}  // namespace
}  // namespace uptack::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace uptack;
    using namespace uptack::fuzz;
    use_one_thread();
    static const PrivateFolder folder;
    const std::filesystem::path file = folder.write("input", data, size);
    accepted([&] { return file_kind(file); });
    accepted([&] { return read_solution(file); });
    const auto problem = accepted([&] { return read_problem(file, limits); });
    if (!problem) return 0;
    require(validate(*problem, 1).empty(), "a reader lets a faulty problem pass");
    certify(*problem, std::vector<double>(problem->bias.size(), 0.0));
    if (problem->row_count() > max_solved_rows) return 0;
    check_round_trip(folder, *problem);
    solve(*problem);
    return 0;
}
