#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "field_splitter.hpp"
#include "launch_figures.hpp"
#include "launch_list.hpp"
#include "number_reader.hpp"
#include "table_header.hpp"
#include "value_taker.hpp"

namespace rooflab::import::ncu {

/// `--page raw`: a row a launch, a column a metric, and the units in a row without an ID.
class RawPage {
 public:
  RawPage(record::KernelTable& kernels, LaunchList& launches, LogFacts& facts,
          NumberReader& numbers);

  void begin(TableHeader header);

  /// Takes records of this page apart.
  [[nodiscard]] FieldSplitter& splitter() { return splitter_; }

  /// The record that splitter() holds; `text` is the same unsplit. `glued`: it stood behind other
  /// output on its line, so it counts only when it is whole.
  void row(std::string_view text, bool glued);

 private:
  struct Column {
    std::size_t at = 0;  ///< in splitter_.fields()
    std::string name;
    MetricUse use;
    std::string unit;
    std::optional<double> scale;
  };

  void set_units();
  void look_for_evidence(std::string_view text);
  [[nodiscard]] IdentityFields identity();
  [[nodiscard]] std::string_view field(std::size_t column) const;
  [[nodiscard]] std::string extent_of(Role x) const;

  record::KernelTable* kernels_;
  LaunchList* launches_;
  LogFacts* facts_;
  NumberReader* numbers_;
  ValueTaker taker_;
  LaunchFigures figures_;
  TableHeader header_;
  FieldSplitter splitter_;
  FieldSplitter all_;
  std::vector<std::size_t> wanted_;
  std::vector<Column> columns_;
  std::vector<std::size_t> rollups_;  ///< columns whose values are numbers of the hardware
  int rows_ = 0;                      ///< looked at for evidence
  std::string grid_;
  std::string block_;
};

}  // namespace rooflab::import::ncu
