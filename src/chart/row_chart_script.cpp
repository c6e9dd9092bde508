// Rows have one height, so the picture is as high as their number asks for. From top to bottom:
// title, legend, rows (with a line for the name of each group), tick labels, axis title, captions.
// Labels and the texts at the right end take the width that the longest needs, up to a share of the
// picture; longer ones are shortened.

#include <algorithm>
#include <cmath>

#include "axis_scale.hpp"
#include "base/format.hpp"
#include "gnuplot_script.hpp"
#include "palette.hpp"
#include "renderers.hpp"
#include "rooflab/base/error.hpp"
#include "row_chart.hpp"
#include "safe_text.hpp"
#include "text_extent.hpp"

namespace rooflab::chart {
namespace {

constexpr double margin = 16.0;
constexpr double text_row = 20.0;
constexpr double row_height = 22.0;
constexpr double bar_height = 14.0;
constexpr double mark_radius = 5.0;
constexpr double key_symbol = 22.0;  // from an entry's left to its text
constexpr double key_gap = 20.0;
constexpr double widest_label_share = 0.4;
constexpr double widest_text_share = 0.25;

double widest(const std::vector<Row>& rows, std::string Row::*member, double most) {
  double width = 0.0;
  for (const Row& row : rows) {
    width = std::max(width, text_width(safe_text(row.*member), text_font));
  }
  return std::min(width, most);
}

std::vector<double> values_of(const RowChart& chart) {
  std::vector<double> values;
  if (chart.reference) values.push_back(*chart.reference);
  for (const Row& row : chart.rows) {
    for (const RowBar& bar : row.bars) values.insert(values.end(), {bar.from, bar.to});
    for (const RowMark& mark : row.marks) values.push_back(mark.value);
    if (row.interval) values.insert(values.end(), {row.interval->low, row.interval->high});
  }
  return values;
}

/// A legend's entries with the place of each in its lines.
struct PlacedKey {
  const RowKey* key;
  std::string text;
  double left = 0.0;
  int line = 0;
};

class RowScript {
 public:
  RowScript(const RowChart& chart, int width)
      : chart_(chart), axis_(chart.axis, values_of(chart)), width_(width) {
    plot_.left = 2.0 * margin + widest(chart.rows, &Row::label, widest_label_share * width);
    const double text = widest(chart.rows, &Row::text, widest_text_share * width);
    plot_.right = width - margin - (text > 0.0 ? text + margin : 0.0);
    place_keys();
    titles_ = wrap_to_width(safe_text(chart.title), title_font, width - 2.0 * margin);
    for (const std::string& caption : chart.captions) {
      for (std::string& line : wrap_to_width(safe_text(caption), text_font, width - 2.0 * margin)) {
        captions_.push_back(std::move(line));
      }
    }
    plot_.top = margin + 26.0 * static_cast<double>(titles_.size()) +
                text_row * (keys_.empty() ? 0 : keys_.back().line + 1) + 6.0;
    plot_.bottom = plot_.top + row_height * (static_cast<double>(chart.rows.size()) + groups());
    const double below = 2.2 * text_row + text_row * static_cast<double>(captions_.size());
    height_ = std::max(240, static_cast<int>(std::ceil(plot_.bottom + below + margin)));
  }

  [[nodiscard]] Size size() const { return {width_, height_}; }

  std::string write(Format format) {
    GnuplotScript script(size(), {});
    script.terminal(format);
    script.margins(plot_);
    script.ticks("x", axis_);
    script.line("unset ytics");
    script.line("set yrange [0:1]");
    script.line("set border 1 linecolor rgb '#555555' linewidth 1");
    script.line(
        "set grid xtics mxtics back linetype 1 linecolor rgb '#d4d4d4' linewidth 0.8, "
        "linetype 1 linecolor rgb '#efefef' linewidth 0.6");
    script.line("unset key");
    write_texts(script);
    write_keys(script);
    write_rows(script);
    script.line("plot NaN");
    return script.take();
  }

 private:
  [[nodiscard]] int groups() const {
    int count = 0;
    const std::string* last = nullptr;
    for (const Row& row : chart_.rows) {
      if (!row.group.empty() && (last == nullptr || *last != row.group)) ++count;
      last = &row.group;
    }
    return count;
  }

  void place_keys() {
    const double room = width_ - 2.0 * margin;
    double left = 0.0;
    int line = 0;
    for (const RowKey& key : chart_.keys) {
      PlacedKey placed{&key, elide_to_width(safe_text(key.text), text_font, room - key_symbol)};
      const double width = key_symbol + text_width(placed.text, text_font);
      if (left > 0.0 && left + width > room) {
        left = 0.0;
        ++line;
      }
      placed.left = margin + left;
      placed.line = line;
      left += width + key_gap;
      keys_.push_back(std::move(placed));
    }
  }

  /// The place of a value; nullopt where the axis has none.
  [[nodiscard]] std::optional<double> place(double value) const {
    const std::optional<double> unit = axis_.to_unit(value);
    if (!unit || *unit < -1e-9 || *unit > 1.0 + 1e-9) return std::nullopt;
    return plot_.left + *unit * plot_.width();
  }

  void write_texts(GnuplotScript& script) const {
    double top = margin;
    for (const std::string& line : titles_) {
      script.text({line, {margin, top + 11.0}, Align::left, title_font}, text_color);
      top += 26.0;
    }
    const double center = (plot_.left + plot_.right) / 2.0;
    script.text({title_of(chart_.axis), {center, plot_.bottom + 1.7 * text_row}, Align::center},
                text_color);
    double below = plot_.bottom + 2.7 * text_row;
    for (const std::string& line : captions_) {
      script.text({line, {margin, below}, Align::left}, text_color);
      below += text_row;
    }
  }

  void write_keys(GnuplotScript& script) const {
    for (const PlacedKey& placed : keys_) {
      const double y =
          margin + 26.0 * static_cast<double>(titles_.size()) + text_row * (placed.line + 0.5);
      const std::string_view color = color_of(placed.key->color);
      if (placed.key->marker) {
        script.marker(*placed.key->marker, {placed.left + 8.0, y}, mark_radius, color);
      } else {
        script.box({placed.left, y - 6.0, placed.left + 16.0, y + 6.0}, color);
      }
      script.text({placed.text, {placed.left + key_symbol, y}, Align::left}, text_color);
    }
  }

  void write_rows(GnuplotScript& script) const {
    if (const auto at = chart_.reference ? place(*chart_.reference) : std::nullopt) {
      script.segment({{*at, plot_.top}, {*at, plot_.bottom}}, "#555555", 1.5, LineStyle::dashed);
    }
    double top = plot_.top;
    const std::string* last = nullptr;
    for (const Row& row : chart_.rows) {
      if (!row.group.empty() && (last == nullptr || *last != row.group)) {
        const std::string group =
            elide_to_width(safe_text(row.group), text_font + 1.0, width_ - 2.0 * margin);
        script.text({group, {margin, top + row_height / 2.0}, Align::left, text_font + 1.0},
                    darkened(color_of(0)));
        top += row_height;
      }
      last = &row.group;
      write_row(script, row, top + row_height / 2.0);
      top += row_height;
    }
  }

  void write_row(GnuplotScript& script, const Row& row, double y) const {
    const double room = plot_.left - 2.0 * margin;
    script.text({elide_to_width(safe_text(row.label), text_font, room),
                 {plot_.left - margin / 2.0, y},
                 Align::right},
                text_color);
    for (const RowBar& bar : row.bars) {
      const auto from = place(bar.from);
      const auto to = place(bar.to);
      if (!from || !to || *to <= *from) continue;
      script.box({*from, y - bar_height / 2.0, *to, y + bar_height / 2.0}, color_of(bar.color));
    }
    if (row.interval) {
      const auto low = place(row.interval->low);
      const auto high = place(row.interval->high);
      if (low && high) {
        script.segment({{*low, y}, {*high, y}}, color_of(row.interval_color), 3.0,
                       LineStyle::solid);
      }
    }
    for (const RowMark& mark : row.marks) {
      const auto at = place(mark.value);
      if (!at) continue;
      if (mark.marker) {
        script.marker(*mark.marker, {*at, y}, mark_radius, color_of(mark.color));
      } else {
        script.segment({{*at, y - 7.0}, {*at, y + 7.0}}, color_of(mark.color), 2.0,
                       LineStyle::solid);
      }
    }
    if (row.text.empty()) return;
    const double space = width_ - margin - (plot_.right + margin / 2.0);
    script.text({elide_to_width(safe_text(row.text), text_font, space),
                 {plot_.right + margin / 2.0, y},
                 Align::left},
                text_color);
  }

  const RowChart& chart_;
  AxisScale axis_;
  int width_;
  int height_ = 0;
  Rectangle plot_;
  std::vector<PlacedKey> keys_;
  std::vector<std::string> titles_;
  std::vector<std::string> captions_;
};

}  // namespace

Size size_of(const RowChart& chart, int width) {
  if (width < 480 || chart.rows.size() > most_chart_rows) {
    throw Error(ErrorKind::usage,
                format("a chart of {} rows in {} pixels cannot be drawn", chart.rows.size(), width),
                format("480 pixels or more, and {} rows at most, can", most_chart_rows));
  }
  return RowScript(chart, width).size();
}

std::string gnuplot_script(const RowChart& chart, Format format, int width) {
  (void)size_of(chart, width);
  return RowScript(chart, width).write(format);
}

}  // namespace rooflab::chart
