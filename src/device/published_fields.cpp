// What probes measure, as results and the journals of workers have it; the calibration's own file
// is TOML (calibration_writer.cpp).

#include <cmath>

#include "describe/field_table.hpp"
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
  return members<&OpRow::sizes, &OpRow::time_s, &OpRow::workspace_bytes>;
}

std::span<const Field> fields_of(For<Origin>) {
  return members<&Origin::title, &Origin::url, &Origin::license, &Origin::environment>;
}

std::span<const Field> fields_of(For<PublishedRows>) {
  static constexpr auto fields = field_table(
      field<&PublishedRows::origin>(), field<&PublishedRows::rows>("published_rows"),
      members<&PublishedRows::too_short, &PublishedRows::outliers, &PublishedRows::launch_s>,
      field<&PublishedRows::error_of_all>("error_of_all_share"),
      field<&PublishedRows::error_of_kept>("error_of_kept_share"), field<&PublishedRows::factor>(),
      field<&spread_of>("spread_share")
          .says("Of the factor: exp(standard deviation of its logarithm) - 1, null where it is "
                "exact."));
  return fields;
}

std::span<const Field> fields_of(For<OpTable>) {
  static constexpr auto fields = field_table(
      field<&OpTable::columns>().says("Each is a size: `batch`, `pixels`, `in_channels`."),
      members<&OpTable::curve, &OpTable::lengths>, field<&fitted<&OpTable::noise>>("noise"),
      field<&fitted<&OpTable::amplitude>>("amplitude"),
      field<&fitted<&OpTable::error>>("log_error"), field<&model_error>("model_error_share"),
      members<&OpTable::published, &OpTable::rows>);
  return fields;
}

std::span<const Field> fields_of(For<LinkRow>) {
  static constexpr auto fields =
      field_table(field<&LinkRow::collective>(), field<&LinkRow::ranks>("group_size"),
                  members<&LinkRow::bytes, &LinkRow::time_s, &LinkRow::origin>);
  return fields;
}

}  // namespace rooflab::device
