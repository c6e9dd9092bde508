#include "case_request.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/format.hpp"
#include "describe/command_words.hpp"
#include "rooflab/task/fit.hpp"
#include "rooflab/task/measure.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::study {
namespace {

constexpr std::string_view model_key = "model";
constexpr std::string_view file_key = "file";
constexpr std::string_view device_key = "device";
constexpr std::string_view gpus_key = "gpus";

bool is_off(const GroupOption& given) { return given.value == "false"; }
bool is_on(const GroupOption& given) { return given.value.empty() || given.value == "true"; }

/// The keys of a case that are members of its request, except what the study decides itself.
std::vector<GroupOption> key_values(const CaseGroup& group, const Choice& choice) {
  std::vector<GroupOption> all;
  for (const auto& [key, given] : choice.values) {
    if (becomes_flag(key)) all.push_back({key, given.value, given.place});
  }
  all.insert(all.end(), group.options.begin(), group.options.end());
  return all;
}

/// The kind of request that the cases of a mode make.
const task::RequestKind& kind_of(Mode mode) {
  return task::request_kind(name_of(mode == Mode::counters ? Mode::measure : mode));
}

/// Where a case leaves what it writes is the study's to say: it owns its folder and no other place.
void check_is_of_case(const task::RequestKind& kind, const Parameter& parameter,
                      const Location& place) {
  if (parameter.key == parameter_of<&task::MeasureRequest::resume>().key) {
    throw Error(ErrorKind::input,
                format("the study itself gives {} its {}", kind.command, parameter.flag()), {},
                place);
  }
  if (parameter.writes) {
    throw Error(
        ErrorKind::input,
        format("a case cannot have {}: it writes outside of the study's folder", parameter.flag()),
        format("run rooflab {} {} outside of the study", kind.command, parameter.flag()), place);
  }
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
    const std::string otherwise =
        format("{} lists its flags; the study itself writes the results", more);
    const std::string hint = near_hint(key, known, otherwise, more);
    throw Error(ErrorKind::input, format("{} takes no '{}'", kind.command, key), hint, place);
  }
  check_is_of_case(kind, *found, place);
  return *found;
}

/// Errors in words of the study are at its line.
template <class Action>
auto at_place(const Location& place, Action action) {
  try {
    return action();
  } catch (const Error& error) {
    if (!error.location().file.empty()) throw;
    throw Error(ErrorKind::input, error.what(), error.hint(), place);
  }
}

/// Makes a request, and the words of its command line in the order in which it is given.
class RequestMaker {
 public:
  explicit RequestMaker(const task::RequestKind& kind) : kind_(kind), request_(kind.make()) {
    made_.words.emplace_back(kind.command);
  }

  /// What the command works on.
  void give_subject(const std::string& word) {
    take(*kind_.subject(), {word}, {});
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

  void give(const GroupOption& each) {
    const Parameter& parameter = member(kind_, each.key, each.place);
    if (parameter.is_switch() != (is_on(each) || is_off(each))) {
      throw Error(ErrorKind::input,
                  format("'{}' of {} takes {}", each.key, kind_.command,
                         parameter.is_switch() ? "no value" : "a value"),
                  parameter.is_switch() ? format("{} = true", each.key)
                                        : format("rooflab {} -h", kind_.command),
                  each.place);
    }
    if (is_off(each)) return;
    give(each.key, is_on(each) ? std::vector<std::string>() : std::vector{each.value}, each.place);
  }

  /// Words as they stand on a command line.
  void give_arguments(const std::vector<std::string>& words, const Location& place) {
    const std::string more = format("rooflab {} -h", kind_.command);
    const auto refuse = [&](const std::string& word, bool is_flag) {
      if (is_flag) {
        const std::string name = flag_word(word)->name;
        (void)member(kind_, name.substr(name.find_first_not_of('-')), place);
      }
      throw Error(ErrorKind::input, format("{} takes no '{}'", kind_.command, word), more, place);
    };
    const GivenWords given =
        at_place(place, [&] { return given_words(*kind_.parameters, words, refuse, more); });
    for (const auto& [key, values] : given) {
      const Parameter& parameter = *kind_.parameters->find(key);
      check_is_of_case(kind_, parameter, place);
      take(parameter, values, place);
    }
    made_.words.insert(made_.words.end(), words.begin(), words.end());
  }

  [[nodiscard]] bool has(std::string_view key) const { return made_.given.contains(key); }

  /// Throws Error (input) at `place` for a flag that has no part in the request.
  [[nodiscard]] CaseRequest made(const Location& place) && {
    at_place(place, [this] { kind_.parameters->check_parts(made_.given, request_.get()); });
    return std::move(made_);
  }

 private:
  void take(const Parameter& parameter, const std::vector<std::string>& words,
            const Location& place) {
    at_place(place, [&] { parameter.read(request_.get(), words); });
    std::vector<std::string>& given = made_.given[parameter.key];
    if (!given.empty() && !parameter.is_list()) {
      throw Error(ErrorKind::input, format("{} is given twice", parameter.flag()), {}, place);
    }
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
  if (mode == Mode::summary || mode == Mode::import) return;  // these are of no device
  const int gpus = gpus_of(choice);
  if (mode == Mode::predict) {
    request.give(device_key, {place.id});
    if (choice.find(gpus_key) != nullptr) request.give(gpus_key, {std::to_string(gpus)});
    if (choice.mode == Mode::train || choice.mode == Mode::scale) {
      request.give(parameter_of<&task::NetworkSettings::phase>().study_key(),
                   {std::string(name_of(Phase::training))});
    }
  } else if (mode == Mode::scale) {
    // With one device too: the speed-up is against it.
    request.give(device_key, {devices_of(place, gpus, machine)});
    request.give(gpus_key, {gpus == 1 ? "1" : format("1,{}", gpus)});
  } else if (mode == Mode::partition) {
    request.give(device_key, {devices_of(place, std::max(gpus, 2), machine)});
  } else if (!place.word.empty()) {
    request.give(device_key, {place.word});
  }
  if (mode == Mode::counters) {
    request.give(parameter_of<&task::MeasureRequest::counters>().study_key(), {});
  }
  if ((mode == Mode::partition || mode == Mode::fit) && place.here) {
    request.give(parameter_of<&task::FitRequest::measure>().study_key(), {});
  }
}

}  // namespace

const std::string* Choice::find(std::string_view key) const {
  const auto found = values.find(key);
  return found == values.end() ? nullptr : &found->second.value;
}

std::string path_of_study(const Study& study, const std::string& name) {
  const std::filesystem::path path(name);
  if (path.is_absolute()) return name;
  return (study.file.parent_path() / path).lexically_normal().string();
}

bool becomes_flag(std::string_view factor_key) {
  constexpr std::array<std::string_view, 4> others = {model_key, file_key, device_key, gpus_key};
  return std::ranges::find(others, factor_key) == others.end();
}

namespace {

constexpr std::array<std::string_view, 3> model_endings = {".onnx", ".rec.jsonl", ".rec.jsonl.gz"};

/// Empty: the name is not that of a file with a network.
std::string_view model_ending(std::string_view name) {
  const std::string lower = lowercase(name);
  const auto found = std::ranges::find_if(
      model_endings, [&](std::string_view ending) { return lower.ends_with(ending); });
  return found == model_endings.end() ? std::string_view() : *found;
}

/// The files of an option, from where the program runs.
GroupOption with_paths(const Study& study, GroupOption option) {
  std::vector<std::string> files = split(option.value, ',');
  for (std::string& file : files) file = path_of_study(study, std::string(trim(file)));
  option.value = join(files, ",");
  return option;
}

}  // namespace

bool is_model_file(std::string_view name) { return !model_ending(name).empty(); }

std::string model_of_file(std::string_view name) {
  const std::string_view ending = model_ending(name);
  if (ending.empty()) return std::string(name);
  const std::string file = std::filesystem::path(name).filename().string();
  return file.substr(0, file.size() - ending.size());
}

void check_choice(const CaseGroup& group, const Choice& choice) {
  const task::RequestKind& kind = kind_of(choice.mode);
  RequestMaker request(kind);
  for (const GroupOption& each : key_values(group, choice)) request.give(each);
  request.give_arguments(group.arguments, group.place);
  const auto refuse_at = [&choice](std::string_view key, const std::string& what,
                                   const std::string& hint) {
    throw Error(ErrorKind::input, what, hint, choice.values.find(key)->second.place);
  };
  const std::string* const model = choice.find(model_key);
  if (model != nullptr && zoo::find_model(*model) == nullptr && !is_model_file(*model)) {
    std::vector<std::string> known;
    for (const zoo::ModelInfo& each : zoo::models()) known.push_back(each.name);
    refuse_at(
        model_key, format("unknown model '{}'", *model),
        near_hint(*model, known, "rooflab models lists them; a file ends in .onnx or .rec.jsonl.gz",
                  "rooflab models"));
  }
  if (model != nullptr && choice.find(file_key) != nullptr) {
    refuse_at(file_key, "a case has a model or a file, not both", "give them separate groups");
  }
  const bool takes_gpus =
      choice.mode == Mode::partition || kind.parameters->find(gpus_key) != nullptr;
  if (choice.find(gpus_key) != nullptr && !takes_gpus) {
    refuse_at(gpus_key, format("{} takes no number of GPUs", name_of(choice.mode)),
              format("{} belongs to scale, predict and partition", gpus_key));
  }
  const bool needs_device = choice.mode == Mode::predict || choice.mode == Mode::fit ||
                            choice.mode == Mode::partition || choice.mode == Mode::scale;
  if (needs_device && choice.find(device_key) == nullptr) {
    throw Error(ErrorKind::input,
                format("'{}' is missing: {} needs one", device_key, name_of(choice.mode)),
                "rooflab devices lists them; here, gpu and cpu are this machine's", group.place);
  }
}

std::string unpredictable_key(const CaseGroup& group, const Choice& choice) {
  for (const GroupOption& each : key_values(group, choice)) {
    const Parameter& parameter = member(kind_of(choice.mode), each.key, each.place);
    if (parameter.changes_step && !parameter.predictable && !is_off(each)) return each.key;
  }
  return "";
}

int gpus_of(const Choice& choice) {
  const auto found = choice.values.find(gpus_key);
  if (found == choice.values.end()) return 1;
  const auto& [value, place] = found->second;
  const std::optional<std::int64_t> count = parse_integer(value);
  if (!count || *count < 1 || *count > 1024) {
    throw Error(ErrorKind::input, format("{} takes a number, not '{}'", gpus_key, value),
                format("{} = [1, 2, 4]", gpus_key), place);
  }
  return static_cast<int>(*count);
}

CaseRequest request_of(Mode mode, const Study& study, const CaseGroup& group, const Choice& choice,
                       const Place& place, const Machine& machine) {
  const task::RequestKind& asked = kind_of(choice.mode);
  const bool instead = mode == Mode::predict && choice.mode != Mode::predict;
  RequestMaker request(kind_of(mode));
  if (const std::string* const model = choice.find(model_key)) {
    request.give_subject(is_model_file(*model) ? path_of_study(study, *model) : *model);
  }
  if (const std::string* const file = choice.find(file_key)) {
    request.give_subject(path_of_study(study, *file));
  }
  give_device(request, mode, choice, place, machine);
  const std::string& measure = parameter_of<&task::FitRequest::measure>().key;
  const std::string recorded = parameter_of<&task::NetworkSettings::recorded>().study_key();
  for (const GroupOption& each : key_values(group, choice)) {
    const Parameter& parameter = member(asked, each.key, each.place);
    if (instead && !parameter.predictable) continue;
    const bool is_of_runs = std::ranges::count(parameter.needs, measure, &Need::key) != 0;
    if (is_of_runs && !request.has(measure)) continue;  // fit and partition elsewhere
    request.give(each.key == recorded ? with_paths(study, each) : each);
  }
  if (!instead) request.give_arguments(group.arguments, group.place);
  return std::move(request).made(group.place);
}

}  // namespace rooflab::study
