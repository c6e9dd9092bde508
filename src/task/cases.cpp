#include "rooflab/task/cases.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "predict/paleo.hpp"
#include "recorded_network.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/zoo/zoo.hpp"
#include "setting_use.hpp"

namespace rooflab::task {
namespace {

std::vector<std::string> paleo_names() {
  std::vector<std::string> names;
  for (const predict::PaleoPreset& preset : predict::paleo_presets()) {
    names.emplace_back(preset.name);
  }
  return names;
}

bool names_device(const std::string& word) {
  try {
    return word != "all" && !device::Catalog::built_in().choose({&word, 1}).empty();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

const Parameters& parameters_of(For<CaseGrid>) {
  static const Parameters all = {
      parameter<&CaseGrid::models>(
          "MODEL...", "built-in models or ONNX files",
          {.positional = true, .completes = Completion::model, .predictable = true}),
      parameter<&CaseGrid::device>("D,...",
                                   "devices of `rooflab devices`, or cpu, cuda:N, gpu, here",
                                   {.default_text = "those of --calibration",
                                    .example = "t4,h200 (rooflab devices)",
                                    .completes = Completion::device,
                                    .predictable = true}),
      parameter<&CaseGrid::ppp>("C[,M]|NAME", "percent of peak: arithmetic, then memory bandwidth",
                                {.default_text = "100%",
                                 .example = "62%,80%",
                                 .suggestions = paleo_names(),
                                 .predictable = true}),
      part<&CaseGrid::device_files>(),
      part<&CaseGrid::network>(
          of_a_model({key_of<&CaseGrid::models>()}, parameters_of(For<NetworkSettings>{}))),
      part<&CaseGrid::layers>(),
  };
  return all;
}

CaseGrid without_repeats(CaseGrid grid) {
  const auto drop_repeats = [](auto& values) {
    std::set<std::ranges::range_value_t<decltype(values)>> known;
    std::erase_if(values, [&known](const auto& value) { return !known.insert(value).second; });
  };
  drop_repeats(grid.models);
  drop_repeats(grid.device);
  drop_repeats(grid.network.batch);
  drop_repeats(grid.network.context);
  drop_repeats(grid.network.phase);
  drop_repeats(grid.network.precision);
  return grid;
}

std::vector<device::Device> devices_of(const CaseGrid& grid, const device::Catalog& catalog,
                                       const analyze::KnownCalibrations& known,
                                       const Session& session,
                                       const std::vector<device::Device>& fallback) {
  std::vector<device::Device> devices;
  for (const std::string& name : device_ids(grid.device, catalog, known, session)) {
    devices.push_back(described_device(name, catalog, known));
  }
  if (devices.empty()) devices = fallback;
  if (!devices.empty()) return devices;
  for (const std::string& id : known.given) {
    const bool first = std::ranges::find(devices, id, &device::Device::id) == devices.end();
    if (first) devices.push_back(known.devices.at(id));
  }
  if (devices.empty()) {
    const std::string flag = flag_of<&CaseGrid::device>();
    throw Error(ErrorKind::usage, format("{} is missing", flag),
                format("for example {} h200", flag));
  }
  return devices;
}

void check_networks(const CaseGrid& grid) {
  grid.layers.check(grid.models, grid.network);
  for (const std::string& model : grid.models) {
    if (is_network(model) || !names_device(model)) continue;
    std::vector<std::string> devices = grid.device;
    devices.push_back(model);
    throw Error(ErrorKind::usage, format("unknown model '{}'", model),
                format("it is a device: several are given with commas: {} {}",
                       flag_of<&CaseGrid::device>(), shell_line({join(devices, ",")})));
  }
}

CaseGrid one_case(const CaseGrid& grid, const ListedNetwork& network,
                  const schedule::LoweringOptions& lowering, const device::Device& device) {
  CaseGrid one = grid;
  network.choose(one.models, one.layers, one.network);
  one.device = {device.id};
  one.network.choose(lowering.phase);
  one.network.choose(lowering.precision);
  return one;
}

namespace {

/// The schedules of one network, each lowered once: devices differ in their precision at most.
class Lowered {
 public:
  explicit Lowered(const LoadedModel& model) : model_(model) {}

  const schedule::Schedule& by(const schedule::LoweringOptions& lowering) {
    const auto key = std::pair(lowering.precision, lowering.channels_last);
    auto& known = schedules_[key];
    if (!known) known = model_.lowered(lowering);
    return *known;
  }
  /// Forgets them: the phase is another one.
  void clear() { schedules_.clear(); }

 private:
  const LoadedModel& model_;
  std::map<std::pair<Precision, bool>, std::shared_ptr<const schedule::Schedule>> schedules_;
};

/// Steps of twice the batch, for the findings: made once a case asks for them.
class DoubledBatch {
 public:
  DoubledBatch(const ListedNetwork& network, const NetworkSettings& settings,
               const PredictStep& predict)
      : network_(network), settings_(settings), predict_(predict) {}

  /// nullopt: the network cannot take that batch, or nothing is predicted.
  std::optional<Seconds> time(const analyze::CaseResult& single,
                              const schedule::LoweringOptions& lowering, std::size_t device) {
    if (!predict_ || !single.has_interval() || impossible_) return std::nullopt;
    try {
      if (!loaded_) {
        loaded_ = network_.load(settings_, false, checked_multiply(single.batch, 2));
        lowered_.emplace(*loaded_);
      }
      return predict_(lowered_->by(lowering), device);
    } catch (const Error& error) {
      if (!error.is_of_input() && error.kind() != ErrorKind::usage) throw;
      impossible_ = true;
      return std::nullopt;
    }
  }
  void next_lowering() {
    if (lowered_) lowered_->clear();
  }

 private:
  const ListedNetwork& network_;
  const NetworkSettings& settings_;
  const PredictStep& predict_;
  std::optional<LoadedModel> loaded_;
  std::optional<Lowered> lowered_;
  bool impossible_ = false;
};

}  // namespace

std::vector<analyze::CaseResult> cases_of(
    const CaseGrid& grid, const std::vector<device::Device>& devices, const AnalyzeCase& analyze,
    const std::function<std::string(const CaseGrid& one)>& command_of, const PredictStep& predict) {
  check_networks(grid);
  CaseGrid frame = grid;  // without its lists, which are not copied for each of their elements
  frame.models.clear();
  frame.device.clear();
  frame.network = {};
  frame.layers = {};
  const std::vector<ListedNetwork> listed = listed_networks(grid.models, grid.layers, grid.network);
  SettingUse use(grid.network, {.other_sizes = predict != nullptr});
  std::vector<analyze::CaseResult> cases;
  const auto add_cases = [&](const ListedNetwork& network) {
    const LoadedModel loaded = network.load(grid.network);
    const std::vector<Note> without_part = use.add(loaded);
    CaseGrid frame_of_network = frame;
    frame_of_network.network = use.effective(loaded);
    frame_of_network.network.batch.clear();
    frame_of_network.network.context.clear();
    std::optional<LoadedModel> before;  // its rewrite
    if (!network.rewrite.empty()) before = network.as_it_is().load(grid.network);
    Lowered lowered(loaded);
    std::optional<Lowered> lowered_before;
    if (before) lowered_before.emplace(*before);
    DoubledBatch doubled(network, grid.network, predict);
    for (const schedule::LoweringOptions& lowering : loaded.lowerings(grid.network)) {
      check_trainable(loaded, lowering.phase);
      lowered.clear();
      if (lowered_before) lowered_before->clear();
      doubled.next_lowering();
      for (std::size_t i = 0; i < devices.size(); ++i) {
        const schedule::LoweringOptions own = analyze::lowering_on(devices[i], lowering);
        analyze::CaseResult result = analyze(lowered.by(own), i);
        result.doubled_batch = doubled.time(result, own, i);
        if (predict && !loaded.recorded) {
          analyze::add_channels_last(
              result, own, [&](const auto& other) { return predict(lowered.by(other), i); });
        }
        result.model = loaded.name;
        result.optimizer = loaded.optimizer;
        if (lowered_before) {
          result.rewrite = network.rewrite;
          result.before_rewrite = analyze::rewrite_figures(analyze(lowered_before->by(own), i));
        }
        if (auto note = analyze::autocast_note(devices[i], lowering.precision)) {
          result.notes.push_back(*std::move(note));
        }
        add_notes(result.notes, loaded.notes);
        add_notes(result.notes, without_part);
        result.command = command_of(one_case(frame_of_network, network, lowering, devices[i]));
        cases.push_back(std::move(result));
      }
    }
  };
  for (const ListedNetwork& each : listed) {
    in_case(each.name, each.batch, [&] { add_cases(each); });
  }
  use.check();
  return cases;
}

bool is_complete(const std::vector<analyze::CaseResult>& cases) {
  return std::ranges::all_of(cases, [](const analyze::CaseResult& result) {
    return result.count.uncounted.empty() && result.limit.time;
  });
}

}  // namespace rooflab::task
