#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/page/document.hpp"

namespace rooflab::cli {

enum class ColorChoice { automatic, always, never };
constexpr auto names_in_order(For<ColorChoice>) {
  return names_through<ColorChoice::never>("auto", "always", "never");
}

/// Settings for printing from the flags of every command.
struct PrintChoice {
  ColorChoice color = ColorChoice::automatic;
  bool wide = false;   ///< tables have all columns
  bool notes = false;  ///< all notes in full
  bool quiet = false;  ///< only errors; results are in files
};

/// The only place that prints: results to stdout, messages to stderr.
class Console {
 public:
  void choose(const PrintChoice& choice) { choice_ = choice; }
  /// Stops printing results, for a process whose results another one reads from a file.
  void hide_results() { hides_results_ = true; }
  /// Whether a result that is written to a file is also printed.
  [[nodiscard]] bool shows_results() const { return !choice_.quiet && !hides_results_; }
  /// Style of text on stdout; the others are for stderr and for files.
  [[nodiscard]] page::TextStyle style_on_stdout() const;
  [[nodiscard]] page::TextStyle style_on_stderr() const;
  [[nodiscard]] page::TextStyle style_in_file() const;
  [[nodiscard]] bool color_on_stderr() const;
  [[nodiscard]] bool stderr_is_terminal() const;
  /// Whether stderr is a terminal on which a line can be replaced (not with TERM=dumb).
  [[nodiscard]] bool shows_progress() const;
  /// Columns and rows of the terminal; 80 x 24 if not known.
  [[nodiscard]] std::pair<int, int> terminal_size() const;

  /// Prints to stdout. Throws Error (input) when that cannot be written; ignores a closed pipe.
  void print(std::string_view text) const;
  /// Prints to stdout in pieces, as `write` puts them into the stream. Throws Error (input) when
  /// that cannot be written; ignores a closed pipe.
  void print(const std::function<void(std::ostream& stream)>& write) const;
  /// Prints `rooflab: TEXT` on stderr. Here and in error(), names from files and from the command
  /// line are made safe for the terminal.
  void say(std::string_view text) const;
  /// Prints a report to stderr, if a program owns stdout.
  void print_to_stderr(std::string_view text) const;
  /// Prints one line on stderr that the next one replaces; does nothing unless shows_progress().
  void show_progress(std::string_view text) const;
  /// Removes the line of progress before other output.
  void clear_progress() const;
  /// Prints `rooflab: error: MESSAGE`, then `hint: HINT`.
  void error(std::string_view message, std::string_view hint) const;

 private:
  [[nodiscard]] page::TextStyle style(bool color, std::size_t width) const;

  PrintChoice choice_;
  bool hides_results_ = false;
};

}  // namespace rooflab::cli
