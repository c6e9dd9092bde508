#include "case_request.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/task/fit.hpp"
#include "rooflab/task/measure.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/task/partition.hpp"

namespace rooflab::study {
namespace {

constexpr std::string_view device_key = "device";
constexpr std::string_view gpus_key = "gpus";

/// A value of a factor, an option of a group, or the group's arguments, at its place in the file.
struct KeyValue {
  std::string key;
  std::string value;
  Location place;

  [[nodiscard]] bool is_off() const { return value == "false"; }
  [[nodiscard]] bool is_on() const { return value.empty() || value == "true"; }
};

/// The keys of a case that are members of its request, except what the study decides itself.
std::vector<KeyValue> key_values(const CaseGroup& group, const Choice& choice) {
  std::vector<KeyValue> all;
  for (const auto& [key, value] : choice.values) {
    if (!becomes_flag(key)) continue;
    const auto place = choice.places.find(key);
    all.push_back({key, value, place == choice.places.end() ? group.place : place->second});
  }
  for (const GroupOption& option : group.options) {
    all.push_back({option.key, option.value, option.place});
  }
  return all;
}

const Parameter& member(const task::RequestKind& kind, std::string_view key,
                        const Location& place) {
  const auto named = [key](const Parameter& each) {
    return !each.positional && each.study_key() == key;
  };
  const auto found = std::ranges::find_if(*kind.parameters, named);
  if (found == kind.parameters->end()) {
    std::vector<std::string> known;
    for (const Parameter& each : *kind.parameters) {
      if (!each.positional) known.push_back(each.study_key());
    }
    const std::string more = format("rooflab {} -h", kind.command);
    const Parameter* const renamed = kind.parameters->renamed(key);
    const std::string hint = renamed == nullptr ? near_hint(key, known, more, more)
                                                : format("it is '{}' now", renamed->study_key());
    throw Error(ErrorKind::input, format("{} takes no '{}'", kind.command, key), hint, place);
  }
  if (found->key == parameter_of<&task::MeasureRequest::resume>().key) {
    throw Error(ErrorKind::input,
                format("the study itself gives {} its {}", kind.command, found->flag()), {}, place);
  }
  return *found;
}

/// Makes a request, and the words of its command line in the order in which it is given.
class RequestMaker {
 public:
  explicit RequestMaker(const task::RequestKind& kind) : kind_(kind), request_(kind.make()) {
    made_.words.emplace_back(kind.command);
  }

  /// What the command works on.
  void give_subject(const std::string& word) {
    made_.given[kind_.subject()->key].push_back(word);
    made_.words.push_back(word);
  }

  /// Adds a flag with its words; a switch has no words.
  void give(std::string_view key, const std::vector<std::string>& words,
            const Location& place = {}) {
    const Parameter& parameter = member(kind_, key, place);
    take(parameter, words, place);
    made_.words.push_back(parameter.flag());
    made_.words.insert(made_.words.end(), words.begin(), words.end());
  }

  void give(const KeyValue& each) {
    const Parameter& parameter = member(kind_, each.key, each.place);
    if (parameter.is_switch() != (each.is_on() || each.is_off())) {
      throw Error(ErrorKind::input,
                  format("'{}' of {} takes {}", each.key, kind_.command,
                         parameter.is_switch() ? "no value" : "a value"),
                  parameter.is_switch() ? format("{} = true", each.key)
                                        : format("rooflab {} -h", kind_.command),
                  each.place);
    }
    if (each.is_off()) return;
    give(each.key, each.is_on() ? std::vector<std::string>() : std::vector{each.value}, each.place);
  }

  /// Words as they stand on a command line.
  void give_arguments(const std::vector<std::string>& words, const Location& place) {
    made_.words.insert(made_.words.end(), words.begin(), words.end());
    bool flags_end = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (flags_end || !word.starts_with('-')) {
        made_.given[subject_of(word, place)].push_back(word);
        continue;
      }
      flags_end = word.find_first_not_of('-') == std::string::npos;
      if (flags_end) continue;
      const std::vector<std::string> parts = split(word.substr(word.find_first_not_of('-')), '=');
      const Parameter& parameter = member(kind_, parts.front(), place);
      std::vector<std::string> values(parts.begin() + 1, parts.end());
      if (!values.empty()) {
        values = {join(values, "=")};
      } else if (!parameter.is_switch() && i + 1 < words.size()) {
        values = {words[++i]};
      }
      take(parameter, values, place);
    }
  }

  [[nodiscard]] CaseRequest made() && { return std::move(made_); }

 private:
  [[nodiscard]] const std::string& subject_of(const std::string& word,
                                              const Location& place) const {
    if (const Parameter* const subject = kind_.subject()) return subject->key;
    throw Error(ErrorKind::input, format("{} takes no '{}'", kind_.command, word),
                format("rooflab {} -h", kind_.command), place);
  }

  void take(const Parameter& parameter, const std::vector<std::string>& words,
            const Location& place) {
    try {
      parameter.read(request_.get(), words);
    } catch (const Error& error) {
      throw Error(ErrorKind::input, error.what(), error.hint(), place);
    }
    std::vector<std::string>& given = made_.given[parameter.key];
    given.insert(given.end(), words.begin(), words.end());
  }

  const task::RequestKind& kind_;
  std::shared_ptr<void> request_;  ///< takes the values, so that wrong ones are found here
  CaseRequest made_;
};

/// `count` of the devices at a place, as a command takes several.
std::string devices_of(const Place& place, int count, const Machine& machine) {
  const auto wanted = static_cast<std::size_t>(count);
  if (!place.here || place.is_cpu()) return join(std::vector(wanted, place.word), ",");
  std::vector<std::string> names;
  for (const LocalGpu& gpu : machine.gpus) {
    const bool alike = !place.catalogued || gpu.catalog_id == place.id;
    if (alike && names.size() < wanted) names.push_back(gpu.name);
  }
  return join(names, ",");
}

void give_device(RequestMaker& request, Mode mode, const Choice& choice, const Place& place,
                 const Machine& machine) {
  const int gpus = gpus_of(choice);
  switch (mode) {
    case Mode::summary:  // these are of no device
    case Mode::import:
      break;
    case Mode::predict:
      request.give(device_key, {place.id});
      if (choice.values.contains(std::string(gpus_key))) {
        request.give(gpus_key, {std::to_string(gpus)});
      }
      if (choice.mode == Mode::train || choice.mode == Mode::scale) {
        request.give(parameter_of<&task::NetworkSettings::phase>().study_key(),
                     {std::string(name_of(Phase::training))});
      }
      break;
    case Mode::counters:
      request.give(device_key, {place.word});
      request.give(parameter_of<&task::MeasureRequest::counters>().study_key(), {});
      break;
    case Mode::scale:
      // Beside one device: the speed-up is against it.
      request.give(device_key, {devices_of(place, gpus, machine)});
      request.give(gpus_key, {gpus == 1 ? "1" : format("1,{}", gpus)});
      break;
    case Mode::partition:
      request.give(device_key, {devices_of(place, std::max(gpus, 2), machine)});
      if (place.here) {
        request.give(parameter_of<&task::PartitionRequest::measure>().study_key(), {});
      }
      break;
    case Mode::fit:
      request.give(device_key, {place.word});
      if (place.here) request.give(parameter_of<&task::FitRequest::measure>().study_key(), {});
      break;
    case Mode::measure:
    case Mode::profile:
    case Mode::train:
    case Mode::evaluate:
    case Mode::probe:
      if (!place.word.empty()) request.give(device_key, {place.word});
      break;
  }
}

}  // namespace

const task::RequestKind& kind_of(Mode mode) {
  return task::request_kind(name_of(mode == Mode::counters ? Mode::measure : mode));
}

std::string path_of_study(const Study& study, const std::string& name) {
  const std::filesystem::path path(name);
  if (path.is_absolute()) return name;
  return (study.file.parent_path() / path).lexically_normal().string();
}

bool becomes_flag(std::string_view factor_key) {
  constexpr std::array<std::string_view, 4> others = {"model", "file", device_key, gpus_key};
  return std::ranges::find(others, factor_key) == others.end();
}

bool is_onnx(std::string_view name) { return lowercase(name).ends_with(".onnx"); }

void check_keys(const CaseGroup& group, const Choice& choice) {
  RequestMaker request(kind_of(choice.mode));
  for (const KeyValue& each : key_values(group, choice)) request.give(each);
}

std::string unpredictable_key(const CaseGroup& group, const Choice& choice) {
  for (const KeyValue& each : key_values(group, choice)) {
    const Parameter& parameter = member(kind_of(choice.mode), each.key, each.place);
    if (parameter.changes_step && !parameter.predictable && !each.is_off()) return each.key;
  }
  return "";
}

int gpus_of(const Choice& choice) {
  const std::string key(gpus_key);
  const auto found = choice.values.find(key);
  if (found == choice.values.end()) return 1;
  const std::optional<std::int64_t> count = parse_integer(found->second);
  if (!count || *count < 1 || *count > 1024) {
    throw Error(ErrorKind::input, format("{} takes a number, not '{}'", key, found->second),
                format("{} = [1, 2, 4]", key), choice.places.at(key));
  }
  return static_cast<int>(*count);
}

CaseRequest request_of(Mode mode, const Study& study, const CaseGroup& group, const Choice& choice,
                       const Place& place, const Machine& machine) {
  const task::RequestKind& asked = kind_of(choice.mode);
  const bool instead = mode == Mode::predict && choice.mode != Mode::predict;
  RequestMaker request(kind_of(mode));
  if (const auto model = choice.values.find("model"); model != choice.values.end()) {
    const std::string& name = model->second;
    request.give_subject(is_onnx(name) ? path_of_study(study, name) : name);
  }
  if (const auto file = choice.values.find("file"); file != choice.values.end()) {
    request.give_subject(path_of_study(study, file->second));
  }
  give_device(request, mode, choice, place, machine);
  for (const KeyValue& each : key_values(group, choice)) {
    if (instead && !member(asked, each.key, each.place).predictable) continue;
    request.give(each);
  }
  if (!instead) request.give_arguments(group.arguments, group.place);
  return std::move(request).made();
}

}  // namespace rooflab::study
