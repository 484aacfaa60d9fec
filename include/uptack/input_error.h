// The outside is wrong: a file, an argument, a problem somebody handed in.
//
// Written by: the edges (files, generators, command line).  Read by: apps, which print one line.
// Numbers that did not work out are never an exception: see Status in solver.h.

#pragma once

#include <stdexcept>
#include <string>

namespace uptack {

/// `where` names the file, dataset or argument; `what()` reads "where: what is wrong; what to do".
class InputError : public std::runtime_error {
public:
    InputError(const std::string& where, const std::string& message)
        : std::runtime_error(where + ": " + message) {}
};

/// The input is well formed but larger than a limit that protects the machine.
class LimitError final : public InputError {
public:
    using InputError::InputError;
};

}  // namespace uptack
