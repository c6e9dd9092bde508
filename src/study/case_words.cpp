#include "case_words.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::study {
namespace {

/// Flags that `predict` takes too.
constexpr std::array<std::string_view, 12> predicted = {
    "batch", "phase", "precision",     "optimizer", "variant",     "image-size",
    "dim",   "ppp",   "channels-last", "link",      "calibration", "scaling"};

/// Flags that say how to measure or how to learn, but not what a step does.
constexpr std::array<std::string_view, 32> without_effect = {
    "iterations", "min-time",        "max-time",   "timeout",       "per-layer",
    "no-layers",  "counters",        "threads",    "seed",          "cudnn-benchmark",
    "as-device",  "devices-dir",     "strict",     "data",          "data-workers",
    "weights",    "until",           "epochs",     "runs",          "lr",
    "momentum",   "weight-decay",    "nesterov",   "schedule",      "warmup-epochs",
    "milestones", "label-smoothing", "no-augment", "deterministic", "checkpoint-every",
    "max-images", "steps-only"};

template <class List>
bool has(const List& list, std::string_view key) {
  return std::ranges::find(list, key) != list.end();
}

class CaseWords {
 public:
  CaseWords(Mode mode, const Study& study, const Machine& machine)
      : mode_(mode), study_(study), machine_(machine) {}

  void add_head(const Choice& choice) {
    add({std::string(name_of(mode_ == Mode::counters ? Mode::measure : mode_))});
    if (const auto model = choice.values.find("model"); model != choice.values.end()) {
      add({is_onnx(model->second) ? path_of_study(study_, model->second) : model->second});
    }
    if (const auto file = choice.values.find("file"); file != choice.values.end()) {
      add({path_of_study(study_, file->second)});
    }
  }

  void add_device(const Choice& choice, const Place& place) {
    const int gpus = gpus_of(choice);
    switch (mode_) {
      case Mode::summary:  // these are of no device
      case Mode::import:
        break;
      case Mode::predict:
        add({"--device", place.id});
        if (choice.values.contains("gpus")) add({"--gpus", std::to_string(gpus)});
        if (choice.mode == Mode::train || choice.mode == Mode::scale) add({"--phase", "training"});
        break;
      case Mode::counters:
        add({"--device", place.word, "--counters"});
        break;
      case Mode::scale:
        // Beside one device: the speed-up is against it.
        add({"--device", devices_of(place, gpus), "--gpus",
             gpus == 1 ? "1" : format("1,{}", gpus)});
        break;
      case Mode::partition:
        add({"--device", devices_of(place, std::max(gpus, 2))});
        if (place.here) add({"--measure"});
        break;
      case Mode::fit:
        add({"--device", place.word});
        if (place.here) add({"--measure"});
        break;
      case Mode::measure:
      case Mode::profile:
      case Mode::train:
      case Mode::evaluate:
      case Mode::probe:
        if (!place.word.empty()) add({"--device", place.word});
        break;
    }
  }

  void add_flags(const CaseGroup& group, const Choice& choice) {
    const bool instead = mode_ == Mode::predict && choice.mode != Mode::predict;
    const auto add_flag = [&](const std::string& key, const std::string& value) {
      if (instead && !has(predicted, key)) return;
      add({"--" + key});
      if (!value.empty()) add({value});
    };
    for (const auto& [key, value] : choice.values) {
      if (!becomes_flag(key) || value == "false") continue;
      add_flag(key, value == "true" ? "" : value);
    }
    for (const GroupOption& option : group.options) add_flag(option.key, option.value);
    if (!instead) words_.insert(words_.end(), group.arguments.begin(), group.arguments.end());
  }

  std::vector<std::string> take() { return std::move(words_); }

 private:
  void add(std::initializer_list<std::string> more) { words_.insert(words_.end(), more); }

  [[nodiscard]] std::string devices_of(const Place& place, int gpus) const {
    const auto count = static_cast<std::size_t>(gpus);
    if (!place.here || place.is_cpu()) {
      return join(std::vector<std::string>(count, place.word), ",");
    }
    std::vector<std::string> names;
    for (const LocalGpu& gpu : machine_.gpus) {
      const bool alike = !place.catalogued || gpu.catalog_id == place.id;
      if (alike && names.size() < count) names.push_back(gpu.name);
    }
    return join(names, ",");
  }

  Mode mode_;
  const Study& study_;
  const Machine& machine_;
  std::vector<std::string> words_;
};

}  // namespace

std::string path_of_study(const Study& study, const std::string& name) {
  const std::filesystem::path path(name);
  if (path.is_absolute()) return name;
  return (study.file.parent_path() / path).lexically_normal().string();
}

bool becomes_flag(std::string_view factor_key) {
  constexpr std::array<std::string_view, 4> others = {"model", "file", "device", "gpus"};
  return !has(others, factor_key);
}

bool is_onnx(std::string_view name) { return lowercase(name).ends_with(".onnx"); }

std::string unpredictable_flag(const CaseGroup& group, const Choice& choice) {
  const auto has_effect = [](const std::string& key) {
    return becomes_flag(key) && !has(predicted, key) && !has(without_effect, key);
  };
  for (const auto& [key, value] : choice.values) {
    if (has_effect(key) && value != "false") return key;
  }
  for (const GroupOption& option : group.options) {
    if (has_effect(option.key)) return option.key;
  }
  return "";
}

int gpus_of(const Choice& choice) {
  const auto found = choice.values.find("gpus");
  if (found == choice.values.end()) return 1;
  const std::optional<std::int64_t> count = parse_integer(found->second);
  if (!count || *count < 1 || *count > 1024) {
    throw Error(ErrorKind::input, format("gpus takes a number, not '{}'", found->second),
                "gpus = [1, 2, 4]", choice.places.at("gpus"));
  }
  return static_cast<int>(*count);
}

std::vector<std::string> words_of(Mode mode, const Study& study, const CaseGroup& group,
                                  const Choice& choice, const Place& place,
                                  const Machine& machine) {
  CaseWords words(mode, study, machine);
  words.add_head(choice);
  words.add_device(choice, place);
  words.add_flags(group, choice);
  return words.take();
}

}  // namespace rooflab::study
