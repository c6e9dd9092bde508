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
#include "rooflab/report/document.hpp"

namespace rooflab::cli {

enum class ColorChoice { automatic, always, never };
constexpr auto names_in_order(For<ColorChoice>) {
  return names_through<ColorChoice::never>("auto", "always", "never");
}

/// What the flags of every command say about printing.
struct PrintChoice {
  ColorChoice color = ColorChoice::automatic;
  bool wide = false;   ///< tables have all columns
  bool notes = false;  ///< all notes, whole
  bool quiet = false;  ///< only errors; results are in files
};

/// The only place that prints: stdout is the product, stderr is talk.
class Console {
 public:
  void choose(const PrintChoice& choice) { choice_ = choice; }
  /// For a process whose results another one reads from a file.
  void hide_results() { hides_results_ = true; }
  /// Whether a result that is in a file is printed, too.
  [[nodiscard]] bool shows_results() const { return !choice_.quiet && !hides_results_; }
  /// How text goes to stdout, to stderr and into a file.
  [[nodiscard]] report::TextStyle style_on_stdout() const;
  [[nodiscard]] report::TextStyle style_on_stderr() const;
  [[nodiscard]] report::TextStyle style_in_file() const;
  [[nodiscard]] bool color_on_stderr() const;
  [[nodiscard]] bool stderr_is_terminal() const;
  /// Whether stderr is a terminal on which a line can be replaced; TERM=dumb says that it is none.
  [[nodiscard]] bool shows_progress() const;
  /// Columns and rows of the terminal; 80 x 24 where it does not say.
  [[nodiscard]] std::pair<int, int> terminal_size() const;

  /// Prints to stdout. Throws Error (input) when that cannot be written; ignores a closed pipe.
  void print(std::string_view text) const;
  /// The same with what `write` puts into the stream, piece by piece.
  void print(const std::function<void(std::ostream& stream)>& write) const;
  /// `rooflab: TEXT` on stderr. Names from files and from the command line are made safe for the
  /// terminal, here and in error().
  void say(std::string_view text) const;
  /// A report to stderr, where a command owns stdout.
  void print_to_stderr(std::string_view text) const;
  /// One line on stderr that the next one replaces; nothing unless shows_progress().
  void show_progress(std::string_view text) const;
  /// Takes that line away, before anything else is said.
  void clear_progress() const;
  /// `rooflab: error: MESSAGE`, then `hint: HINT`.
  void error(std::string_view message, std::string_view hint) const;

 private:
  [[nodiscard]] report::TextStyle style(bool color, std::size_t width) const;

  PrintChoice choice_;
  bool hides_results_ = false;
};

}  // namespace rooflab::cli
