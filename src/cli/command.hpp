#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace rooflab::cli {

/// A flag or positional of a command, while it is described.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option type_name(const std::string& name) const;  ///< of the value: `FILE`
  Option description(const std::string& text) const;
  Option required(bool value = true) const;
  /// Values at a time; -1: all that follow.
  Option expected(int count) const;
  Option take_all() const;  ///< of a flag that is repeated

 private:
  CLI::Option* option_;
};

/// The program or one of its commands, as it is told to the parser. CLI11's header takes longer to
/// read than a command to compile, so that few sources include it.
class Command {
 public:
  explicit Command(CLI::App* parser) : parser_(parser) {}

  [[nodiscard]] Command add_subcommand(const std::string& name,
                                       const std::string& description) const;

  /// The value goes to `into`, which must live until the command line is parsed.
  Option add_option(const std::string& names, std::string& into, const std::string& help) const;
  Option add_option(const std::string& names, std::vector<std::string>& into,
                    const std::string& help) const;
  Option add_option(const std::string& names, std::optional<std::string>& into,
                    const std::string& help) const;
  Option add_flag(const std::string& names, bool& into, const std::string& help) const;
  [[nodiscard]] Option get_option(const std::string& name) const;
  void remove_option(const std::string& name) const;

  /// Called when the command line was parsed and this command was named.
  void callback(std::function<void()> run) const;

  [[nodiscard]] CLI::App& parser() const { return *parser_; }

 private:
  CLI::App* parser_;
};

}  // namespace rooflab::cli
