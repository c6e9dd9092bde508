// Results have times in seconds; the panes are computed in the trace's nanoseconds.

#include "base/field_table.hpp"
#include "rooflab/trace/trace_analysis.hpp"

namespace rooflab::trace {
std::span<const Field> fields_of(For<StepWindow>) {
  static constexpr Field fields[] = {
      field<&StepWindow::name>("name"),
      field<Within{&StepWindow::window, &TimeInterval::start_ns}>("start_ns"),
      field<&StepWindow::device_work>("device_work")};
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
  static constexpr Field fields[] = {
      field<&in_seconds<&StepOverlap::computation_only_ns>>("computation_only_s"),
      field<&in_seconds<&StepOverlap::overlap_ns>>("hidden_s"),
      field<&in_seconds<&StepOverlap::communication_only_ns>>("communication_only_s"),
      field<&in_seconds<&StepOverlap::other_ns>>("other_s"),
      field<&StepOverlap::communication_share>("communication_share"),
      field<&StepOverlap::hidden_share>("hidden_share")};
  return fields;
}

std::span<const Field> fields_of(For<OverlapTable>) {
  static constexpr Field fields[] = {field<&OverlapTable::rule>("rule"),
                                     field<&OverlapTable::has_communication>("has_communication"),
                                     part<&OverlapTable::mean>()};
  return fields;
}

std::span<const Field> fields_of(For<DeviceUse>) {
  static constexpr Field fields[] = {
      field<&DeviceUse::label>("device"),
      field<&DeviceUse::name>("name"),
      field<&DeviceUse::rule>("rule"),
      field<&DeviceUse::kernels>("kernels"),
      field<&DeviceUse::utilization>("busy_share"),
      field<&DeviceUse::sm_efficiency>("sm_efficiency_share"),
      field<&DeviceUse::sm_efficiency_busy>("sm_efficiency_busy_share"),
      field<&DeviceUse::occupancy>("occupancy_share"),
      field<&DeviceUse::tensor_core_share>("tensor_core_share")};
  return fields;
}

std::span<const Field> fields_of(For<OperatorRow>) {
  static constexpr Field fields[] = {
      field<&OperatorRow::name>("name"),
      field<&OperatorRow::calls>("calls"),
      field<&in_seconds<&OperatorRow::device_self_ns>>("device_self_s"),
      field<&in_seconds<&OperatorRow::device_total_ns>>("device_total_s"),
      field<&in_seconds<&OperatorRow::host_self_ns>>("host_self_s"),
      field<&in_seconds<&OperatorRow::host_total_ns>>("host_total_s"),
      field<&OperatorRow::flops>("modelled_flop"),
      field<&OperatorRow::bytes>("modelled_bytes"),
      field<&OperatorRow::flops_per_s>("modelled_flop_per_s"),
      field<&OperatorRow::bytes_per_s>("modelled_bytes_per_s"),
      field<&OperatorRow::known_arguments>("arguments").sparse()};
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
  static constexpr Field fields[] = {part<&TracePanes::steps>(), part<&TracePanes::breakdown>(),
                                     field<&TracePanes::overlap>("overlap"),
                                     field<&TracePanes::devices>("devices"),
                                     part<&TracePanes::operators>()};
  return fields;
}

std::span<const Field> fields_of(For<KernelRow>) {
  static constexpr Field fields[] = {
      field<&KernelRow::name>("name"),
      field<&KernelRow::calls>("calls"),
      field<&in_seconds<&KernelRow::total_ns>>("total_s"),
      field<&KernelRow::share>("share"),
      field<&KernelRow::mean_s>("mean_s"),
      field<&in_seconds<&KernelRow::min_ns>>("shortest_s"),
      field<&in_seconds<&KernelRow::max_ns>>("longest_s"),
      field<&KernelRow::blocks_per_sm>("blocks_per_sm"),
      field<&KernelRow::occupancy>("occupancy_share"),
      field<&KernelRow::plugin_blocks_per_sm>("plugin_blocks_per_sm"),
      field<&KernelRow::plugin_occupancy>("plugin_occupancy_share"),
      field<&KernelRow::plugin_tensor_cores>("plugin_tensor_cores"),
      field<&KernelRow::tensor_cores>("tensor_cores")};
  return fields;
}

std::span<const Field> fields_of(For<TraceKernels>) {
  static constexpr Field fields[] = {
      field<&in_seconds<&TraceKernels::total_ns>>("total_s"),
      field<&TraceKernels::plugin_tensor_core_share>("plugin_tensor_core_share"),
      field<&TraceKernels::tensor_core_share>("tensor_core_share"),
      field<&TraceKernels::rows>("rows")};
  return fields;
}

std::span<const Field> fields_of(For<CollectiveRow>) {
  static constexpr Field fields[] = {field<&CollectiveRow::collective>("collective"),
                                     field<&CollectiveRow::dtype>("dtype"),
                                     field<&CollectiveRow::ranks>("group_size"),
                                     field<&CollectiveRow::calls>("calls"),
                                     field<&in_seconds<&CollectiveRow::time_ns>>("time_s"),
                                     field<&CollectiveRow::bytes>("bytes"),
                                     field<&CollectiveRow::bus_bytes>("bus_bytes"),
                                     field<&CollectiveRow::bytes_per_s>("bytes_per_s"),
                                     field<&CollectiveRow::bus_bytes_per_s>("bus_bytes_per_s")};
  return fields;
}

std::span<const Field> fields_of(For<MemoryCurve>) {
  static constexpr Field fields[] = {
      field<&MemoryCurve::label>("device"), field<&MemoryCurve::changes>("changes"),
      field<&MemoryCurve::relative>("relative"),
      field<&MemoryCurve::peak_allocated_bytes>("allocated_peak_bytes"),
      field<&MemoryCurve::peak_reserved_bytes>("reserved_peak_bytes")};
  return fields;
}

std::span<const Field> fields_of(For<TraceAnalysis>) {
  static constexpr Field fields[] = {
      field<&TraceAnalysis::plugin>("plugin"),   field<&TraceAnalysis::ours>("ours"),
      field<&TraceAnalysis::kernels>("kernels"), field<&TraceAnalysis::collectives>("collectives"),
      field<&TraceAnalysis::memory>("memory"),   field<&TraceAnalysis::has_shapes>("has_shapes")};
  return fields;
}

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
