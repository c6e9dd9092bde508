#pragma once

#include "command.hpp"
#include "flag_value.hpp"
#include "output_choice.hpp"

namespace rooflab::cli {

/// OutputChoice of a command whose flags are still told to the parser by itself.
class OutputOptions {
 public:
  void add_to(Command command) {
    command.add_option("--format", format_, "table, md, csv or json (table)").type_name("F");
    command
        .add_option("-o,--output", choice_.output,
                    "write to a file, by its extension; may be repeated")
        .type_name("FILE")
        .expected(1)
        .take_all();
  }
  [[nodiscard]] const std::vector<std::string>& files() const { return choice_.output; }
  [[nodiscard]] std::optional<std::filesystem::path> take_folder() { return choice_.take_folder(); }
  void check(bool html) const { choice().check(html); }
  void write(const report::Document& document, const Console& console,
             const std::function<std::string()>& html = {}) const {
    choice().write(document, console, html);
  }

 private:
  [[nodiscard]] OutputChoice choice() const {
    OutputChoice choice = choice_;
    if (format_.empty()) return choice;
    choice.format = from_name<TextFormat>(format_);
    if (!choice.format) throw_unknown("format", format_, {"table", "md", "csv", "json"});
    return choice;
  }

  std::string format_;
  OutputChoice choice_;
};

}  // namespace rooflab::cli
