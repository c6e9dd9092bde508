#include "rooflab/base/field_table.hpp"
#include "rooflab/trace/trace_job.hpp"

namespace rooflab::trace {

std::span<const Field> fields_of(For<CollectiveOpRow>) {
  static constexpr Field fields[] = {
      field<&CollectiveOpRow::name>("name"), field<&CollectiveOpRow::calls>("calls"),
      field<&CollectiveOpRow::bytes>("bytes"),
      field<&in_seconds<&CollectiveOpRow::latency_ns>>("latency_s"),
      field<&in_seconds<&CollectiveOpRow::transfer_ns>>("transfer_s")};
  return fields;
}

std::span<const Field> fields_of(For<Synchronization>) {
  static constexpr Field fields[] = {
      field<&in_seconds<&Synchronization::transfer_ns>>("transfer_s"),
      field<&in_seconds<&Synchronization::wait_ns>>("wait_s"),
      field<&Synchronization::ops>("collectives")};
  return fields;
}

std::span<const Field> fields_of(For<RankRow>) {
  static constexpr Field fields[] = {
      field<&RankRow::rank>("rank"),
      field<&RankRow::record>("import_index"),
      field<&RankRow::steps>("step_count"),
      field<&in_seconds<&RankRow::step_ns>>("step_s"),
      field<&RankRow::utilization>("busy_share"),
      field<&RankRow::overlap>("overlap"),
      field<&RankRow::plugin_overlap>("plugin_overlap"),
      field<&RankRow::plugin_synchronization>("plugin_synchronization"),
      field<&RankRow::matched_collectives>("matched_collectives"),
      field<&in_seconds<&RankRow::collective_ns>>("collective_s"),
      field<&in_seconds<&RankRow::wait_ns>>("wait_s")};
  return fields;
}

std::span<const Field> fields_of(For<TraceJob>) {
  static constexpr Field fields[] = {
      field<&TraceJob::ranks>("ranks"),
      field<&TraceJob::no_plugin_synchronization>("no_plugin_synchronization"),
      field<&TraceJob::unmatched_collectives>("unmatched_collectives"),
      field<&TraceJob::load_imbalance>("load_imbalance_share")};
  return fields;
}

}  // namespace rooflab::trace
