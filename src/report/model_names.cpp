#include "model_names.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "rooflab/base/text.hpp"

namespace rooflab::report {
namespace {

/// What it is called by; a built-in network or a single layer by its own name.
std::string stem_of(const std::string& model) {
  const bool is_file = model.find('/') != std::string::npos || model.ends_with(".onnx");
  return is_file ? std::filesystem::path(model).stem().string() : model;
}

/// Whether what begins there is the end of a longer path.
bool is_within_path(const std::string& text, std::size_t at) {
  if (at == 0) return false;
  const char before = text[at - 1];
  return is_letter(before) || is_digit(before) || before == '/' || before == '.' || before == '_' ||
         before == '-';
}

/// Paths and the stems that stand for them.
class ModelStems {
 public:
  explicit ModelStems(const std::vector<std::string>& models) {
    const std::set<std::string> known(models.begin(), models.end());
    std::map<std::string, int> users;
    for (const std::string& model : known) ++users[stem_of(model)];
    for (const std::string& model : known) {
      const std::string stem = stem_of(model);
      if (!stem.empty() && stem != model && users[stem] == 1) stems_.emplace_back(model, stem);
    }
    // A path that ends in another one comes before it.
    std::ranges::stable_sort(stems_, std::greater(),
                             [](const auto& entry) { return entry.first.size(); });
  }

  [[nodiscard]] bool empty() const { return stems_.empty(); }

  void apply(std::string& text) const {
    for (const auto& [path, stem] : stems_) {
      for (std::size_t at = text.find(path); at != std::string::npos;) {
        if (is_within_path(text, at)) {
          at = text.find(path, at + 1);
          continue;
        }
        text.replace(at, path.size(), stem);
        at = text.find(path, at + stem.size());
      }
    }
  }
  void apply(page::Remarks& notes) const {
    for (page::Remark& note : notes) apply(note.text);
  }
  void apply(page::Table& table) const {
    apply(table.title);
    for (std::vector<page::Cell>& row : table.rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        // A command line with a stem would name another network.
        if (table.columns[i].key != "command_line") apply(row[i].text);
      }
    }
  }
  void apply(chart::Chart& chart) const {
    apply(chart.title);
    for (chart::Series& series : chart.series) {
      apply(series.name);
      apply(series.group);
      for (chart::Point& point : series.points) {
        apply(point.label);
        for (std::string& detail : point.details) apply(detail);
      }
    }
  }
  void apply(page::PageSection& section) const {
    apply(section.heading);
    apply(section.notes);
    for (chart::Bar& bar : section.bars) apply(bar.label);
    for (chart::Spread& spread : section.spreads) apply(spread.label);
    for (page::PageChart& chart : section.charts) apply(chart.chart);
    for (page::Table& table : section.tables) apply(table);
    for (page::PageDetail& detail : section.details) {
      apply(detail.heading);
      apply(detail.table);
      apply(detail.notes);
    }
  }

 private:
  std::vector<std::pair<std::string, std::string>> stems_;
};

}  // namespace

void name_models_by_stem(page::Document& document, const std::vector<std::string>& models) {
  const ModelStems stems(models);
  if (stems.empty()) return;
  stems.apply(document.title);
  stems.apply(document.notes);
  for (page::Table& table : document.tables) stems.apply(table);
  for (std::string& sentence : document.answer) stems.apply(sentence);
  for (chart::Dot& dot : document.dots) stems.apply(dot.group);
  for (page::PageSection& section : document.sections) stems.apply(section);
}

}  // namespace rooflab::report
