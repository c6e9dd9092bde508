// A recording is one step as it ran: its phase, precision, optimizer and layout are its own.
// Another batch lies on the straight line through two recordings.

#include "recorded_network.hpp"

#include <filesystem>

#include "base/parameter_list.hpp"
#include "rooflab/recording/recording.hpp"

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
  // The usual optimizer may be what nobody asked for.
  if (schedule.phase == Phase::training && settings.optimizer != NetworkSettings().optimizer) {
    check_own<&NetworkSettings::optimizer>(file, settings.optimizer, schedule.optimizer);
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

/// The step in that batch, on the line through the recording and the first of `settings.recorded`.
/// The others must lie on the same line.
recording::Recording in_batch(recording::Recording own, std::int64_t batch,
                              const NetworkSettings& settings) {
  const std::string flag = flag_of<&NetworkSettings::recorded>();
  if (settings.recorded.empty()) {
    throw Error(ErrorKind::usage,
                format("{} is a recording of batch {}, not {}", own.file,
                       own.batch ? std::to_string(*own.batch) : "unknown", batch),
                format("{} FILE names a recording of the same step in another batch", flag));
  }
  std::vector<recording::Recording> others;
  for (const std::string& file : settings.recorded) {
    others.push_back(recording::read_recording(file));
    if (others.back().batch == batch) return std::move(others.back());
  }
  for (std::size_t i = 1; i < others.size(); ++i) {  // all must lie on one line
    const std::int64_t between = others[i].batch.value_or(0);
    recording::check_equal(recording::interpolated(own, others[0], between), others[i]);
  }
  return recording::interpolated(own, others.front(), batch);
}

}  // namespace

LoadedModel recorded_network(const std::string& file, std::optional<std::int64_t> batch,
                             const NetworkSettings& settings) {
  recording::Recording recorded = recording::read_recording(file);
  if (batch && recorded.batch != *batch) recorded = in_batch(std::move(recorded), *batch, settings);
  schedule::Schedule schedule = recording::lower(recorded);
  if (schedule.ops.empty()) {
    throw Error(ErrorKind::input, "the recording has no operation of the device",
                "record a whole step", {file, {}, {}, {}});
  }
  check_settings(file, settings, schedule);
  LoadedModel loaded;
  loaded.name = recorded.name.empty() ? std::filesystem::path(file).stem().string() : recorded.name;
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

std::vector<schedule::LoweringOptions> LoadedModel::lowerings(
    const NetworkSettings& settings) const {
  if (!recorded) return task::lowerings(settings);
  schedule::LoweringOptions own;
  own.phase = recorded->phase;
  own.precision = recorded->precision;
  own.optimizer = recorded->optimizer;
  return {own};
}

}  // namespace rooflab::task
