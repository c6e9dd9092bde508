#include "case_mode.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "rooflab/task/layer_choice.hpp"

namespace rooflab::study {
namespace {

Place local_gpu(const Machine& machine, std::size_t index) {
  if (index >= machine.gpus.size()) {
    return {.missing = index == 0 ? "no GPU is here" : format("cuda:{} is not here", index)};
  }
  const LocalGpu& gpu = machine.gpus[index];
  return {.word = gpu.name,
          .id = gpu.catalog_id.empty() ? gpu.name : gpu.catalog_id,
          .here = true,
          .catalogued = !gpu.catalog_id.empty()};
}

bool has_so_many(const Machine& machine, const Place& place, int gpus) {
  if (place.is_cpu()) return true;
  const auto alike = std::ranges::count(machine.gpus, place.id, &LocalGpu::catalog_id);
  const auto all = static_cast<std::ptrdiff_t>(machine.gpus.size());
  return gpus <= (place.catalogued ? alike : all);
}

/// Why steps of a network cannot run here on that number of devices; empty: they can.
std::string why_not_here(Mode mode, const Place& place, int gpus, const Machine& machine) {
  if (!place.here) return format("{} is not here", place.id);
  if (mode == Mode::counters && !(machine.torch_worker && machine.counters && !place.is_cpu())) {
    return "hardware counters cannot be read here";
  }
  if (!machine.torch_worker) return "rooflab-torch is not here";
  if (has_so_many(machine, place, gpus)) return "";
  return format("fewer than {} of {} are here", gpus, place.id);
}

void predict_instead(PlannedCase& planned, const CaseGroup& group, const Choice& choice,
                     const Place& place, const std::string& why) {
  // `predict` takes networks and single layers.
  const std::string* const file = choice.find("file");
  const std::string layer = parameter_of<&task::LayerChoice::layer>().study_key();
  const bool is_network = choice.find("model") != nullptr || choice.find(layer) != nullptr ||
                          std::ranges::count(group.options, layer, &GroupOption::key) > 0 ||
                          (file != nullptr && is_model_file(*file));
  const std::string key =
      place.catalogued && is_network ? unpredictable_key(group, choice) : std::string();
  if (!place.catalogued || !is_network) {
    planned.skipped = why;
  } else if (!key.empty()) {
    planned.skipped = format("{}, and {} cannot be predicted", why, key);
  } else {
    planned.mode = Mode::predict;
    planned.note = format("{}: predicted", why);
  }
}

}  // namespace

Place place_of(const std::string& word, const Location& location, const Machine& machine,
               const device::Catalog& catalog) {
  const std::string name = lowercase(word);
  const bool is_first = name == "gpu" || name == "cuda" || name == "here";
  if (name == "cpu" || (name == "here" && machine.gpus.empty())) {
    return {.word = "cpu", .id = "cpu", .here = true};
  }
  if (is_first) return local_gpu(machine, 0);
  if (name.starts_with("cuda:")) {
    const std::optional<std::int64_t> index = parse_integer(name.substr(5));
    if (index && *index >= 0) return local_gpu(machine, static_cast<std::size_t>(*index));
    throw Error(ErrorKind::input, format("'{}' is not a device", word), "cuda:0 is the first GPU",
                location);
  }
  Place place{.catalogued = true};
  try {
    place.word = place.id = catalog.find(name).id;
  } catch (const Error& error) {
    throw Error(ErrorKind::input, error.what(), error.hint(), location);
  }
  const auto gpu = std::ranges::find(machine.gpus, place.id, &LocalGpu::catalog_id);
  place.here = gpu != machine.gpus.end();
  if (place.here) place.word = gpu->name;
  return place;
}

void settle_mode(PlannedCase& planned, const CaseGroup& group, const Choice& choice, Place& place,
                 const Machine& machine) {
  if (!place.missing.empty()) {
    planned.skipped = place.missing;
    return;
  }
  const int gpus = choice.mode == Mode::partition ? std::max(gpus_of(choice), 2) : gpus_of(choice);
  const std::string why = why_not_here(choice.mode, place, gpus, machine);
  switch (choice.mode) {
    case Mode::predict:
      if (place.here && !place.catalogued) {
        planned.skipped = format("no device file describes {}", place.word);
      }
      break;
    case Mode::measure:
    case Mode::train:
    case Mode::counters:
    case Mode::scale:
      if (!why.empty()) predict_instead(planned, group, choice, place, why);
      break;
    case Mode::evaluate:
      planned.skipped = why;
      break;
    case Mode::profile:
      if (machine.counters) break;
      if (machine.gpus.empty()) planned.skipped = "no GPU is here";
      planned.note = "hardware counters cannot be read here: times only";
      break;
    case Mode::probe:
      if (!place.here) planned.skipped = why;
      if (!machine.probe_worker) planned.skipped = "rooflab-probe is not here";
      break;
    case Mode::fit:
    case Mode::partition:
      if (place.is_cpu()) {
        planned.skipped = "a CPU has no fixed memory limit";
      } else if (!why.empty() && !place.catalogued) {
        planned.skipped = why;
      } else if (!why.empty()) {
        planned.note = format("{}: predicted", why);
        place.word = place.id;
        place.here = false;
      }
      break;
    case Mode::summary:
    case Mode::import:
      break;
  }
}

}  // namespace rooflab::study
