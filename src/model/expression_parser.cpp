#include "expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "uptack/input_error.h"

namespace uptack::model {
namespace {

// By hand, not by <cctype>: the locale must not change what a formula means.
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Insertions, deletions and replacements that turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
        }
    }
    return row[b.size()];
}

struct OperatorEntry {
    std::string_view sign;
    Operation operation;
};
constexpr std::array<OperatorEntry, 6> comparisons{{
    {"<=", Operation::less_equal},  // before "<", of which it is the longer reading
    {">=", Operation::greater_equal},
    {"==", Operation::equal},
    {"!=", Operation::not_equal},
    {"<", Operation::less},
    {">", Operation::greater},
}};
constexpr std::array<OperatorEntry, 2> sums{{{"+", Operation::add}, {"-", Operation::subtract}}};
constexpr std::array<OperatorEntry, 3> products{
    {{"*", Operation::multiply}, {"/", Operation::divide}, {"%", Operation::modulo}}};

class Parser {
public:
    Parser(std::string_view text, std::span<const std::string> variables, const std::string& where)
        : text_(text), variables_(variables), where_(where) {}

    Code parse() {
        formula();
        skip_spaces();
        if (at_ < text_.size()) fail("expected an operator or the end");
        if (code_.depth() > Code::stack_size) too_deep();
        return std::move(code_);
    }

private:
    /// One level of nesting, for as long as it lives.
    class Level {
    public:
        explicit Level(Parser& parser) : parser_(parser) {
            if (++parser_.level_ > max_formula_levels) parser_.too_deep();
        }
        ~Level() { --parser_.level_; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;

    private:
        Parser& parser_;
    };

    void formula() {
        const Level level(*this);
        comparison();
        if (!accept("?")) return;
        formula();
        expect(":", "to go between the two values of '?'");
        formula();
        code_.apply(Operation::choose);
    }

    void comparison() {
        sum();
        const auto first = accept_one_of(comparisons);
        if (!first) return;
        sum();
        code_.apply(*first);
        const std::size_t before = at_;
        if (!accept_one_of(comparisons)) return;
        at_ = before;
        fail("comparisons do not chain: write (a < b) * (b < c) for both");
    }

    void sum() {
        product();
        while (const auto operation = accept_one_of(sums)) {
            product();
            code_.apply(*operation);
        }
    }

    void product() {
        unary();
        while (const auto operation = accept_one_of(products)) {
            unary();
            code_.apply(*operation);
        }
    }

    void unary() {
        const Level level(*this);
        if (accept("-")) {
            unary();
            code_.apply(Operation::negate);
        } else if (accept("+")) {
            unary();
        } else {
            primary();
            if (!accept("^")) return;
            unary();
            code_.apply(Operation::power);
        }
    }

    void primary() {
        skip_spaces();
        const char c = at_ < text_.size() ? text_[at_] : '\0';
        if (is_digit(c) || c == '.') {
            number();
        } else if (is_letter(c)) {
            name();
        } else if (accept("(")) {
            formula();
            expect(")", "to close the parenthesis");
        } else {
            fail("expected a number, a name or '('");
        }
    }

    void number() {
        double value = 0.0;
        const char* begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (error == std::errc::result_out_of_range) fail("expected a number between 1e-307 and 1e308");
        if (error != std::errc{}) fail("expected a number");
        at_ += static_cast<std::size_t>(end - begin);
        code_.push_number(value);
    }

    void name() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
        const std::string_view word = text_.substr(begin, at_ - begin);
        if (accept("(")) {
            call(word, begin);
            return;
        }
        const auto variable = std::find(variables_.begin(), variables_.end(), word);
        if (variable != variables_.end()) {
            code_.push_variable(static_cast<int>(variable - variables_.begin()));
        } else if (word == "pi") {
            code_.push_number(std::numbers::pi);
        } else if (word == "e") {
            code_.push_number(std::numbers::e);
        } else {
            at_ = begin;
            if (find_function(word) != nullptr) {
                fail(fmt::format("'{}' is a function: write {}(...)", word, word));
            }
            unknown(word);
        }
    }

    void call(std::string_view word, std::size_t begin) {
        const FunctionEntry* function = find_function(word);
        if (function == nullptr) {
            at_ = begin;
            unknown(word);
        }
        int count = 0;
        do {
            formula();
            ++count;
            if (function->takes_more && count > 1) code_.apply(function->operation);
        } while (accept(","));
        expect(")", fmt::format("to close {}(", word));
        if (count < function->operands || (count > function->operands && !function->takes_more)) {
            at_ = begin;
            fail(fmt::format("{} takes {}{} value{}, not {}", word, function->operands,
                             function->takes_more ? " or more" : "", function->operands == 1 ? "" : "s",
                             count));
        }
        if (!function->takes_more) code_.apply(function->operation);
    }

    static const FunctionEntry* find_function(std::string_view word) {
        for (const FunctionEntry& entry : function_table()) {
            if (entry.name == word) return &entry;
        }
        return nullptr;
    }

    void skip_spaces() {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    }

    bool accept(std::string_view sign) {
        skip_spaces();
        if (!text_.substr(at_).starts_with(sign)) return false;
        at_ += sign.size();
        return true;
    }

    std::optional<Operation> accept_one_of(std::span<const OperatorEntry> entries) {
        for (const OperatorEntry& entry : entries) {
            if (accept(entry.sign)) return entry.operation;
        }
        return std::nullopt;
    }

    void expect(std::string_view sign, const std::string& purpose) {
        if (!accept(sign)) fail(fmt::format("expected '{}' {}", sign, purpose));
    }

    [[noreturn]] void fail(const std::string& message) const {
        std::size_t at = at_;
        while (at < text_.size() && is_space(text_[at])) ++at;
        std::string found = "the end";
        if (at < text_.size()) {
            const bool is_plain = text_[at] > ' ' && text_[at] < '\x7f';
            found = is_plain ? fmt::format("'{}'", text_[at]) : "a character that formulas do not use";
        }
        throw InputError(where_,
                         fmt::format("column {} of \"{}\": {}; found {}", at + 1, text_, message, found));
    }

    [[noreturn]] void too_deep() const {
        throw LimitError(where_, fmt::format("column {}: more than {} levels of parentheses and signs; split "
                                             "the formula",
                                             at_ + 1, max_formula_levels));
    }

    [[noreturn]] void unknown(std::string_view word) const {
        std::vector<std::string_view> values(variables_.begin(), variables_.end());
        values.insert(values.end(), {"pi", "e"});
        std::vector<std::string_view> names;
        for (const FunctionEntry& entry : function_table()) names.push_back(entry.name);
        std::string_view nearest;
        std::size_t least = 1 + word.size() / 3;  // what differs more is another word, not a slip
        for (const auto& list : {values, names}) {
            for (const std::string_view candidate : list) {
                const std::size_t distance = edit_distance(word, candidate);
                if (distance >= candidate.size() || distance > least) continue;
                if (distance == least && !nearest.empty()) continue;
                least = distance;
                nearest = candidate;
            }
        }
        const std::string suggestion = nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
        throw InputError(where_, fmt::format("column {} of \"{}\": unknown name '{}'{} known are {}, and the "
                                             "functions {}",
                                             at_ + 1, text_, word, suggestion.empty() ? ";" : suggestion,
                                             fmt::join(values, ", "), fmt::join(names, " ")));
    }

    std::string_view text_;
    std::span<const std::string> variables_;
    const std::string& where_;
    Code code_;
    std::size_t at_ = 0;
    int level_ = 0;
};

}  // namespace

Code parse_formula(std::string_view text, std::span<const std::string> variables, const std::string& where) {
    if (text.size() > max_formula_characters) {
        throw LimitError(where, fmt::format("a formula of {} characters; at most {} are read, split it",
                                            text.size(), max_formula_characters));
    }
    return Parser(text, variables, where).parse();
}

}  // namespace uptack::model
