#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/json.hpp"
#include "rooflab/chart/bars.hpp"
#include "rooflab/chart/chart.hpp"
#include "rooflab/chart/dots.hpp"
#include "rooflab/chart/spread.hpp"
#include "rooflab/chart/strip.hpp"
#include "rooflab/describe/note.hpp"

namespace rooflab::page {

/// A cell: text with a scaled figure for people, and the plain figure in base units for CSV.
struct Cell {
  /// Ends of the figure's interval, in the unit of `raw`.
  struct Interval {
    double low = 0.0;
    double high = 0.0;
  };
  std::string text = {};
  std::string raw = {};
  std::optional<Interval> interval{};

  Cell() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): rows are written as their texts
  Cell(std::string both) : text(both), raw(std::move(both)) {}
  Cell(const char* both) : Cell(std::string(both)) {}  // NOLINT(google-explicit-constructor)
  Cell(std::string shown, std::string figure, std::optional<Interval> between = {})
      : text(std::move(shown)), raw(std::move(figure)), interval(between) {}
};

enum class Align { left, right };

struct Column {
  std::string key = {};    ///< name in CSV, with the unit: `time_s`
  std::string title = {};  ///< title for people
  Align align = Align::right;
  bool only_in_csv = false;  ///< equal in every row: shown in the title instead
  bool too_wide = false;     ///< text shows it only with TextStyle::all_columns
  bool cut = false;          ///< names of kernels, which text and Markdown shorten in the middle
  bool shrinks =
      false;  ///< other long texts, which a narrow text shortens before it leaves out columns
  bool answer = false;     ///< a narrow text leaves out other columns first
  bool joined = false;     ///< needs the previous column: both are left out together
  bool bar = false;        ///< shares of one whole, which a page draws as bars after the numbers
  bool heat = false;       ///< parts of a row's sum, which a page shades by their share
  std::string about = {};  ///< meaning of the figure, shown by a page under the pointer
};

struct Table {
  std::string title = {};  ///< may be empty
  std::vector<Column> columns = {};
  std::vector<std::vector<Cell>> rows = {};
  std::vector<std::vector<Cell>> totals = {};  ///< rows below a rule; not in CSV
  /// Whether text shows a list: without header, and with line breaks in the last two columns where
  /// their texts are long.
  bool is_list = false;
};

/// A sentence below the tables, and its rank.
struct Remark {
  std::string text = {};
  NoteRank rank = NoteRank::says;

  // NOLINTBEGIN(google-explicit-constructor): a remark is written as its sentence
  Remark(std::string sentence) : text(std::move(sentence)) {}
  Remark(const char* sentence) : text(sentence) {}
  Remark(std::string sentence, NoteRank its_rank) : text(std::move(sentence)), rank(its_rank) {}
  Remark(const Note& note);

  operator const std::string&() const { return text; }
  // NOLINTEND(google-explicit-constructor)
  friend bool operator==(const Remark& a, const Remark& b) { return a.text == b.text; }
  friend bool operator==(const Remark& a, const char* b) { return a.text == b; }
};
using Remarks = std::vector<Remark>;

/// A remark that explains words and columns of a table; part of the answer itself.
[[nodiscard]] inline Remark explains(std::string sentence) {
  return {std::move(sentence), NoteRank::explains};
}
[[nodiscard]] inline Remark answers(std::string sentence) {
  return {std::move(sentence), NoteRank::answers};
}
/// The remark `WHO: SENTENCE` from a note, whose subject is left out.
[[nodiscard]] Remark remark_on(const std::string& who, const Note& note);
/// Remarks from notes in their order; a note about several subjects appears once. `before`: text
/// before each sentence.
[[nodiscard]] Remarks remarks_of(const std::vector<Note>& notes, const std::string& before = {});
/// Adds a remark unless it is already there.
void add_once(Remarks& remarks, Remark remark);

/// A command line to copy, in a separate block below the tables.
struct CommandBlock {
  std::string what = {};  ///< purpose: `made by`
  std::string command = {};

  friend bool operator==(const CommandBlock&, const CommandBlock&) = default;
};

// Cells of common kinds; a missing value is a dash, and empty in CSV.
[[nodiscard]] Cell dash();
[[nodiscard]] Cell count_cell(std::int64_t value);                      ///< 12,345
[[nodiscard]] Cell si_cell(std::int64_t value, std::string_view unit);  ///< 1.82 G
[[nodiscard]] Cell si_cell(double value, std::string_view unit);
[[nodiscard]] Cell percent_cell(double fraction);
[[nodiscard]] Cell optional_si_cell(std::optional<double> value, std::string_view unit);
/// Cell of a kernel's or operator's name. People see a shortened name, because names can have
/// thousands of letters; CSV has the whole name.
[[nodiscard]] Cell name_cell(const std::string& name);

/// A chart of a page: drawn by Plotly in the browser, or a picture where the bundle is missing.
struct PageChart {
  std::string heading = {};  ///< above the chart, within its section; may be empty
  chart::Chart chart = {};
  chart::Size size = {};
};

/// A chart of a page in a separate file that Markdown shows; the path is relative to the page's
/// folder.
struct PagePicture {
  std::string title = {};
  std::string file = {};
};

/// Details that a line opens: charts and a table; the heading is shown instead of the table's
/// title.
struct PageDetail {
  std::string heading = {};
  Table table = {};  ///< may have no columns
  Remarks notes = {};
  std::string command = {};               ///< command line that shows the details
  bool in_text = false;                   ///< text, Markdown and CSV show the table too
  std::vector<chart::Spark> sparks = {};  ///< curves in the line
  std::vector<PageChart> charts = {};
  /// Name of the table's file if the heading contains changing values such as counts; empty: named
  /// after the heading.
  std::string file_name = {};
};

/// Content below one heading, in this order; any part may be missing, and a section without content
/// is left out. Tables with more than 200 rows show the first 200, and a button shows all; filter
/// and sorting work on all rows.
struct PageSection {
  /// `<section id="section-where-the-time-went">` by its letters and digits
  std::string heading = {};
  /// Whether text, Markdown and CSV also show the tables and notes; a page shows every section.
  bool in_text = false;
  bool captions = false;  ///< the notes explain the content; text leaves them out
  std::string text = {};  ///< text by an author in Markdown, shown by pages and Markdown
  std::vector<chart::Dot> dots = {};
  chart::DotAxis dot_axis = chart::DotAxis::time;
  std::vector<chart::Bar> bars = {};
  chart::BarScale bar_scale = chart::BarScale::share;
  std::vector<chart::Spread> spreads = {};
  std::vector<chart::Strip> strips = {};
  std::string timeline_command = {};  ///< writes the strips' timelines; empty: a trace has them
  std::vector<PageChart> charts = {};
  bool side_by_side = false;  ///< charts are placed in rows with one common legend
  std::vector<PagePicture> pictures = {};
  std::vector<Table> tables = {};  ///< titles are shown where they differ from the heading
  Remarks notes = {};
  std::string command = {};  ///< the command line behind these figures; may be empty
  std::vector<PageDetail> details = {};
};

/// A cause of lost time in the result, or a remark about it (findings/finding.hpp).
struct DocumentFinding {
  std::string text = {};
  std::string worth = {};    ///< `up to 2.72 ms (39 % of the step)`; empty: not known
  std::string advice = {};   ///< a sentence; may be empty
  std::string attempt = {};  ///< a command line, or a line of code, that tries it; may be empty
  std::vector<std::string> evidence = {};  ///< its numbers, shown when a reader opens the list
};

/// Output of a command in every format. CSV has the first table.
struct Document {
  std::string title = {};
  std::vector<Table> tables = {};
  Remarks notes = {};  ///< one sentence each
  Json json = {};
  /// Writes the JSON instead of `json` where that would be too large for memory.
  std::function<void(std::ostream& stream)> write_json = {};
  /// Writes the timeline (docs/formats/trace_output.md); empty: the result has no timeline.
  std::function<void(std::ostream& stream)> write_timeline = {};
  std::vector<std::string> introduction = {};  ///< paragraphs below the title
  std::string subtitle = {};                   ///< subtitle of a page
  std::string command = {};                    ///< the command line that made it
  std::string made_by = {};                    ///< program, version and date, in the foot of a page
  std::vector<std::string> answer = {};        ///< summary of the result in two or three sentences
  std::vector<chart::Dot> dots = {};           ///< at the top of a page
  chart::DotAxis dot_axis = chart::DotAxis::time;
  std::vector<std::string> bases = {};  ///< sources of the figures, in the foot of a page
  std::vector<PageSection> sections = {};
  std::size_t most_rows = 0;                ///< rows of a table in text, Markdown and CSV; 0: all
  bool names_sections = false;              ///< in text, notes of sections follow their headings
  std::vector<CommandBlock> commands = {};  ///< below everything else
  std::string findings_heading = "What costs time";
  std::vector<DocumentFinding> findings = {};  ///< before the tables
  std::size_t most_findings = 5;               ///< in text, and open on a page; 0: all

  /// The tables that text, Markdown and CSV show: `tables`, then those of the sections in text and
  /// of the details in text.
  [[nodiscard]] std::vector<const Table*> text_tables() const;
  /// The notes of text_tables().
  [[nodiscard]] Remarks text_notes() const;
};

enum class Format { table, markdown, csv, json, html, timeline };
[[nodiscard]] std::optional<Format> format_from_name(std::string_view name);
/// Format for the file's extension: .md, .csv, .json, .html, .txt.
[[nodiscard]] std::optional<Format> format_from_extension(std::string_view extension);
/// Format for the file's name: a timeline for `NAME.trace.json`, else by the extension.
[[nodiscard]] std::optional<Format> format_from_file(const std::string& file);

/// Layout of text for a terminal or a file. With the defaults nothing is left out or broken.
struct TextStyle {
  bool color = false;
  std::size_t width = 0;       ///< columns of the terminal; 0: without a limit
  bool all_columns = false;    ///< tables have all columns, whatever their width
  std::size_t most_notes = 0;  ///< number of notes, one line each; 0: all notes in full
};

/// Writes a document in any format except html and timeline. The text ends with a newline.
void render(std::ostream& stream, const Document& document, Format format, TextStyle style = {});
[[nodiscard]] std::string render(const Document& document, Format format, TextStyle style = {});

/// Adds text and JSON to a document that was made for a page: tables of all sections, and notes.
/// The JSON is `{schema_version, command, command_line, tables, notes}`, a table being `{title,
/// columns, rows}` with figures in base units.
void show_all_tables(Document& document, std::string_view command);

/// Makes a document with one chart only.
[[nodiscard]] Document chart_document(chart::Chart chart, std::string command);

/// Renders a page: the content of the text format first, then the sections, with a table of
/// contents if there are more than three. The page is one file that loads nothing: a
/// Content-Security-Policy forbids it. Texts are escaped. `plotly` is the bundle's source; without
/// it charts are SVG images by gnuplot, and without gnuplot the page has a message instead.
[[nodiscard]] std::string render_html(const Document& document, const std::string& plotly);

}  // namespace rooflab::page
