#pragma once

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>
#include <string>

namespace rooflab::cli {

/// The screen that `-h` shows: usage as in docs/cli, flags without the parser's annotations.
class HelpFormatter : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_usage(const CLI::App* app, std::string name) const override;
  [[nodiscard]] std::string make_option_name(const CLI::Option* option,
                                             bool is_positional) const override;
  [[nodiscard]] std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace rooflab::cli
