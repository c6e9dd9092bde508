#include "printed_page.hpp"

#include <algorithm>

#include "rooflab/base/text.hpp"

namespace rooflab::import::ncu {
namespace {

constexpr int values_with_evidence = 4096;
constexpr std::string_view heads = "Metric Name";

/// Takes `word` and the digits (or `more`) behind it from the text; nullopt: it begins otherwise.
std::optional<std::string_view> take_number(std::string_view& text, std::string_view word,
                                            std::string_view more = {}) {
  if (!text.starts_with(word)) return std::nullopt;
  std::size_t end = word.size();
  while (end < text.size() &&
         (is_digit(text[end]) || more.find(text[end]) != std::string_view::npos)) {
    ++end;
  }
  if (end == word.size()) return std::nullopt;
  const std::string_view number = text.substr(word.size(), end - word.size());
  text.remove_prefix(end);
  return number;
}

/// `2023-Apr-12 10:11:12`
bool is_date(std::string_view text) {
  return text.size() == 20 && is_digit(text[0]) && text[4] == '-' && text[8] == '-' &&
         text[11] == ' ' && text[14] == ':' && text[17] == ':';
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

TextPage::TextPage(record::KernelTable& kernels, LaunchList& launches, LogFacts& facts,
                   NumberReader& numbers)
    : kernels_(&kernels),
      launches_(&launches),
      facts_(&facts),
      numbers_(&numbers),
      taker_(numbers, facts) {}

bool TextPage::line(std::string_view line, bool whole) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  if (process_line(line) || kernel_line(line)) return true;
  if (!open_) return false;
  if (const std::optional<Columns> columns = rule_of(line)) {
    rule(*columns);
    return true;
  }
  if (!table_) return false;
  // What the program prints meanwhile is not indented.
  if (!line.starts_with(' ') || is_blank(line)) return false;
  if (trim(line).starts_with(heads)) return true;
  const std::optional<Row> row = row_of(line);
  if (!row || !whole) {
    facts_->lose(whole ? "lines of a text table that cannot be read" : "rows that end early");
    return true;
  }
  ++rows_;
  if (seen_ < values_with_evidence) {
    ++seen_;
    numbers_->observe(row->value);
  }
  taker_.take_named(row->metric, row->unit, row->value, figures_);
  return true;
}

/// `[2191] python3@node7`
bool TextPage::process_line(std::string_view line) {
  std::string_view rest = line;
  const std::optional<std::string_view> id = take_number(rest, "[");
  if (!id || !rest.starts_with("] ")) return false;
  rest.remove_prefix(2);
  const std::size_t at = rest.rfind('@');
  if (at == std::string_view::npos || at == 0) return false;
  finish();
  process_id_ = *id;
  process_name_ = rest.substr(0, at);
  host_ = rest.substr(at + 1);
  return true;
}

bool TextPage::kernel_line(std::string_view line) {
  constexpr std::string_view context = ", Context ";
  const std::size_t at = line.rfind(context);
  if (at == std::string_view::npos || !line.starts_with(' ')) return false;
  std::string_view rest = line.substr(at);
  IdentityFields fields;
  if (!take_number(rest, context)) return false;
  const std::optional<std::string_view> stream = take_number(rest, ", Stream ");
  if (!stream) return false;
  fields.stream = *stream;
  if (const auto device = take_number(rest, ", Device ")) fields.device = *device;
  if (const auto capability = take_number(rest, ", CC ", ".")) fields.capability = *capability;
  if (!is_blank(rest)) return false;

  fields.kernel = trim(line.substr(0, at));
  const std::size_t comma = fields.kernel.rfind(", ");
  const std::size_t cross = fields.kernel.rfind(")x(");
  const std::size_t grid =
      cross == std::string_view::npos ? cross : fields.kernel.rfind(" (", cross);
  if (comma != std::string_view::npos && is_date(fields.kernel.substr(comma + 2))) {
    fields.kernel = fields.kernel.substr(0, comma);
  } else if (grid != std::string_view::npos && fields.kernel.ends_with(')')) {
    fields.grid = fields.kernel.substr(grid + 1, cross - grid);
    fields.block = fields.kernel.substr(cross + 2);
    fields.kernel = fields.kernel.substr(0, grid);
  }

  finish();
  launches_->begin(Page::text);
  fields.process_id = process_id_;
  fields.process_name = process_name_;
  fields.host = host_;
  const std::string id = std::to_string(next_id_[process_id_]++);
  fields.id = id;
  std::optional<LaunchKey> key = launches_->key_of(fields);
  if (!key) key = LaunchKey{kernels_->processes.intern(""), next_id_[process_id_] - 1};
  open_ = launches_->open(*key, fields);
  if (!open_) facts_->lose("rows without process or kernel name");
  return true;
}

/// Three runs of dashes.
std::optional<TextPage::Columns> TextPage::rule_of(std::string_view line) {
  Columns columns;
  std::size_t at = 0;
  for (std::size_t i = 0; i < columns.begin.size(); ++i) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos || line[at] != '-') return std::nullopt;
    columns.begin[i] = at;
    at = std::min(line.find_first_not_of('-', at), line.size());
    columns.end[i] = at;
  }
  return is_blank(line.substr(at)) ? std::optional(columns) : std::nullopt;
}

std::optional<TextPage::Row> TextPage::row_of(std::string_view line) const {
  const auto& [begin, end] = *table_;
  const bool in_columns = line.size() > begin[2] && is_blank(line.substr(0, begin[0])) &&
                          is_blank(line.substr(end[0], begin[1] - end[0])) &&
                          is_blank(line.substr(end[1], begin[2] - end[1]));
  if (in_columns) {
    const Row row = {trim(line.substr(begin[0], end[0] - begin[0])),
                     trim(line.substr(begin[1], end[1] - begin[1])), trim(line.substr(begin[2]))};
    if (row.metric.empty() || row.value.empty()) return std::nullopt;
    return row;
  }
  // A name, a unit or a value is wider than its column: names of metrics have no blanks.
  const std::string_view text = trim(line);
  const std::size_t name = text.find(' ');
  const std::size_t value = text.rfind(' ');
  if (name == std::string_view::npos || text.substr(0, name).find("__") == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view unit = value > name ? trim(text.substr(name, value - name)) : "";
  return Row{text.substr(0, name), unit, text.substr(value + 1)};
}

/// Begins a table, parts its heads from its rows, or ends it.
void TextPage::rule(const Columns& columns) {
  if (!table_ || rows_ == 0) {
    table_ = columns;
    rows_ = 0;
  } else {
    table_.reset();
    rows_ = 0;
  }
}

void TextPage::close_table() {
  if (table_) facts_->lose("text tables that end early");
  table_.reset();
  rows_ = 0;
}

void TextPage::finish() {
  close_table();
  if (open_) figures_.store(*kernels_, *open_, *facts_);
  open_.reset();
}

}  // namespace rooflab::import::ncu
