// From groups to cases. A group is a product; each of its cases becomes one command line:
//
//     the device is here          the mode's own subcommand, on `cuda:N` or `cpu`
//     it is not, the time of it   `predict` for that device instead: a step of measure, counters,
//     can be predicted            train, scale
//     neither                     left out, with the reason
//
// `gpu` and `here` are this machine's; a catalog name is this machine's where such a GPU is here.
// Two cases that come to the same words are one: measuring an absent device is predicting it.

#include "rooflab/study/plan.hpp"

#include <algorithm>
#include <filesystem>

#include "case_words.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/fnv1a.hpp"
#include "rooflab/base/shell_line.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::study {
namespace {

std::string slug(std::string_view text) {
  std::string result;
  for (const char c : lowercase(text)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
    if (plain) {
      result += c;
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result;
}

/// Runs of other words are others, and `--resume` refuses them: each has a folder of its own.
std::string kept_by(const PlannedCase& planned) {
  const bool searches = std::ranges::find(planned.words, "--measure") != planned.words.end();
  if (planned.mode != Mode::train && planned.mode != Mode::scale &&
      !(planned.mode == Mode::fit && searches)) {
    return "";
  }
  const auto hash = static_cast<std::uint32_t>(fnv1a(shell_line(planned.words)));
  return format("runs/{}-{:08x}", planned.id, hash);
}

class Planner {
 public:
  Planner(const Study& study, const Machine& machine, const device::Catalog& catalog)
      : study_(study), machine_(machine), catalog_(catalog) {}

  std::vector<PlannedCase> plan() {
    for (const CaseGroup& group : study_.groups) {
      for (const Choice& choice : choices_of(group)) add(group, choice);
    }
    return std::move(plan_);
  }

 private:
  static std::vector<Choice> choices_of(const CaseGroup& group) {
    std::vector<Choice> choices(1);
    for (const Factor& factor : group.factors) {
      std::vector<Choice> grown;
      for (const Choice& choice : choices) {
        for (std::size_t i = 0; i < factor.values.size(); ++i) {
          grown.push_back(choice);
          grown.back().values[factor.key] = factor.values[i];
          grown.back().places[factor.key] = factor.places[i];
        }
      }
      choices = std::move(grown);
    }
    std::vector<Choice> all;
    for (const Choice& choice : choices) {
      for (const Mode mode : group.modes) {
        all.push_back(choice);
        all.back().mode = mode;
      }
    }
    return all;
  }

  void add(const CaseGroup& group, const Choice& choice) {
    PlannedCase planned;
    planned.group = group.name;
    planned.asked = planned.mode = choice.mode;
    planned.attributes = choice.values;
    check_model(choice);
    const auto device = choice.values.find("device");
    Place place = device == choice.values.end()
                      ? Place()
                      : place_of(device->second, choice.places.at("device"), machine_, catalog_);
    settle_mode(planned, choice, place);
    describe(planned, group, place);
    if (planned.skipped.empty()) {
      planned.words = words_of(planned.mode, study_, group, choice, place, machine_);
    }
    planned.id = id_of(planned, group, choice);
    const auto same = [&planned](const PlannedCase& each) {
      return !planned.words.empty() && each.words == planned.words;
    };
    if (std::ranges::any_of(plan_, same)) return;
    planned.kept = kept_by(planned);
    if (planned.mode == Mode::evaluate) take_trained(planned, group);
    plan_.push_back(std::move(planned));
  }

  static void check_model(const Choice& choice) {
    const auto model = choice.values.find("model");
    if (model == choice.values.end() || zoo::find(model->second) != nullptr ||
        model->second.ends_with(".onnx")) {
      return;
    }
    std::vector<std::string> known;
    for (const zoo::ModelInfo& each : zoo::models()) known.push_back(each.name);
    throw Error(ErrorKind::input, format("unknown model '{}'", model->second),
                near_hint(model->second, known, "rooflab models lists them; a file ends in .onnx",
                          "rooflab models"),
                choice.places.at("model"));
  }

  [[nodiscard]] bool has_so_many(const Place& place, int gpus) const {
    if (place.is_cpu()) return true;
    const auto alike = std::ranges::count(machine_.gpus, place.id, &LocalGpu::catalog_id);
    const auto all = static_cast<std::ptrdiff_t>(machine_.gpus.size());
    return gpus <= (place.catalogued ? alike : all);
  }

  /// What is done of what was asked, or why nothing is. What is predicted instead is so for the
  /// catalogue's device, which `place` then is.
  void settle_mode(PlannedCase& planned, const Choice& choice, Place& place) const {
    if (!place.missing.empty()) {
      planned.skipped = place.missing;
      return;
    }
    const auto predict_instead = [&](const std::string& why) {
      const bool is_layer = !choice.values.contains("model");  // `predict` takes networks only
      if (!place.catalogued || is_layer) {
        planned.skipped = why;
        return;
      }
      planned.mode = Mode::predict;
      planned.note = format("{}: predicted", why);
    };
    const std::string absent = format("there is no {} here", place.id);
    switch (choice.mode) {
      case Mode::predict:
        if (place.here && !place.catalogued) {
          planned.skipped = format("no device file describes {}", place.word);
        }
        break;
      case Mode::measure:
      case Mode::train:
        if (!place.here) return predict_instead(absent);
        if (!machine_.torch_worker) return predict_instead("rooflab-torch is not here");
        break;
      case Mode::counters:
        if (!place.here) return predict_instead(absent);
        if (!machine_.torch_worker || !machine_.counters || place.is_cpu()) {
          return predict_instead("hardware counters cannot be read here");
        }
        break;
      case Mode::scale:
        if (!place.here) return predict_instead(absent);
        if (!machine_.torch_worker) return predict_instead("rooflab-torch is not here");
        if (!has_so_many(place, gpus_of(choice))) {
          return predict_instead(format("there are no {} of {} here", gpus_of(choice), place.id));
        }
        break;
      case Mode::evaluate:
        if (!place.here) planned.skipped = absent;
        if (!machine_.torch_worker) planned.skipped = "rooflab-torch is not here";
        break;
      case Mode::profile:
        if (machine_.counters) break;
        if (machine_.gpus.empty()) planned.skipped = "there is no GPU here";
        planned.note = "hardware counters cannot be read here: times only";
        break;
      case Mode::probe:
        if (!place.here) planned.skipped = absent;
        if (!machine_.probe_worker) planned.skipped = "rooflab-probe is not here";
        break;
      case Mode::fit:
      case Mode::partition: {
        if (place.is_cpu()) {
          planned.skipped = "a CPU's memory has no edge to stop at";
          break;
        }
        const int gpus = choice.mode == Mode::partition ? std::max(gpus_of(choice), 2) : 1;
        std::string why;
        if (!place.here) {
          why = absent;
        } else if (!machine_.torch_worker) {
          why = "rooflab-torch is not here";
        } else if (!has_so_many(place, gpus)) {
          why = format("there are no {} of {} here", gpus, place.id);
        }
        if (why.empty()) break;
        if (!place.catalogued) {
          planned.skipped = why;
        } else {
          planned.note = format("{}: predicted", why);
          place.word = place.id;
          place.here = false;
        }
        break;
      }
      case Mode::summary:
      case Mode::import:
        break;
    }
  }

  void describe(PlannedCase& planned, const CaseGroup& group, const Place& place) const {
    Attributes& attributes = planned.attributes;
    for (const auto& [key, value] : group.options) {
      attributes.emplace(key, value.empty() ? "yes" : value);
    }
    attributes["group"] = group.name;
    const bool foretells = planned.mode == Mode::fit || planned.mode == Mode::partition;
    attributes["mode"] = name_of(foretells && !place.here ? Mode::predict : planned.mode);
    if (const auto device = attributes.find("device"); device != attributes.end()) {
      attributes["named"] = device->second;
      if (!place.id.empty()) device->second = place.id;
    }
    // What a command does where nothing else is said; published figures are of such cases too.
    if (planned.mode == Mode::summary || planned.mode == Mode::predict ||
        planned.mode == Mode::measure || planned.mode == Mode::counters) {
      attributes.emplace("batch", "1");
      attributes.emplace("phase", "inference");
      attributes.emplace("precision", "fp32");
    }
    if (planned.asked == Mode::train || planned.asked == Mode::scale) {
      attributes["phase"] = "training";
    }
  }

  [[nodiscard]] std::string id_of(const PlannedCase& planned, const CaseGroup& group,
                                  const Choice& choice) const {
    std::vector<std::string> parts = {slug(group.name)};
    for (const Factor& factor : group.factors) {
      const std::string& value = choice.values.at(factor.key);
      const std::string name = factor.key == "file" || factor.key == "model"
                                   ? std::filesystem::path(value).filename().string()
                                   : value;
      std::string part = slug(name);
      if (factor.key == "batch") part = "b" + part;
      if (factor.key == "gpus") part = "x" + part;
      if (!part.empty()) parts.push_back(std::move(part));
    }
    parts.emplace_back(name_of(planned.asked));
    std::string id = join(parts, "-");
    const auto taken = [this](const std::string& wanted) {
      return std::ranges::find(plan_, wanted, &PlannedCase::id) != plan_.end();
    };
    if (!taken(id)) return id;
    int number = 2;
    while (taken(format("{}-{}", id, number))) ++number;
    return format("{}-{}", id, number);
  }

  void take_trained(PlannedCase& planned, const CaseGroup& group) const {
    for (const PlannedCase& each : plan_) {
      if (each.group == group.of && each.mode == Mode::train) planned.trained.push_back(each.kept);
    }
    if (planned.trained.empty() && planned.skipped.empty()) {
      planned.skipped = format("'{}' trains no models here", group.of);
    }
  }

  const Study& study_;
  const Machine& machine_;
  const device::Catalog& catalog_;
  std::vector<PlannedCase> plan_;
};

void name_device(Attributes& attributes, const device::Catalog& catalog) {
  const auto device = attributes.find("device");
  if (device == attributes.end()) return;
  try {
    const std::string id = catalog.find(device->second).id;
    attributes.emplace("named", device->second);
    device->second = id;
  } catch (const Error&) {
    // A device of this machine, or one that only its publisher knows.
  }
}

}  // namespace

void name_devices(Study& study, const device::Catalog& catalog) {
  for (PublishedRow& row : study.published) name_device(row.where, catalog);
  for (TableWish& table : study.tables) name_device(table.where, catalog);
  for (ChartWish& chart : study.charts) name_device(chart.where, catalog);
}

std::vector<PlannedCase> plan_study(const Study& study, const Machine& machine,
                                    const device::Catalog& catalog) {
  return Planner(study, machine, catalog).plan();
}

std::string command_of(const PlannedCase& planned) {
  std::vector<std::string> words = {"rooflab"};
  words.insert(words.end(), planned.words.begin(), planned.words.end());
  words.insert(words.end(), planned.trained.begin(), planned.trained.end());
  return shell_line(words);
}

}  // namespace rooflab::study
