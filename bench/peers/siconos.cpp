#include "siconos.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <dlfcn.h>
#include <fc3d_compute_error.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "measure.h"

namespace uptack::peers {
namespace {

constexpr int rows = 3;                      // of a contact
constexpr int square = rows * rows;          // entries of a block of W
constexpr int no_iteration_limit = 1 << 30;  // time is what is limited

int solver_id(SiconosMethod method) {
    switch (method) {
        case SiconosMethod::nsgs:
            return SICONOS_FRICTION_3D_NSGS;
        case SiconosMethod::newton_alart_curnier:
            return SICONOS_FRICTION_3D_NSN_AC;
        case SiconosMethod::newton_fischer:
            return SICONOS_FRICTION_3D_NSN_FB;
        case SiconosMethod::admm:
            return SICONOS_FRICTION_3D_ADMM;
    }
    return 0;
}

/// W as Siconos has it: the blocks of each row of blocks, each of them column by column.
struct BlockMatrix {
    std::vector<std::size_t> start;
    std::vector<std::size_t> column;
    std::vector<double> entry;
};

BlockMatrix blocks_of(const SparseMatrix& a) {
    const auto contacts = static_cast<std::size_t>(a.rows() / rows);
    BlockMatrix w;
    w.start.push_back(0);
    std::vector<std::size_t> place(contacts);  // of a column's block in the current row
    for (std::size_t i = 0; i < contacts; ++i) {
        const auto first = static_cast<std::size_t>(a.start[rows * i]);
        const auto last = static_cast<std::size_t>(a.start[rows * (i + 1)]);
        std::vector<std::size_t> present = {i};
        for (std::size_t k = first; k < last; ++k)
            present.push_back(static_cast<std::size_t>(a.column[k] / rows));
        std::sort(present.begin(), present.end());
        present.erase(std::unique(present.begin(), present.end()), present.end());
        for (const std::size_t j : present) {
            place[j] = w.column.size();
            w.column.push_back(j);
        }
        w.entry.resize(square * w.column.size());
        for (std::size_t r = 0; r < rows; ++r) {
            for (auto k = a.start[rows * i + r]; k < a.start[rows * i + r + 1]; ++k) {
                const auto at = static_cast<std::size_t>(k);
                const auto column = static_cast<std::size_t>(a.column[at]);
                w.entry[square * place[column / rows] + rows * (column % rows) + r] = a.value[at];
            }
        }
        w.start.push_back(w.column.size());
    }
    return w;
}

/// What a solving process leaves behind, in memory that it shares with us; the impulses follow.
struct Outcome {
    double seconds;
    double claimed_error;
    int iterations;
    int info;
    bool ended;
};

class SharedOutcome {
public:
    explicit SharedOutcome(std::size_t impulses) : bytes_(sizeof(Outcome) + impulses * sizeof(double)) {
        place_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (place_ == MAP_FAILED) throw std::runtime_error("no memory to share with Siconos");
    }
    ~SharedOutcome() { munmap(place_, bytes_); }
    SharedOutcome(const SharedOutcome&) = delete;
    SharedOutcome& operator=(const SharedOutcome&) = delete;

    Outcome& outcome() const { return *static_cast<Outcome*>(place_); }
    double* impulses() const { return reinterpret_cast<double*>(static_cast<Outcome*>(place_) + 1); }

private:
    std::size_t bytes_;
    void* place_;
};

/// Siconos's linear algebra is OpenBLAS as Debian builds it; others keep to one thread or have other names.
void use_one_thread() {
    using SetThreads = void (*)(int);
    if (void* symbol = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"); symbol != nullptr)
        reinterpret_cast<SetThreads>(symbol)(1);
}

void be_quiet() {
    const int nowhere = open("/dev/null", O_WRONLY);  // it reports to both, asked or not
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
}

/// Its own defaults but for tolerance and number of iterations; and nsgs looks at its error after every
/// sweep, in its favour: it would wait for the impulses to change little, which takes two to three times as
/// long.
SolverOptions* make_options(const SiconosRequest& request) {
    SolverOptions* options = solver_options_create(solver_id(request.method));
    options->iparam[SICONOS_IPARAM_MAX_ITER] = no_iteration_limit;
    options->dparam[SICONOS_DPARAM_TOL] = request.tolerance;
    if (request.method == SiconosMethod::nsgs) {
        options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] =
            SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
    }
    return options;
}

/// One solve from zero of a copy of the problem; `reaction` has the last iterate at any time.
Outcome solve_once(FrictionContactProblem* original, const SiconosRequest& request, double* reaction) {
    FrictionContactProblem* problem = frictionContact_copy(original);
    const auto size = static_cast<std::size_t>(rows * problem->numberOfContacts);
    std::vector<double> velocity(size);
    std::fill(reaction, reaction + size, 0.0);
    SolverOptions* options = make_options(request);
    Outcome outcome{};
    const double before = cpu_seconds();
    outcome.info = fc3d_driver(problem, reaction, velocity.data(), options);
    outcome.seconds = cpu_seconds() - before;
    outcome.claimed_error = options->dparam[SICONOS_DPARAM_RESIDU];
    outcome.iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    outcome.ended = true;
    solver_options_delete(options);
    return outcome;
}

/// The life of a solving process: the first run is what counts, those after it only find a lesser time.
[[noreturn]] void solve_and_exit(FrictionContactProblem* problem, const SiconosRequest& request,
                                 const SharedOutcome& shared) {
    be_quiet();
    use_one_thread();
    shared.outcome() = solve_once(problem, request, shared.impulses());
    std::vector<double> again(static_cast<std::size_t>(rows * problem->numberOfContacts));
    double spent = shared.outcome().seconds;
    for (int k = 1; k < request.most_runs && spent < request.enough_s; ++k) {
        const double seconds = solve_once(problem, request, again.data()).seconds;
        spent += seconds;
        shared.outcome().seconds = std::min(shared.outcome().seconds, seconds);
    }
    _exit(0);  // without what the parent process wanted to do at its own end
}

/// How a process came to its end, and what it used.
struct End {
    int status = 0;
    double seconds = 0.0;  ///< CPU
    bool was_cut = false;
};

/// Waits for it and ends it if its first run takes more CPU time than it may.  We look at its clock from here
/// because a process with a CPU timer of its own sees that clock move with the kernel's ticks only.
End wait_for(pid_t child, const Outcome& outcome, double limit_s) {
    const auto in_seconds = [](const auto& time, double unit, auto fraction) {
        return static_cast<double>(time.tv_sec) + unit * static_cast<double>(time.*fraction);
    };
    End end;
    rusage usage{};
    clockid_t clock{};
    const bool has_clock = clock_getcpuclockid(child, &clock) == 0;  // it may be over already
    while (wait4(child, &end.status, WNOHANG, &usage) == 0) {
        timespec used{};
        if (!end.was_cut && !outcome.ended && has_clock && clock_gettime(clock, &used) == 0 &&
            in_seconds(used, 1e-9, &timespec::tv_nsec) > limit_s) {
            kill(child, SIGKILL);
            end.was_cut = true;
        }
        usleep(5000);
    }
    end.seconds = in_seconds(usage.ru_utime, 1e-6, &timeval::tv_usec) +
                  in_seconds(usage.ru_stime, 1e-6, &timeval::tv_usec);
    return end;
}

std::string trouble_of(const End& end, const Outcome& outcome, double limit_s) {
    if (outcome.ended) return outcome.info == 0 ? "" : fmt::format("no convergence (info {})", outcome.info);
    if (end.was_cut) return fmt::format("cut after {:.3g} s", limit_s);
    if (WIFSIGNALED(end.status)) return fmt::format("ended by signal {}", WTERMSIG(end.status));
    return fmt::format("left with exit code {}", WEXITSTATUS(end.status));
}

}  // namespace

struct SiconosProblem::Inside {
    BlockMatrix blocks;
    std::vector<double*> block;
    std::vector<unsigned> end_row;  // after each contact
    std::vector<double> q;
    std::vector<double> mu;
    NumericsMatrix* matrix = nullptr;
    FrictionContactProblem problem{};
};

std::string siconos_refusal(const Problem& problem) {
    if (problem.blocks.empty()) return "no contacts";
    for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
        const Block& block = problem.blocks[k];
        const auto* cone = std::get_if<FrictionCone>(&block.law);
        if (cone == nullptr)
            return fmt::format("block {} is {}; only friction cones are asked of Siconos here", k,
                               law_name(block.law));
        if (block.rows != rows)
            return fmt::format("block {} is a friction cone of {} rows; only 3 are asked of Siconos here", k,
                               block.rows);
        if (cone->model != FrictionModel::exact)
            return fmt::format("block {} has convex friction; Siconos solves the exact law", k);
    }
    return "";
}

SiconosProblem::SiconosProblem(const Problem& problem) : inside_(std::make_unique<Inside>()) {
    Inside& in = *inside_;
    const Problem assembled = assemble(problem);
    in.blocks = blocks_of(*assembled.matrix);
    in.q = assembled.bias;
    for (const Block& block : problem.blocks) {
        in.mu.push_back(std::get<FrictionCone>(block.law).mu);
        in.end_row.push_back(static_cast<unsigned>(block.first_row + block.rows));
    }
    for (std::size_t k = 0; k < in.blocks.column.size(); ++k)
        in.block.push_back(in.blocks.entry.data() + square * k);

    const auto contacts = static_cast<int>(in.mu.size());
    in.matrix = NM_create(NM_SPARSE_BLOCK, rows * contacts, rows * contacts);
    SparseBlockStructuredMatrix& w = *in.matrix->matrix1;
    w.nbblocks = static_cast<unsigned>(in.block.size());
    w.block = in.block.data();
    w.blocknumber0 = w.blocknumber1 = static_cast<unsigned>(contacts);
    w.blocksize0 = w.blocksize1 = in.end_row.data();
    w.filled1 = in.blocks.start.size();
    w.filled2 = in.blocks.column.size();
    w.index1_data = in.blocks.start.data();
    w.index2_data = in.blocks.column.data();
    in.problem = {.dimension = rows,
                  .numberOfContacts = contacts,
                  .M = in.matrix,
                  .q = in.q.data(),
                  .mu = in.mu.data()};
}

SiconosProblem::~SiconosProblem() {
    SparseBlockStructuredMatrix* w = inside_->matrix->matrix1;
    NM_clear_not_SBM(inside_->matrix);
    std::free(w->diagonal_blocks);  // the only array there that Siconos has made
    std::free(w);
    std::free(inside_->matrix);
}

SiconosAnswer SiconosProblem::solve(const SiconosRequest& request) const {
    const SharedOutcome shared(inside_->q.size());
    std::fflush(nullptr);  // or the other process would print it a second time
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process for Siconos");
    if (child == 0) solve_and_exit(&inside_->problem, request, shared);
    const Outcome& outcome = shared.outcome();
    const End end = wait_for(child, outcome, request.limit_s);
    SiconosAnswer answer{.trouble = trouble_of(end, outcome, request.limit_s)};
    answer.impulse.assign(shared.impulses(), shared.impulses() + inside_->q.size());
    answer.seconds = outcome.ended ? outcome.seconds : end.seconds;
    answer.iterations = outcome.iterations;
    if (outcome.ended) answer.claimed_error = outcome.claimed_error;
    return answer;
}

double SiconosProblem::error(std::span<const double> impulse) const {
    std::vector<double> reaction(impulse.begin(), impulse.end());
    std::vector<double> velocity(reaction.size());
    double square_of_q = 0.0;
    for (const double q : inside_->q) square_of_q += q * q;
    SolverOptions* options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    double error = 0.0;
    fc3d_compute_error(&inside_->problem, reaction.data(), velocity.data(), 1.0, options,
                       std::sqrt(square_of_q), &error);
    solver_options_delete(options);
    return error;
}

}  // namespace uptack::peers
