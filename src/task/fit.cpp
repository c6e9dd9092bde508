#include "rooflab/task/fit.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "fit_prediction.hpp"
#include "fit_search.hpp"
#include "rooflab/task/predict.hpp"
#include "rooflab/task/session.hpp"
#include "setting_use.hpp"

namespace rooflab::task {
namespace {

using analyze::FitPoint;

/// An end of a range; nullopt: not given.
std::optional<std::int64_t> end_of(std::string_view text, const Parameter& parameter) {
  if (trim(text).empty()) return std::nullopt;
  return ValueText<std::int64_t>::read(text, parameter);
}

void check(const FitRequest& request) {
  const std::string vary = flag_of<&FitRequest::vary>();
  const std::string measure = flag_of<&FitRequest::measure>();
  request.network.check();
  request.target.check();
  request.link.check();
  if (!words_of(request.link).empty() && !may_be_recorded(request.network.model)) {
    throw Error(ErrorKind::usage,
                format("{} and {} are for a recorded step that exchanges with other devices",
                       flag_of<&LinkChoice::link>(), flag_of<&LinkChoice::all_reduce>()),
                format("rooflab predict has {}", flag_of<&PredictRequest::gpus>()));
  }
  const std::vector<std::string> known = request.network.countable();
  std::vector<std::string> names;
  for (const VariedCount& each : request.vary) {
    if (std::ranges::find(known, each.name) == known.end()) {
      const std::string all = format("one of {}", join(known, ", "));
      throw Error(ErrorKind::usage, format("unknown count in {} '{}'", vary, each.name),
                  near_hint(each.name, known, all, all));
    }
    if (std::ranges::find(names, each.name) != names.end()) {
      throw Error(ErrorKind::usage, format("{} names '{}' twice", vary, each.name),
                  parameter_of<&FitRequest::vary>().example_hint());
    }
    names.push_back(each.name);
  }
  const auto varies = [&names](const char* name) {
    return std::ranges::find(names, name) != names.end();
  };
  // Where both are varied, each is searched at the given value of the other.
  const auto refuse_given = [&](const std::string& flag, const char* name) {
    throw Error(ErrorKind::usage, format("{} is what is varied", flag),
                format("{} {}=1..256 bounds it", vary, name));
  };
  const bool both = varies("batch") && varies("context");
  if (!both && varies("batch") && !request.network.settings.batch.empty()) {
    refuse_given(flag_of<&NetworkSettings::batch>(), "batch");
  }
  if (!both && varies("context") && !request.network.settings.context.empty()) {
    refuse_given(flag_of<&NetworkSettings::context>(), "context");
  }
  if (!request.folder.empty() && !request.measure) {
    throw Error(
        ErrorKind::usage,
        format("'{}' would hold tries, which only {} makes", request.folder.string(), measure),
        "a report has an extension: -o fit.json");
  }
  if (request.resume && request.folder.empty()) {
    throw Error(ErrorKind::usage,
                format("{} needs the folder of the tries", flag_of<&FitRequest::resume>()),
                format("for example {} -o tries {}", measure, flag_of<&FitRequest::resume>()));
  }
}

}  // namespace

VariedCount VariedCount::from_word(std::string_view word, const Parameter& parameter) {
  const std::size_t equals = word.find('=');
  VariedCount varied{std::string(trim(word.substr(0, equals)))};
  if (varied.name.empty()) {
    throw Error(ErrorKind::usage, format("{} '{}' names nothing", parameter.flag(), word),
                parameter.example_hint());
  }
  if (equals == std::string_view::npos) return varied;
  const std::string_view range = word.substr(equals + 1);
  const std::size_t dots = range.find("..");
  if (dots == std::string_view::npos) parameter.refuse("ranges A..B", word);
  varied.range.least = end_of(range.substr(0, dots), parameter).value_or(1);
  varied.range.most = end_of(range.substr(dots + 2), parameter);
  if (varied.range.most && *varied.range.most < varied.range.least) {
    throw Error(ErrorKind::usage, format("{} '{}' ends before it begins", parameter.flag(), word),
                parameter.example_hint());
  }
  return varied;
}

std::string VariedCount::word() const {
  if (range.least == 1 && !range.most) return name;
  return format("{}={}..{}", name, range.least, range.most ? format("{}", *range.most) : "");
}

const Parameters& parameters_of(For<FitRequest>) {
  static const Parameters all = {
      part<&FitRequest::network>(),
      part<&FitRequest::target>(
          parameters_of(For<TargetChoice>{}).with<&TargetChoice::device>([](Parameter& each) {
            each.single = true;
            each.help = "a device of `rooflab devices`, or the one here: cuda:N, gpu";
          })),
      part<&FitRequest::link>(),
      parameter<&FitRequest::vary>(
          "NAME[=A..B],...", "what grows: batch, layers of a chain, context of a recording",
          {.example = "batch, --vary batch=1..4096, --vary batch,context, --vary conv=1..,fc=1.."}),
      parameter<&FitRequest::measure>("search the boundary on the device too (cuda:N)"),
      needing(
          {key_of<&FitRequest::measure>()},
          aside({parameter<&FitRequest::iterations>("N", "timed steps of a try", {.example = "10"}),
                 parameter<&FitRequest::timeout>("S", "stop a try after S seconds",
                                                 {.default_text = "never", .example = "600"})})),
      aside({parameter<&FitRequest::resume>("skip tries that are already in the folder")}),
  };
  return all;
}

bool FitOutcome::nothing_fits() const {
  return std::ranges::all_of(result.points, [](const FitPoint& point) {
    return point.searched ? point.found.empty() : point.counts.empty();
  });
}

FitOutcome run(FitRequest request, Session& session) {
  check(request);
  const LoadedModel asked = request.network.load({});
  SettingUse(request.network.settings, {.other_sizes = true, .training = true}).check(asked);
  check_trainable(asked, request.network.lowering().phase);
  request.link.check_use(asked.recorded && asked.recorded->exchanges());
  request.network.settle_recording();
  std::vector<TargetDevice> devices = request.target.devices(session, request.link);
  if (devices.size() > 1) {
    throw Error(
        ErrorKind::usage,
        format("{} '{}' are {} devices, fit takes one", flag_of<&TargetChoice::device>(),
               request.target.device.front(), devices.size()),
        format("for example {} {}", flag_of<&TargetChoice::device>(), devices.front().name));
  }
  const TargetDevice device = std::move(devices.front());
  if (request.measure && !device.here) {
    throw Error(ErrorKind::usage,
                format("{} needs a device that is here, '{}' is a name of the catalog",
                       flag_of<&FitRequest::measure>(), device.name),
                format("{} cuda:0", flag_of<&TargetChoice::device>()));
  }
  const std::optional<Note> note = request.network.settle_precision(device.device);
  const FitNetwork network(request);
  FitPrediction prediction(request, device, network);
  FitOutcome outcome{prediction.result()};
  outcome.result.command = session.command;
  if (request.measure) {
    FitSearch(request, device, network, session).run(outcome, prediction.expected());
  }
  analyze::add_ratios(outcome.result);
  if (note) outcome.result.notes.push_back(*note);
  return outcome;
}

}  // namespace rooflab::task
