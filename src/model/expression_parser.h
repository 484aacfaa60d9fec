// From the text of a formula to Code, by recursive descent.
//
//     formula     = comparison [ "?" formula ":" formula ]
//     comparison  = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]        they do not chain
//     sum         = product { ("+" | "-") product }
//     product     = unary { ("*" | "/" | "%") unary }
//     unary       = ("-" | "+") unary | power
//     power       = primary [ "^" unary ]                                      -2^2 = -4, 2^3^2 = 2^9
//     primary     = number | name | function "(" formula { "," formula } ")" | "(" formula ")"

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "expression_code.h"

namespace uptack::model {

inline constexpr std::size_t max_formula_characters = 4096;
inline constexpr int max_formula_levels = 64;

/// Throws as Expression::parse() promises.
Code parse_formula(std::string_view text, std::span<const std::string> variables, const std::string& where);

}  // namespace uptack::model
