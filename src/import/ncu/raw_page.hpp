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

/// Output of `--page raw`: one row per launch, one column per metric, and the units in a row
/// without an ID.
class RawPage {
 public:
  RawPage(record::KernelTable& kernels, LaunchList& launches, LogFacts& facts,
          NumberReader& numbers);

  void begin(TableHeader header);

  /// Splitter for the records of this page.
  [[nodiscard]] FieldSplitter& splitter() { return splitter_; }

  /// Takes the record in splitter(); `text` is the unsplit record. `glued`: it follows other output
  /// on its line, so it counts only if it is complete.
  void row(std::string_view text, bool glued);

 private:
  struct Column {
    std::size_t at = 0;  ///< index in splitter_.fields()
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
  std::vector<std::size_t> rollups_;  ///< columns whose values are properties of the hardware
  int rows_ = 0;                      ///< rows used as evidence
  std::string grid_;
  std::string block_;
};

}  // namespace rooflab::import::ncu
