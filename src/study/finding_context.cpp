#include "finding_context.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "bare_name.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::study {
namespace {

/// Attributes that leave the network and its work as they are: those that a key has by themselves,
/// where a case comes from, how it was run, timed and predicted, and what is shown of it. All
/// others make it special.
constexpr auto plain_attributes = std::to_array<std::string_view>(
    {"model",      "device",          "batch",       "phase",       "precision",    "gpus",
     "mode",       "group",           "named",       "place",       "source",       "file",
     "iterations", "min-time",        "max-time",    "timeout",     "no-layers",    "per-layer",
     "layers",     "steps-only",      "counters",    "threads",     "data-workers", "seed",
     "weights",    "cudnn-benchmark", "calibration", "issued-by",   "explain",      "ppp",
     "link",       "all-reduce",      "as-device",   "devices-dir", "depth",        "strict",
     "format"});

std::string_view attribute(const Attributes& attributes, std::string_view key) {
  const auto found = attributes.find(std::string(key));
  return found == attributes.end() ? std::string_view{} : std::string_view(found->second);
}

/// Devices by the words of a study. A word that means no single device of the catalog may have been
/// given one by the plan: then a case has it as `named`, beside the catalog's id.
class DeviceWords {
 public:
  DeviceWords(std::span<const StudyCase> cases, const device::Catalog& catalog)
      : catalog_(catalog) {
    for (const StudyCase& candidate : cases) {
      const std::string_view device = candidate.attribute("device");
      const std::string_view named = candidate.attribute("named");
      if (!device.empty() && !named.empty()) places_.try_emplace(bare_name(named), device);
    }
  }

  std::optional<device::Device> find(std::string_view word) {
    if (word.empty()) return std::nullopt;
    const auto [entry, is_new] = known_.try_emplace(bare_name(word));
    if (is_new) {
      entry->second = in_catalog(word);
      const auto place = places_.find(entry->first);
      if (!entry->second && place != places_.end()) entry->second = in_catalog(place->second);
    }
    return entry->second;
  }

 private:
  std::optional<device::Device> in_catalog(std::string_view name) const {
    try {
      return catalog_.find(name);
    } catch (const Error&) {
      return std::nullopt;  // `cpu`, `cuda:0`, a device that nobody has described
    }
  }

  const device::Catalog& catalog_;
  std::map<std::string, std::string> places_;
  std::map<std::string, std::optional<device::Device>> known_;
};

/// Whether these pixels are what the network as published takes.
bool is_own_size(std::string_view model, std::string_view pixels) {
  const auto named = [&](const zoo::ModelInfo& each) { return bare_name(each.name) == model; };
  const auto found = std::ranges::find_if(zoo::models(), named);
  return found != zoo::models().end() && std::to_string(found->input_size) == pixels;
}

Attributes special_of(const Attributes& attributes, std::string_view model) {
  Attributes special;
  for (const auto& [key, value] : attributes) {
    if (std::ranges::count(plain_attributes, key) != 0 || value == "no") continue;
    special[key] = lowercase(value);
  }
  if (!special.contains("variant") && is_own_size(model, attribute(special, "image-size"))) {
    special.erase("image-size");
  }
  return special;
}

CaseKey key_of(const Attributes& attributes, DeviceWords& devices) {
  CaseKey key;
  key.model = bare_name(attribute(attributes, "model"));
  key.device = attribute(attributes, "device");
  key.known_device = devices.find(key.device);
  key.batch = parse_number(attribute(attributes, "batch"));
  key.phase = from_name<Phase>(attribute(attributes, "phase"));
  key.precision = from_name<Precision>(attribute(attributes, "precision"));
  key.gpus = parse_number(attribute(attributes, "gpus")).value_or(1.0);
  key.special = special_of(attributes, key.model);
  key.group = attribute(attributes, "group");
  return key;
}

std::string name_of_row(const PublishedRow& row) {
  std::string name(attribute(row.where, "model"));
  const auto add = [&](std::string_view before, std::string_view value, std::string_view after) {
    if (value.empty()) return;
    if (!name.empty()) name += before;
    name += format("{}{}", value, after);
  };
  add(" on ", attribute(row.where, "device"), "");
  add(", ", attribute(row.where, "phase"), "");
  const std::string_view batch = attribute(row.where, "batch");
  if (!batch.empty()) add(", batch ", batch, "");
  add(", ", attribute(row.where, "gpus"), " GPUs");
  return name.empty() ? row.source : name;
}

template <class Type>
bool agree(const std::optional<Type>& a, const std::optional<Type>& b) {
  return !a || !b || *a == *b;
}

}  // namespace

std::optional<double> PublishedCase::value(std::string_view quantity) const {
  const auto found = row->values.find(std::string(quantity));
  if (found == row->values.end() || found->second <= 0.0) return std::nullopt;
  return found->second;
}

std::optional<double> OwnCase::figure(std::string_view quantity) const {
  const Figure* found = study_case->find(quantity);
  if (found == nullptr || found->value <= 0.0) return std::nullopt;
  return found->value;
}

std::string_view OwnCase::origin() const {
  const std::string_view mode = study_case->attribute("mode");
  if (mode == "predict") return "our prediction";
  return mode == "summary" ? "our count" : "our measurement";
}

FindingContext finding_context(const Study& study, std::span<const StudyCase> cases,
                               const device::Catalog& catalog) {
  DeviceWords devices(cases, catalog);
  FindingContext context;
  for (const PublishedRow& row : study.published) {
    context.published.push_back({&row, key_of(row.where, devices), name_of_row(row)});
  }
  for (const StudyCase& candidate : cases) {
    if (candidate.attribute("mode") == "published" || candidate.figures.empty()) continue;
    context.own.push_back({&candidate, key_of(candidate.attributes, devices)});
  }
  return context;
}

std::vector<const OwnCase*> own_cases_of(const FindingContext& context, const CaseKey& row) {
  if (row.model.empty()) return {};
  const auto forms = [&](bool in_group) {
    std::set<Attributes> found;
    for (const OwnCase& own : context.own) {
      if (own.key.model != row.model || (in_group && own.key.group != row.group)) continue;
      if (std::ranges::includes(own.key.special, row.special)) found.insert(own.key.special);
    }
    return found;
  };
  std::set<Attributes> meant;
  if (!row.group.empty()) meant = forms(true);
  if (meant.empty()) meant = forms(false);
  if (meant.contains(row.special)) meant = {row.special};
  if (meant.size() != 1) return {};
  std::vector<const OwnCase*> found;
  for (const OwnCase& own : context.own) {
    if (own.key.model == row.model && meant.contains(own.key.special)) found.push_back(&own);
  }
  return found;
}

bool same_model(const CaseKey& a, const CaseKey& b) {
  return !a.model.empty() && a.model == b.model && a.gpus == b.gpus;
}

bool same_device(const CaseKey& a, const CaseKey& b) {
  if (a.device.empty() || b.device.empty()) return true;
  if (a.known_device && b.known_device) return a.known_device->id == b.known_device->id;
  return bare_name(a.device) == bare_name(b.device);
}

bool same_batch(const CaseKey& a, const CaseKey& b) { return agree(a.batch, b.batch); }

bool same_pass(const CaseKey& a, const CaseKey& b) {
  return !a.phase || !b.phase || a.is_training() == b.is_training();
}

bool same_case(const CaseKey& a, const CaseKey& b) {
  return same_model(a, b) && same_device(a, b) && same_batch(a, b) && same_pass(a, b);
}

bool same_data(const CaseKey& a, const CaseKey& b) {
  const auto held = [](const std::optional<Precision>& precision) {
    return precision == Precision::tf32 ? Precision::fp32 : precision;
  };
  return agree(held(a.precision), held(b.precision));
}

std::vector<const PublishedCase*> same_work_elsewhere(const FindingContext& context,
                                                      const PublishedCase& published) {
  const auto without_device = [](Attributes where) {
    where.erase("device");
    where.erase("named");
    where.erase("precision");  // what a device does by itself with the same program
    return where;
  };
  std::vector<const PublishedCase*> found;
  for (const PublishedCase& other : context.published) {
    if (&other == &published || other.row->source != published.row->source) continue;
    if (!same_model(other.key, published.key) || same_device(other.key, published.key)) continue;
    if (without_device(other.row->where) == without_device(published.row->where)) {
      found.push_back(&other);
    }
  }
  return found;
}

std::string_view pass_name(const CaseKey& key) {
  if (!key.phase) return "case";
  return key.is_training() ? "training step" : "forward pass";
}

bool near(double a, double b, double tolerance) { return std::abs(a / b - 1.0) <= tolerance; }

std::string images_text(double images) {
  return format("{:.0f} image{}", images, images == 1.0 ? "" : "s");
}

}  // namespace rooflab::study
