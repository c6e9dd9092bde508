// From top to bottom: title, subtitle, y axis' title, plot with its axes, x axis' title, legend,
// captions. Points take their cells first; guides' labels go where no point is.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "axis_scale.hpp"
#include "base/format.hpp"
#include "cell_points.hpp"
#include "guide_path.hpp"
#include "palette.hpp"
#include "renderers.hpp"
#include "rooflab/base/error.hpp"
#include "safe_text.hpp"
#include "terminal_canvas.hpp"
#include "text_extent.hpp"

namespace rooflab::chart {
namespace {

constexpr int least_plot_rows = 8;
constexpr int most_letters = 26;
constexpr int widest_legend_label = 36;

char32_t letter_of(int index) { return U'a' + static_cast<char32_t>(index); }

struct Entry {
  std::string name;
  std::string figures;
};

class TerminalDrawing {
 public:
  TerminalDrawing(const Chart& chart, TerminalOptions options)
      : chart_(chart),
        options_(options),
        x_(x_scale_of(chart)),
        y_(y_scale_of(chart)),
        gutter_(gutter_width()),
        canvas_(options.columns - gutter_ - 1, plot_rows(), options.ascii) {}

  std::string draw() {
    add_line(elided(chart_.title));
    add_line(elided(chart_.subtitle));
    add_line(elided(title_of(chart_.y)));
    draw_lines();
    draw_points();
    label_guides();
    add_plot();
    add_axis();
    add_legend();
    add_captions();
    return std::move(text_);
  }

 private:
  [[nodiscard]] int gutter_width() const {
    int widest = 0;
    for (const Tick& tick : y_.ticks()) widest = std::max(widest, column_count(tick.label));
    return std::min(widest, 16) + 1;
  }

  [[nodiscard]] int plot_rows() const {
    int others = 3;  // axis, tick labels, axis title
    for (const std::string& line : {chart_.title, chart_.subtitle, title_of(chart_.y)}) {
      others += line.empty() ? 0 : 1;
    }
    return std::max(least_plot_rows, options_.rows - others);
  }

  [[nodiscard]] std::string_view ellipsis() const { return options_.ascii ? "..." : "…"; }

  /// The text in the letters that may be used.
  [[nodiscard]] std::string plain(std::string_view text) const {
    if (!options_.ascii) return safe_text(text);
    std::string result;
    for (const char32_t c : code_points(safe_text(text))) {
      result += c < 0x80 ? static_cast<char>(c) : '?';
    }
    return result;
  }

  [[nodiscard]] std::string elided(std::string_view text) const {
    return elide_to_columns(plain(text), options_.columns, ellipsis());
  }

  void add_line(const std::string& line) {
    if (!line.empty()) text_ += line + "\n";
  }

  [[nodiscard]] int column_of(double unit) const {
    return static_cast<int>(std::lround(unit * (canvas_.columns() - 1)));
  }
  [[nodiscard]] int row_of(double unit) const {
    return static_cast<int>(std::lround((1.0 - unit) * (canvas_.rows() - 1)));
  }

  void draw_path(const GuidePath& path, LineStyle style) {
    const int dash = style == LineStyle::solid ? 0 : style == LineStyle::dashed ? 3 : 1;
    for (const std::vector<UnitPoint>& piece : path) {
      for (std::size_t i = 0; i + 1 < piece.size(); ++i) {
        canvas_.draw_line(piece[i].x, piece[i].y, piece[i + 1].x, piece[i + 1].y, dash);
      }
    }
  }

  void draw_lines() {
    for (const VerticalGuide& guide : chart_.vertical_guides) {
      const std::optional<double> x = x_.to_unit(guide.x);
      if (!x || *x < 0.0 || *x > 1.0) continue;
      const double top = guide.top ? y_.to_unit(*guide.top).value_or(1.0) : 1.0;
      if (top > 0.0) canvas_.draw_line(*x, 0.0, *x, std::min(top, 1.0), options_.ascii ? 1 : 2);
    }
    for (const Guide& guide : chart_.guides) draw_path(path_of(guide, x_, y_), guide.style);
    for (const Series& series : chart_.series) {
      for (const Point& point : series.points) draw_interval(point);
      if (!series.joined) continue;
      Guide through{.label = {}, .line = {}};
      for (const Point& point : series.points) through.line.push_back({point.x, point.y});
      draw_path(path_of(through, x_, y_), LineStyle::solid);
    }
  }

  static bool has_name(const Point& point) { return point.named && !point.label.empty(); }

  void draw_interval(const Point& point) {
    if (!point.interval) return;
    const std::optional<double> x = x_.to_unit(point.x);
    const std::optional<double> low = y_.to_unit(point.interval->low);
    const std::optional<double> high = y_.to_unit(point.interval->high);
    if (!x || !low || !high || *x < 0.0 || *x > 1.0) return;
    canvas_.draw_line(*x, std::clamp(*low, 0.0, 1.0), *x, std::clamp(*high, 0.0, 1.0), 0);
  }

  void collect_cells() {
    std::map<std::pair<int, int>, std::size_t> cell_at;
    std::vector<std::pair<const Series*, const Point*>> points;
    for (const Series& series : chart_.series) {
      if (!series.marked) continue;
      for (const Point& point : series.points) points.emplace_back(&series, &point);
    }
    const auto weight = [](const Point& point) { return point.weight > 0.0 ? point.weight : 0.0; };
    std::ranges::stable_sort(points, [&](const auto& a, const auto& b) {
      const bool named = has_name(*a.second);
      if (named != has_name(*b.second)) return named;
      return weight(*a.second) > weight(*b.second);
    });
    for (const auto& [series, point] : points) {
      const std::optional<double> x = x_.to_unit(point->x);
      const std::optional<double> y = y_.to_unit(point->y);
      if (!x || !y || *x < -1e-9 || *x > 1.0 + 1e-9 || *y < -1e-9 || *y > 1.0 + 1e-9) {
        ++omissions_.left_out_points;
        continue;
      }
      if (series->marker == Marker::tick && !has_name(*point)) {
        canvas_.put(column_of(*x), row_of(*y), options_.ascii ? U'=' : U'─', series->color);
        continue;
      }
      const auto [found, is_new] = cell_at.try_emplace({column_of(*x), row_of(*y)}, cells_.size());
      if (is_new) {
        cells_.push_back({column_of(*x), row_of(*y), series, point});
      } else if (point->label != cells_[found->second].heaviest->label) {
        ++cells_[found->second].others;
      }
    }
  }

  void draw_points() {
    collect_cells();
    for (std::size_t i = cells_.size(); i-- > 0;) {
      const char32_t dot = options_.ascii ? U'*' : U'•';
      canvas_.put(cells_[i].column, cells_[i].row,
                  has_letter(i) ? letter_of(static_cast<int>(i)) : dot, cells_[i].series->color);
    }
  }

  [[nodiscard]] bool has_letter(std::size_t cell) const {
    return cell < static_cast<std::size_t>(most_letters) && has_name(*cells_[cell].heaviest);
  }

  /// The first free place of a text; the first pass keeps clear of lines as well.
  void write_at_first_free(const std::string& text,
                           const std::vector<std::pair<int, int>>& places) {
    const int width = column_count(text);
    for (const bool of_lines : {true, false}) {
      for (const auto& [column, row] : places) {
        if (!canvas_.is_free(column, row, width, of_lines)) continue;
        canvas_.write(column, row, text);
        return;
      }
    }
    ++omissions_.hidden_labels;
  }

  void label_guides() {
    for (const VerticalGuide& guide : chart_.vertical_guides) {
      const std::optional<double> x = x_.to_unit(guide.x);
      if (!x || *x < 0.0 || *x > 1.0 || guide.label.empty()) continue;
      const std::string text = plain(guide.label);
      std::vector<std::pair<int, int>> places;
      for (int row = canvas_.rows() - 1; row >= canvas_.rows() / 2; --row) {
        places.emplace_back(column_of(*x) + 2, row);
        places.emplace_back(column_of(*x) - 1 - column_count(text), row);
      }
      write_at_first_free(text, places);
    }
    for (const Guide& guide : chart_.guides) {
      const GuidePath path = path_of(guide, x_, y_);
      if (path.empty() || guide.label.empty()) continue;
      write_at_first_free(plain(guide.label), places_along(path, column_count(plain(guide.label))));
    }
  }

  /// Above a flat line from its right end, left of a slope from its middle.
  [[nodiscard]] std::vector<std::pair<int, int>> places_along(const GuidePath& path,
                                                              int width) const {
    const auto span = [](const std::vector<UnitPoint>& piece) {
      return std::abs(piece.back().x - piece.front().x) +
             std::abs(piece.back().y - piece.front().y);
    };
    const std::vector<UnitPoint>& piece = *std::ranges::max_element(path, {}, span);
    UnitPoint left = piece[piece.size() - 2];
    UnitPoint right = piece.back();
    if (right.x < left.x) std::swap(left, right);
    std::vector<std::pair<int, int>> places;
    if (row_of(left.y) == row_of(right.y)) {
      // A line shorter than its label has it end where the line ends.
      const int last = column_of(right.x) - width + 1;
      const int first = std::min(column_of(left.x), last);
      for (const int off : {-1, 1, -2, 2}) {
        for (int column = last; column >= first; column -= 2) {
          places.emplace_back(column, row_of(right.y) + off);
        }
      }
      return places;
    }
    constexpr int samples = 20;  // on each side of the middle
    for (int off = 0; off <= samples; ++off) {
      for (const int side : {1, -1}) {
        const double share = 0.5 + side * off / (2.0 * samples + 2.0);
        const int column = column_of(left.x + share * (right.x - left.x));
        const int row = row_of(left.y + share * (right.y - left.y));
        places.emplace_back(column - 2 - width, row);
      }
    }
    return places;
  }

  void add_plot() {
    std::vector<std::string> labels(static_cast<std::size_t>(canvas_.rows()));
    for (const Tick& tick : y_.ticks()) {
      if (tick.label.empty()) continue;
      labels.at(static_cast<std::size_t>(row_of(y_.to_unit(tick.value).value_or(0.0)))) =
          elide_to_columns(tick.label, gutter_ - 1, ellipsis());
    }
    for (int row = 0; row < canvas_.rows(); ++row) {
      const std::string& label = labels[static_cast<std::size_t>(row)];
      const std::string_view axis =
          options_.ascii ? (label.empty() ? "|" : "+") : (label.empty() ? "│" : "┤");
      const int blanks = gutter_ - 1 - column_count(label);
      text_ += std::string(static_cast<std::size_t>(blanks), ' ') + label + ' ' +
               std::string(axis) + canvas_.line(row, options_.color) + "\n";
    }
  }

  void add_axis() {
    std::string axis(static_cast<std::size_t>(gutter_), ' ');
    std::string labels(static_cast<std::size_t>(options_.columns), ' ');
    std::vector<bool> marked(static_cast<std::size_t>(canvas_.columns()));
    int free_from = 0;
    for (const Tick& tick : x_.ticks()) {
      if (tick.label.empty()) continue;
      const int column = column_of(x_.to_unit(tick.value).value_or(0.0));
      marked.at(static_cast<std::size_t>(column)) = true;
      const int width = static_cast<int>(tick.label.size());
      const int start = std::clamp(gutter_ + 1 + column - width / 2, 0, options_.columns - width);
      if (start < free_from) continue;
      labels.replace(static_cast<std::size_t>(start), tick.label.size(), tick.label);
      free_from = start + width + 1;
    }
    axis += options_.ascii ? "+" : "└";
    for (const bool mark : marked) axis += options_.ascii ? (mark ? "+" : "-") : (mark ? "┴" : "─");
    add_line(axis);
    labels.erase(labels.find_last_not_of(' ') + 1);
    add_line(labels);
    const std::string title = elided(title_of(chart_.x));
    if (title.empty()) return;
    const int blanks = std::max(0, gutter_ + 1 + (canvas_.columns() - column_count(title)) / 2);
    const int room = options_.columns - column_count(title);
    add_line(std::string(static_cast<std::size_t>(std::min(blanks, room)), ' ') + title);
  }

  [[nodiscard]] Entry entry_of(const CellPoints& cell, int index) const {
    std::string name;
    append_utf8(name, letter_of(index));
    name += ' ';
    std::string label = plain(cell.heaviest->label);
    if (chart_.series.size() > 1 && !cell.series->name.empty() &&
        cell.series->name != cell.heaviest->label) {
      // `alexnet, predicted` of a series says the label's name once more.
      const std::string series = plain(cell.series->name);
      label = series.starts_with(label) ? series : format("{} ({})", label, series);
    }
    name += elide_to_columns(label, widest_legend_label, ellipsis());
    if (cell.others > 0) name += format(" +{}", cell.others);
    return {name, plain(format("{}, {}", x_.format_value(cell.heaviest->x),
                               y_.format_value(cell.heaviest->y)))};
  }

  void add_legend() {
    std::vector<Entry> entries;
    int name_width = 0;
    int figures_width = 0;
    for (std::size_t i = 0; i < cells_.size() && has_letter(i); ++i) {
      entries.push_back(entry_of(cells_[i], static_cast<int>(i)));
      name_width = std::max(name_width, column_count(entries.back().name));
      figures_width = std::max(figures_width, column_count(entries.back().figures));
    }
    if (entries.empty()) return;
    text_ += '\n';
    const int entry_width = name_width + 2 + figures_width;
    const auto across =
        static_cast<std::size_t>(std::max(1, (options_.columns + 3) / (entry_width + 3)));
    const std::size_t down = (entries.size() + across - 1) / across;
    const auto blanks = [](int count) {
      return std::string(static_cast<std::size_t>(std::max(0, count)), ' ');
    };
    for (std::size_t row = 0; row < down; ++row) {
      std::string line;
      for (std::size_t i = row; i < entries.size(); i += down) {
        if (!line.empty()) line += "   ";
        line += entries[i].name + blanks(name_width - column_count(entries[i].name) + 2) +
                entries[i].figures + blanks(figures_width - column_count(entries[i].figures));
      }
      line.erase(line.find_last_not_of(' ') + 1);
      line = elide_to_columns(line, options_.columns, ellipsis());
      add_line(options_.color ? colored(line, entries, row, down) : line);
    }
    if (cells_.size() > entries.size()) {
      add_line(format("{} {} more places with points", options_.ascii ? "*" : "•",
                      cells_.size() - entries.size()));
    }
  }

  /// A line of the legend with its letters in the colours of their points.
  [[nodiscard]] std::string colored(std::string line, const std::vector<Entry>& entries,
                                    std::size_t first, std::size_t step) const {
    std::size_t from = 0;
    for (std::size_t i = first; i < entries.size(); i += step) {
      const std::size_t at = line.find(entries[i].name, from);
      if (at == std::string::npos) break;  // cut at the terminal's edge
      const std::string letter =
          in_terminal_color(entries[i].name.substr(0, 1), cells_[i].series->color);
      line.replace(at, 1, letter);
      from = at + letter.size();
    }
    return line;
  }

  void add_captions() {
    const std::string note = omissions_.to_string();
    if (!chart_.captions.empty() || !note.empty()) text_ += '\n';
    for (const std::string& caption : chart_.captions) {
      for (const std::string& line : wrap_to_columns(plain(caption), options_.columns))
        add_line(line);
    }
    add_line(note);
  }

  const Chart& chart_;
  TerminalOptions options_;
  AxisScale x_;
  AxisScale y_;
  int gutter_;
  TerminalCanvas canvas_;
  std::vector<CellPoints> cells_;
  Omissions omissions_;
  std::string text_;
};

}  // namespace

std::string render_terminal(const Chart& chart, TerminalOptions options) {
  constexpr int largest = 1000;
  if (options.columns < 40 || options.columns > largest || options.rows > largest) {
    throw Error(
        ErrorKind::usage,
        format("a chart of {} columns and {} rows cannot be drawn", options.columns, options.rows),
        "widths from 40 to 1000 columns and heights up to 1000 rows can");
  }
  return TerminalDrawing(chart, options).draw();
}

}  // namespace rooflab::chart
