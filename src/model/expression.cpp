#include "uptack/expression.h"

#include <fmt/format.h>

#include <array>

#include "expression_code.h"
#include "expression_parser.h"

namespace uptack {

/// Formulas whose value is known keep their text here too, but are never run.
struct Expression::Program {
    model::Code code;
    std::string text;
};

namespace {

const std::array<std::string, 1>& only_time() {
    static const std::array<std::string, 1> names{"t"};
    return names;
}

}  // namespace

Expression::Expression(double value) : constant_(value) {}

Expression::Expression(const char* text) : Expression(std::string(text)) {}

Expression::Expression(const std::string& text) : Expression(parse(text, only_time(), "formula")) {}

Expression Expression::parse(std::string_view text, std::span<const std::string> variables,
                             const std::string& where) {
    Expression made;
    auto program = std::make_shared<Program>();
    program->code = model::parse_formula(text, variables, where);
    program->text = text;
    if (program->code.is_number()) made.constant_ = program->code.run({});
    made.program_ = std::move(program);
    return made;
}

double Expression::evaluate(std::span<const double> values) const {
    return is_constant() ? constant_ : program_->code.run(values);
}

bool Expression::is_constant() const {
    return !program_ || program_->code.is_number();
}

std::string Expression::text() const {
    return program_ ? program_->text : fmt::format("{}", constant_);
}

}  // namespace uptack
