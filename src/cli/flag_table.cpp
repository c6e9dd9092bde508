#include "flag_table.hpp"

#include <CLI/App.hpp>

namespace rooflab::cli {

std::vector<CommandRow> flag_table(Command program) {
  std::vector<CommandRow> commands;
  for (const CLI::App* command :
       program.parser().get_subcommands([](const CLI::App*) { return true; })) {
    CommandRow row{command->get_name(), command->get_description(), {}};
    for (const CLI::Option* option : command->get_options()) {
      const bool positional = option->get_positional();
      const bool takes_value = option->get_items_expected_max() > 0;
      row.flags.push_back({positional ? option->get_type_name() : option->get_name(false, true),
                           takes_value && !positional ? option->get_type_name() : "",
                           option->get_description(), positional, option->get_lnames()});
    }
    commands.push_back(std::move(row));
  }
  return commands;
}

}  // namespace rooflab::cli
