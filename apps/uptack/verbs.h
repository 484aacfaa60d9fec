// Each verb adds itself to the command line and, when chosen, leaves its work in `action`.

#pragma once

#include "common.h"

namespace uptack::app {

void add_run(CLI::App& app, Action& action);
void add_scenes(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_view(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_info(CLI::App& app, Action& action);
void add_validate(CLI::App& app, Action& action);
void add_convert(CLI::App& app, Action& action);
void add_solvers(CLI::App& app, Action& action);
void add_solve(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);

}  // namespace uptack::app
