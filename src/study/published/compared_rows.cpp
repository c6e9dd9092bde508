#include "compared_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/zoo/zoo.hpp"
#include "study/case_selection.hpp"
#include "study/known_device.hpp"

namespace rooflab::study {
namespace {

/// Attributes that leave the network and its matrix work as they are: those that a key has by
/// themselves, where a case comes from, how it was run, timed and predicted, and what is shown of
/// it. All others make it special. An optimizer adds no matrix work.
constexpr auto plain_attributes = std::to_array<std::string_view>(
    {"model",       "device",       "batch",      "phase",      "precision",       "gpus",
     "mode",        "group",        "named",      "place",      "source",          "file",
     "machine",     "optimizer",    "time-model", "iterations", "min-time",        "max-time",
     "timeout",     "no-layers",    "per-layer",  "layers",     "steps-only",      "counters",
     "threads",     "data-workers", "seed",       "weights",    "cudnn-benchmark", "calibration",
     "issued-by",   "explain",      "ppp",        "link",       "all-reduce",      "as-device",
     "devices-dir", "depth",        "strict",     "format"});

/// Devices by the words of a study. A word that means no single device of the catalog may have been
/// given one by the plan: then a case has it as `named`, in addition to the catalog's id.
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
      entry->second = known_device(catalog_, word);
      const auto place = places_.find(entry->first);
      if (!entry->second && place != places_.end())
        entry->second = known_device(catalog_, place->second);
    }
    return entry->second;
  }

 private:
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
  if (!special.contains("variant") && is_own_size(model, value_in(special, "image-size"))) {
    special.erase("image-size");
  }
  return special;
}

CaseKey key_of(const Attributes& attributes, DeviceWords& devices) {
  CaseKey key;
  key.model = bare_name(value_in(attributes, "model"));
  key.device = value_in(attributes, "device");
  key.known_device = devices.find(key.device);
  key.batch = parse_number(value_in(attributes, "batch"));
  key.phase = from_name<Phase>(value_in(attributes, "phase"));
  key.precision = from_name<Precision>(value_in(attributes, "precision"));
  key.gpus = parse_number(value_in(attributes, "gpus")).value_or(1.0);
  key.special = special_of(attributes, key.model);
  key.group = value_in(attributes, "group");
  return key;
}

std::string name_of_row(const PublishedRow& row) {
  std::string name(value_in(row.where, "model"));
  const auto add = [&](std::string_view before, std::string_view value, std::string_view after) {
    if (value.empty()) return;
    if (!name.empty()) name += before;
    name += format("{}{}", value, after);
  };
  add(" on ", value_in(row.where, "device"), "");
  add(", ", value_in(row.where, "phase"), "");
  const std::string_view batch = value_in(row.where, "batch");
  if (!batch.empty()) add(", batch ", batch, "");
  add(", ", value_in(row.where, "gpus"), " GPUs");
  return name.empty() ? row.source : name;
}

std::optional<double> positive_in(const std::map<std::string, double>& values,
                                  std::string_view quantity) {
  const auto found = values.find(std::string(quantity));
  if (found == values.end() || found->second <= 0.0) return std::nullopt;
  return found->second;
}

template <class Type>
bool agree(const std::optional<Type>& a, const std::optional<Type>& b) {
  return !a || !b || *a == *b;
}

/// Constant parts of half of the shortest time or more make ratios differ by that.
constexpr double most_ratio_spread = 2.0;

std::optional<TimedRow> timed_row(const ComparedRows& context, const PublishedCase& published) {
  const auto printed = published.value("time");
  if (!printed || published.key.device.empty()) return std::nullopt;
  TimedRow best{&published, *printed, nullptr, 0.0};
  int most = 0;
  for (const OwnCase* own : own_cases_of(context, published.key)) {
    if (own->key.device.empty() || !same_case(own->key, published.key)) continue;
    auto seconds = own->figure("time");
    if (!seconds) seconds = own->figure("limit");
    if (!seconds) continue;
    const int points = (own->key.precision == published.key.precision ? 1 : 0) +
                       (own->key.phase == published.key.phase ? 1 : 0);
    if (best.own == nullptr || std::pair(points, *seconds) > std::pair(most, best.own_s)) {
      most = points;
      best.own = own;
      best.own_s = *seconds;
    }
  }
  return best.own == nullptr ? std::nullopt : std::optional(best);
}

}  // namespace

std::optional<double> PublishedCase::value(std::string_view quantity) const {
  return positive_in(row->values, quantity);
}

std::optional<double> PublishedCase::used(std::string_view quantity) const {
  return positive_in(row->used, quantity);
}

std::optional<double> OwnCase::figure(std::string_view quantity) const {
  const Figure* found = study_case->find(quantity);
  return found != nullptr && found->value > 0.0 ? std::optional(found->value) : std::nullopt;
}

std::string_view OwnCase::origin() const {
  const std::string_view mode = study_case->attribute("mode");
  if (mode == "predict") return "our prediction";
  return mode == "summary" ? "our count" : "our measurement";
}

ComparedRows compared_rows(const Study& study, std::span<const StudyCase> cases,
                           const device::Catalog& catalog) {
  DeviceWords devices(cases, catalog);
  ComparedRows context;
  for (const PublishedRow& row : study.published) {
    context.published.push_back(
        {&row, key_of(row.where, devices), name_of_row(row), context.published.size()});
  }
  for (const StudyCase& candidate : cases) {
    if (candidate.attribute("mode") == "published" || candidate.figures.empty()) continue;
    context.own.push_back({&candidate, key_of(candidate.attributes, devices)});
  }
  return context;
}

std::vector<const OwnCase*> own_cases_of(const ComparedRows& context, const CaseKey& row) {
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

std::vector<const PublishedCase*> same_work_elsewhere(const ComparedRows& context,
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

std::vector<TimeSeries> time_series_of(const ComparedRows& context) {
  std::vector<TimeSeries> all;
  for (const PublishedCase& published : context.published) {
    const auto row = timed_row(context, published);
    if (!row) continue;
    const auto is_of = [&](const TimeSeries& series) {
      const PublishedCase& first = *series.front().published;
      return first.row->source == published.row->source && first.key.gpus == published.key.gpus &&
             same_device(first.key, published.key);
    };
    const auto found = std::ranges::find_if(all, is_of);
    TimeSeries& series = found == all.end() ? all.emplace_back() : *found;
    series.push_back(*row);
  }
  return all;
}

double work_spread(const TimeSeries& series) {
  const auto [least, most] = std::ranges::minmax(series, {}, &TimedRow::own_s);
  return most.own_s / least.own_s;
}

bool is_in_proportion(const TimeSeries& series) {
  const double work = work_spread(series);
  if (work < least_work_spread) return false;
  const auto [least, most] = std::ranges::minmax(series, {}, &TimedRow::ratio);
  return most.ratio() / least.ratio() < std::min(most_ratio_spread, std::sqrt(work));
}

std::string subject_of(const TimeSeries& series) {
  std::vector<std::string> networks;
  for (const TimedRow& row : series) {
    const std::string& network = row.published->row->where.at("model");
    if (!std::ranges::count(networks, network)) networks.push_back(network);
  }
  return format("{} on {}", join(networks, ", "), series.front().published->key.device);
}

}  // namespace rooflab::study
