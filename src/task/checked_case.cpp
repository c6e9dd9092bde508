#include "checked_case.hpp"

#include "base/format.hpp"
#include "recorded_network.hpp"

namespace rooflab::task {
namespace {

template <class T>
std::optional<T> first_of(const std::vector<T>& values) {
  return values.empty() ? std::nullopt : std::optional(values.front());
}

}  // namespace

void CheckedCase::refuse_contradictions(const std::string& source) const {
  const std::optional<Phase> phase = first_of(asked_.phase);
  const std::optional<std::int64_t> batch = first_of(asked_.batch);
  const std::optional<Precision> precision = first_of(asked_.precision);
  const bool trains = shown_.phase == Phase::training;
  std::string is;
  std::string wanted;
  const auto differ = [&](std::string_view word, const auto& shown, const auto& asked) {
    is += format(" {} {}", word, shown);
    wanted += format(" {} {}", word, asked);
  };
  const bool another_phase = phase && shown_.phase && trains != (*phase == Phase::training);
  if (batch && shown_.batch && *batch != *shown_.batch) differ("at batch", *shown_.batch, *batch);
  if (precision && shown_.precision && !analyze::may_be_of(*shown_.precision, *precision)) {
    differ("in", name_of(*shown_.precision), name_of(*precision));
  }
  if (trains && asked_.optimizer && shown_.optimizer && *shown_.optimizer != *asked_.optimizer) {
    differ("with", name_of(*shown_.optimizer), name_of(*asked_.optimizer));
  }
  if (!another_phase && is.empty()) return;
  throw Error(ErrorKind::input,
              format("the {} {}{}; you asked for {}{}", is_trace_ ? "trace" : "log",
                     !another_phase ? "runs"
                     : trains       ? "trains"
                                    : "has no backward pass and runs",
                     is, another_phase ? name_of(*phase) : "a run", wanted),
              "what is left out is taken from what it shows", {source, {}, {}, {}});
}

NetworkSettings CheckedCase::settings(const std::string& source,
                                      std::vector<std::string>& assumed) const {
  refuse_contradictions(source);
  NetworkSettings settings = asked_;
  if (is_recorded(model_)) return settings;  // its own
  if (settings.phase.empty()) {
    settings.choose(shown_.phase.value_or(usual_phase));
    if (!shown_.phase) assumed.emplace_back(name_of(usual_phase));
  }
  if (settings.batch.empty()) {
    if (shown_.batch) {
      settings.batch = {*shown_.batch};
    } else {
      assumed.emplace_back(is_model_file(model_) ? "the batch of the file" : "batch 1");
    }
  }
  if (settings.precision.empty() && !is_model_file(model_)) {  // a file has its types
    settings.choose(shown_.precision.value_or(usual_precision));
    if (!shown_.precision && is_trace_) assumed.emplace_back(name_of(usual_precision));
  }
  if (shown_.optimizer) settings.optimizer = *shown_.optimizer;
  return settings;
}

}  // namespace rooflab::task
