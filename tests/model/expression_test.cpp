#include "uptack/expression.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "expression_parser.h"
#include "uptack/input_error.h"

namespace uptack::test {
namespace {

using std::numbers::pi;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double value(const std::string& text) {
    const Expression made(text);
    EXPECT_TRUE(made.is_constant()) << text;
    return made(0.0);
}

std::string complaint(const std::string& text, const std::vector<std::string>& variables = {"t"}) {
    try {
        Expression::parse(text, variables, "motor");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

bool says(const std::string& text, const std::string& what) {
    const std::string message = complaint(text);
    return message.starts_with("motor: ") && message.find(what) != std::string::npos;
}

TEST(Expression, MultiplicationBindsTighterThanAdditionAndPowersTighterStill) {
    EXPECT_EQ(value("1 + 2 * 3"), 7.0);
    EXPECT_EQ(value("(1 + 2) * 3"), 9.0);
    EXPECT_EQ(value("2 * 3 ^ 2"), 18.0);
    EXPECT_EQ(value("7 - 2 - 1"), 4.0);
    EXPECT_EQ(value("8 / 4 / 2"), 1.0);
    EXPECT_EQ(value("2 * 7 % 4"), 2.0);
    EXPECT_EQ(value("1 + 2 < 2 * 2"), 1.0);
}

TEST(Expression, PowersAssociateToTheRightAndStandBeforeTheSign) {
    EXPECT_EQ(value("2 ^ 3 ^ 2"), 512.0);
    EXPECT_EQ(value("-2 ^ 2"), -4.0);
    EXPECT_EQ(value("(-2) ^ 2"), 4.0);
    EXPECT_EQ(value("2 ^ -1"), 0.5);
    EXPECT_EQ(value("2 ^ -1 ^ 2"), 0.5);
    EXPECT_EQ(value("- -3"), 3.0);
    EXPECT_EQ(value("+3 - -4"), 7.0);
    EXPECT_EQ(value("2 * -3"), -6.0);
}

TEST(Expression, NumbersAreReadInEveryUsualForm) {
    EXPECT_EQ(value("1"), 1.0);
    EXPECT_EQ(value("0.5"), 0.5);
    EXPECT_EQ(value(".5"), 0.5);
    EXPECT_EQ(value("5."), 5.0);
    EXPECT_EQ(value("1e-3"), 1e-3);
    EXPECT_EQ(value("1E+3"), 1e3);
    EXPECT_EQ(value("pi"), pi);
    EXPECT_EQ(value("e"), std::numbers::e);
    EXPECT_EQ(value("\t 1 +\n2\r"), 3.0);
}

TEST(Expression, ComparisonsGiveOneOrZero) {
    for (const auto& [text, expected] : std::vector<std::pair<std::string, double>>{{"1 < 2", 1.0},
                                                                                    {"2 < 2", 0.0},
                                                                                    {"2 <= 2", 1.0},
                                                                                    {"3 <= 2", 0.0},
                                                                                    {"3 > 2", 1.0},
                                                                                    {"2 > 2", 0.0},
                                                                                    {"2 >= 2", 1.0},
                                                                                    {"1 >= 2", 0.0},
                                                                                    {"2 == 2", 1.0},
                                                                                    {"1 == 2", 0.0},
                                                                                    {"1 != 2", 1.0},
                                                                                    {"2 != 2", 0.0}}) {
        EXPECT_EQ(value(text), expected) << text;
    }
}

TEST(Expression, AConditionChoosesAndNestsToTheRight) {
    const Expression pulse("t < 1 ? 10 : t < 2 ? 20 : 30");
    EXPECT_EQ(pulse(0.5), 10.0);
    EXPECT_EQ(pulse(1.5), 20.0);
    EXPECT_EQ(pulse(2.5), 30.0);
    EXPECT_EQ(value("1 < 2 ? 3 : 4 + 10"), 3.0);
    EXPECT_EQ(Expression("t > 0 ? 1 / t : 0")(0.0), 0.0);
    EXPECT_EQ(value("0 ? 1 : 2"), 2.0);
}

TEST(Expression, FunctionsAreThoseOfTheLibrary) {
    for (const double x : {-0.7, 0.3, 0.9}) {
        const auto at = [x](const char* text) { return Expression(text)(x); };
        EXPECT_EQ(at("sin(t)"), std::sin(x));
        EXPECT_EQ(at("cos(t)"), std::cos(x));
        EXPECT_EQ(at("tan(t)"), std::tan(x));
        EXPECT_EQ(at("asin(t)"), std::asin(x));
        EXPECT_EQ(at("acos(t)"), std::acos(x));
        EXPECT_EQ(at("atan(t)"), std::atan(x));
        EXPECT_EQ(at("atan2(t, -2)"), std::atan2(x, -2.0));
        EXPECT_EQ(at("sinh(t)"), std::sinh(x));
        EXPECT_EQ(at("cosh(t)"), std::cosh(x));
        EXPECT_EQ(at("tanh(t)"), std::tanh(x));
        EXPECT_EQ(at("exp(t)"), std::exp(x));
        EXPECT_EQ(at("log(t + 1)"), std::log(x + 1.0));
        EXPECT_EQ(at("sqrt(t + 1)"), std::sqrt(x + 1.0));
        EXPECT_EQ(at("abs(t)"), std::abs(x));
        EXPECT_EQ(at("t ^ 3"), std::pow(x, 3.0));
    }
    EXPECT_EQ(value("floor(-1.5)"), -2.0);
    EXPECT_EQ(value("ceil(-1.5)"), -1.0);
    EXPECT_EQ(value("round(2.5)"), 3.0);
    EXPECT_EQ(value("sign(-3)"), -1.0);
    EXPECT_EQ(value("sign(0)"), 0.0);
    EXPECT_EQ(value("sign(3)"), 1.0);
    EXPECT_EQ(value("min(3, 1, 2)"), 1.0);
    EXPECT_EQ(value("max(3, 1, 7, 2)"), 7.0);
    EXPECT_EQ(value("clamp(5, 0, 2)"), 2.0);
    EXPECT_EQ(value("clamp(-5, 0, 2)"), 0.0);
    EXPECT_EQ(value("clamp(1, 0, 2)"), 1.0);
}

TEST(Expression, ModuloHasTheSignOfTheDivisor) {
    EXPECT_EQ(value("7 % 3"), 1.0);
    EXPECT_EQ(value("-1 % 3"), 2.0);
    EXPECT_EQ(value("mod(-1, 3)"), 2.0);
    EXPECT_EQ(value("mod(1, -3)"), -2.0);
    EXPECT_EQ(value("mod(-6, 3)"), 0.0);
}

TEST(Expression, StepSmoothAndRampRiseFromZeroToOne) {
    EXPECT_EQ(value("step(-1e-9)"), 0.0);
    EXPECT_EQ(value("step(0)"), 1.0);
    EXPECT_EQ(value("smooth(-1)"), 0.0);
    EXPECT_EQ(value("smooth(0.25)"), 3.0 / 16.0 - 2.0 / 64.0);
    EXPECT_EQ(value("smooth(0.5)"), 0.5);
    EXPECT_EQ(value("smooth(2)"), 1.0);
    const Expression ramp("ramp(t, 1, 3)");
    EXPECT_EQ(ramp(0.5), 0.0);
    EXPECT_EQ(ramp(1.5), value("smooth(0.25)"));
    EXPECT_EQ(ramp(3.5), 1.0);
    EXPECT_EQ(Expression("ramp(t, 1, 1)")(0.999), 0.0);
    EXPECT_EQ(Expression("ramp(t, 1, 1)")(1.0), 1.0);
}

TEST(Expression, NotANumberIsHandedOn) {
    for (const char* text : {"min(t, 1)", "min(1, t)", "max(t, 1)", "max(1, t)", "sign(t)", "smooth(t)"}) {
        EXPECT_TRUE(std::isnan(Expression(text)(nan))) << text;
    }
    EXPECT_TRUE(std::isnan(value("0 / 0")));
    EXPECT_EQ(value("1 / 0"), std::numeric_limits<double>::infinity());
}

TEST(Expression, VariablesAreTakenInTheOrderTheyWereNamed) {
    const std::vector<std::string> names{"width", "n", "e"};
    const Expression made = Expression::parse("width / n - e", names, "box");
    const std::array<double, 3> values{6.0, 2.0, 1.0};
    EXPECT_EQ(made.evaluate(values), 2.0);
    EXPECT_FALSE(made.is_constant());
    EXPECT_TRUE(std::isnan(made.evaluate(std::span(values).first(2)))) << "a value that is not there";
}

TEST(Expression, ConstantsAreFoldedInsideFormulasWithoutChangingThem) {
    EXPECT_TRUE(Expression("2 * pi * 30").is_constant());
    EXPECT_TRUE(Expression().is_constant());
    EXPECT_TRUE(Expression(3.0).is_constant());
    EXPECT_FALSE(Expression("0 * t").is_constant());
    const Expression made("0.01 * sin(2*pi*30*t) + (1 < 2 ? 3 : 4)");
    const double t = 0.0123;
    EXPECT_EQ(made(t), 0.01 * std::sin(2.0 * pi * 30.0 * t) + 3.0);
}

TEST(Expression, ATextIsKeptAndNumbersReadBackBitByBit) {
    EXPECT_EQ(Expression("2 *  pi").text(), "2 *  pi");
    EXPECT_EQ(Expression().text(), "0");
    for (const double x : {0.1, -1.0 / 3.0, 1e-300, 6.02214076e23, -0.0, 5e-324, 1.7976931348623157e308}) {
        const double back = Expression(Expression(x).text())(0.0);
        EXPECT_EQ(std::memcmp(&back, &x, sizeof x), 0) << Expression(x).text();
    }
}

TEST(Expression, MistakesAreNamedWithTheirColumn) {
    EXPECT_TRUE(says("", "column 1")) << complaint("");
    EXPECT_TRUE(says("", "expected a number, a name or '('; found the end"));
    EXPECT_TRUE(says("1 +", "column 4"));
    EXPECT_TRUE(says("1 + * 2", "column 5 of \"1 + * 2\": expected a number, a name or '('; found '*'"));
    EXPECT_TRUE(says("2 t", "column 3 of \"2 t\": expected an operator or the end; found 't'"));
    EXPECT_TRUE(
        says("(1 + 2", "column 7 of \"(1 + 2\": expected ')' to close the parenthesis; found the end"));
    EXPECT_TRUE(says("sin(t", "expected ')' to close sin(; found the end"));
    EXPECT_TRUE(says("t ? 1", "expected ':'"));
    EXPECT_TRUE(says("1 = 2", "column 3"));
    EXPECT_TRUE(says("1e999", "expected a number between"));
    EXPECT_TRUE(says(".", "expected a number"));
    EXPECT_TRUE(says("1 + \xc3\xa9", "column 5"));
    EXPECT_TRUE(says("1 + \xc3\xa9", "a character that formulas do not use"));
    EXPECT_TRUE(says("0 < t < 1", "column 7"));
    EXPECT_TRUE(says("0 < t < 1", "comparisons do not chain: write (a < b) * (b < c)"));
}

TEST(Expression, WrongCountsOfValuesAreRefused) {
    EXPECT_TRUE(says("1 + sin(1, 2)", "column 5 of \"1 + sin(1, 2)\": sin takes 1 value, not 2"));
    EXPECT_TRUE(says("clamp(1, 2)", "clamp takes 3 values, not 2"));
    EXPECT_TRUE(says("min(1)", "min takes 2 or more values, not 1"));
    EXPECT_TRUE(says("sin()", "column 5"));
    EXPECT_TRUE(says("1 + sin", "'sin' is a function: write sin(...)"));
}

TEST(Expression, UnknownNamesComeWithTheKnownOnesAndTheNearest) {
    EXPECT_TRUE(says("1 + sine(t)", "column 5 of \"1 + sine(t)\": unknown name 'sine'; did you mean 'sin'?"));
    EXPECT_TRUE(says("clmap(t, 0, 1)", "did you mean 'clamp'?"));
    EXPECT_TRUE(says("rand()", "unknown name 'rand'"));
    EXPECT_TRUE(says("rand()", "known are t, pi, e, and the functions sin cos tan"));
    EXPECT_EQ(complaint("qqqqqq").find("did you mean"), std::string::npos);
    EXPECT_NE(complaint("widht * 2", {"width", "n"}).find("did you mean 'width'?"), std::string::npos);
    EXPECT_TRUE(says("t(2)", "unknown name 't'"));
}

TEST(Expression, LongOrDeepFormulasAreRefusedAndThoseAtTheLimitAreNot) {
    const auto nested = [](int levels) {
        return std::string(static_cast<std::size_t>(levels), '(') + "1" +
               std::string(static_cast<std::size_t>(levels), ')');
    };
    EXPECT_EQ(value(nested(30)), 1.0);
    EXPECT_THROW(Expression(nested(65)), LimitError);
    EXPECT_THROW(Expression(std::string(2000, '-') + "1"), LimitError);
    EXPECT_THROW(Expression(std::string(4097, ' ')), LimitError);
    std::string longest = "t";
    while (longest.size() + 2 <= 4096) longest += "+t";
    EXPECT_EQ(Expression(longest)(1.0), 2048.0);
}

TEST(Expression, TheStackIsCountedAsItGrowsAndShrinks) {
    const std::vector<std::string> names{"t"};
    const auto depth = [&names](const char* text) { return model::parse_formula(text, names, "").depth(); };
    EXPECT_EQ(depth("t"), 1);
    EXPECT_EQ(depth("t + t + t + t"), 2);
    EXPECT_EQ(depth("t + t * (t + t)"), 4);
    EXPECT_EQ(depth("(t + t) * (t + t)"), 3);
    EXPECT_EQ(depth("clamp(t, t, -t)"), 3);
    EXPECT_EQ(depth("t ? t : t + t"), 4);
}

TEST(Expression, TheDeepestStackTheLevelsAllowFitsTheMachine) {
    // Each level leaves as many operands waiting as a level can: condition, branch, comparison, sum, product,
    // power and two arguments.
    std::string text = "t";
    int levels = 0;
    for (; levels < 20; ++levels) {
        const std::string next = "t ? t : t < t + t * t ^ clamp(t, t, " + text + ")";
        if (!complaint(next).empty()) break;
        text = next;
    }
    EXPECT_GT(levels, 10);
    EXPECT_EQ(Expression(text)(1.0), 1.0);
}

}  // namespace
}  // namespace uptack::test
