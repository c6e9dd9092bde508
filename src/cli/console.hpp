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

namespace rooflab::cli {

enum class ColorChoice { automatic, always, never };
constexpr auto names_in_order(For<ColorChoice>) {
  return names_through<ColorChoice::never>("auto", "always", "never");
}

/// The only place that prints: stdout is the product, stderr is talk.
class Console {
 public:
  void choose_color(ColorChoice choice) { color_ = choice; }
  [[nodiscard]] bool color_on_stdout() const;
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
  ColorChoice color_ = ColorChoice::automatic;
};

}  // namespace rooflab::cli
