#include "case_words.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "rooflab/base/text.hpp"

namespace rooflab::study {
namespace {

/// Flags that come to a subcommand under another name than the factor's, or not at all.
constexpr std::array<std::string_view, 4> handled = {"model", "file", "device", "gpus"};

bool is_handled(std::string_view key) { return std::ranges::find(handled, key) != handled.end(); }

class CaseWords {
 public:
  CaseWords(Mode mode, const Study& study, const Machine& machine)
      : mode_(mode), study_(study), machine_(machine) {}

  void add_head(const Choice& choice) {
    add({std::string(name_of(mode_ == Mode::counters ? Mode::measure : mode_))});
    if (const auto model = choice.values.find("model"); model != choice.values.end()) {
      add({model->second.ends_with(".onnx") ? path_of(model->second) : model->second});
    }
    if (const auto file = choice.values.find("file"); file != choice.values.end()) {
      add({path_of(file->second)});
    }
  }

  void add_device(const Choice& choice, const Place& place) {
    const int gpus = gpus_of(choice);
    switch (mode_) {
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
        add({"--devices", devices_of(place, gpus), "--gpus",
             gpus == 1 ? "1" : format("1,{}", gpus)});
        break;
      case Mode::partition:
        add({"--devices", devices_of(place, std::max(gpus, 2))});
        if (place.here) add({"--measure"});
        break;
      case Mode::fit:
        add({"--device", place.word});
        if (place.here) add({"--measure"});
        break;
      default:
        if (!place.word.empty()) add({"--device", place.word});
    }
  }

  void add_flags(const CaseGroup& group, const Choice& choice) {
    const bool instead = mode_ == Mode::predict && choice.mode != Mode::predict;
    const auto add_flag = [&](const std::string& key, const std::string& value) {
      if (instead && !is_of_prediction(key)) return;
      add({"--" + key});
      if (!value.empty()) add({value});
    };
    for (const auto& [key, value] : choice.values) {
      if (!is_handled(key)) add_flag(key, value);
    }
    for (const auto& [key, value] : group.options) add_flag(key, value);
    if (!instead) words_.insert(words_.end(), group.arguments.begin(), group.arguments.end());
  }

  std::vector<std::string> take() { return std::move(words_); }

 private:
  void add(std::initializer_list<std::string> more) { words_.insert(words_.end(), more); }

  [[nodiscard]] std::string path_of(const std::string& name) const {
    const std::filesystem::path path(name);
    if (path.is_absolute()) return name;
    return (study_.file.parent_path() / path).lexically_normal().string();
  }

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

  static bool is_of_prediction(std::string_view key) {
    constexpr std::array<std::string_view, 13> known = {
        "batch",   "phase",         "precision", "optimizer",   "variant", "image-size", "dim",
        "classes", "channels-last", "ppp",       "calibration", "link",    "scaling"};
    return std::ranges::find(known, key) != known.end();
  }

  Mode mode_;
  const Study& study_;
  const Machine& machine_;
  std::vector<std::string> words_;
};

}  // namespace

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
