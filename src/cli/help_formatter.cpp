#include "help_formatter.hpp"

#include "rooflab/base/format.hpp"

namespace rooflab::cli {
namespace {

bool is_positional_only(const CLI::Option* option) { return option->get_positional(); }
bool is_required_flag(const CLI::Option* option) {
  return option->get_required() && !option->get_positional();
}

}  // namespace

std::string HelpFormatter::make_usage(const CLI::App* app, std::string /*name*/) const {
  if (app->get_parent() == nullptr)
    return format("usage: {} COMMAND [OPTION]...\n", app->get_name());
  std::string words;
  for (const CLI::Option* option : app->get_options(is_positional_only)) {
    words += option->get_required() ? format(" {}", option->get_type_name())
                                    : format(" [{}]", option->get_type_name());
  }
  for (const CLI::Option* option : app->get_options(is_required_flag)) {
    words += format(" {} {}", option->get_name(false, false), option->get_type_name());
  }
  return format("usage: {} {}{} [OPTION]...\n", app->get_parent()->get_name(), app->get_name(),
                words);
}

std::string HelpFormatter::make_option_name(const CLI::Option* option, bool is_positional) const {
  return is_positional ? option->get_type_name() : option->get_name(false, true);
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  const bool takes_value = option->get_items_expected_max() > 0;
  return takes_value && !option->get_positional() ? " " + option->get_type_name() : "";
}

}  // namespace rooflab::cli
