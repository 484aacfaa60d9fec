// The names that expressions may use at one place of a file: parameters, loop variables, "let", and deg.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "uptack/expression.h"

namespace uptack::scene {

/// A stack of names with values.  Formulas are compiled once for each set of names, since a pattern evaluates
/// them for every body.
class Scope {
public:
    /// deg = pi / 180 alone.
    Scope();

    std::size_t size() const { return names_.size(); }
    void push(const std::string& name, double value);
    /// Forgets all but the first `size`.
    void shrink(std::size_t size);
    bool has(std::string_view name) const;
    const std::vector<std::string>& names() const { return names_; }

    /// The compiled formula, or null if it has not been compiled with these names.
    const Expression* find(const std::string& text) const;
    /// Throws InputError naming `where`.
    const Expression& compile(const std::string& text, const std::string& where);
    double evaluate(const Expression& formula) const { return formula.evaluate(values_); }

    /// A function of t alone: the present values take the places of their names.
    Expression time_function(const std::string& text, const std::string& where) const;

    /// " (with i = 3, k = 7)": the last names, for messages.
    std::string describe(std::size_t from) const;

private:
    std::vector<std::string> names_;
    std::vector<double> values_;
    std::vector<int> layout_{0};  ///< number of each prefix of names_, so that equal lists are told fast
    std::map<std::pair<int, std::string>, int> layouts_;
    std::map<std::pair<int, std::string>, Expression> formulas_;
};

/// Empty if it may name a parameter or variable; else why not.
std::string name_fault(std::string_view name);

/// Written so that it reads back bit by bit; whole numbers without decimals.
std::string number_text(double value);

}  // namespace uptack::scene
