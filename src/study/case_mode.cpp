#include "case_mode.hpp"

#include <algorithm>

#include "rooflab/base/format.hpp"

namespace rooflab::study {
namespace {

bool has_so_many(const Machine& machine, const Place& place, int gpus) {
  if (place.is_cpu()) return true;
  const auto alike = std::ranges::count(machine.gpus, place.id, &LocalGpu::catalog_id);
  const auto all = static_cast<std::ptrdiff_t>(machine.gpus.size());
  return gpus <= (place.catalogued ? alike : all);
}

}  // namespace

void settle_mode(PlannedCase& planned, const CaseGroup& group, const Choice& choice, Place& place,
                 const Machine& machine) {
  if (!place.missing.empty()) {
    planned.skipped = place.missing;
    return;
  }
  const auto predict_instead = [&](const std::string& why) {
    // `predict` takes networks only.
    const auto file = choice.values.find("file");
    const bool is_network =
        choice.values.contains("model") || (file != choice.values.end() && is_onnx(file->second));
    if (!place.catalogued || !is_network) {
      planned.skipped = why;
      return;
    }
    if (const std::string key = unpredictable_key(group, choice); !key.empty()) {
      planned.skipped = format("{}, and {} cannot be predicted", why, key);
      return;
    }
    planned.mode = Mode::predict;
    planned.note = format("{}: predicted", why);
  };
  const std::string absent = format("{} is not here", place.id);
  switch (choice.mode) {
    case Mode::predict:
      if (place.here && !place.catalogued) {
        planned.skipped = format("no device file describes {}", place.word);
      }
      break;
    case Mode::measure:
    case Mode::train:
      if (!place.here) return predict_instead(absent);
      if (!machine.torch_worker) return predict_instead("rooflab-torch is not here");
      break;
    case Mode::counters:
      if (!place.here) return predict_instead(absent);
      if (!machine.torch_worker || !machine.counters || place.is_cpu()) {
        return predict_instead("hardware counters cannot be read here");
      }
      break;
    case Mode::scale:
      if (!place.here) return predict_instead(absent);
      if (!machine.torch_worker) return predict_instead("rooflab-torch is not here");
      if (!has_so_many(machine, place, gpus_of(choice))) {
        return predict_instead(format("fewer than {} of {} are here", gpus_of(choice), place.id));
      }
      break;
    case Mode::evaluate:
      if (!place.here) planned.skipped = absent;
      if (!machine.torch_worker) planned.skipped = "rooflab-torch is not here";
      break;
    case Mode::profile:
      if (machine.counters) break;
      if (machine.gpus.empty()) planned.skipped = "no GPU is here";
      planned.note = "hardware counters cannot be read here: times only";
      break;
    case Mode::probe:
      if (!place.here) planned.skipped = absent;
      if (!machine.probe_worker) planned.skipped = "rooflab-probe is not here";
      break;
    case Mode::fit:
    case Mode::partition: {
      if (place.is_cpu()) {
        planned.skipped = "a CPU has no fixed memory limit";
        break;
      }
      const int gpus = choice.mode == Mode::partition ? std::max(gpus_of(choice), 2) : 1;
      std::string why;
      if (!place.here) {
        why = absent;
      } else if (!machine.torch_worker) {
        why = "rooflab-torch is not here";
      } else if (!has_so_many(machine, place, gpus)) {
        why = format("fewer than {} of {} are here", gpus, place.id);
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

}  // namespace rooflab::study
