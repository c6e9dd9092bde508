#include "describe/field_table.hpp"
#include "rooflab/analyze/scaling.hpp"

namespace rooflab::analyze {
namespace {

/// A figure of all ranks together.
template <auto member>
constexpr Within all{&ScalingStep::all_memory, member};

/// What measured and predicted steps both have, behind their times.
std::span<const Field> shared_step_fields() {
  static constexpr auto fields = field_table(
      field<&ScalingStep::samples_per_s>(),
      field<&ScalingStep::speedup>().says("Samples per second over those of one device."),
      field<&ScalingStep::efficiency>("efficiency_share"), part<&ScalingStep::exchange>(),
      field<&ScalingStep::bucket_bytes>(), part<&ScalingStep::rank_memory>(),
      field<all<&ScalingMemory::allocated_peak>>("all_allocated_peak_bytes"),
      field<all<&ScalingMemory::reserved_peak>>("all_reserved_peak_bytes"),
      field<all<&ScalingMemory::device_used>>("all_device_used_bytes"));
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
  static constexpr Field fields[] = {
      field<&ScalingStep::step_s>("median_s").says("Of the slowest rank."), shared_step_part};
  return fields;
}

std::span<const Field> predicted_step_fields() {
  static constexpr Field fields[] = {
      field<&ScalingStep::step_s>("predicted_s"),
      field<&ScalingStep::step_low_s>("predicted_low_s"),
      field<&ScalingStep::step_high_s>("predicted_high_s"),
      shared_step_part,
      field<&ScalingStep::slowdown>("slowdown"),
      field<&ScalingStep::all_reduce_slowdown>("all_reduce_slowdown"),
      field<&ScalingStep::memory_parts>("memory"),
      field<&ScalingStep::verdict>("verdict").or_default()};
  return fields;
}

std::span<const Field> fields_of(For<ScalingExchange>) {
  return members<&ScalingExchange::alone_s, &ScalingExchange::communication_s,
                 &ScalingExchange::communication_share, &ScalingExchange::hidden_share,
                 &ScalingExchange::hidden_derived>;
}

std::span<const Field> fields_of(For<ScalingMemory>) {
  static constexpr auto fields =
      field_table(field<&ScalingMemory::allocated_peak>("allocated_peak_bytes"),
                  field<&ScalingMemory::reserved_peak>("reserved_peak_bytes"),
                  field<&ScalingMemory::device_used>("device_used_bytes"));
  return fields;
}

std::span<const Field> fields_of(For<ScalingRank>) {
  static constexpr auto fields = field_table(
      field<&ScalingRank::rank>(), field<&ScalingRank::host>("host_name"),
      members<&ScalingRank::device, &ScalingRank::device_name>,
      field<&ScalingRank::step_s>("median_s"), field<&ScalingRank::slowest>(),
      field<&ScalingRank::utilization>("core_utilization_share"), field<&ScalingRank::busy_share>(),
      field<&ScalingRank::sm_efficiency>("sm_efficiency_share"),
      field<&ScalingRank::occupancy>("occupancy_share"),
      field<&ScalingRank::communication_kernel_share>(), part<&ScalingRank::exchange>(),
      part<&ScalingRank::memory>(), field<&ScalingRank::message>());
  return fields;
}

std::span<const Field> fields_of(For<ScalingRow>) {
  static constexpr auto fields =
      field_table(field<&ScalingRow::devices>("device_count"),
                  members<&ScalingRow::batch_per_device, &ScalingRow::global_batch,
                          &ScalingRow::status, &ScalingRow::message>,
                  field<&run_of>("run"), field<&prediction_json_of>("prediction"),
                  members<&ScalingRow::measured_over_predicted, &ScalingRow::predicted_speedup>,
                  field<&ScalingRow::imbalance>("load_imbalance_share"),
                  members<&ScalingRow::ranks, &ScalingRow::warnings, &ScalingRow::command_line>);
  return fields;
}

std::span<const Field> fields_of(For<ScalingBasis>) {
  static constexpr auto fields =
      field_table(field<&ScalingBasis::model>("prediction_model"), field<&ScalingBasis::link>(),
                  field<&ScalingBasis::link_bytes_per_s>("bandwidth_bytes_per_s"),
                  field<&ScalingBasis::link_latency_s>("latency_s"),
                  members<&ScalingBasis::all_reduce, &ScalingBasis::one_device_step_s>);
  return fields;
}

std::span<const Field> fields_of(For<ScalingSeries>) {
  static constexpr auto fields = field_table(
      members<&ScalingSeries::model, &ScalingSeries::variant, &ScalingSeries::device,
              &ScalingSeries::precision>,
      field<&phase_of>("phase"), field<&ScalingSeries::backend>(),
      field<&ScalingSeries::kind>("scaling"), field<&ScalingSeries::batch>("series_batch"),
      field<&ScalingSeries::basis>(), field<&ScalingSeries::rows>().says("By number of devices."),
      members<&ScalingSeries::notes, &ScalingSeries::command_line>);
  return fields;
}

std::span<const Field> fields_of(For<Scaling>) {
  return members<&Scaling::series, &Scaling::notes>;
}

}  // namespace rooflab::analyze
