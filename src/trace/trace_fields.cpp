// Results have times in seconds; the panes are computed in the trace's nanoseconds.

#include "describe/field_table.hpp"
#include "rooflab/trace/trace_analysis.hpp"

namespace rooflab::trace {
std::span<const Field> fields_of(For<StepWindow>) {
  static constexpr auto fields =
      field_table(field<&StepWindow::name>(),
                  field<Within{&StepWindow::window, &TimeInterval::start_ns}>("start_ns"),
                  field<&StepWindow::device_work>());
  return fields;
}

std::span<const Field> fields_of(For<StepWindows>) {
  static constexpr Field fields[] = {field<&StepWindows::marked>("marked"),
                                     field<&StepWindows::dropped>("dropped_steps")};
  return fields;
}

std::span<const Field> fields_of(For<RoleTimes>) {
  static constexpr Field fields[] = {field<&in_seconds<&RoleTimes::total_ns>>("total_s"),
                                     field<&RoleTimes::roles_s>("roles_s")};
  return fields;
}

std::span<const Field> fields_of(For<StepCosts>) {
  static constexpr Field fields[] = {part<&StepCosts::step>(), part<&StepCosts::times>()};
  return fields;
}

std::span<const Field> fields_of(For<StepBreakdown>) {
  static constexpr Field fields[] = {field<&StepBreakdown::mean>("mean_step"),
                                     field<&StepBreakdown::steps>("trace_steps")};
  return fields;
}

std::span<const Field> fields_of(For<StepOverlap>) {
  static constexpr auto fields =
      field_table(field<&in_seconds<&StepOverlap::computation_only_ns>>("computation_only_s"),
                  field<&in_seconds<&StepOverlap::overlap_ns>>("hidden_s"),
                  field<&in_seconds<&StepOverlap::communication_only_ns>>("communication_only_s"),
                  field<&in_seconds<&StepOverlap::other_ns>>("other_s"),
                  members<&StepOverlap::communication_share, &StepOverlap::hidden_share>);
  return fields;
}

std::span<const Field> fields_of(For<OverlapTable>) {
  static constexpr auto fields = field_table(
      members<&OverlapTable::rule, &OverlapTable::has_communication>, part<&OverlapTable::mean>());
  return fields;
}

std::span<const Field> fields_of(For<DeviceUse>) {
  static constexpr auto fields = field_table(
      field<&DeviceUse::label>("device"),
      members<&DeviceUse::name, &DeviceUse::rule, &DeviceUse::kernels>,
      field<&DeviceUse::utilization>("busy_share"),
      field<&DeviceUse::sm_efficiency>("sm_efficiency_share"),
      field<&DeviceUse::sm_efficiency_busy>("sm_efficiency_busy_share"),
      field<&DeviceUse::occupancy>("occupancy_share"), field<&DeviceUse::tensor_core_share>());
  return fields;
}

std::span<const Field> fields_of(For<OperatorRow>) {
  static constexpr auto fields =
      field_table(members<&OperatorRow::name, &OperatorRow::calls>,
                  field<&in_seconds<&OperatorRow::device_self_ns>>("device_self_s"),
                  field<&in_seconds<&OperatorRow::device_total_ns>>("device_total_s"),
                  field<&in_seconds<&OperatorRow::host_self_ns>>("host_self_s"),
                  field<&in_seconds<&OperatorRow::host_total_ns>>("host_total_s"),
                  field<&OperatorRow::flops>("modelled_flop").says("Those of matrix products."),
                  field<&OperatorRow::bytes>("modelled_bytes"),
                  field<&OperatorRow::flops_per_s>("modelled_flop_per_s"),
                  field<&OperatorRow::bytes_per_s>("modelled_bytes_per_s"),
                  field<&OperatorRow::known_arguments>("arguments").sparse());
  return fields;
}

std::span<const Field> fields_of(For<OperatorTable>) {
  static constexpr Field fields[] = {
      field<&OperatorTable::by_name>("operators"),
      field<&OperatorTable::by_arguments>("operators_by_arguments"),
      field<&in_seconds<&OperatorTable::unattributed_ns>>("unattributed_s"),
      field<&OperatorTable::flops>("modelled_flop"),
      field<&in_seconds<&OperatorTable::flops_device_ns>>("modelled_device_s")};
  return fields;
}

std::span<const Field> fields_of(For<TracePanes>) {
  static constexpr auto fields = field_table(
      part<&TracePanes::steps>(), part<&TracePanes::breakdown>(),
      members<&TracePanes::overlap, &TracePanes::devices>, part<&TracePanes::operators>());
  return fields;
}

std::span<const Field> fields_of(For<KernelRow>) {
  static constexpr auto fields = field_table(
      members<&KernelRow::name, &KernelRow::calls>,
      field<&in_seconds<&KernelRow::total_ns>>("total_s"),
      members<&KernelRow::share, &KernelRow::mean_s>,
      field<&in_seconds<&KernelRow::min_ns>>("shortest_s"),
      field<&in_seconds<&KernelRow::max_ns>>("longest_s"), field<&KernelRow::blocks_per_sm>(),
      field<&KernelRow::occupancy>("occupancy_share"), field<&KernelRow::plugin_blocks_per_sm>(),
      field<&KernelRow::plugin_occupancy>("plugin_occupancy_share"),
      members<&KernelRow::plugin_tensor_cores, &KernelRow::tensor_cores>);
  return fields;
}

std::span<const Field> fields_of(For<TraceKernels>) {
  static constexpr auto fields =
      field_table(field<&in_seconds<&TraceKernels::total_ns>>("total_s"),
                  members<&TraceKernels::plugin_tensor_core_share, &TraceKernels::tensor_core_share,
                          &TraceKernels::rows>);
  return fields;
}

std::span<const Field> fields_of(For<CollectiveRow>) {
  static constexpr auto fields =
      field_table(members<&CollectiveRow::collective, &CollectiveRow::dtype>,
                  field<&CollectiveRow::ranks>("group_size"), field<&CollectiveRow::calls>(),
                  field<&in_seconds<&CollectiveRow::time_ns>>("time_s"),
                  members<&CollectiveRow::bytes, &CollectiveRow::bus_bytes,
                          &CollectiveRow::bytes_per_s, &CollectiveRow::bus_bytes_per_s>);
  return fields;
}

std::span<const Field> fields_of(For<MemoryCurve>) {
  static constexpr auto fields = field_table(
      field<&MemoryCurve::label>("device"), members<&MemoryCurve::changes, &MemoryCurve::relative>,
      field<&MemoryCurve::peak_allocated_bytes>("allocated_peak_bytes"),
      field<&MemoryCurve::peak_reserved_bytes>("reserved_peak_bytes"));
  return fields;
}

std::span<const Field> fields_of(For<TraceAnalysis>) {
  return members<&TraceAnalysis::plugin, &TraceAnalysis::ours, &TraceAnalysis::kernels,
                 &TraceAnalysis::collectives, &TraceAnalysis::memory, &TraceAnalysis::has_shapes>;
}

std::span<const Field> fields_of(For<CollectiveOpRow>) {
  static constexpr auto fields =
      field_table(members<&CollectiveOpRow::name, &CollectiveOpRow::calls, &CollectiveOpRow::bytes>,
                  field<&in_seconds<&CollectiveOpRow::latency_ns>>("latency_s"),
                  field<&in_seconds<&CollectiveOpRow::transfer_ns>>("transfer_s")
                      .says("Without waiting for other ranks."));
  return fields;
}

std::span<const Field> fields_of(For<Synchronization>) {
  static constexpr Field fields[] = {field<&in_seconds<&Synchronization::transfer_ns>>("transfer_s")
                                         .says("Without waiting for other ranks."),
                                     field<&in_seconds<&Synchronization::wait_ns>>("wait_s").says(
                                         "In collectives, for other ranks."),
                                     field<&Synchronization::ops>("collectives")};
  return fields;
}

std::span<const Field> fields_of(For<RankRow>) {
  static constexpr auto fields = field_table(
      field<&RankRow::rank>(), field<&RankRow::record>("import_index"),
      field<&RankRow::steps>("step_count"), field<&in_seconds<&RankRow::step_ns>>("step_s"),
      field<&RankRow::utilization>("busy_share"),
      members<&RankRow::overlap, &RankRow::plugin_overlap, &RankRow::plugin_synchronization,
              &RankRow::matched_collectives>,
      field<&in_seconds<&RankRow::collective_ns>>("collective_s"),
      field<&in_seconds<&RankRow::wait_ns>>("wait_s").says("In collectives, for other ranks."));
  return fields;
}

std::span<const Field> fields_of(For<TraceJob>) {
  static constexpr auto fields =
      field_table(members<&TraceJob::ranks, &TraceJob::no_plugin_synchronization,
                          &TraceJob::unmatched_collectives>,
                  field<&TraceJob::load_imbalance>("load_imbalance_share"));
  return fields;
}

}  // namespace rooflab::trace
