// A formula in text, compiled once and evaluated often: "0.01 * sin(2*pi*30*t)".
//
// Written by: scene, users of the API.  Read by: scene (numbers and patterns), integrator and assembly
// (motors, prescribed motions and forces as functions of time).
//
//     numbers    1, 0.5, 1e-3          names    pi, e, and the variables handed to parse()
//     operators  + - * / ^ % and parentheses; comparisons < <= > >= == != give 1 or 0; a ? b : c
//     functions  sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs floor ceil round sign
//                min max mod clamp(x, lo, hi) step(x) smooth(x) ramp(t, t0, t1)
//
// a % b and mod(a, b) have the sign of b; step(x) is 1 from 0 on; min and max take two or more values;
// smooth(x) is 0 below 0, 1 above 1 and 3x^2 - 2x^3 between; ramp is smooth((t - t0) / (t1 - t0)).

#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace uptack {

class Expression {
public:
    /// Zero.
    Expression() = default;
    /// A constant.
    Expression(double value);  // NOLINT(google-explicit-constructor): numbers are expressions
    /// A formula in t; throws InputError (with column and remedy) like parse().
    Expression(const char* text);         // NOLINT(google-explicit-constructor)
    Expression(const std::string& text);  // NOLINT(google-explicit-constructor)

    /// A formula in `variables`.  Throws InputError naming `where`, the column and what was expected;
    /// LimitError beyond 4096 characters or 64 levels.
    static Expression parse(std::string_view text, std::span<const std::string> variables,
                            const std::string& where);

    /// Values in the order of parse()'s variables.  Never throws; the result may be infinite or NaN.
    double evaluate(std::span<const double> values) const;
    /// As a function of time.
    double operator()(double t) const { return evaluate({&t, 1}); }

    bool is_constant() const;
    /// What it was made from: the text, or the number written so that it reads back bit by bit.
    std::string text() const;

private:
    struct Program;
    double constant_ = 0.0;
    std::shared_ptr<const Program> program_;  ///< null: the constant
};

}  // namespace uptack
