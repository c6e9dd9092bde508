#include "base/field_table.hpp"
#include "rooflab/analyze/scaling.hpp"

namespace rooflab::analyze {
namespace {

/// What measured and predicted steps both have, behind their times.
std::span<const Field> shared_step_fields() {
  static constexpr Field fields[] = {
      field<&ScalingStep::samples_per_s>("samples_per_s"), field<&ScalingStep::speedup>("speedup"),
      field<&ScalingStep::efficiency>("efficiency_share"), part<&ScalingStep::exchange>(),
      field<&ScalingStep::bucket_bytes>("bucket_bytes")};
  return fields;
}
constexpr Field shared_step_part(&shared_step_fields, [](const void* step) { return step; });

Json run_of(const ScalingRow& row) {
  return row.measured ? fields_json(&*row.measured, measured_step_fields()) : Json();
}
Json prediction_json_of(const ScalingRow& row) {
  return row.predicted ? fields_json(&*row.predicted, predicted_step_fields()) : Json();
}
Phase phase_of(const ScalingSeries& /*series*/) { return Phase::training; }

}  // namespace

std::span<const Field> measured_step_fields() {
  static constexpr Field fields[] = {field<&ScalingStep::step_s>("median_s"), shared_step_part};
  return fields;
}

std::span<const Field> predicted_step_fields() {
  static constexpr Field fields[] = {field<&ScalingStep::step_s>("predicted_s"),
                                     field<&ScalingStep::step_low_s>("predicted_low_s"),
                                     field<&ScalingStep::step_high_s>("predicted_high_s"),
                                     shared_step_part, field<&ScalingStep::slowdown>("slowdown")};
  return fields;
}

std::span<const Field> fields_of(For<ScalingExchange>) {
  static constexpr Field fields[] = {
      field<&ScalingExchange::alone_s>("alone_s"),
      field<&ScalingExchange::communication_s>("communication_s"),
      field<&ScalingExchange::communication_share>("communication_share"),
      field<&ScalingExchange::hidden_share>("hidden_share"),
      field<&ScalingExchange::hidden_derived>("hidden_derived")};
  return fields;
}

std::span<const Field> fields_of(For<ScalingRank>) {
  static constexpr Field fields[] = {
      field<&ScalingRank::rank>("rank"),
      field<&ScalingRank::host>("host"),
      field<&ScalingRank::device>("device"),
      field<&ScalingRank::device_name>("device_name"),
      field<&ScalingRank::step_s>("median_s"),
      field<&ScalingRank::slowest>("slowest"),
      field<&ScalingRank::utilization>("core_utilization_share"),
      field<&ScalingRank::busy_share>("busy_share"),
      field<&ScalingRank::sm_efficiency>("sm_efficiency_share"),
      field<&ScalingRank::occupancy>("occupancy_share"),
      field<&ScalingRank::communication_kernel_share>("communication_kernel_share"),
      part<&ScalingRank::exchange>(),
      field<&ScalingRank::message>("message")};
  return fields;
}

std::span<const Field> fields_of(For<ScalingRow>) {
  static constexpr Field fields[] = {
      field<&ScalingRow::devices>("device_count"),
      field<&ScalingRow::batch_per_device>("batch_per_device"),
      field<&ScalingRow::global_batch>("global_batch"),
      field<&ScalingRow::status>("status"),
      field<&ScalingRow::message>("message"),
      field<&run_of>("run"),
      field<&prediction_json_of>("prediction"),
      field<&ScalingRow::measured_over_predicted>("measured_over_predicted"),
      field<&ScalingRow::predicted_speedup>("predicted_speedup"),
      field<&ScalingRow::imbalance>("load_imbalance_share"),
      field<&ScalingRow::ranks>("ranks"),
      field<&ScalingRow::warnings>("warnings"),
      field<&ScalingRow::command_line>("command_line")};
  return fields;
}

std::span<const Field> fields_of(For<ScalingBasis>) {
  static constexpr Field fields[] = {
      field<&ScalingBasis::model>("prediction_model"),
      field<&ScalingBasis::link>("link"),
      field<&ScalingBasis::link_bytes_per_s>("bandwidth_bytes_per_s"),
      field<&ScalingBasis::link_latency_s>("latency_s"),
      field<&ScalingBasis::all_reduce>("all_reduce"),
      field<&ScalingBasis::one_device_step_s>("one_device_step_s")};
  return fields;
}

std::span<const Field> fields_of(For<ScalingSeries>) {
  static constexpr Field fields[] = {field<&ScalingSeries::model>("model"),
                                     field<&ScalingSeries::variant>("variant"),
                                     field<&ScalingSeries::device>("device"),
                                     field<&ScalingSeries::precision>("precision"),
                                     field<&phase_of>("phase"),
                                     field<&ScalingSeries::backend>("backend"),
                                     field<&ScalingSeries::kind>("scaling"),
                                     field<&ScalingSeries::batch>("batch"),
                                     field<&ScalingSeries::basis>("basis"),
                                     field<&ScalingSeries::rows>("rows"),
                                     field<&ScalingSeries::findings>("findings"),
                                     field<&ScalingSeries::notes>("notes"),
                                     field<&ScalingSeries::command_line>("command_line")};
  return fields;
}

std::span<const Field> fields_of(For<Scaling>) {
  static constexpr Field fields[] = {field<&Scaling::series>("series"),
                                     field<&Scaling::notes>("notes")};
  return fields;
}

}  // namespace rooflab::analyze
