#include "rooflab/analyze/case_result.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "describe/field_table.hpp"
#include "notes/analyze_notes.hpp"
#include "notes/predict_notes.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/predict/memory_model.hpp"

namespace rooflab::analyze {
namespace {

std::vector<Note> notes_of(const CaseResult& result) {
  std::vector<Note> notes;
  const device::Device& device = result.device;
  if (result.precision == Precision::tf32 && !device.peaks.contains(ArithmeticPath::tf32_tensor)) {
    notes.push_back({says.no_tf32, {device.name}});
  }
  const bool fp16 =
      result.precision == Precision::fp16 || autocast_type(result.precision) == DType::f16;
  if (fp16 && !device.peaks.contains(ArithmeticPath::fp16_tensor_fp32)) {
    notes.push_back({says.no_fp16_tensor_cores, {device.name}});
  }
  for (const std::string& missing : result.limit.missing) {
    notes.push_back({says.limit_lacks, {missing}});
  }
  if (result.limit.causal_macs != result.limit.macs) {
    notes.push_back({says.causal_attention, {result.limit.causal_macs.as_double()}});
  }
  for (const UncountedOp& op : result.count.uncounted) {
    notes.push_back({says.ops_not_counted, {op.count, op.op}});
  }
  return notes;
}

/// The pauses between kernels, which are of no layer: with them the rows make the device's time.
void add_gaps(const predict::StepTime& prediction, std::vector<LayerRow>& layers) {
  const auto gaps =
      std::ranges::find(prediction.kinds, predict::gaps_kind, &predict::KindShare::kind);
  if (gaps == prediction.kinds.end()) return;
  LayerRow& row = layers.emplace_back();
  row.name = gaps_row;
  row.op = predict::gaps_kind;
  row.op_class = op_class_of_row(row.name);
  row.counted = true;
  row.time.emplace();
  row.limit_share = 0.0;
  row.predicted = Seconds{gaps->time_s};
  row.deviation = gaps->deviation;
}

/// The device's times of all ops, folded as the layers are. `all`: the step has a time although an
/// op may have no rule, for what such ops take is too little to count.
void add_predicted(const schedule::Schedule& schedule, const predict::StepTime& prediction,
                   bool all, std::vector<LayerRow>& layers) {
  predict::NetworkLimit times;
  for (std::size_t i = 0; i < prediction.ops.size(); ++i) {
    predict::OpLimit& each = times.ops.emplace_back();
    each.cost.emplace();
    const bool beside = schedule.ops[i].is_message_beside();
    each.time = Seconds{beside ? 0.0 : prediction.ops[i].device.time_s};
  }
  const std::vector<LayerRow> predicted = layer_table(schedule, times);
  // The deviations of a row's ops in seconds, summed: what misjudges one misjudges all.
  for (std::size_t i = 0; i < times.ops.size(); ++i) {
    const predict::OpEstimate& device = prediction.ops[i].device;
    times.ops[i].time->value *= std::hypot(device.deviation, device.common_deviation);
  }
  const std::vector<LayerRow> deviations = layer_table(schedule, times);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    // What has no rule has no time, and the layer that holds it neither.
    if (!layers[i].counted && !all) continue;
    layers[i].predicted = predicted[i].time;
    if (predicted[i].time && predicted[i].time->value > 0.0) {
      layers[i].deviation = deviations[i].time->value / predicted[i].time->value;
    }
  }
  if (all) add_gaps(prediction, layers);
}

/// The calibration that most of a prediction's time comes from.
CalibrationUse most_used(const predict::StepTime& step, const CalibratedModel& model) {
  std::map<std::string, double> times_s;
  for (const predict::KindShare& kind : step.kinds) times_s[kind.device] += kind.time_s;
  const predict::CalibratedDevice& used = *std::ranges::max_element(
      model.times.sources(), {},
      [&](const predict::CalibratedDevice& source) { return times_s[source.device.id]; });
  const std::string& date = used.calibration.entry().date;
  return {used.calibration.entry().id, used.device.id,
          date.empty() ? std::nullopt : std::optional(date),
          relation_between(model.times.target(), used.device)};
}

}  // namespace

std::string CaseResult::size_text() const {
  return context ? format("batch {}, context {}", batch, *context) : format("batch {}", batch);
}

void CalibratedModel::set(std::optional<predict::LinkModel> model, predict::AllReduce algorithm) {
  all_reduce = algorithm;
  link = model ? std::make_shared<const predict::LinkModel>(*std::move(model)) : nullptr;
}

std::optional<Seconds> CaseResult::predicted_time() const {
  if (prediction_model == PredictionModel::ppp) return percent_time;
  if (prediction_model == PredictionModel::calibrated && prediction) return prediction->time;
  return std::nullopt;
}

predict::LibraryMemory library_memory_of(const schedule::Schedule& schedule,
                                         const device::Device& device,
                                         const CalibratedModel* calibrated) {
  predict::LibraryMemory library = calibrated == nullptr
                                       ? predict::library_memory(device)
                                       : predict::library_memory(schedule, calibrated->times);
  if (schedule.exchanges()) {
    library.communication =
        predict::communication_memory(calibrated == nullptr ? nullptr : calibrated->link.get());
  }
  return library;
}

predict::MemoryEstimate memory_of(const schedule::Schedule& schedule, const device::Device& device,
                                  const CalibratedModel* calibrated) {
  const predict::LibraryMemory library = library_memory_of(schedule, device, calibrated);
  return predict::estimate_memory(schedule, predict::GradientReset::after_loss, &library);
}

CaseResult analyze_case(const schedule::Schedule& schedule, const predict::MemoryEstimate& memory,
                        const device::Device& device, predict::PercentOfPeak percent) {
  CaseResult result;
  result.model = schedule.graph.name;
  result.batch = schedule.graph.batch();
  result.context = schedule.context;
  result.recorded = !schedule.lives.empty();
  result.phase = schedule.phase;
  result.precision = schedule.precision;
  result.in_channels_last = schedule.channels_last;
  result.device = device;
  result.count = count_network(schedule);
  result.limit = predict::limit_of(schedule, device, percent);
  if (!result.limit.time) {
    // The path that does most of the work may be the one without a figure.
    result.limit.main_path.reset();
    result.limit.ridge_point.reset();
    result.limit.bound = predict::Bound::none;
  }
  result.memory = memory;
  result.covered = cost::coverage_of(schedule);
  result.fit = predict::fit(memory, device);
  result.layers = layer_table(schedule, result.limit);
  result.limit.ops.clear();
  result.notes = notes_of(result);
  if (!result.covered.time) {
    std::vector<std::string> ops;
    for (const UncountedOp& op : result.count.uncounted) ops.push_back(op.op);
    const NoteSentence& sentence =
        result.covered.memory ? says.time_not_counted : says.answer_not_counted;
    result.notes.insert(result.notes.begin(), {sentence, {ops}});
  }
  return result;
}

RewriteFigures rewrite_figures(const CaseResult& result) {
  return {.limit = result.limit.time,
          .predicted = result.predicted_time(),
          .flops = result.limit.flops(),
          .compulsory_bytes = result.limit.compulsory_bytes,
          .saved_activations = result.memory.saved_activations,
          .memory = result.memory.total};
}

void add_percent_of_peak(CaseResult& result, const schedule::Schedule& schedule,
                         predict::PercentOfPeak percent) {
  result.prediction_model = PredictionModel::ppp;
  result.percent = percent;
  if (!result.covered.time) return;  // a note says so
  result.percent_time = predict::limit_of(schedule, result.device, percent).time;
}

Relation relation_between(const device::Device& asked, const device::Device& calibrated) {
  const predict::Relation relation = predict::relation_of(asked, calibrated);
  if (relation == predict::Relation::same_device) return Relation::own;
  return relation <= predict::Relation::same_architecture ? Relation::same_architecture
                                                          : Relation::relative;
}

bool CaseResult::has_host_at_hand() const {
  return prediction && std::ranges::find(prediction->notes, NoteCode(says.host_at_hand),
                                         &Note::code) != prediction->notes.end();
}

predict::StepTime predicted_step(const schedule::Schedule& schedule, const CalibratedModel& model,
                                 const device::HostCosts* at_hand) {
  predict::StepTimeOptions options{.link = model.link.get(), .all_reduce = model.all_reduce};
  if (model.graph) {
    options.graph = &*model.graph;
    return predict::predict_step(schedule, model.times, options);
  }
  if (at_hand == nullptr || model.without_host) {
    options.host = model.host;
    options.host_deviation = model.host_deviation;
    return predict::predict_step(schedule, model.times, options);
  }
  const bool comparable = model.host != nullptr && model.host->issuer == at_hand->issuer;
  device::HostCosts costs = record::as_met(*at_hand);
  const std::optional<double> slowness =
      comparable ? record::slowness(costs, *model.host) : std::nullopt;
  if (comparable) costs = record::completed(std::move(costs), *model.host);
  options.host = &costs;
  options.host_slowness = slowness.value_or(1.0);
  predict::StepTime step = predict::predict_step(schedule, model.times, options);
  step.notes.push_back({says.host_at_hand, {at_hand->cpu}});
  return step;
}

void add_prediction(CaseResult& result, const schedule::Schedule& schedule,
                    const CalibratedModel& model, const device::HostCosts* at_hand, bool timeline) {
  if (!model.times.probed() && !result.limit.time) {
    result.notes.push_back({says.no_prediction_without_limit, {result.device.name}});
    return;
  }
  predict::StepTime step = predicted_step(schedule, model, at_hand);
  add_predicted(schedule, step, result.covered.time, result.layers);
  if (!result.covered.time) return;  // a note says so; the counted layers have their times
  result.prediction_model = PredictionModel::calibrated;
  result.prediction = std::move(step);
  result.calibration = most_used(*result.prediction, model);
  if (model.times.source().id == result.device.id) {
    const auto l2 = model.times.observed_figure("l2.read");
    if (l2 && l2->device->id == result.device.id) result.l2_bytes_per_s = l2->value;
  }
  const device::HostCosts* const host = result.has_host_at_hand() ? at_hand : model.host;
  result.issued_by = host == nullptr ? "" : host->issuer;
  if (model.graph) result.issued_by = graph_issuer;
  if (model.note && host == model.host) result.prediction->notes.push_back(*model.note);
  if (timeline) result.timeline = step_timeline(schedule, *result.prediction);
  result.prediction->ops.clear();
}

namespace {

/// `conv2d.forward.tf32.nchw`: its measured time holds conversions of the layout.
bool converts(const std::string& kind) {
  return kind.starts_with("conv") && kind.ends_with(".nchw") &&
         (kind.find(".tf32.") != std::string::npos || kind.find(".bf16.") != std::string::npos ||
          kind.find(".fp16.") != std::string::npos);
}

}  // namespace

double channels_first_share(const CaseResult& result) {
  if (!result.has_interval()) return 0.0;
  double share = 0.0;
  for (const predict::KindShare& kind : result.prediction->kinds) {
    if (converts(kind.kind)) share += kind.share;
  }
  return share;
}

void add_channels_last(CaseResult& result, schedule::LoweringOptions lowering,
                       const PredictLowered& predict) {
  if (lowering.channels_last || channels_first_share(result) <= 0.0) return;
  lowering.channels_last = true;
  result.channels_last = predict(lowering);
}

std::optional<std::string> CaseResult::predicted_from() const {
  if (!has_interval()) return std::nullopt;
  std::map<predict::TimeSource, double> by_source;
  for (const predict::KindShare& kind : prediction->kinds) by_source[kind.source] += kind.share;
  constexpr double most_of_it = 0.5;
  if (by_source[predict::TimeSource::roofline] > most_of_it) {
    return std::string(name_of(predict::TimeSource::roofline));
  }
  const bool is_carried = std::ranges::any_of(prediction->notes, [](const Note& note) {
    return note.code == predict::says.carried_over ||
           note.code == predict::says.carried_from_other_maker;
  });
  if (!is_carried) return std::string(measured_itself);
  std::map<std::string, double> carried;
  for (const predict::KindShare& kind : prediction->kinds) {
    if (!kind.device.empty() && kind.device != device.id) carried[kind.device] += kind.time_s;
  }
  const auto most = std::ranges::max_element(carried, {}, [](const auto& of) { return of.second; });
  return most == carried.end() ? std::nullopt : std::optional(most->first);
}

namespace {

void read_device(CaseResult& result, const JsonValue& from) {
  result.device.id = result.device.name = from.text();
}

std::optional<std::string> optimizer_of(const CaseResult& result) {
  return result.optimizer.empty() ? std::nullopt : std::optional(result.optimizer);
}

/// Null where it is false, so that the key is left out.
template <bool CaseResult::*member>
std::optional<bool> if_true(const CaseResult& result) {
  return result.*member ? std::optional(true) : std::nullopt;
}

std::optional<Bytes> device_memory(const CaseResult& result) {
  return device::memory_of(result.device);
}

/// The catalog need not have the device of a file.
void read_device_memory(CaseResult& result, const JsonValue& from) {
  result.device.memory = device::Figure{.value = from.number()};
}

std::optional<double> samples_per_s(const CaseResult& result) {
  const std::optional<Seconds> step = result.predicted_time();
  return step ? quotient(static_cast<double>(result.batch), step->value) : std::nullopt;
}

template <Seconds predict::StepTime::*end>
std::optional<Seconds> interval_end(const CaseResult& result) {
  return result.has_interval() ? std::optional((*result.prediction).*end) : std::nullopt;
}

}  // namespace

std::span<const Field> fields_of(For<RewriteFigures>) {
  static constexpr auto fields = field_table(
      field<&RewriteFigures::limit>("limit_s"), field<&RewriteFigures::predicted>("predicted_s"),
      field<&RewriteFigures::flops>("flop"), field<&RewriteFigures::compulsory_bytes>(),
      field<&RewriteFigures::saved_activations>("saved_activation_bytes"),
      field<&RewriteFigures::memory>("total_bytes"));
  return fields;
}

std::span<const Field> fields_of(For<CaseResult>) {
  using predict::StepTime;
  static constexpr auto fields = field_table(
      field<&CaseResult::model>(),
      field<Within{&CaseResult::device, &device::Device::id}, &read_device>("device"),
      members<&CaseResult::batch, &CaseResult::phase, &CaseResult::precision>,
      field<&CaseResult::context>("context").sparse(),
      field<&if_true<&CaseResult::recorded>, &CaseResult::recorded>("recorded").sparse(),
      field<&optimizer_of, &CaseResult::optimizer>("optimizer").sparse(),
      field<&if_true<&CaseResult::in_channels_last>, &CaseResult::in_channels_last>("channels_last")
          .sparse(),
      field<&CaseResult::rewrite>().or_default(), field<&CaseResult::before_rewrite>().sparse(),
      part<&CaseResult::limit>(),
      field<&CaseResult::prediction_model>("prediction_model").or_default(),
      field<&CaseResult::prediction>(), field<&CaseResult::predicted_time>("predicted_s"),
      field<&interval_end<&StepTime::low>>("predicted_low_s"),
      field<&interval_end<&StepTime::high>>("predicted_high_s"),
      field<&samples_per_s>("samples_per_s"), field<&CaseResult::predicted_from>("predicted_from"),
      field<&CaseResult::doubled_batch>("doubled_batch_s").sparse(),
      field<&CaseResult::channels_last>("channels_last_s").sparse(),
      field<&CaseResult::issued_by>("issued_by").or_default(), field<&CaseResult::calibration>(),
      field<&CaseResult::percent_time>("ppp_s"), field<&CaseResult::percent>("ppp"),
      field<&CaseResult::memory>(),
      field<&device_memory, &read_device_memory>("device_memory_bytes"),
      field<IfThere{&CaseResult::fit, &predict::Fit::verdict}>("verdict"),
      field<IfThere{&CaseResult::fit, &predict::Fit::margin}>("margin_share"),
      part<&CaseResult::count>(), field<&CaseResult::notes>(),
      field<&CaseResult::command>("command_line"), field<&CaseResult::layers>());
  return fields;
}

}  // namespace rooflab::analyze
