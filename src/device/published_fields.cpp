// What probes measure, as results and the journals of workers have it; the calibration's own file
// is TOML (calibration_writer.cpp).

#include <cmath>

#include "base/field_table.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::device {
namespace {

/// nullopt: no curve was fitted.
template <auto member>
std::optional<double> fitted(const OpTable& table) {
  return table.curve.empty() ? std::nullopt : std::optional(table.*member);
}

std::optional<double> model_error(const OpTable& table) {
  return table.curve.empty() ? std::nullopt : std::optional(std::expm1(table.error));
}

std::optional<double> spread_of(const PublishedRows& published) {
  return published.spread == 0.0 ? std::nullopt : std::optional(std::expm1(published.spread));
}

}  // namespace

std::span<const Field> fields_of(For<OpRow>) {
  static constexpr Field fields[] = {field<&OpRow::sizes>("sizes"), field<&OpRow::time_s>("time_s"),
                                     field<&OpRow::workspace_bytes>("workspace_bytes")};
  return fields;
}

std::span<const Field> fields_of(For<Origin>) {
  static constexpr Field fields[] = {field<&Origin::title>("title"), field<&Origin::url>("url"),
                                     field<&Origin::license>("license"),
                                     field<&Origin::environment>("environment")};
  return fields;
}

std::span<const Field> fields_of(For<PublishedRows>) {
  static constexpr Field fields[] = {field<&PublishedRows::origin>("origin"),
                                     field<&PublishedRows::rows>("published_rows"),
                                     field<&PublishedRows::too_short>("too_short"),
                                     field<&PublishedRows::outliers>("outliers"),
                                     field<&PublishedRows::launch_s>("launch_s"),
                                     field<&PublishedRows::error_of_all>("error_of_all_share"),
                                     field<&PublishedRows::error_of_kept>("error_of_kept_share"),
                                     field<&PublishedRows::factor>("factor"),
                                     field<&spread_of>("spread_share")};
  return fields;
}

std::span<const Field> fields_of(For<OpTable>) {
  static constexpr Field fields[] = {field<&OpTable::columns>("columns"),
                                     field<&OpTable::curve>("curve"),
                                     field<&OpTable::lengths>("lengths"),
                                     field<&fitted<&OpTable::noise>>("noise"),
                                     field<&fitted<&OpTable::amplitude>>("amplitude"),
                                     field<&fitted<&OpTable::error>>("log_error"),
                                     field<&model_error>("model_error_share"),
                                     field<&OpTable::published>("published"),
                                     field<&OpTable::rows>("rows")};
  return fields;
}

std::span<const Field> fields_of(For<LinkRow>) {
  static constexpr Field fields[] = {
      field<&LinkRow::collective>("collective"), field<&LinkRow::ranks>("group_size"),
      field<&LinkRow::bytes>("bytes"), field<&LinkRow::time_s>("time_s"),
      field<&LinkRow::origin>("origin")};
  return fields;
}

}  // namespace rooflab::device
