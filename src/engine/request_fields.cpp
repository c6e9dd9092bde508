// What goes between the program and its workers. A request has its kind and version in its head,
// and a worker takes this version alone: both are of one build.

#include <string_view>

#include "base/format.hpp"
#include "describe/field_table.hpp"
#include "describe/schema.hpp"
#include "ranks.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/graph/graph.hpp"
#include "stages.hpp"
#include "worker_probe.hpp"

namespace rooflab::engine {
namespace {

constexpr FileKind between_programs(std::string_view name, std::string_view title) {
  return {.name = name,
          .title = title,
          .hint = "program and worker must be of one version of Rooflab",
          .between_programs = true};
}

/// The identity holds the graph as text.
record::CaseIdentity identity_of(const Case& request) {
  record::CaseIdentity identity = request.identity;
  identity.graph = graph::to_text(request.graph);
  return identity;
}
void read_identity(Case& request, const JsonValue& from) {
  codec::decode(request.identity, from);
  request.graph = graph::parse_text(request.identity.graph, from.file() + " (graph)");
}

const Case& case_of(const TrainingRequest& request) { return request.request; }
void read_training_case(TrainingRequest& request, const JsonValue& from) {
  codec::decode(request.request, from);
  if (request.request.identity.phase == Phase::training) return;
  from.fail("must have the phase training in its identity");
}

template <class Request>
const std::vector<std::string>& devices_of(const Request& request) {
  return request.devices;
}
template <class Request>
void read_devices(Request& request, const JsonValue& from) {
  codec::decode(request.devices, from);
  if (request.devices.empty()) from.fail("must name one device at least");
}
template <>
void read_devices(StageRequest& request, const JsonValue& from) {
  codec::decode(request.devices, from);
  if (request.devices.size() == request.cuts.size() + 1) return;
  from.fail(format("must be one more than the {} cuts", request.cuts.size()));
}

Precision precision_of(const ProbeItem& item) { return item.precision; }
void read_precision(ProbeItem& item, const JsonValue& from) {
  const auto precision = from_name<Precision>(from.text());
  if (precision != Precision::fp32 && precision != Precision::tf32) {
    from.fail("must be fp32 or tf32");
  }
  item.precision = *precision;
}

}  // namespace

std::span<const Field> fields_of(For<WorkerBuild>) {
  static constexpr auto fields =
      field_table(members<&WorkerBuild::worker, &WorkerBuild::version, &WorkerBuild::rooflab>,
                  field<&WorkerBuild::protocol>("protocol_version"));
  return fields;
}

std::span<const Field> fields_of(For<Capabilities>) {
  static constexpr auto fields =
      field_table(part<&Capabilities::build>(), field<&Capabilities::libraries>().or_default(),
                  field<&Capabilities::devices>(), field<&Capabilities::missing>().or_default());
  return fields;
}

std::span<const Field> fields_of(For<Progress>) {
  static constexpr Field fields[] = {
      field<&Progress::stage>("activity"),
      field<&Progress::done>("done_share"),
      field<&Progress::left_s>("left_s"),
  };
  return fields;
}

std::span<const Field> fields_of(For<MeasureSettings>) {
  static constexpr auto fields = field_table(
      members<&MeasureSettings::iterations, &MeasureSettings::min_time_s,
              &MeasureSettings::max_time_s, &MeasureSettings::warmup_time_s,
              &MeasureSettings::host_time_s, &MeasureSettings::per_layer>,
      field<&MeasureSettings::counters>("count_hardware"),
      members<&MeasureSettings::threads, &MeasureSettings::seed, &MeasureSettings::cudnn_benchmark,
              &MeasureSettings::sample_period_s, &MeasureSettings::data_workers>,
      field<&MeasureSettings::memory_limit_bytes>("memory_limit_bytes").at_least(0));
  return fields;
}

std::span<const Field> fields_of(For<ValueSource>) {
  static constexpr Field fields[] = {
      field<&ValueSource::file>("file"),
      field<&ValueSource::offset>("offset_bytes"),
  };
  return fields;
}

std::span<const Field> fields_of(For<Case>) {
  static constexpr auto fields =
      field_table(field<&identity_of, &read_identity>("identity").required(),
                  members<&Case::settings, &Case::weights>, field<&Case::values>("value_files"),
                  members<&Case::source_file, &Case::outputs>);
  return fields;
}

FileKind file_kind_of(For<Case>) { return between_programs("case", "request of the kind case"); }

std::span<const Field> fields_of(For<TrainingRequest>) {
  static constexpr auto fields = field_table(
      field<&case_of, &read_training_case>("case").required(), field<&TrainingRequest::recipe>(),
      field<&TrainingRequest::target_accuracy>("target_accuracy_share"),
      members<&TrainingRequest::folder, &TrainingRequest::resume,
              &TrainingRequest::checkpoint_period_s>,
      field<&TrainingRequest::max_time_s>().says("Without validation; 0: no limit."),
      field<&TrainingRequest::max_images>());
  return fields;
}

FileKind file_kind_of(For<TrainingRequest>) {
  return between_programs("training_request", "request of the kind training_request");
}

std::span<const Field> fields_of(For<EvaluationRequest>) {
  static constexpr auto fields =
      field_table(members<&EvaluationRequest::checkpoints, &EvaluationRequest::data,
                          &EvaluationRequest::device>,
                  field<&EvaluationRequest::batch>("batch").at_least(1),
                  field<&EvaluationRequest::data_workers>());
  return fields;
}

FileKind file_kind_of(For<EvaluationRequest>) {
  return between_programs("evaluation_request", "request of the kind evaluation_request");
}

std::span<const Field> fields_of(For<EvaluationFault>) {
  return members<&EvaluationFault::message, &EvaluationFault::hint, &EvaluationFault::file>;
}

std::span<const Field> fields_of(For<EvaluationResult>) {
  return members<&EvaluationResult::evaluations, &EvaluationResult::fault>;
}

FileKind file_kind_of(For<EvaluationResult>) {
  return between_programs("evaluation_result", "result of an evaluation");
}

std::span<const Field> fields_of(For<StageRequest>) {
  static constexpr auto fields = field_table(
      field<&StageRequest::request>("case"), field<&StageRequest::cuts>(),
      field<&devices_of<StageRequest>, &read_devices<StageRequest>>("devices").required(),
      members<&StageRequest::micro_batches, &StageRequest::warmup_steps>);
  return fields;
}

FileKind file_kind_of(For<StageRequest>) {
  return between_programs("stage_request", "request of the kind stage_request");
}

std::span<const Field> fields_of(For<ScaleRequest>) {
  static constexpr auto fields = field_table(
      field<&ScaleRequest::request>("case"),
      field<&devices_of<ScaleRequest>, &read_devices<ScaleRequest>>("devices").required(),
      members<&ScaleRequest::timeout_s, &ScaleRequest::exchange_alone>,
      field<&ScaleRequest::kernels>("trace_kernels"));
  return fields;
}

FileKind file_kind_of(For<ScaleRequest>) {
  return between_programs("scale_request", "request of the kind scale_request");
}

std::span<const Field> fields_of(For<LinkRequest>) {
  static constexpr Field fields[] = {
      field<&devices_of<LinkRequest>, &read_devices<LinkRequest>>("devices").required(),
      field<&LinkRequest::timeout_s>("timeout_s"),
  };
  return fields;
}

FileKind file_kind_of(For<LinkRequest>) {
  return between_programs("link_request", "request of the kind link_request");
}

std::span<const Field> fields_of(For<LinkTime>) {
  static constexpr auto fields = field_table(
      field<&LinkTime::collective>(), field<&LinkTime::ranks>("rank_count"),
      members<&LinkTime::bytes, &LinkTime::time_s, &LinkTime::least_s, &LinkTime::most_s>);
  return fields;
}

std::span<const Field> fields_of(For<LinkProbe>) {
  return members<&LinkProbe::backend, &LinkProbe::message, &LinkProbe::times, &LinkProbe::figures,
                 &LinkProbe::notes>;
}

FileKind file_kind_of(For<LinkProbe>) {
  return between_programs("link_probe", "result of a probe of links");
}

std::span<const Field> fields_of(For<ProbeItem>) {
  static constexpr auto fields =
      field_table(members<&ProbeItem::kind, &ProbeItem::graph>,
                  field<&precision_of, &read_precision>("precision").required(),
                  field<&ProbeItem::channels_last>(),
                  field<&ProbeItem::gradients>("with_gradients"), field<&ProbeItem::optimizer>());
  return fields;
}

std::span<const Field> fields_of(For<OpProbeRequest>) {
  return members<&OpProbeRequest::device, &OpProbeRequest::budget_s,
                 &OpProbeRequest::repeats_operands, &OpProbeRequest::items>;
}

FileKind file_kind_of(For<OpProbeRequest>) {
  return between_programs("op_probe", "request of the kind op_probe");
}

std::span<const Field> fields_of(For<ProbeResult>) {
  static constexpr auto fields = field_table(
      members<&ProbeResult::item, &ProbeResult::forward_s, &ProbeResult::data_gradient_s,
              &ProbeResult::weight_gradient_s, &ProbeResult::gradients_s, &ProbeResult::optimizer_s,
              &ProbeResult::issue_s, &ProbeResult::forward_peak_bytes,
              &ProbeResult::data_gradient_peak_bytes, &ProbeResult::weight_gradient_peak_bytes,
              &ProbeResult::gradients_peak_bytes>,
      field<&ProbeResult::spread>("spread_share")
          .says("Of the time: the longest less the shortest over the median."),
      field<&ProbeResult::message>());
  return fields;
}

std::span<const Field> fields_of(For<OpProbeLine>) {
  static constexpr Field fields[] = {
      field<&OpProbeLine::request>("answered_request").sparse(),
      field<&OpProbeLine::environment>("environment").sparse(),
      field<&OpProbeLine::event_s>("event_s").sparse(),
      field<&OpProbeLine::graph_kernel_s>("graph_kernel_s").sparse(),
      field<&OpProbeLine::blas_workspace_forward_bytes>("blas_workspace_forward_bytes").sparse(),
      field<&OpProbeLine::blas_workspace_training_bytes>("blas_workspace_training_bytes").sparse(),
      field<&OpProbeLine::context_bytes>("context_bytes").sparse(),
      field<&OpProbeLine::result>("item_result").sparse(),
  };
  return fields;
}

std::span<const Field> fields_of(For<DeviceProbeRequest>) {
  return members<&DeviceProbeRequest::device, &DeviceProbeRequest::quick,
                 &DeviceProbeRequest::parts>;
}

FileKind file_kind_of(For<DeviceProbeRequest>) {
  return between_programs("device_probe", "request of the kind device_probe");
}

std::span<const Field> fields_of(For<DeviceProbeLine>) {
  static constexpr Field fields[] = {
      field<&DeviceProbeLine::request>("answered_request").sparse(),
      field<&DeviceProbeLine::environment>("environment").sparse(),
      field<&DeviceProbeLine::figure>("figure").sparse(),
      field<&DeviceProbeLine::vector_addition>("vector_addition").sparse(),
      field<&DeviceProbeLine::note>("note").sparse(),
      field<&DeviceProbeLine::part_done>("part_done").sparse(),
  };
  return fields;
}

}  // namespace rooflab::engine
