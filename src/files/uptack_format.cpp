#include "uptack_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "read_limits.h"

namespace uptack {
namespace {

constexpr int format_version = 1;
const std::string problem_group = "uptack_problem";
const std::string solution_group = "uptack_solution";

// Tables go straight between file and these structs, so that a large problem is never in memory twice.
constexpr int body_doubles = 13;
constexpr int jacobian_doubles = 12;
static_assert(sizeof(Body) == body_doubles * sizeof(double));
static_assert(sizeof(JacobianRow) == jacobian_doubles * sizeof(double));
static_assert(sizeof(Vec6) == 6 * sizeof(double));

/// The numbers of the file; they never change their meaning.
enum LawCode : int { bilateral = 0, unilateral = 1, interval = 2, friction_cone = 3, box_friction = 4 };
constexpr int law_parameters = 3;

struct LawRecord {
    int code = bilateral;
    int model = 0;  ///< FrictionModel of a cone: 0 convex, 1 exact
    std::array<double, law_parameters> parameters{};
};

LawRecord to_record(const Law& law) {
    struct Recorder {
        LawRecord operator()(const Bilateral&) const { return {bilateral, 0, {}}; }
        LawRecord operator()(const Unilateral&) const { return {unilateral, 0, {}}; }
        LawRecord operator()(const Interval& law) const { return {interval, 0, {law.lower, law.upper}}; }
        LawRecord operator()(const FrictionCone& law) const {
            return {
                friction_cone, law.model == FrictionModel::exact ? 1 : 0, {law.mu, law.mu_roll, law.mu_spin}};
        }
        LawRecord operator()(const BoxFriction& law) const { return {box_friction, 0, {law.mu}}; }
    };
    return std::visit(Recorder{}, law);
}

Law to_law(const LawRecord& record, const std::string& where) {
    const auto [first, second, third] = record.parameters;
    switch (record.code) {
        case bilateral:
            return Bilateral{};
        case unilateral:
            return Unilateral{};
        case interval:
            return Interval{.lower = first, .upper = second};
        case box_friction:
            return BoxFriction{.mu = first};
        case friction_cone:
            break;
        default:
            throw InputError(where, fmt::format("law {} is unknown; laws are 0 to 4", record.code));
    }
    if (record.model != 0 && record.model != 1) {
        throw InputError(where,
                         fmt::format("friction model {} is unknown; 0 is convex, 1 exact", record.model));
    }
    return FrictionCone{.mu = first,
                        .mu_roll = second,
                        .mu_spin = third,
                        .model = record.model == 1 ? FrictionModel::exact : FrictionModel::convex};
}

/// Reading within one group of one file.
struct Reader {
    const hdf5::InputFile& file;
    const ReadLimits& limits;

    std::string in(const std::string& name) const { return problem_group + "/" + name; }
    std::string where(const std::string& name) const {
        return fmt::format("{}:/{}", file.path().string(), in(name));
    }
    bool has(const std::string& name) const { return file.contains(in(name)); }

    template <class T>
    std::vector<T> vector(const std::string& name, std::int64_t length) const {
        const std::int64_t found = file.length(in(name));
        if (found != length) {
            throw file.error(in(name), fmt::format("has {} entries, expected {}", found, length));
        }
        std::vector<T> values(static_cast<std::size_t>(length));
        file.read(in(name), values);
        return values;
    }
};

void check_version(const hdf5::InputFile& file, const std::string& group) {
    const int version = file.read_attribute(group, "version");
    if (version > format_version) {
        throw file.error(group, fmt::format("format version {} is newer than version {}, the newest this "
                                            "Uptack reads; use a newer Uptack",
                                            version, format_version));
    }
    if (version < 1) throw file.error(group, fmt::format("format version {} does not exist", version));
}

std::vector<Body> read_bodies(const Reader& reader) {
    const std::int64_t count = reader.file.length(reader.in("bodies/inverse_mass"));
    check_bodies(reader.where("bodies"), count, reader.limits);
    const std::vector<double> inverse_mass = reader.vector<double>("bodies/inverse_mass", count);
    std::vector<Body> bodies(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i].inverse_mass = inverse_mass[i];
    double* inertia = bodies.empty() ? nullptr : bodies[0].inverse_inertia_w.data();
    double* velocity = bodies.empty() ? nullptr : bodies[0].free_velocity.data();
    reader.file.read(reader.in("bodies/inverse_inertia_w"),
                     hdf5::Columns<double>{inertia, count, 6, body_doubles});
    reader.file.read(reader.in("bodies/free_velocity"),
                     hdf5::Columns<double>{velocity, count, 6, body_doubles});
    return bodies;
}

std::vector<JacobianRow> read_jacobian(const Reader& reader, std::int64_t rows) {
    const std::string name = reader.in("jacobian");
    const std::int64_t found = reader.file.rows(name, jacobian_doubles);
    if (found != rows) throw reader.file.error(name, fmt::format("has {} rows, expected {}", found, rows));
    std::vector<JacobianRow> jacobian(static_cast<std::size_t>(rows));
    double* first = jacobian.empty() ? nullptr : jacobian[0].a.data();
    reader.file.read(name, hdf5::Columns<double>{first, rows, jacobian_doubles, jacobian_doubles});
    return jacobian;
}

SparseMatrix read_matrix(const Reader& reader, std::int64_t rows) {
    const std::int64_t entries = reader.file.length(reader.in("matrix/value"));
    check_entries(reader.where("matrix"), entries, reader.limits);
    SparseMatrix matrix;
    matrix.start = reader.vector<std::int64_t>("matrix/start", rows + 1);
    matrix.column = reader.vector<int>("matrix/column", entries);
    matrix.value = reader.vector<double>("matrix/value", entries);
    return matrix;
}

void read_laws(const Reader& reader, std::vector<Block>& blocks) {
    const auto count = static_cast<std::int64_t>(blocks.size());
    const std::vector<int> codes = reader.vector<int>("blocks/law", count);
    const std::vector<int> models = reader.vector<int>("blocks/friction_model", count);
    const std::string name = reader.in("blocks/law_parameters");
    if (reader.file.rows(name, law_parameters) != count) {
        throw reader.file.error(name, fmt::format("expected {} rows", count));
    }
    std::vector<std::array<double, law_parameters>> parameters(blocks.size());
    double* first = parameters.empty() ? nullptr : parameters[0].data();
    reader.file.read(name, hdf5::Columns<double>{first, count, law_parameters, law_parameters});
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        const LawRecord record{.code = codes[k], .model = models[k], .parameters = parameters[k]};
        blocks[k].law = to_law(record, fmt::format("{} {}", reader.where("blocks/law"), k));
    }
}

std::vector<Block> read_blocks(const Reader& reader) {
    const std::int64_t count = reader.file.length(reader.in("blocks/first_row"));
    check_rows(reader.where("blocks"), count, reader.limits);
    std::vector<Block> blocks(static_cast<std::size_t>(count));
    const auto read_field = [&](const char* name, int Block::*field) {
        const std::vector<int> values = reader.vector<int>(name, count);
        for (std::size_t k = 0; k < blocks.size(); ++k) blocks[k].*field = values[k];
    };
    read_field("blocks/body_a", &Block::body_a);
    read_field("blocks/body_b", &Block::body_b);
    read_field("blocks/first_row", &Block::first_row);
    read_field("blocks/rows", &Block::rows);
    read_laws(reader, blocks);
    return blocks;
}

std::vector<std::string> read_names(const Reader& reader, const std::string& group) {
    if (!reader.has(group)) return {};
    const std::int64_t count = reader.file.length(reader.in(group + "/length"));
    check_rows(reader.where(group), count, reader.limits);
    const std::int64_t bytes = reader.file.length(reader.in(group + "/text"));
    check_name_bytes(reader.where(group), bytes, reader.limits);
    const std::vector<int> lengths = reader.vector<int>(group + "/length", count);
    const std::vector<unsigned char> text = reader.vector<unsigned char>(group + "/text", bytes);

    std::vector<std::string> names;
    names.reserve(lengths.size());
    std::int64_t begin = 0;
    for (const int length : lengths) {
        if (length < 0 || length > bytes - begin) {
            throw reader.file.error(reader.in(group), "the lengths of the names do not fit their text");
        }
        names.emplace_back(text.begin() + begin, text.begin() + begin + length);
        begin += length;
    }
    return names;
}

void write_names(hdf5::OutputFile& file, const std::string& group, const std::vector<std::string>& names) {
    if (names.empty()) return;
    std::vector<int> lengths;
    std::vector<unsigned char> text;
    for (const std::string& name : names) {
        lengths.push_back(static_cast<int>(name.size()));
        text.insert(text.end(), name.begin(), name.end());
    }
    file.create_group(group);
    file.write(group + "/length", lengths);
    file.write(group + "/text", text);
}

void write_bodies(hdf5::OutputFile& file, const std::vector<Body>& bodies) {
    const auto count = static_cast<std::int64_t>(bodies.size());
    std::vector<double> inverse_mass;
    inverse_mass.reserve(bodies.size());
    for (const Body& body : bodies) inverse_mass.push_back(body.inverse_mass);
    const double* inertia = bodies.empty() ? nullptr : bodies[0].inverse_inertia_w.data();
    const double* velocity = bodies.empty() ? nullptr : bodies[0].free_velocity.data();
    const std::string group = problem_group + "/bodies";
    file.create_group(group);
    file.write(group + "/inverse_mass", inverse_mass);
    file.write(group + "/inverse_inertia_w", hdf5::Columns<const double>{inertia, count, 6, body_doubles});
    file.write(group + "/free_velocity", hdf5::Columns<const double>{velocity, count, 6, body_doubles});
}

void write_jacobian(hdf5::OutputFile& file, const std::vector<JacobianRow>& jacobian) {
    const double* first = jacobian.empty() ? nullptr : jacobian[0].a.data();
    file.write(problem_group + "/jacobian",
               hdf5::Columns<const double>{first, std::ssize(jacobian), jacobian_doubles, jacobian_doubles});
}

void write_matrix(hdf5::OutputFile& file, const SparseMatrix& matrix) {
    const std::string group = problem_group + "/matrix";
    file.create_group(group);
    file.write(group + "/start", matrix.start);
    file.write(group + "/column", matrix.column);
    file.write(group + "/value", matrix.value);
}

void write_blocks(hdf5::OutputFile& file, const std::vector<Block>& blocks) {
    const std::string group = problem_group + "/blocks";
    file.create_group(group);
    const auto write_field = [&](const char* name, auto field_of) {
        std::vector<int> values;
        values.reserve(blocks.size());
        for (const Block& block : blocks) values.push_back(field_of(block));
        file.write(group + name, values);
    };
    write_field("/body_a", [](const Block& block) { return block.body_a; });
    write_field("/body_b", [](const Block& block) { return block.body_b; });
    write_field("/first_row", [](const Block& block) { return block.first_row; });
    write_field("/rows", [](const Block& block) { return block.rows; });
    write_field("/law", [](const Block& block) { return to_record(block.law).code; });
    write_field("/friction_model", [](const Block& block) { return to_record(block.law).model; });

    std::vector<std::array<double, law_parameters>> parameters;
    parameters.reserve(blocks.size());
    for (const Block& block : blocks) parameters.push_back(to_record(block.law).parameters);
    const double* first = parameters.empty() ? nullptr : parameters[0].data();
    file.write(group + "/law_parameters",
               hdf5::Columns<const double>{first, std::ssize(blocks), law_parameters, law_parameters});
}

/// A solver that is given such a start would drop it without a word.
void check_finite(const hdf5::InputFile& file, const std::string& name, std::span<const double> values,
                  std::size_t columns) {
    const auto fault = std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
    if (fault == values.end()) return;
    const auto row = static_cast<std::size_t>(fault - values.begin()) / columns;
    throw file.error(
        name, fmt::format("row {} is {}, which is no finite number; save the solution again", row, *fault));
}

}  // namespace

bool holds_uptack_problem(const hdf5::InputFile& file) {
    return file.contains(problem_group);
}

Problem read_uptack_problem(const hdf5::InputFile& file, const ReadLimits& limits) {
    check_version(file, problem_group);
    const Reader reader{file, limits};
    const std::int64_t rows = file.length(reader.in("bias"));
    check_rows(reader.where("bias"), rows, limits);

    Problem problem;
    problem.name = file.read_text(reader.in("name"), limits.max_name_bytes);
    problem.blocks = read_blocks(reader);
    if (reader.has("matrix")) {
        problem.matrix = read_matrix(reader, rows);
    } else {
        problem.bodies = read_bodies(reader);
        problem.jacobian = read_jacobian(reader, rows);
    }
    problem.bias = reader.vector<double>("bias", rows);
    if (reader.has("compliance")) problem.compliance = reader.vector<double>("compliance", rows);
    problem.body_names = read_names(reader, "body_names");
    problem.block_names = read_names(reader, "block_names");
    return problem;
}

void write_problem(const std::filesystem::path& path, const Problem& problem) {
    if (const std::vector<Fault> faults = validate(problem, 1); !faults.empty()) {
        throw InputError(path.string(), fmt::format("the problem to be written is not valid: {}: {}",
                                                    faults[0].where, faults[0].message));
    }
    hdf5::OutputFile file(path);
    file.create_group(problem_group);
    file.write_attribute(problem_group, "version", format_version);
    file.write_text(problem_group + "/name", problem.name);
    write_blocks(file, problem.blocks);
    if (problem.matrix) {
        write_matrix(file, *problem.matrix);
    } else {
        write_bodies(file, problem.bodies);
        write_jacobian(file, problem.jacobian);
    }
    file.write(problem_group + "/bias", problem.bias);
    if (!problem.compliance.empty()) file.write(problem_group + "/compliance", problem.compliance);
    write_names(file, problem_group + "/body_names", problem.body_names);
    write_names(file, problem_group + "/block_names", problem.block_names);
    file.commit();
}

Solution read_solution(const std::filesystem::path& path) {
    const hdf5::InputFile file(path);
    if (!file.contains(solution_group)) {
        throw InputError(path.string(), "has no group /uptack_solution; give a file written as a solution");
    }
    check_version(file, solution_group);
    const std::string impulse = solution_group + "/impulse";
    const std::string velocity = solution_group + "/velocity";
    Solution solution;
    solution.impulse.resize(static_cast<std::size_t>(file.length(impulse)));
    file.read(impulse, solution.impulse);
    const std::int64_t bodies = file.rows(velocity, 6);
    solution.velocity.resize(static_cast<std::size_t>(bodies));
    double* first = solution.velocity.empty() ? nullptr : solution.velocity[0].data();
    file.read(velocity, hdf5::Columns<double>{first, bodies, 6, 6});
    check_finite(file, solution_group + "/impulse", solution.impulse, 1);
    check_finite(file, solution_group + "/velocity", {first, 6 * solution.velocity.size()}, 6);
    return solution;
}

void write_solution(const std::filesystem::path& path, const Solution& solution) {
    hdf5::OutputFile file(path);
    file.create_group(solution_group);
    file.write_attribute(solution_group, "version", format_version);
    file.write(solution_group + "/impulse", solution.impulse);
    const double* first = solution.velocity.empty() ? nullptr : solution.velocity[0].data();
    file.write(solution_group + "/velocity",
               hdf5::Columns<const double>{first, std::ssize(solution.velocity), 6, 6});
    file.commit();
}

}  // namespace uptack
