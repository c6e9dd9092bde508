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
#include "rooflab/base/note.hpp"
#include "rooflab/chart/chart.hpp"

namespace rooflab::report {

/// A cell: scaled for people, and the bare figure in base units for CSV.
struct Cell {
  /// Ends of what the figure may lie between, in the unit of `raw`.
  struct Interval {
    double low = 0.0;
    double high = 0.0;
  };
  std::string text;
  std::string raw;
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
  std::string key;    ///< in CSV, with its unit: `time_s`
  std::string title;  ///< for people
  Align align = Align::right;
  bool only_in_csv = false;  ///< the same in every row: said in the title instead
  bool too_wide = false;     ///< text has it with TextStyle::all_columns only; elsewhere it stands
  bool cut = false;          ///< names of kernels: text and Markdown shorten them in the middle
  bool shrinks =
      false;  ///< other long texts: a narrow text shortens them, before it leaves out columns
  bool answer = false;  ///< a narrow text leaves out the others first
  bool joined = false;  ///< says nothing without the column before it: they are left out together
  bool bar = false;     ///< shares of one whole: a page draws each as a bar behind its number
  bool heat = false;    ///< parts of a row's sum: a page shades each by its share
  std::string about = {};  ///< what the figure is: a page shows it where the pointer rests
};

struct Table {
  std::string title;  ///< may be empty
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::vector<Cell>> totals;  ///< below a rule; not in CSV
  /// Text shows a list: no header, and the last two columns, texts, are broken into lines where
  /// they are long.
  bool is_list = false;
};

/// A sentence below the tables, and its rank among the others.
struct Remark {
  std::string text;
  NoteRank rank = NoteRank::says;

  // NOLINTBEGIN(google-explicit-constructor): a remark is written as its sentence
  Remark(std::string sentence) : text(std::move(sentence)) {}
  Remark(const char* sentence) : text(sentence) {}
  Remark(std::string sentence, NoteRank its_rank) : text(std::move(sentence)), rank(its_rank) {}
  Remark(const Note& note) : Remark(note.with_subject(), note.rank()) {}

  operator const std::string&() const { return text; }
  // NOLINTEND(google-explicit-constructor)
  friend bool operator==(const Remark& a, const Remark& b) { return a.text == b.text; }
  friend bool operator==(const Remark& a, const char* b) { return a.text == b; }
};
using Remarks = std::vector<Remark>;

/// About the words and columns of a table; part of the answer itself.
[[nodiscard]] inline Remark explains(std::string sentence) {
  return {std::move(sentence), NoteRank::explains};
}
[[nodiscard]] inline Remark answers(std::string sentence) {
  return {std::move(sentence), NoteRank::answers};
}
/// The notes in their order; one that is said about several subjects is said once. `before` stands
/// before each sentence.
[[nodiscard]] Remarks remarks_of(const std::vector<Note>& notes, const std::string& before = {});
/// Adds a sentence that is not there yet.
void add_once(Remarks& remarks, Remark remark);

/// A command line to copy, in a block of its own below the tables.
struct CommandBlock {
  std::string what;  ///< what it does: `made by`
  std::string command;

  friend bool operator==(const CommandBlock&, const CommandBlock&) = default;
};

// Cells of common kinds; what is absent is a dash, and nothing in CSV.
[[nodiscard]] Cell dash();
[[nodiscard]] Cell count_cell(std::int64_t value);                      ///< 12,345
[[nodiscard]] Cell si_cell(std::int64_t value, std::string_view unit);  ///< 1.82 G
[[nodiscard]] Cell si_cell(double value, std::string_view unit);
[[nodiscard]] Cell percent_cell(double fraction);
[[nodiscard]] Cell optional_si_cell(std::optional<double> value, std::string_view unit);
/// Names of kernels and operators run to thousands of letters; their beginnings tell them apart for
/// people, CSV has all of it.
[[nodiscard]] Cell name_cell(const std::string& name);

/// What the dots of a page are drawn on, always logarithmic.
enum class DotAxis {
  time,   ///< seconds of a step
  ratio,  ///< a published figure over ours; 1 is marked
};

/// A row on the page's axis, in its unit; what nobody knows is not drawn.
struct PageDot {
  std::string group;  ///< rows of one group stand together: the network
  std::string label;  ///< what tells the row apart within its group: `t4, batch 64`
  std::optional<double> limit;
  std::optional<double> predicted;
  std::optional<double> low;  ///< ends of the prediction's interval
  std::optional<double> high;
  std::optional<double> measured;
  std::string value;      ///< the main one for people: `17.4 ms`
  std::string remark;     ///< beside it: `3,678 samples/s`; may be empty
  std::string verdict;    ///< `fits`, `suspect`; may be empty
  std::string kind = {};  ///< what its colour says, in the legend; empty: its group
  bool is_quiet = false;  ///< grey: what nobody has to look at
};

/// A piece of a bar. Pieces of one name have one colour in all bars of a section.
struct PageBarPart {
  std::string name;
  double value = 0.0;  ///< in a unit that all bars of the section share
  std::string text;    ///< the value for people: `1.2 ms`
  /// An index of chart/palette.hpp, the same on every page; nullopt: by the order of the names.
  std::optional<int> color = std::nullopt;
};

/// A horizontal bar made of its parts, in their order. A part that is not finite or not above zero
/// is not drawn; the bar says so.
struct PageBar {
  std::string label;
  std::string text;  ///< the whole for people; may be empty
  std::vector<PageBarPart> parts;
};

enum class BarScale {
  share,     ///< each bar has the full width: shares of a whole
  absolute,  ///< the longest bar has the full width, the others in proportion
};

/// What a row of a strip does from one moment of the strip to another.
struct PageStripRun {
  double begin_s = 0.0;
  double end_s = 0.0;
  int kind = 0;  ///< number in PageStrip::kinds
};
struct PageStripRow {
  std::string name;  ///< `device`, `host`, `communication`
  std::vector<PageStripRun> runs;
};

/// A step over time: a row for each thing that works at once. All strips of a section have the same
/// kinds.
struct PageStrip {
  std::string label;
  double length_s = 0.0;  ///< above 0
  std::vector<PageStripRow> rows;
  std::vector<std::string> kinds;  ///< kinds of work; each has a colour of its own
  std::string remark;              ///< sentences below it
};

/// A chart of a page: drawn by Plotly in the browser, or a picture where the bundle is missing.
struct PageChart {
  std::string heading;  ///< above it, within its section; may be empty
  chart::Chart chart;
  chart::Size size = {};
};

/// Repetitions of one case as a strip of dots, beside those of other cases.
struct PageSpread {
  std::string label;
  std::vector<double> values;  ///< in their order, seconds; at least one
  double median = 0.0;         ///< above 0
  std::optional<double> low;   ///< ends of the median's interval
  std::optional<double> high;
  std::string text;    ///< the median for people
  std::string remark;  ///< beside it; may be empty
};

/// A curve of a line's height, from zero to its highest value.
struct PageSpark {
  std::string label;  ///< behind it: `core 87 %`
  std::vector<double> values;
};

/// A chart of a page in a file beside it, by a path from the page's folder: Markdown shows it.
struct PagePicture {
  std::string title;
  std::string file;
};

/// What stands behind a line that opens it: charts, and a table, whose title is not shown: the
/// heading is.
struct PageDetail {
  std::string heading;
  Table table;  ///< may have no columns
  Remarks notes;
  std::string command;                 ///< the command line that gives it
  bool in_text = false;                ///< text, Markdown and CSV show the table too
  std::vector<PageSpark> sparks = {};  ///< in the line
  std::vector<PageChart> charts = {};
  /// The table's file, where the heading says what may change, as counts; empty: after the heading.
  std::string file_name = {};
};

/// What stands under one heading, in this order; anything may be missing. A section without any
/// content is left out. Of tables with more than 200 rows, the first 200 are shown and a button
/// shows all; filter and sorting work on all rows.
struct PageSection {
  std::string heading;  ///< `<section id="section-where-the-time-went">` by its letters and digits
  /// Text, Markdown and CSV show the tables and notes too; a page shows every section.
  bool in_text = false;
  bool captions = false;  ///< its notes explain what stands there: text goes without
  std::string text;       ///< an author's, in Markdown: pages and Markdown show it
  std::vector<PageDot> dots;
  DotAxis dot_axis = DotAxis::time;
  std::vector<PageBar> bars;
  BarScale bar_scale = BarScale::share;
  std::vector<PageSpread> spreads;
  std::vector<PageStrip> strips;
  std::string timeline_command;  ///< writes the strips' timelines; empty: they come from a trace
  std::vector<PageChart> charts;
  bool side_by_side = false;  ///< the charts, as many a row as there is room for, with one legend
  std::vector<PagePicture> pictures;
  std::vector<Table> tables;  ///< titles are shown where they differ from the heading
  Remarks notes;
  std::string command;  ///< the command line behind these figures; may be empty
  std::vector<PageDetail> details;
};

/// What costs the result its time, or what a reader must know of it (findings/finding.hpp).
struct DocumentFinding {
  std::string text;
  std::string worth;    ///< `up to 2.72 ms (39 % of the step)`; empty: nobody can say
  std::string advice;   ///< a sentence; may be empty
  std::string attempt;  ///< a command line, or a line of code, that tries it; may be empty
  std::vector<std::string> evidence = {};  ///< its numbers, for readers who open the list
};

/// What a command shows, in every format. CSV is the first table.
struct Document {
  std::string title;
  std::vector<Table> tables;
  Remarks notes;  ///< one sentence each
  Json json;
  /// Writes the JSON instead of `json`, where that would be too large to hold.
  std::function<void(std::ostream& stream)> write_json;
  /// Writes the timeline (docs/formats/trace_output.md); empty: the result has no timeline.
  std::function<void(std::ostream& stream)> write_timeline;
  std::vector<std::string> introduction;  ///< paragraphs below the title
  std::string subtitle;                   ///< subtitle of a page
  std::string command;                    ///< the command line that made it
  std::string made_by;                    ///< program, version and date, in the foot of a page
  std::vector<std::string> answer;        ///< what the result says, in two or three sentences
  std::vector<PageDot> dots;              ///< at the top of a page
  DotAxis dot_axis = DotAxis::time;
  std::vector<std::string> bases;  ///< what the figures rest on, in the foot of a page
  std::vector<PageSection> sections;
  std::size_t most_rows = 0;           ///< rows of a table in text, Markdown and CSV; 0: all
  bool names_sections = false;         ///< notes of sections stand in text behind the headings
  std::vector<CommandBlock> commands;  ///< below everything else
  std::string findings_heading = "What costs time";
  std::vector<DocumentFinding> findings;  ///< before the tables
  std::size_t most_findings = 5;          ///< in text, and open on a page; 0: all

  /// The tables that text, Markdown and CSV show: `tables`, then those of the sections in text and
  /// of the details in text.
  [[nodiscard]] std::vector<const Table*> text_tables() const;
  /// The notes beside them.
  [[nodiscard]] Remarks text_notes() const;
};

enum class Format { table, markdown, csv, json, html, timeline };
[[nodiscard]] std::optional<Format> format_from_name(std::string_view name);
/// Format for the file's extension: .md, .csv, .json, .html, .txt.
[[nodiscard]] std::optional<Format> format_from_extension(std::string_view extension);
/// Format for the file's name: a timeline for `NAME.trace.json`, else by the extension.
[[nodiscard]] std::optional<Format> format_from_file(const std::string& file);

/// How text goes to a terminal or into a file. As it is here, nothing is left out or broken.
struct TextStyle {
  bool color = false;
  std::size_t width = 0;       ///< columns of the terminal; 0: without a limit
  bool all_columns = false;    ///< tables have all, however wide they get
  std::size_t most_notes = 0;  ///< a line each; 0: all of them, whole
};

/// Any format but html and timeline. The text ends with a newline.
void render(std::ostream& stream, const Document& document, Format format, TextStyle style = {});
[[nodiscard]] std::string render(const Document& document, Format format, TextStyle style = {});

/// Makes text and JSON of a document that was made for a page: tables of all sections, and notes.
/// The JSON is `{schema_version, command, command_line, tables, notes}`, a table being
/// `{title, columns, rows}` with figures in base units.
void show_all_tables(Document& document, std::string_view command);

/// One chart and nothing else.
[[nodiscard]] Document chart_document(chart::Chart chart, std::string command);

/// What text shows first, then the sections, with a table of contents before more than three. One
/// file that needs nothing else and loads nothing: a Content-Security-Policy forbids it. Texts
/// may hold anything, they are shown letter by letter. `plotly` is the bundle's source; without it
/// charts are SVG pictures by gnuplot, and where that is missing too the page says so.
[[nodiscard]] std::string render_html(const Document& document, const std::string& plotly);

}  // namespace rooflab::report
