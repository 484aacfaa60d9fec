#include "scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numbers>

namespace uptack::scene {
namespace {

constexpr std::size_t max_name_characters = 64;

/// Names that expressions have already; see expression.h.
constexpr std::array reserved{
    std::string_view("pi"),    std::string_view("e"),     std::string_view("t"),
    std::string_view("sin"),   std::string_view("cos"),   std::string_view("tan"),
    std::string_view("asin"),  std::string_view("acos"),  std::string_view("atan"),
    std::string_view("atan2"), std::string_view("sinh"),  std::string_view("cosh"),
    std::string_view("tanh"),  std::string_view("exp"),   std::string_view("log"),
    std::string_view("sqrt"),  std::string_view("abs"),   std::string_view("floor"),
    std::string_view("ceil"),  std::string_view("round"), std::string_view("sign"),
    std::string_view("min"),   std::string_view("max"),   std::string_view("mod"),
    std::string_view("step"),  std::string_view("clamp"), std::string_view("smooth"),
    std::string_view("ramp")};

bool letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// The end of the number, name or sign at `start`.  The e of 1e3 belongs to the number.
std::size_t token_end(std::string_view text, std::size_t start) {
    std::size_t at = start;
    if (letter(text[at])) {
        while (at < text.size() && (letter(text[at]) || digit(text[at]))) ++at;
        return at;
    }
    if (!digit(text[at]) && text[at] != '.') return at + 1;
    while (at < text.size() && (digit(text[at]) || text[at] == '.')) ++at;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        std::size_t power = at + 1;
        if (power < text.size() && (text[power] == '+' || text[power] == '-')) ++power;
        if (power < text.size() && digit(text[power])) at = power;
        while (at < text.size() && digit(text[at])) ++at;
    }
    return at;
}

}  // namespace

Scope::Scope() {
    push("deg", std::numbers::pi / 180.0);
}

void Scope::push(const std::string& name, double value) {
    const auto next = static_cast<int>(layouts_.size()) + 1;
    const auto [entry, added] = layouts_.try_emplace({layout_.back(), name}, next);
    layout_.push_back(entry->second);
    names_.push_back(name);
    values_.push_back(value);
}

void Scope::shrink(std::size_t size) {
    names_.resize(size);
    values_.resize(size);
    layout_.resize(size + 1);
}

bool Scope::has(std::string_view name) const {
    return std::find(names_.begin(), names_.end(), name) != names_.end();
}

const Expression* Scope::find(const std::string& text) const {
    const auto found = formulas_.find({layout_.back(), text});
    return found == formulas_.end() ? nullptr : &found->second;
}

const Expression& Scope::compile(const std::string& text, const std::string& where) {
    Expression formula = Expression::parse(text, names_, where);
    return formulas_.insert_or_assign({layout_.back(), text}, std::move(formula)).first->second;
}

Expression Scope::time_function(const std::string& text, const std::string& where) const {
    const std::vector<std::string> time{"t"};
    std::vector<std::string> all = names_;
    all.push_back("t");
    Expression::parse(text, all, where);  // for its message, whose column is that of the user's text
    std::string bound;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = token_end(text, at);
        const std::string token = text.substr(at, end - at);
        const auto name = std::find(names_.begin(), names_.end(), token);
        bound +=
            name == names_.end()
                ? token
                : fmt::format("({})", number_text(values_[static_cast<std::size_t>(name - names_.begin())]));
        at = end;
    }
    return Expression::parse(bound, time, where);
}

std::string Scope::describe(std::size_t from) const {
    std::string text;
    for (std::size_t k = from; k < names_.size(); ++k) {
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", names_[k], number_text(values_[k]));
    }
    return text.empty() ? text : " (with " + text + ")";
}

std::string name_fault(std::string_view name) {
    const bool word = !name.empty() && letter(name[0]) &&
                      std::all_of(name.begin(), name.end(), [](char c) { return letter(c) || digit(c); });
    if (!word) return fmt::format("\"{}\" is no name; use letters, digits and _, a letter first", name);
    if (name.size() > max_name_characters) {
        return fmt::format("the name has {} characters; at most {} are allowed", name.size(),
                           max_name_characters);
    }
    if (std::find(reserved.begin(), reserved.end(), name) != reserved.end()) {
        return fmt::format("\"{}\" has a meaning in expressions already; choose another name", name);
    }
    return {};
}

std::string number_text(double value) {
    constexpr double exact_whole = 9007199254740992.0;  // 2^53
    const bool whole = std::abs(value) < exact_whole && value == std::floor(value);
    if (whole && !(value == 0.0 && std::signbit(value))) return fmt::format("{:.0f}", value);
    return fmt::format("{}", value);
}

}  // namespace uptack::scene
