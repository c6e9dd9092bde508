// A recording is one step as it ran: its phase, precision, optimizer and layout are its own.
// Another batch, or context, follows from further recordings of the same step.

#include "recorded_network.hpp"

#include <filesystem>

#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "rooflab/analyze/case_result.hpp"

namespace rooflab::task {
namespace {

constexpr const char* record_again = "record the step that you mean (rooflab.record of Python)";

/// Throws Error (usage) where a setting was given that is not the recording's own.
template <auto member, class Value>
void check_own(const std::string& file, const Value& asked, const Value& own) {
  if (asked == own) return;
  throw Error(ErrorKind::usage,
              format("{} {}: the recording {} is of {}", flag_of<member>(), name_of(asked), file,
                     name_of(own)),
              record_again);
}

void check_settings(const std::string& file, const NetworkSettings& settings,
                    const schedule::Schedule& schedule) {
  for (const Phase phase : settings.phase) {
    check_own<&NetworkSettings::phase>(file, phase, schedule.phase);
  }
  for (const Precision precision : settings.precision) {
    check_own<&NetworkSettings::precision>(file, precision, schedule.precision);
  }
  if (schedule.phase == Phase::training && settings.optimizer) {
    check_own<&NetworkSettings::optimizer>(file, *settings.optimizer, schedule.optimizer);
  }
  if (!settings.dim.empty()) {
    throw Error(ErrorKind::usage,
                format("{} {}: {} is a recording, without symbolic dimensions",
                       flag_of<&NetworkSettings::dim>(), settings.dim.front().word(), file),
                record_again);
  }
  if (settings.channels_last) {
    throw Error(ErrorKind::usage,
                format("{}: the recording {} has the order that it was recorded in",
                       flag_of<&NetworkSettings::channels_last>(), file),
                record_again);
  }
}

std::vector<recording::Recording> read_all(const std::string& file,
                                           const NetworkSettings& settings) {
  std::vector<recording::Recording> all;
  all.push_back(recording::read_recording(file));
  for (const std::string& other : settings.recorded) {
    all.push_back(recording::read_recording(other));
  }
  return all;
}

/// PyTorch's class, and whether it is told to be fused; empty without one, and for several.
std::string optimizer_of(const recording::Recording& recorded) {
  if (recorded.optimizers.size() != 1) return {};
  const recording::Optimizer& only = recorded.optimizers.front();
  const auto fused = only.options.find("fused");
  const bool is_fused = fused != only.options.end() && fused->second != 0.0;
  return only.class_name + (is_fused ? std::string(analyze::fused_optimizer) : std::string());
}

}  // namespace

RecordedNetwork::RecordedNetwork(std::string file, const NetworkSettings& settings)
    : file_(std::move(file)), settings_(settings), sizes_(read_all(file_, settings)) {}

LoadedModel RecordedNetwork::load(const recording::StepSize& size) const {
  const recording::StepSize own = own_size();
  const bool is_own = size.batch.value_or(own.batch.value_or(0)) == own.batch.value_or(0) &&
                      (!size.context || size.context == own.context);
  if (!is_own && settings_.recorded.empty()) {
    const bool other_batch = size.batch && size.batch != own.batch;
    const char* const what = other_batch ? "batch" : "context";
    const auto known = other_batch ? own.batch : own.context;
    throw Error(ErrorKind::usage,
                format("{} is a recording of {} {}, not {}", file_, what,
                       known ? std::to_string(*known) : "unknown",
                       other_batch ? *size.batch : *size.context),
                format("{} FILE names a recording of the same step in another {}",
                       flag_of<&NetworkSettings::recorded>(), what));
  }
  const recording::Recording recorded = sizes_.at(size);
  schedule::Schedule schedule = recording::lower(recorded);
  if (schedule.ops.empty()) {
    throw Error(ErrorKind::input, "the recording has no operation of the device",
                "record a whole step", {file_, {}, {}, {}});
  }
  check_settings(file_, settings_, schedule);
  LoadedModel loaded;
  loaded.optimizer = optimizer_of(recorded);
  loaded.name =
      recorded.name.empty() ? std::filesystem::path(file_).stem().string() : recorded.name;
  loaded.file = file_;
  loaded.graph = schedule.graph;
  loaded.notes = recording::notes_of(recorded);
  loaded.recorded = std::make_shared<const schedule::Schedule>(std::move(schedule));
  return loaded;
}

void ChosenNetwork::settle_recording() {
  if (model.empty() || !recording::is_recording(model)) return;
  const schedule::LoweringOptions own = load({}).lowerings(settings).front();
  settings.choose(own.phase);
  settings.choose(own.precision);
  settings.optimizer = own.optimizer;
}

const graph::Graph& LoadedModel::runnable() const {
  if (!recorded) return graph;
  throw Error(ErrorKind::usage, format("{} is a recording: it cannot be run or changed", name),
              "summary, predict, fit, roofline and study take recordings");
}

std::shared_ptr<const schedule::Schedule> LoadedModel::lowered(
    const schedule::LoweringOptions& options) const {
  if (recorded) return recorded;
  return std::make_shared<const schedule::Schedule>(schedule::lower(graph, options));
}

Precision LoadedModel::precision(const schedule::LoweringOptions& options) const {
  return recorded ? recorded->precision : graph::precision_in(graph, options.precision);
}

std::vector<schedule::LoweringOptions> LoadedModel::lowerings(
    const NetworkSettings& settings) const {
  if (!recorded) {
    NetworkSettings taken = settings;
    std::erase_if(taken.precision,
                  [this](Precision asked) { return !graph::takes_precision(graph, asked); });
    return task::lowerings(taken);
  }
  schedule::LoweringOptions own;
  own.phase = recorded->phase;
  own.precision = recorded->precision;
  own.optimizer = recorded->optimizer;
  return {own};
}

}  // namespace rooflab::task
