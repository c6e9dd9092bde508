#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "field_splitter.hpp"
#include "launch_figures.hpp"
#include "launch_list.hpp"
#include "number_reader.hpp"
#include "table_header.hpp"
#include "value_taker.hpp"

namespace rooflab::import::ncu {

/// The details page: a row for each metric of a launch, with the name of the metric or the label
/// that its section gives it. Rows of one launch are consecutive within their process; rows of
/// several processes may be mixed. Rows of rules have no metric.
class DetailsPage {
 public:
  DetailsPage(record::KernelTable& kernels, LaunchList& launches, LogFacts& facts,
              NumberReader& numbers);

  void begin(TableHeader header);
  [[nodiscard]] FieldSplitter& splitter() { return splitter_; }
  /// Reads a row, like RawPage::row().
  void row(bool glued);
  /// Stores the launches that are still open: at the end of the log, or before another page.
  void finish();

 private:
  /// The current launch of a process.
  struct Open {
    std::int64_t id = 0;
    std::size_t row = 0;
    std::string first_metric;  ///< if it occurs again: another launch with the same ID
    LaunchFigures figures;
  };

  [[nodiscard]] std::string_view field(std::size_t column) const;
  [[nodiscard]] Open* launch_of(const IdentityFields& fields, std::string_view metric,
                                std::string_view unit);

  record::KernelTable* kernels_;
  LaunchList* launches_;
  LogFacts* facts_;
  NumberReader* numbers_;
  ValueTaker taker_;
  TableHeader header_;
  FieldSplitter splitter_;
  std::vector<std::size_t> wanted_;
  std::size_t section_ = TableHeader::none;
  std::unordered_map<record::NameTable::Id, Open> open_;
  int rows_ = 0;  ///< rows used as evidence
};

}  // namespace rooflab::import::ncu
