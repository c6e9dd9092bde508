#include "rooflab/analyze/measured_case.hpp"

#include <algorithm>
#include <iterator>

#include "base/format.hpp"
#include "notes/analyze_notes.hpp"
#include "record/suspicion.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::analyze {
namespace {

using record::Record;

/// What an unknown device lacks is not worth a line each: one note says that it is unknown.
void drop_notes_of_unknown_device(CaseResult& model) {
  std::erase_if(model.notes, [](const Note& note) {
    return note.code != says.ops_not_counted && note.code != says.causal_attention;
  });
}

// A step that is faster than possible says that a roof is wrong, or that other work was done. A
// twentieth is left for noise of steps and probes.
constexpr double least_limit_ratio = 0.95;
constexpr double most_peak_share = 1.05;

bool has_measured_roofs(const device::Device& device) {
  return (device.bandwidth && device.bandwidth->measured) ||
         std::ranges::any_of(device.peaks, [](const auto& peak) { return peak.second.measured; });
}

/// nullopt: it is not, or the limit is unknown. A worker of others may move fewer bytes than the
/// ops one by one, so that its time says nothing; but it cannot exceed the peak.
std::optional<Note> faster_than_possible(const MeasuredCase& measured) {
  const std::optional<double> ratio = measured.limit_ratio();
  const std::optional<double> peak_share = measured.peak_share();
  if (!ratio) return std::nullopt;
  const bool within_limit =
      *ratio >= least_limit_ratio || !measured.record.identity.other_worker().empty();
  if (within_limit && peak_share.value_or(0.0) <= most_peak_share) {
    return std::nullopt;
  }
  return Note{has_measured_roofs(measured.model->device) ? says.above_measured_roofs
                                                         : says.above_datasheet_roofs,
              {*ratio, peak_share}};
}

CaseResult model_of(const Record& record, const graph::Graph& network,
                    const std::optional<device::Device>& device,
                    const CalibrationLookup& calibrations) {
  const schedule::Schedule schedule = schedule::lower(network, lowering_of(record.identity));
  const std::shared_ptr<const CalibratedModel> calibrated =
      device && calibrations ? calibrations(*device) : nullptr;
  device::Device unknown;
  unknown.name = record.environment.device.name;
  if (record.environment.device.memory) {
    unknown.memory = device::Figure{.value = record.environment.device.memory->as_double()};
  }
  const device::Device& target = device ? *device : unknown;
  CaseResult model =
      analyze_case(schedule, memory_of(schedule, target, calibrated.get()), target, {});
  if (calibrated) {
    const device::HostCosts* const at_hand = record.issue_costs ? &*record.issue_costs : nullptr;
    add_prediction(model, schedule, *calibrated, at_hand);
    add_channels_last(model, lowering_of(record.identity), [&](const auto& lowering) {
      return predicted_step(schedule::lower(network, lowering), *calibrated, at_hand).time;
    });
  }
  model.model = record.identity.model;
  model.rewrite = record.identity.rewrite;
  model.batch = record.identity.batch;
  model.command = record.identity.command;
  if (!device) drop_notes_of_unknown_device(model);
  return model;
}

std::optional<double> with_data_s(const record::Timing& timing) {
  if (timing.data_s.empty() && timing.copy_s.empty()) return std::nullopt;
  std::vector<double> steps = timing.steps_s;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i < timing.data_s.size()) steps[i] += timing.data_s[i];
    if (i < timing.copy_s.size()) steps[i] += timing.copy_s[i];
  }
  return statistics_of(steps).median;
}

/// The series of the device that ran the case: monitors count GPUs on their own, so the first
/// GPU's.
std::optional<record::SampleSummary> samples_of(const Record& record) {
  const std::string_view kind = record.environment.device.kind;
  for (const record::SampleSeries& series : record.samples) {
    if (!series.samples.empty() && series.device.starts_with(kind)) return summarize(series);
  }
  return std::nullopt;
}

}  // namespace

schedule::LoweringOptions lowering_of(const record::CaseIdentity& identity) {
  schedule::LoweringOptions options;
  options.phase = identity.phase;
  options.precision = identity.precision;
  options.channels_last = identity.channels_last;
  if (const auto optimizer = from_name<schedule::Optimizer>(identity.optimizer)) {
    options.optimizer = *optimizer;
  }
  return options;
}

std::string_view MeasuredCase::status_word() const {
  return record.status == record::Status::ok && !warnings.empty() ? "suspect"
                                                                  : name_of(record.status);
}

std::optional<double> MeasuredCase::median_s() const {
  return steps ? std::optional(steps->median) : std::nullopt;
}

std::optional<double> MeasuredCase::median_spread_share() const {
  if (!steps) return std::nullopt;
  return quotient(std::max(steps->median_high - steps->median, steps->median - steps->median_low),
                  steps->median);
}

std::optional<double> MeasuredCase::limit_s() const {
  if (!model || !model->limit.time) return std::nullopt;
  return model->limit.time->value;
}

std::optional<double> MeasuredCase::limit_ratio() const { return quotient(median_s(), limit_s()); }

std::optional<double> MeasuredCase::headroom_share() const {
  const std::optional<double> ratio = limit_ratio();
  return ratio ? std::optional(1.0 - 1.0 / *ratio) : std::nullopt;
}

std::optional<double> MeasuredCase::samples_per_s() const {
  return quotient(static_cast<double>(record.identity.batch), median_s());
}

std::optional<double> MeasuredCase::flop_per_s() const {
  if (!model) return std::nullopt;
  return quotient(model->limit.flops().as_double(), median_s());
}

std::optional<double> MeasuredCase::peak_share() const {
  if (!limit_ratio() || !model->limit.main_path) return std::nullopt;
  return quotient(flop_per_s(), device::peak(model->device, *model->limit.main_path));
}

std::optional<double> MeasuredCase::peak_ratio() const {
  if (!model || !record.memory || !record.memory->allocated_peak) return std::nullopt;
  return quotient(record.memory->allocated_peak->as_double(),
                  model->memory.allocated_peak.as_double());
}

std::optional<device::Device> find_device(const device::Catalog& catalog,
                                          const record::DeviceIdentity& identity,
                                          std::optional<Note>& note) {
  if (identity.name.empty()) return std::nullopt;  // nobody said which
  try {
    device::Device found = catalog.find(identity.name);
    found.driver = identity.driver.value_or("");
    return found;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    note = Note{says.device_unknown, {identity.name}};
    return std::nullopt;
  }
}

MeasuredCase measured_case_of(Record record, const device::Catalog& catalog,
                              const std::optional<device::Device>& limit_device,
                              const CalibrationLookup& calibrations) {
  MeasuredCase result;
  result.record = std::move(record);
  const Record& measured = result.record;
  if (measured.timing && !measured.timing->steps_s.empty()) {
    result.steps = statistics_of(measured.timing->steps_s);
    result.with_data_s = with_data_s(*measured.timing);
  }
  std::optional<graph::Graph> network;
  if (!measured.identity.graph.empty()) {
    network = graph::parse_text(measured.identity.graph,
                                format("the record's network '{}'", measured.identity.model));
    std::optional<Note> note;
    const std::optional<device::Device> device =
        limit_device ? limit_device : find_device(catalog, measured.environment.device, note);
    if (note) result.notes.push_back(*note);
    // A prediction for another device, or for another framework than the one whose ops a
    // calibration has, says nothing about the measured time.
    const std::string worker = measured.identity.other_worker();
    const bool alike = !limit_device && worker.empty();
    result.model = model_of(measured, *network, device, alike ? calibrations : CalibrationLookup());
    if (!worker.empty()) result.notes.push_back({says.other_worker, {worker}});
    result.notes.insert(result.notes.end(), result.model->notes.begin(), result.model->notes.end());
    if (limit_device) {
      result.notes.push_back(
          {says.limit_of_other_device, {limit_device->name, measured.environment.device.name}});
    }
  }
  result.layers = measured_layers_of(measured, network ? &*network : nullptr,
                                     result.model ? &*result.model : nullptr);
  result.counted = counted_layers_of(measured, network ? &*network : nullptr,
                                     result.model ? &*result.model : nullptr);
  result.samples = samples_of(measured);
  result.host_bound = record::is_host_bound(measured);
  // The limit of another device may well be slower.
  if (!limit_device) {
    if (std::optional<Note> note = faster_than_possible(result)) result.warnings = {*note};
  }
  std::ranges::copy_if(
      measured.warnings, std::back_inserter(result.warnings), [](const Note& note) {
        // What `measure` wrote as JSON holds it by the roofs of then.
        return note.code != says.above_measured_roofs && note.code != says.above_datasheet_roofs;
      });
  add_notes(result.warnings, suspicions_of(measured));  // `measure`'s JSON holds them already
  return result;
}

void Agreement::add(const MeasuredCase& measured, const CaseResult* prediction) {
  if (prediction == nullptr || !prediction->has_interval() || !measured.steps) return;
  const predict::StepTime& step = *prediction->prediction;
  const double median = measured.steps->median;
  ++known_;
  if (median >= step.low.value && median <= step.high.value) {
    ++within_;
  } else if (measured.host_bound && !prediction->has_host_at_hand()) {
    ++waiting_;
  }
}

std::string Agreement::sentence() const {
  if (known_ == 0) return "";
  std::string text = format("{} of {} measured {}", within_, known_,
                            known_ == 1 ? "time is within its predicted interval"
                                        : "times are within their predicted intervals");
  if (waiting_ > 0) {
    text += format(
        "; of the others {} {} for the host, which may be slower or faster than the one that"
        " was probed",
        waiting_, waiting_ == 1 ? "waits" : "wait");
  }
  return text + ".";
}

}  // namespace rooflab::analyze
