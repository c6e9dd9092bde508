// Bars of HTML and CSS alone: a part is a box that grows by its value, so that the bar is right at
// any width of the window. A part's letter and percentage are two words in a box of one line's
// height: what finds no room wraps onto a second line, which is not shown.
//
// A part that is narrower than three pixels in the widest window is not drawn by itself: such parts
// of a bar are one part, `rest`, so that no length on the page is made longer to be seen. The text
// of a bar still names each.
//
// Meaning is never by colour alone: each name has a letter, in the legend and in its parts; colours
// come again after seven names, with another pattern. A tooltip says what a part is, and the bar
// has all of it as the text that screen readers read.

#include "html_bars.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "base/format.hpp"
#include "html_text.hpp"
#include "palette.hpp"
#include "part_names.hpp"
#include "rooflab/chart/chart.hpp"

namespace rooflab::chart {
namespace {

constexpr std::array<std::string_view, 4> patterns = {"", "striped", "hatched", "dotted"};

bool is_drawn(const BarPart& part) { return std::isfinite(part.value) && part.value > 0.0; }

double length_of(const Bar& bar) {
  double length = 0.0;
  for (const BarPart& part : bar.parts) {
    if (is_drawn(part)) length += part.value;
  }
  return std::isfinite(length) ? length : 0.0;
}

std::string percent(double part, double whole) { return format("{:.1f} %", 100.0 * part / whole); }

/// `convolution: 61.2 % (1.2 ms)`.
std::string words_of(const BarPart& part, double length) {
  if (!is_drawn(part) || length <= 0.0) return format("{}: {}, not drawn", part.name, part.text);
  return format("{}: {}{}", part.name, percent(part.value, length),
                part.text.empty() ? "" : format(" ({})", part.text));
}

/// The track of a bar in the widest window (page_style.hpp) in pixels, and the narrowest part.
constexpr double widest_track = 920.0;
constexpr double narrowest_part = 3.0;

/// A part as it is drawn, with the words that say what it is.
struct DrawnPart {
  std::string name;
  double value = 0.0;
  std::string words;
  std::optional<int> color = neutral_color;  ///< grey: what is put together
};

/// `full_length` has the width of the whole track.
std::vector<DrawnPart> drawn_parts(const Bar& bar, double full_length) {
  const double length = length_of(bar);
  std::vector<DrawnPart> drawn;
  std::vector<DrawnPart> narrow;
  for (const BarPart& part : bar.parts) {
    if (!is_drawn(part) || length <= 0.0) continue;
    const bool shows = part.value / full_length * widest_track >= narrowest_part;
    (shows ? drawn : narrow).push_back({part.name, part.value, words_of(part, length), part.color});
  }
  if (narrow.size() < 2) {
    std::ranges::move(narrow, std::back_inserter(drawn));
    return drawn;
  }
  DrawnPart rest{.name = "rest"};
  std::vector<std::string> words;
  for (const DrawnPart& part : narrow) {
    rest.value += part.value;
    words.push_back(part.words);
  }
  rest.words = format("rest: {} ({})", percent(rest.value, length), join(words, ", "));
  drawn.push_back(std::move(rest));
  return drawn;
}

/// Names of drawn parts in the order in which they first occur. Letters and patterns tell them
/// apart only where there are more than colours.
class Legend {
 public:
  explicit Legend(const std::vector<std::vector<DrawnPart>>& bars) {
    for (const std::vector<DrawnPart>& parts : bars) {
      for (const DrawnPart& part : parts) names_.add(part.name, part.color);
    }
  }

  [[nodiscard]] std::size_t index_of(const std::string& name) const {
    return names_.index_of(name);
  }

  /// a to z, then aa, ab, ...; empty where colours are enough.
  [[nodiscard]] std::string letter(std::size_t index) const {
    if (names_.size() <= color_count) return {};
    std::string letters(1, static_cast<char>('a' + index % 26));
    for (std::size_t rest = index / 26; rest > 0; rest = (rest - 1) / 26) {
      letters.insert(letters.begin(), static_cast<char>('a' + (rest - 1) % 26));
    }
    return format("<b>{}</b>", letters);
  }

  [[nodiscard]] std::string_view pattern(std::size_t index) const {
    return names_.has_own_color(index) ? "" : patterns.at(index / color_count % patterns.size());
  }

  /// Background, and black or white on it, whichever has more contrast: white on the blue only.
  [[nodiscard]] std::string colors(std::size_t index) const {
    const int color = names_.color(index);
    return format("background-color:{};color:{}", color_of(color),
                  color == 0 ? "#ffffff" : "#000000");
  }

  /// All parts are of one name: a letter and 100 % in each would say nothing.
  [[nodiscard]] bool has_one_name() const { return names_.size() == 1; }

  [[nodiscard]] std::string html() const {
    std::string html = "<ul class=\"legend\">\n";
    for (std::size_t i = 0; i < names_.size(); ++i) {
      html += format("<li><span class=\"swatch {}\" style=\"{}\">{}</span>{}</li>\n", pattern(i),
                     colors(i), letter(i), html_text(names_.name(i)));
    }
    return html + "</ul>\n";
  }

 private:
  PartNames names_;
};

std::string html_bar(const Bar& bar, const std::vector<DrawnPart>& drawn, const Legend& legend,
                     double full_length) {
  const double length = length_of(bar);
  std::vector<std::string> words;
  std::string not_drawn;
  for (const BarPart& part : bar.parts) {
    words.push_back(words_of(part, length));
    if ((is_drawn(part) && length > 0.0) || part.value == 0.0) continue;
    not_drawn += format("{}{}: {}", not_drawn.empty() ? "not drawn: " : "; ", part.name, part.text);
  }
  std::string parts;
  for (const DrawnPart& part : drawn) {
    const std::size_t index = legend.index_of(part.name);
    const std::string label = legend.has_one_name() ? ""
                                                    : format("{}<i>{}</i>", legend.letter(index),
                                                             percent(part.value, length));
    parts += format("<span class=\"part {}\" style=\"flex-grow:{:.4f};{}\" title=\"{}\">{}</span>",
                    legend.pattern(index), 1000.0 * part.value / length, legend.colors(index),
                    html_text(part.words), label);
  }
  const std::string all =
      format("{}{}: {}", bar.label, bar.text.empty() ? "" : format(", {}", bar.text),
             words.empty() ? "nothing" : join(words, ", "));
  const std::string remark =
      not_drawn.empty() ? "" : format("<div class=\"soft\">{}</div>", html_text(not_drawn));
  return format(
      "<div class=\"bar-row\"><div class=\"bar-label\">{}</div>"
      "<div class=\"track\"><div class=\"bar\" role=\"img\" style=\"width:{:.3f}%\""
      " aria-label=\"{}\">{}</div></div><div class=\"bar-text\">{}</div>{}</div>\n",
      html_text(bar.label), full_length > 0.0 ? 100.0 * length / full_length : 0.0, html_text(all),
      parts, html_text(bar.text), remark);
}

}  // namespace

std::string html_bars(std::span<const Bar> bars, BarScale scale) {
  if (bars.empty()) return {};
  double longest = 0.0;
  for (const Bar& bar : bars) longest = std::max(longest, length_of(bar));
  const auto full_length = [&](const Bar& bar) {
    return scale == BarScale::absolute ? longest : length_of(bar);
  };
  std::vector<std::vector<DrawnPart>> drawn;
  for (const Bar& bar : bars) drawn.push_back(drawn_parts(bar, full_length(bar)));
  const Legend legend(drawn);
  std::string html = "<div class=\"bars\">\n" + legend.html();
  for (std::size_t i = 0; i < bars.size(); ++i) {
    html += html_bar(bars[i], drawn[i], legend, full_length(bars[i]));
  }
  return html + format("<p class=\"soft\">{}{}</p>\n</div>\n",
                       scale == BarScale::absolute ? "All bars are on one scale."
                                                   : "Each bar has the full width.",
                       legend.has_one_name() ? "" : " Percentages are of the bar's own whole.");
}

}  // namespace rooflab::chart
