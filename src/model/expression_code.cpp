#include "expression_code.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace uptack::model {
namespace {

constexpr std::array<FunctionEntry, 25> functions{{
    {"sin", Operation::sine, 1, false},
    {"cos", Operation::cosine, 1, false},
    {"tan", Operation::tangent, 1, false},
    {"asin", Operation::arc_sine, 1, false},
    {"acos", Operation::arc_cosine, 1, false},
    {"atan", Operation::arc_tangent, 1, false},
    {"atan2", Operation::arc_tangent2, 2, false},
    {"sinh", Operation::hyperbolic_sine, 1, false},
    {"cosh", Operation::hyperbolic_cosine, 1, false},
    {"tanh", Operation::hyperbolic_tangent, 1, false},
    {"exp", Operation::exponential, 1, false},
    {"log", Operation::logarithm, 1, false},
    {"sqrt", Operation::square_root, 1, false},
    {"abs", Operation::absolute, 1, false},
    {"floor", Operation::floor, 1, false},
    {"ceil", Operation::ceiling, 1, false},
    {"round", Operation::round, 1, false},
    {"sign", Operation::sign, 1, false},
    {"min", Operation::minimum, 2, true},
    {"max", Operation::maximum, 2, true},
    {"mod", Operation::modulo, 2, false},
    {"clamp", Operation::clamp, 3, false},
    {"step", Operation::step, 1, false},
    {"smooth", Operation::smooth, 1, false},
    {"ramp", Operation::ramp, 3, false},
}};

int operand_count(Operation operation) {
    if (operation == Operation::number || operation == Operation::variable) return 0;
    if (operation == Operation::negate) return 1;
    if (operation == Operation::choose) return 3;
    for (const FunctionEntry& entry : functions) {
        if (entry.operation == operation) return entry.operands;
    }
    return 2;
}

// Of the divisor's sign, so that t % period runs from 0 to period for negative t too.
double floored_modulo(double a, double b) {
    const double r = std::fmod(a, b);
    return r != 0.0 && (r < 0.0) != (b < 0.0) ? r + b : r;
}

// Unlike std::min and std::fmin these hand on a NaN from either side.
double smaller(double a, double b) {
    return a < b || std::isnan(a) ? a : b;
}
double larger(double a, double b) {
    return a > b || std::isnan(a) ? a : b;
}

double sign(double x) {
    if (std::isnan(x)) return x;
    return static_cast<double>(x > 0.0) - static_cast<double>(x < 0.0);
}

double smooth(double x) {
    if (x <= 0.0) return 0.0;
    if (x >= 1.0) return 1.0;
    return x * x * (3.0 - 2.0 * x);
}

// A ramp of no length is a step.
double ramp(double t, double t0, double t1) {
    if (t0 == t1) return t >= t0 ? 1.0 : 0.0;
    return smooth((t - t0) / (t1 - t0));
}

double apply_function(Operation operation, const double* x) {
    switch (operation) {
        case Operation::sine:
            return std::sin(x[0]);
        case Operation::cosine:
            return std::cos(x[0]);
        case Operation::tangent:
            return std::tan(x[0]);
        case Operation::arc_sine:
            return std::asin(x[0]);
        case Operation::arc_cosine:
            return std::acos(x[0]);
        case Operation::arc_tangent:
            return std::atan(x[0]);
        case Operation::arc_tangent2:
            return std::atan2(x[0], x[1]);
        case Operation::hyperbolic_sine:
            return std::sinh(x[0]);
        case Operation::hyperbolic_cosine:
            return std::cosh(x[0]);
        case Operation::hyperbolic_tangent:
            return std::tanh(x[0]);
        case Operation::exponential:
            return std::exp(x[0]);
        case Operation::logarithm:
            return std::log(x[0]);
        case Operation::square_root:
            return std::sqrt(x[0]);
        case Operation::absolute:
            return std::abs(x[0]);
        case Operation::floor:
            return std::floor(x[0]);
        case Operation::ceiling:
            return std::ceil(x[0]);
        case Operation::round:
            return std::round(x[0]);
        case Operation::sign:
            return sign(x[0]);
        case Operation::minimum:
            return smaller(x[0], x[1]);
        case Operation::maximum:
            return larger(x[0], x[1]);
        case Operation::clamp:
            return smaller(larger(x[0], x[1]), x[2]);
        case Operation::step:
            return x[0] >= 0.0 ? 1.0 : 0.0;
        case Operation::smooth:
            return smooth(x[0]);
        case Operation::ramp:
            return ramp(x[0], x[1], x[2]);
        default:
            return std::numeric_limits<double>::quiet_NaN();
    }
}

double apply_operation(Operation operation, const double* x) {
    switch (operation) {
        case Operation::negate:
            return -x[0];
        case Operation::add:
            return x[0] + x[1];
        case Operation::subtract:
            return x[0] - x[1];
        case Operation::multiply:
            return x[0] * x[1];
        case Operation::divide:
            return x[0] / x[1];
        case Operation::modulo:
            return floored_modulo(x[0], x[1]);
        case Operation::power:
            return std::pow(x[0], x[1]);
        case Operation::less:
            return x[0] < x[1] ? 1.0 : 0.0;
        case Operation::less_equal:
            return x[0] <= x[1] ? 1.0 : 0.0;
        case Operation::greater:
            return x[0] > x[1] ? 1.0 : 0.0;
        case Operation::greater_equal:
            return x[0] >= x[1] ? 1.0 : 0.0;
        case Operation::equal:
            return x[0] == x[1] ? 1.0 : 0.0;
        case Operation::not_equal:
            return x[0] != x[1] ? 1.0 : 0.0;
        case Operation::choose:
            return x[0] != 0.0 ? x[1] : x[2];
        default:
            return apply_function(operation, x);
    }
}

}  // namespace

std::span<const FunctionEntry> function_table() {
    return functions;
}

void Code::push_number(double value) {
    push({.operation = Operation::number, .index = 0, .number = value});
}

void Code::push_variable(int index) {
    push({.operation = Operation::variable, .index = index, .number = 0.0});
}

void Code::push(const Instruction& instruction) {
    instructions_.push_back(instruction);
    depth_ = std::max(depth_, ++height_);
}

void Code::apply(Operation operation) {
    const int count = operand_count(operation);
    const auto operands = std::span(instructions_).last(static_cast<std::size_t>(count));
    std::array<double, 3> numbers{};
    bool all_numbers = true;
    for (std::size_t k = 0; k < operands.size(); ++k) {
        all_numbers = all_numbers && operands[k].operation == Operation::number;
        numbers[k] = operands[k].number;
    }
    height_ -= count - 1;
    if (all_numbers) {
        instructions_.resize(instructions_.size() - operands.size() + 1);
        instructions_.back() = {
            .operation = Operation::number, .index = 0, .number = apply_operation(operation, numbers.data())};
    } else {
        instructions_.push_back({.operation = operation, .index = count, .number = 0.0});
    }
}

bool Code::is_number() const {
    return instructions_.size() == 1 && instructions_[0].operation == Operation::number;
}

double Code::run(std::span<const double> values) const {
    std::array<double, stack_size> stack;
    std::size_t top = 0;  // one past the last result
    for (const Instruction& i : instructions_) {
        if (i.operation == Operation::number) {
            stack[top++] = i.number;
        } else if (i.operation == Operation::variable) {
            const auto index = static_cast<std::size_t>(i.index);
            stack[top++] = index < values.size() ? values[index] : std::numeric_limits<double>::quiet_NaN();
        } else {
            top -= static_cast<std::size_t>(i.index);
            stack[top] = apply_operation(i.operation, &stack[top]);
            ++top;
        }
    }
    return stack[0];
}

}  // namespace uptack::model
