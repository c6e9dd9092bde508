// A study file: docs/formats/study.md. Texts may hold ${NAME} of [variables].

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "base/format.hpp"
#include "expression.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "study.hpp"
#include "study_quantity.hpp"

namespace rooflab::study {

std::span<const EmbeddedFile> starter_files();  // data/study.toml

namespace {

/// Keys of `[[cases]]` that multiply, in the order in which they vary: the last fastest.
constexpr std::array<std::string_view, 7> factor_keys = {"model",     "file", "device", "batch",
                                                         "precision", "gpus", "phase"};

[[noreturn]] void throw_unknown(std::string_view what, const std::string& given,
                                const std::vector<std::string>& allowed, const Location& place) {
  throw Error(ErrorKind::input, format("unknown {} '{}'", what, given),
              near_hint(given, allowed, format("one of {}", join(allowed, ", "))), place);
}

std::span<const TomlEntry> entries_in(const TomlTable& table, std::string_view key) {
  const TomlTable* const entries = table.optional_table(key);
  return entries == nullptr ? std::span<const TomlEntry>() : entries->entries();
}

template <class Enumeration>
Enumeration named_value(std::string_view what, const std::string& word, const Location& place) {
  if (const std::optional<Enumeration> known = from_name<Enumeration>(word)) return *known;
  throw_unknown(what, word, names_of<Enumeration>(), place);
}

class StudyReader {
 public:
  StudyReader(const TomlTable& root, const std::filesystem::path& file, const Variables& given)
      : root_(root) {
    study_.file = file;
    read_variables(given);
  }

  Study read() {
    root_.allow_only({"title", "question", "about", "variables", "cases", "hypotheses", "published",
                      "tables", "charts", "text"});
    study_.title = text(root_.at("title"));
    study_.question = optional_text(root_, "question");
    study_.about = optional_text(root_, "about");
    for_each("cases", [this](const TomlTable& table) { read_group(table); });
    for_each("hypotheses", [this](const TomlTable& table) { read_hypothesis(table); });
    for_each("published", [this](const TomlTable& table) { read_published(table); });
    for_each("tables", [this](const TomlTable& table) { read_table(table); });
    for_each("charts", [this](const TomlTable& table) { read_chart(table); });
    for_each("text", [this](const TomlTable& table) { read_text(table); });
    study_.texts = in_page_order(std::move(study_.texts));
    if (study_.groups.empty()) {
      throw root_.error("the study has no cases", "a [[cases]] table names some");
    }
    check_evaluations();
    check_attributes();
    return std::move(study_);
  }

 private:
  void read_variables(const Variables& given) {
    for (const TomlEntry& entry : entries_in(root_, "variables")) {
      variables_[entry.key] = literal(entry.value);
    }
    const std::vector<std::string> known = variable_names();
    for (const auto& [name, value] : given) {
      if (!variables_.contains(name)) {
        throw Error(ErrorKind::usage, format("the study has no variable '{}'", name),
                    known.empty() ? "it has none" : format("it has {}", join(known, ", ")));
      }
      variables_[name] = value;
    }
  }

  [[nodiscard]] std::vector<std::string> variable_names() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : variables_) names.push_back(name);
    return names;
  }

  template <class Function>
  void for_each(std::string_view key, Function read) {
    if (const TomlValue* list = root_.find(key)) {
      for (const TomlValue& table : list->as_array()) read(table.as_table());
    }
  }

  [[nodiscard]] std::string substituted(const std::string& text, const Location& place) const {
    std::string result;
    std::size_t at = 0;
    for (std::size_t next = 0; (next = text.find("${", at)) != std::string::npos;) {
      const std::size_t end = text.find('}', next);
      if (end == std::string::npos) {
        throw Error(ErrorKind::input, "'${' has no '}'", "${NAME} is a variable's value", place);
      }
      const std::string name = text.substr(next + 2, end - next - 2);
      const auto found = variables_.find(name);
      if (found == variables_.end()) {
        if (!variables_.empty()) throw_unknown("variable", name, variable_names(), place);
        throw Error(ErrorKind::input, format("unknown variable '{}'", name),
                    "[variables] gives names their values", place);
      }
      result += text.substr(at, next - at) + found->second;
      at = end + 1;
    }
    return result + text.substr(at);
  }

  [[nodiscard]] std::string text(const TomlValue& value) const {
    return substituted(value.as_string(), value.location());
  }

  [[nodiscard]] std::string optional_text(const TomlTable& table, std::string_view key) const {
    const TomlValue* value = table.find(key);
    return value == nullptr ? "" : text(*value);
  }

  [[nodiscard]] static std::string literal(const TomlValue& value) {
    if (const auto* number = std::get_if<double>(&value.content())) return format("{}", *number);
    if (const auto* whole = std::get_if<std::int64_t>(&value.content())) {
      return std::to_string(*whole);
    }
    if (const auto* flag = std::get_if<bool>(&value.content())) return *flag ? "true" : "false";
    return value.as_string();
  }

  /// A string, a number or a boolean as a word of a command line.
  [[nodiscard]] std::string word(const TomlValue& value) const {
    return substituted(literal(value), value.location());
  }

  /// One value, or an array of them.
  [[nodiscard]] Factor factor(std::string key, const TomlValue& value) const {
    Factor result{std::move(key), {}};
    const auto add = [&](const TomlValue& each) {
      result.values.push_back({word(each), each.location()});
    };
    if (const auto* list = std::get_if<TomlArray>(&value.content())) {
      for (const TomlValue& each : *list) add(each);
      if (list->empty()) throw value.error(format("'{}' has no values", value.path()));
    } else {
      add(value);
    }
    return result;
  }

  [[nodiscard]] Attributes attributes(const TomlTable& table, std::string_view key) {
    Attributes result;
    for (const TomlEntry& entry : entries_in(table, key)) {
      const bool* const flag = std::get_if<bool>(&entry.value.content());
      result[entry.key] = flag == nullptr ? word(entry.value) : *flag ? "yes" : "no";
      named_.emplace_back(entry.key, entry.place.location());
    }
    return result;
  }

  /// The name of an attribute, checked when all cases are read.
  [[nodiscard]] std::string attribute(const TomlTable& table, std::string_view key) {
    std::string name = optional_text(table, key);
    if (!name.empty()) named_.emplace_back(name, table.at(key).location());
    return name;
  }

  /// What cases can be told apart by.
  [[nodiscard]] std::vector<std::string> attribute_names() const {
    // Of every case; of vector additions; of single layers.
    std::set<std::string> names = {"mode",     "group", "named", "source",  "launch", "memory",
                                   "elements", "layer", "input", "machine", "op"};
    names.insert(factor_keys.begin(), factor_keys.end());
    for (const CaseGroup& group : study_.groups) {
      for (const Factor& factor : group.factors) names.insert(factor.key);
      for (const GroupOption& option : group.options) names.insert(option.key);
    }
    return {names.begin(), names.end()};
  }

  void check_attributes() const {
    const std::vector<std::string> known = attribute_names();
    for (const auto& [name, place] : named_) {
      if (!std::ranges::binary_search(known, name)) throw_unknown("attribute", name, known, place);
    }
  }

  static void check_quantity(const std::string& name, const Location& place) {
    if (find_quantity(name) == nullptr) throw_unknown("quantity", name, quantity_names(), place);
  }

  static std::map<std::string, double> numbers(const TomlTable& table, std::string_view key) {
    std::map<std::string, double> result;
    for (const TomlEntry& entry : entries_in(table, key)) {
      check_quantity(entry.key, entry.place.location());
      result[entry.key] = entry.value.as_number();
    }
    return result;
  }

  void read_modes(const TomlTable& table, CaseGroup& group) const {
    for (const auto& [name, place] : factor("mode", table.at("mode")).values) {
      group.modes.push_back(named_value<Mode>("mode", name, place));
    }
  }

  void read_group(const TomlTable& table) {
    table.allow_only({"name", "mode", "model", "file", "device", "batch", "phase", "precision",
                      "gpus", "vary", "options", "arguments", "of"});
    CaseGroup group;
    group.place = table.location();
    group.name = optional_text(table, "name");
    read_modes(table, group);
    if (group.name.empty()) group.name = format("cases{}", study_.groups.size() + 1);
    if (!group_names_.insert(group.name).second) {
      throw table.error(format("there are two groups of cases named '{}'", group.name));
    }
    for (const std::string_view key : factor_keys) {
      if (const TomlValue* value = table.find(key)) {
        group.factors.push_back(factor(std::string(key), *value));
      }
    }
    for (const TomlEntry& entry : entries_in(table, "vary")) {
      group.factors.push_back(factor(entry.key, entry.value));
    }
    for (const TomlEntry& entry : entries_in(table, "options")) {
      const bool* const flag = std::get_if<bool>(&entry.value.content());
      if (flag != nullptr && !*flag) continue;
      group.options.push_back(
          {entry.key, flag != nullptr ? "" : word(entry.value), entry.place.location()});
    }
    if (const TomlValue* words = table.find("arguments")) {
      for (const TomlValue& each : words->as_array()) group.arguments.push_back(word(each));
    }
    group.of = optional_text(table, "of");
    study_.groups.push_back(std::move(group));
  }

  void read_hypothesis(const TomlTable& table) {
    table.allow_only({"name", "text", "check"});
    Hypothesis hypothesis;
    hypothesis.name = optional_text(table, "name");
    if (hypothesis.name.empty()) hypothesis.name = format("h{}", study_.hypotheses.size() + 1);
    if (!hypothesis_names_.insert(hypothesis.name).second) {
      throw table.error(format("there are two hypotheses named '{}'", hypothesis.name));
    }
    hypothesis.text = optional_text(table, "text");
    const TomlValue& check = table.at("check");
    hypothesis.check = text(check);
    hypothesis.check_place = check.location();
    (void)Expression::parse(hypothesis.check, hypothesis.check_place);
    study_.hypotheses.push_back(std::move(hypothesis));
  }

  void read_published(const TomlTable& table) {
    table.allow_only({"source", "where", "values", "used", "remark"});
    PublishedRow row;
    row.place = table.location();
    row.source = optional_text(table, "source");
    row.where = attributes(table, "where");
    row.values = numbers(table, "values");
    row.used = numbers(table, "used");
    row.remark = optional_text(table, "remark");
    if (row.values.empty()) throw table.error("'values' is missing: what was published?");
    study_.published.push_back(std::move(row));
  }

  void read_table(const TomlTable& table) {
    table.allow_only({"title", "where", "values", "beside", "rows"});
    TableWish wish;
    wish.title = optional_text(table, "title");
    wish.where = attributes(table, "where");
    wish.beside = attribute(table, "beside");
    const TomlValue& values = table.at("values");
    wish.values = shown_values(values);
    if (wish.values.empty()) {
      throw values.error(format("'{}' has no values", values.path()));
    }
    if (const TomlValue* rows = table.find("rows")) {
      wish.rows = named_value<TableWish::Rows>("kind of rows", text(*rows), rows->location());
    }
    if (wish.rows == TableWish::Rows::layers && !wish.beside.empty()) {
      throw table.at("beside").error("'beside' belongs to tables of cases",
                                     "a table of layers has a row for each layer");
    }
    study_.tables.push_back(std::move(wish));
  }

  /// A text, or a table of `value` and `title`.
  [[nodiscard]] ShownValue shown_value(const TomlValue& value) const {
    if (!std::holds_alternative<TomlTable>(value.content())) {
      return ShownValue::parse(text(value), value.location());
    }
    const TomlTable& table = value.as_table();
    table.allow_only({"value", "title"});
    const TomlValue& what = table.at("value");
    return ShownValue::parse(text(what), what.location(), optional_text(table, "title"));
  }

  [[nodiscard]] std::vector<ShownValue> shown_values(const TomlValue& values) const {
    if (!std::holds_alternative<TomlArray>(values.content())) return {shown_value(values)};
    std::vector<ShownValue> shown;
    for (const TomlValue& each : values.as_array()) shown.push_back(shown_value(each));
    return shown;
  }

  void read_chart(const TomlTable& table) {
    table.allow_only({"kind", "title", "where", "y", "x", "series", "log_x", "log_y"});
    ChartWish wish;
    const TomlValue& kind = table.at("kind");
    wish.kind = named_value<ChartWish::Kind>("kind of chart", text(kind), kind.location());
    wish.title = optional_text(table, "title");
    wish.where = attributes(table, "where");
    wish.x = optional_text(table, "x");
    if (find_quantity(wish.x) == nullptr) wish.x = attribute(table, "x");
    wish.series = attribute(table, "series");
    wish.log_x = table.optional_boolean("log_x").value_or(false);
    wish.log_y = table.optional_boolean("log_y").value_or(false);
    if (wish.kind == ChartWish::Kind::roofline) {
      for (const char* const key : {"x", "y", "series", "log_x", "log_y"}) {
        if (const TomlValue* value = table.find(key)) {
          throw value->error(format("a roofline takes no '{}'", key),
                             "its axes are FLOP/B and FLOP/s; 'where' chooses the cases");
        }
      }
    } else {
      wish.y = shown_value(table.at("y"));
    }
    if (wish.kind == ChartWish::Kind::lines) (void)table.at("x");
    study_.charts.push_back(std::move(wish));
  }

  void read_text(const TomlTable& table) {
    table.allow_only({"title", "text", "position"});
    StudyText written;
    if (const TomlValue* position = table.find("position")) {
      written.position = named_value<StudyText::Position>("position of a text", text(*position),
                                                          position->location());
    }
    written.title = optional_text(table, "title");
    if (trim(written.title).empty()) written.title = usual_title(written.position);
    written.text = text(table.at("text"));
    study_.texts.push_back(std::move(written));
  }

  void check_evaluations() const {
    std::set<std::string> training;
    for (const CaseGroup& group : study_.groups) {
      if (std::ranges::count(group.modes, Mode::train) != 0) training.insert(group.name);
    }
    for (const CaseGroup& group : study_.groups) {
      const bool evaluates = std::ranges::count(group.modes, Mode::evaluate) != 0;
      if (evaluates == group.of.empty()) {
        throw Error(ErrorKind::input,
                    evaluates ? "'of' is missing: which group trains the models?"
                              : "'of' belongs to the mode evaluate",
                    "of = \"NAME\" of a group that trains", group.place);
      }
      if (!evaluates) continue;
      if (!training.contains(group.of)) {
        throw Error(ErrorKind::input, format("no group '{}' trains models", group.of), {},
                    group.place);
      }
    }
  }

  const TomlTable& root_;
  Variables variables_;
  std::vector<std::pair<std::string, Location>> named_;  ///< attributes, where they are named
  std::set<std::string> group_names_;
  std::set<std::string> hypothesis_names_;
  Study study_;
};

}  // namespace

Study read_study(std::string_view text, const std::filesystem::path& file, const Variables& given) {
  const TomlTable root = parse_toml(text, file.string());
  return StudyReader(root, file, given).read();
}

std::string_view starter() { return starter_files().front().text; }

}  // namespace rooflab::study
