#include "page_head.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "case_words.hpp"
#include "chart/name_list.hpp"
#include "chart/time_unit.hpp"
#include "device_comparison.hpp"
#include "page/row_table.hpp"
#include "page_parts.hpp"
#include "rooflab/base/statistics.hpp"
#include "trace_tables.hpp"

namespace rooflab::report {
namespace {

/// Place of the worker among the settings of a case; those of the usual one have none.
constexpr std::size_t worker_setting = 3;

/// `resnet18, vgg16`, or `9 networks`.
std::string list_of(const chart::Names& names, std::string_view word) {
  return names.size() <= most_names ? join(names, ", ") : plural(names.size(), word);
}

/// The values of a setting over the cases.
chart::Names values_of_setting(std::span<const HeadCase> cases, std::size_t setting) {
  chart::Names values;
  for (const HeadCase& each : cases) {
    if (setting < each.settings.size()) chart::add_known(values, each.settings[setting]);
  }
  return values;
}

std::size_t most_settings(std::span<const HeadCase> cases) {
  std::size_t most = 0;
  for (const HeadCase& each : cases) most = std::max(most, each.settings.size());
  return most;
}

chart::Names models_of(std::span<const HeadCase> cases) {
  chart::Names models;
  for (const HeadCase& each : cases) chart::add_known(models, each.model);
  return models;
}

chart::Names devices_of_cases(std::span<const HeadCase> cases) {
  chart::Names devices;
  for (const HeadCase& each : cases) chart::add_known(devices, each.device);
  return devices;
}

std::string step_time(double time_s) { return si(time_s, "s", 3); }

bool is_bound_only(const HeadCase& each) { return !each.measured_s && !each.predicted_s; }

/// One case: its time, what bounds it and what predicts it.
std::string sentence_of(const HeadCase& each) {
  const std::string what = format("{} on {}", each.model, each.device);
  const std::optional<double> time_s = each.time_s();
  if (!time_s) {
    return each.verdict.empty() ? "" : format("{} has no time: {}.", what, each.verdict);
  }
  std::string text;
  if (each.measured_s) {
    text = format("A step of {} takes {}", what, step_time(*each.measured_s));
    if (each.predicted_s) {
      const std::optional<bool> inside = each.is_inside();
      text += format(", where {} is predicted{}", step_time(*each.predicted_s),
                     !inside   ? ""
                     : *inside ? ", within its interval"
                               : ", outside its interval");
    }
  } else if (each.predicted_s) {
    text = format("A step of {} is expected to take {}", what, step_time(*each.predicted_s));
    if (each.low_s && each.high_s) {
      text += format(", {} to {} in nine of ten cases", step_time(*each.low_s),
                     step_time(*each.high_s));
    }
  } else {
    return format("A step of {} takes {} or more: a limit, not a prediction.", what,
                  step_time(*time_s));
  }
  if (each.limit_s) text += format("; the limit is {}", step_time(*each.limit_s));
  return text + ".";
}

/// The quickest and the slowest case of one device.
std::string spread_sentence(std::span<const HeadCase> cases) {
  const HeadCase* quickest = nullptr;
  const HeadCase* slowest = nullptr;
  for (const HeadCase& each : cases) {
    const std::optional<double> time_s = each.time_s();
    if (!time_s) continue;
    if (quickest == nullptr || *time_s < *quickest->time_s()) quickest = &each;
    if (slowest == nullptr || *time_s > *slowest->time_s()) slowest = &each;
  }
  if (quickest == nullptr || quickest == slowest) return {};
  const bool one_model = models_of(cases).size() == 1;
  const auto name = [&](const HeadCase& each) {
    return one_model ? join(each.settings, ", ")
                     : format("{} ({})", each.model, join(each.settings, ", "));
  };
  std::string text =
      format("A step takes {} to {}: least for {}, most for {}.", step_time(*quickest->time_s()),
             step_time(*slowest->time_s()), name(*quickest), name(*slowest));
  if (!one_model) return text;
  const auto rate = [](const HeadCase* each) { return each->samples_per_s().value_or(0.0); };
  std::vector<const HeadCase*> all;
  for (const HeadCase& each : cases) all.push_back(&each);
  const auto [least, most] = std::ranges::minmax_element(all, {}, rate);
  if (rate(*least) > 0.0 && rate(*most) > 1.05 * rate(*least)) {
    text += format(" {} gives most samples per second, {}: {:.2g} times those of {}.",
                   join((*most)->settings, ", "), plain_number(rate(*most)),
                   rate(*most) / rate(*least), join((*least)->settings, ", "));
  }
  return text;
}

/// How many measured times lie in their intervals; empty where none has one.
std::string interval_sentence(std::span<const HeadCase> cases) {
  std::size_t known = 0;
  std::size_t inside = 0;
  for (const HeadCase& each : cases) {
    const std::optional<bool> lies_inside = each.is_inside();
    if (!lies_inside) continue;
    ++known;
    if (*lies_inside) ++inside;
  }
  if (known < 2) return {};
  return format("{} of {} measured times lie in their predicted intervals.", inside, known);
}

/// `Each of the 9 cases fits.`, or the cases by verdict, with the names of the few that do not.
/// Of measurements only those are told that did not end well.
std::string verdict_sentence(std::span<const HeadCase> all_cases, bool of_measurements) {
  std::map<std::string, std::vector<const HeadCase*>> by_verdict;
  std::vector<HeadCase> cases;
  for (const HeadCase& each : all_cases) {
    if (each.is_measurement == of_measurements && !each.verdict.empty()) cases.push_back(each);
  }
  for (const HeadCase& each : cases) by_verdict[each.verdict].push_back(&each);
  if (by_verdict.empty()) return {};
  if (of_measurements && by_verdict.size() == 1 && by_verdict.contains("ok")) return {};
  const auto words = [](const std::string& verdict) {
    constexpr std::array known = std::to_array<std::pair<std::string_view, std::string_view>>(
        {{"fits", "fits in memory"},
         {"likely", "is likely to fit"},
         {"risky", "may run out of memory"},
         {"oom", "does not fit"}});
    const auto found =
        std::ranges::find(known, verdict, &std::pair<std::string_view, std::string_view>::first);
    return found == known.end() ? format("is {}", verdict) : std::string(found->second);
  };
  if (by_verdict.size() == 1) {
    const std::string& verdict = by_verdict.begin()->first;
    if (of_measurements) {
      if (all_cases.size() == 1 && !all_cases.front().measured_s) return {};  // it is said already
      return format("{} ended as {}.", cases.size() == 1 ? "The measurement" : "Each measurement",
                    verdict);
    }
    if (cases.size() > 1) return format("Each of the {} cases {}.", cases.size(), words(verdict));
    const HeadCase& one = cases.front();
    return all_cases.size() == 1 ? format("It {}.", words(verdict))
                                 : format("{} on {} {}.", one.model, one.device, words(verdict));
  }
  chart::Names parts;
  for (const auto& [verdict, those] : by_verdict) {
    std::string part = format("{}: {}", verdict, those.size());
    if (verdict != "fits" && verdict != "ok" && those.size() <= most_names) {
      chart::Names names;
      for (const HeadCase* each : those)
        names.push_back(format("{} on {}", each->model, each->device));
      part += format(" ({})", join(names, ", "));
    }
    parts.push_back(std::move(part));
  }
  return format("{}: {}.", of_measurements ? "Measured" : "Memory", join(parts, "; "));
}

/// A sentence for each calibration.
std::vector<std::string> bases_of(std::span<const HeadCase> cases) {
  std::map<std::string, chart::Names> devices;  // by calibration
  for (const HeadCase& each : cases) {
    if (each.expected == nullptr || !each.expected->calibration) continue;
    const analyze::CalibrationUse& use = *each.expected->calibration;
    const std::string date = use.date ? ", measured " + use.date->substr(0, 10) : "";
    chart::add_known(devices[use.id + date], each.expected->device.id);
  }
  std::vector<std::string> bases;
  for (const auto& [calibration, those] : devices) {
    bases.push_back(
        format("Predictions for {}: calibration {}.", list_of(those, "device"), calibration));
  }
  return bases;
}

template <class Case>
std::vector<std::string> settings_of(const Case& of) {
  std::vector<std::string> settings = {size_text_of(of), std::string(name_of(of.phase)),
                                       std::string(name_of(of.precision))};
  if constexpr (requires { of.other_worker(); }) {
    if (std::string worker = of.other_worker(); !worker.empty()) {
      settings.push_back(std::move(worker));
    }
  }
  return settings;
}

std::optional<double> seconds(const std::optional<Seconds>& time) {
  return time ? std::optional(time->value) : std::nullopt;
}

}  // namespace

std::optional<double> HeadCase::time_s() const {
  if (measured_s || is_measurement) return measured_s;
  return predicted_s ? predicted_s : limit_s;
}

std::optional<double> HeadCase::samples_per_s() const {
  if (batch == 0 || is_bound_only(*this)) return std::nullopt;
  return quotient(static_cast<double>(batch), time_s());
}

std::optional<bool> HeadCase::is_inside() const {
  if (!measured_s || !low_s || !high_s) return std::nullopt;
  return *measured_s >= *low_s && *measured_s <= *high_s;
}

void add_expected(HeadCase& head, const analyze::CaseResult& result) {
  head.expected = &result;
  head.limit_s = seconds(result.limit.time);
  head.predicted_s = seconds(result.predicted_time());
  if (!result.has_interval()) return;
  head.carried_far =
      result.calibration && result.calibration->relation == analyze::Relation::relative;
  head.low_s = result.prediction->low.value;
  head.high_s = result.prediction->high.value;
}

HeadCase head_case(const analyze::CaseResult& result) {
  HeadCase head{result.model, result.device.id, settings_of(result), result.batch};
  add_expected(head, result);
  if (result.fit) head.verdict = name_of(result.fit->verdict);
  return head;
}

HeadCase head_case(const analyze::MeasuredCase& measured) {
  const record::CaseIdentity& identity = measured.record.identity;
  HeadCase head{identity.model, device_of(measured.record), settings_of(identity), identity.batch};
  if (measured.model) add_expected(head, *measured.model);
  head.measured_s = measured.median_s();
  head.verdict = measured.status_word();
  head.is_measurement = true;
  return head;
}

HeadCase head_case(const analyze::ImportedCase& imported) {
  HeadCase head{imported.title, device_of(imported.record), {}};
  if (imported.step_s) {
    head.measured_s = imported.step_s;
  } else if (imported.trace && imported.trace->ours.breakdown.mean.total_ns > 0.0) {
    head.measured_s = imported.trace->ours.breakdown.mean.total_ns * seconds_per_ns;
  }
  if (imported.time_check) {
    head.limit_s = imported.time_check->limit_s;
    head.predicted_s = imported.time_check->predicted_s;
    head.low_s = imported.time_check->predicted_low_s;
    head.high_s = imported.time_check->predicted_high_s;
  }
  return head;
}

std::string head_title(std::span<const HeadCase> cases) {
  std::string title = format("{} on {}", list_of(models_of(cases), "network"),
                             list_of(devices_of_cases(cases), "device"));
  chart::Names settings;
  for (std::size_t i = 0; i < most_settings(cases); ++i) {
    chart::Names values = values_of_setting(cases, i);
    const bool others = i == worker_setting && std::ranges::any_of(cases, [](const HeadCase& each) {
                          return each.is_measurement && each.settings.size() <= worker_setting;
                        });
    if (others) values.insert(values.begin(), std::string(record::usual_worker));
    constexpr std::array words = {"batch size", "phase", "precision", "worker"};
    if (!values.empty()) settings.push_back(list_of(values, words.at(i)));
  }
  return settings.empty() ? title : format("{}: {}", title, join(settings, ", "));
}

std::vector<std::string> head_answer(std::span<const HeadCase> cases) {
  std::vector<std::string> answer;
  const auto add = [&answer](std::string sentence) {
    if (!sentence.empty()) answer.push_back(std::move(sentence));
  };
  if (cases.empty()) return answer;
  const chart::Names devices = devices_of_cases(cases);
  if (cases.size() == 1) {
    add(sentence_of(cases.front()));
  } else {
    if (devices.size() > 1) {
      for (std::string& sentence : device_sentences(cases, devices)) add(std::move(sentence));
    }
    if (devices.size() == 1) add(spread_sentence(cases));
    add(interval_sentence(cases));
  }
  add(verdict_sentence(cases, false));
  add(verdict_sentence(cases, true));
  return answer;
}

std::vector<chart::Dot> head_dots(std::span<const HeadCase> cases) {
  const bool one_device = devices_of_cases(cases).size() == 1;
  std::vector<chart::Dot> dots;
  for (const std::string& model : models_of(cases)) {
    std::vector<const HeadCase*> those;
    for (const HeadCase& each : cases) {
      if (each.model == model) those.push_back(&each);
    }
    std::ranges::stable_sort(
        those, {}, [](const HeadCase* each) { return each->time_s().value_or(INFINITY); });
    for (const HeadCase* const each : those) {
      chart::Names labels;
      if (!one_device) labels.push_back(each->device);
      for (std::size_t i = 0; i < each->settings.size(); ++i) {
        const bool tells = i == worker_setting || values_of_setting(cases, i).size() > 1;
        if (tells) labels.push_back(each->settings[i]);
      }
      const std::optional<double> time_s = each->time_s();
      if (!time_s && each->verdict.empty()) continue;  // a log of kernels without steps
      const std::optional<double> rate = each->samples_per_s();
      dots.push_back({.group = model,
                      .label = labels.empty() ? each->device : join(labels, ", "),
                      .limit = each->limit_s,
                      .predicted = each->predicted_s,
                      .low = each->low_s,
                      .high = each->high_s,
                      .measured = each->measured_s,
                      .value = time_s ? si(*time_s, "s", 3) : "-",
                      .remark = rate ? format("{} samples/s{}", plain_number(*rate),
                                              each->carried_far ? ", carried far" : "")
                                : time_s && is_bound_only(*each) ? "limit only"
                                                                 : "",
                      .verdict = each->verdict});
    }
  }
  return dots;
}

void show_head(page::Document& document, std::span<const HeadCase> cases) {
  if (cases.empty()) return;
  document.title = head_title(cases);
  document.answer = head_answer(cases);
  document.dots = head_dots(cases);
  document.bases = bases_of(cases);
}

}  // namespace rooflab::report
