// What an expression is compiled to: instructions for a stack machine, operands before operators.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace uptack::model {

enum class Operation : std::uint8_t {
    number,
    variable,
    negate,
    add,
    subtract,
    multiply,
    divide,
    modulo,
    power,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    choose,  ///< condition, then, else: both branches are computed, which no formula can notice
    sine,
    cosine,
    tangent,
    arc_sine,
    arc_cosine,
    arc_tangent,
    arc_tangent2,
    hyperbolic_sine,
    hyperbolic_cosine,
    hyperbolic_tangent,
    exponential,
    logarithm,
    square_root,
    absolute,
    floor,
    ceiling,
    round,
    sign,
    minimum,
    maximum,
    clamp,
    step,
    smooth,
    ramp,
};

struct Instruction {
    Operation operation = Operation::number;
    int index = 0;  ///< of a variable: which; of an operator: how many operands
    double number = 0.0;
};

struct FunctionEntry {
    std::string_view name;
    Operation operation;
    int operands;
    bool takes_more;  ///< min and max take two or more
};

std::span<const FunctionEntry> function_table();

class Code {
public:
    static constexpr int stack_size = 512;  ///< 4 KiB; what 64 levels of any formula need at most

    void push_number(double value);
    void push_variable(int index);
    /// Of the last results; computed here and now where they are all numbers.
    void apply(Operation operation);

    /// The deepest the stack gets.
    int depth() const { return depth_; }
    bool is_number() const;
    /// Missing values are NaN.  The caller has seen to it that depth() <= stack_size.
    double run(std::span<const double> values) const;

private:
    void push(const Instruction& instruction);

    std::vector<Instruction> instructions_;
    int height_ = 0;
    int depth_ = 0;
};

}  // namespace uptack::model
