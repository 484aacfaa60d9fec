// Values of a scene's JSON: numbers and the formulas that stand for them, names, vectors, poses, patterns;
// and where they are, for messages.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "json_text.h"
#include "keys.h"
#include "scope.h"
#include "uptack/expression.h"
#include "uptack/math.h"
#include "uptack/scene.h"

namespace uptack::scene {

/// Below the JSON pointer everything came from the file.
struct Origin {
    std::string pointer;
    std::string file;
};

/// The document that is being read: the scene, or one of its parts.
struct Place {
    Scope* scope = nullptr;
    std::string prefix;          ///< of its names; random numbers differ by it
    std::size_t local_from = 0;  ///< names of the scope from here on are loop variables and "let"
    std::vector<int> indices;    ///< of the loops that are running
};

class Object;

class Reader {
public:
    /// `root` must outlive the reader; `origins` begin with that of the whole document, pointer "".
    Reader(const Json& root, std::vector<Origin> origins, const SceneLimits& limits = {})
        : root_(root), origins_(std::move(origins)), max_repetitions_(limits.repetitions) {}

    /// "wall.json: /bodies/3/shape/box".  Searches the document for the value: only for messages.
    std::string where(const Json& value) const;
    /// Throws InputError.
    [[noreturn]] void fail(const Json& value, const std::string& message) const;
    /// The same as LimitError.
    [[noreturn]] void exceed(const Json& value, const std::string& message) const;
    /// Runs an action that may throw InputError and adds where in the file it happened.
    void at(const Json& value, const std::function<void()>& action) const;

    /// Finite.
    double number(const Json& value);
    int whole(const Json& value, int least, int most);
    bool flag(const Json& value) const;
    std::string text(const Json& value) const;
    /// With {expressions} replaced by their values.
    std::string filled_text(const Json& value);
    /// A text or a list of texts.
    std::vector<std::string> texts(const Json& value);
    std::string color(const Json& value) const;
    Vec3 vec3(const Json& value);
    /// Three numbers, or one for all three.
    Vec3 size3(const Json& value);
    std::vector<double> numbers(const Json& value, std::size_t least, std::size_t most);
    Quaternion rotation(const Json& value);
    Expression time(const Json& value);
    std::array<Expression, 3> time_vec3(const Json& value);
    const Json& list(const Json& value) const;

    /// Runs `action` for every repetition that "repeat", "let" and "if" ask for, with their names in scope.
    void repeat(const Object& object, const std::function<void()>& action);
    /// The loop variables' values, outermost first.
    const std::vector<int>& indices() const { return place_.indices; }

    Scope& scope() { return *place_.scope; }
    /// What is read from now on belongs to another document; returns what was before.
    Place enter(Place place) { return std::exchange(place_, std::move(place)); }
    /// The names that are there now are no loop variables, and not worth mentioning in messages.
    void end_parameters() { place_.local_from = place_.scope->size(); }

private:
    struct Loop {
        std::string name;
        const Json* range;
    };
    void run_loops(const Object& object, std::span<const Loop> loops, const std::function<void()>& action);
    void count_repetition(const Object& object);
    void define(const Json& definitions);
    void check_new_name(const Json& value, const std::string& name) const;
    double random(const Json& value, const std::string& name);

    const Json& root_;
    std::vector<Origin> origins_;
    Place place_;
    std::int64_t max_repetitions_;
    std::int64_t repetitions_ = 0;
};

/// A JSON object of a known kind: constructing it refuses other types and unknown keys.
class Object {
public:
    Object(Reader& reader, const Json& json, const ObjectKind& kind);

    const Json& json() const { return json_; }
    bool has(std::string_view key) const { return find(key) != nullptr; }
    const Json* find(std::string_view key) const;
    /// Throws InputError where it is missing.
    const Json& need(std::string_view key) const;

    double number(std::string_view key, double fallback) const;
    Vec3 vec3(std::string_view key, const Vec3& fallback) const;
    bool flag(std::string_view key, bool fallback) const;
    std::string text(std::string_view key, const std::string& fallback = {}) const;
    std::string filled_text(std::string_view key, const std::string& fallback = {}) const;
    /// The position among the table's "choice:a,b,c".
    int choice(std::string_view key, int fallback) const;
    /// position and rotation.
    Pose pose() const;
    /// The only one of `keys` that is there; throws InputError for none or several.
    std::string_view only_one(std::span<const std::string_view> keys) const;
    /// Throws InputError unless `least` <= value <= `most`.
    double number_within(std::string_view key, double fallback, double least, double most) const;

private:
    Reader& reader_;
    const Json& json_;
    const ObjectKind& kind_;
};

}  // namespace uptack::scene
