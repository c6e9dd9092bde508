#include "command.hpp"

#include <CLI/App.hpp>
#include <utility>

namespace rooflab::cli {

Option Option::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::description(const std::string& text) const {
  option_->description(text);
  return *this;
}

Option Option::required(bool value) const {
  option_->required(value);
  return *this;
}

Option Option::expected(int count) const {
  option_->expected(count);
  return *this;
}

Option Option::take_all() const {
  option_->take_all();
  return *this;
}

Command Command::add_subcommand(const std::string& name, const std::string& description) const {
  return Command(parser_->add_subcommand(name, description));
}

Option Command::add_option(const std::string& names, std::string& into,
                           const std::string& help) const {
  return Option(parser_->add_option(names, into, help));
}

Option Command::add_option(const std::string& names, std::vector<std::string>& into,
                           const std::string& help) const {
  return Option(parser_->add_option(names, into, help));
}

Option Command::add_option(const std::string& names, std::optional<std::string>& into,
                           const std::string& help) const {
  return Option(parser_->add_option(names, into, help));
}

Option Command::add_flag(const std::string& names, bool& into, const std::string& help) const {
  return Option(parser_->add_flag(names, into, help));
}

Option Command::get_option(const std::string& name) const {
  return Option(parser_->get_option(name));
}

void Command::remove_option(const std::string& name) const {
  parser_->remove_option(parser_->get_option(name));
}

void Command::callback(std::function<void()> run) const { parser_->callback(std::move(run)); }

}  // namespace rooflab::cli
