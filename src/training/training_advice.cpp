// Rules of thumb with stated thresholds, in the order in which it pays to follow them: a device
// that waits for data gains nothing from a faster precision.
//
//   data-bound      steps wait for images for more than 5 % of the training time. W decoding
//                   threads that leave a share w waiting would need W / (1 - w) to keep up; a
//                   quarter more is advised, up to the processors that are there
//   fp32            on tensor cores that do bf16 (compute capability 8.0 and later)
//   channels-first  with 16-bit data on tensor cores (7.0 and later): cuDNN's kernels for them want
//                   channels-last and convert otherwise
//   host-bound      issuing takes 90 % of the time that training does not wait for data: the
//                   device is idle in between. More images a step for the same number of launches
//   small batch     fewer images than multiprocessors, or the device in use for less than 80 % of
//                   the time although neither data nor host holds it up. Not where the memory
//                   in use, doubled, would leave less than a tenth free
//   throttled       a limit of power or temperature held the clocks down in more than 5 % of the
//                   samples. No flag helps; a GPU at its power limit is one that works
//
// Utilisation is the driver's: a share of time with at least one kernel, however small.
// Sources: NVIDIA, "CUDA C++ Programming Guide", table of features by compute capability; NVIDIA,
// "Deep Learning Performance: Convolutional Layers User's Guide", section on tensor layouts.

#include "rooflab/training/training_advice.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/format.hpp"
#include "record/suspicion.hpp"

namespace rooflab::training {
namespace {

using record::TrainingRun;

constexpr double data_bound_share = 0.05;
constexpr double spare_workers = 1.25;
constexpr double low_utilization = 0.80;
constexpr double full_memory = 0.90;
constexpr double throttled_share = 0.05;

/// 8.0 for compute capability `8.0`; 0 for none.
double capability_of(const TrainingRun& run) {
  return record::capability_of(run.environment.device).value_or(0.0);
}

bool is_16_bit(Precision precision) {
  return autocast_type(precision) || precision == Precision::bf16 || precision == Precision::fp16;
}

std::optional<TrainingAdvice> data_advice(const TrainingRun& run, const EpochSums& times) {
  const double share = times.wait_s / times.train_s;
  if (share <= data_bound_share) return std::nullopt;
  TrainingAdvice advice{.limit = TrainingLimit::data};
  advice.sentence = format("training waits {:.1f} % of its time for images, decoded by {} thread{}",
                           share * 100.0, run.data_workers, run.data_workers == 1 ? "" : "s");
  const int processors = run.environment.logical_cpus;
  if (processors == 0) {
    advice.sentence += format("; more {} help where there are processors for them",
                              RequestChange{ChangedMember::data_workers}.text());
    return advice;
  }
  if (run.data_workers >= processors) {
    advice.sentence += format(
        "; all {} processors decode already: smaller images on disk or a format without decoding"
        " (cifar10 binary) would help",
        processors);
    return advice;
  }
  // A share of nearly 1 asks for more than any machine has.
  const double wanted = std::ceil(run.data_workers / std::max(1.0 - share, 1e-3) * spare_workers);
  const int workers =
      static_cast<int>(std::clamp(wanted, run.data_workers + 1.0, static_cast<double>(processors)));
  advice.sentence += format("; this machine has {} processors", processors);
  advice.changes = {{ChangedMember::data_workers, std::to_string(workers)}};
  return advice;
}

/// Whether twice the images are likely to fit. Without samples nobody knows.
bool has_room(const TrainingRun& run, const record::SampleSummary& device) {
  if (!device.memory_used_bytes || !run.environment.device.memory) return true;
  return 2.0 * device.memory_used_bytes->max <
         full_memory * run.environment.device.memory->as_double();
}

std::optional<TrainingAdvice> batch_advice(const TrainingRun& run, const EpochSums& times,
                                           const record::SampleSummary& device) {
  TrainingAdvice advice;
  const double busy_s = times.train_s - times.wait_s;
  const double issue_share = busy_s > 0.0 ? times.issue_s / busy_s : 0.0;
  const std::int64_t batch = run.identity.batch;
  const bool waits = times.wait_s > data_bound_share * times.train_s;
  const std::optional<int> processors = run.environment.device.multiprocessors;
  if (issue_share >= record::host_bound_share) {
    advice.limit = TrainingLimit::host;
    advice.sentence = format(
        "the host is busy issuing steps for {:.0f} % of the time that training does not wait for"
        " data: the device waits for it",
        issue_share * 100.0);
  } else if (processors && batch < *processors) {
    advice.limit = TrainingLimit::small_batch;
    advice.sentence =
        format("a batch of {} has fewer images than the device has multiprocessors ({})", batch,
               *processors);
  } else if (!waits && device.core_utilization && device.core_utilization->mean < low_utilization) {
    advice.limit = TrainingLimit::small_batch;
    advice.sentence = format(
        "the device is in use {:.0f} % of the time although neither data nor host holds it up",
        device.core_utilization->mean * 100.0);
  } else {
    return std::nullopt;
  }
  if (!has_room(run, device)) {
    advice.sentence += format("; a larger batch may not fit: {} of {} are in use",
                              si(device.memory_used_bytes->max, "B"),
                              si(run.environment.device.memory->as_double(), "B"));
    return advice;
  }
  advice.sentence += "; a larger batch changes the training, the learning rate goes with it";
  advice.changes = {{ChangedMember::batch, std::to_string(2 * batch)}};
  return advice;
}

std::optional<TrainingAdvice> precision_advice(const TrainingRun& run) {
  constexpr double with_bf16 = 8.0;
  if (run.identity.precision != Precision::fp32 || capability_of(run) < with_bf16) {
    return std::nullopt;
  }
  return TrainingAdvice{
      .limit = TrainingLimit::precision,
      .sentence =
          "fp32 leaves the tensor cores idle; amp computes convolutions and products in"
          " bf16, tf32 (the more careful choice) keeps all data in fp32",
      .changes = {{ChangedMember::precision, std::string(name_of(Precision::amp))}}};
}

std::optional<TrainingAdvice> format_advice(const TrainingRun& run) {
  constexpr double with_tensor_cores = 7.0;
  if (!is_16_bit(run.identity.precision) || run.identity.channels_last ||
      capability_of(run) < with_tensor_cores) {
    return std::nullopt;
  }
  return TrainingAdvice{
      .limit = TrainingLimit::memory_format,
      .sentence = format("images are in channels-first order, which cuDNN converts for the tensor"
                         " cores in {}",
                         name_of(run.identity.precision)),
      .changes = {{ChangedMember::channels_last}}};
}

void add_throttling(std::vector<TrainingAdvice>& all, const record::SampleSummary& device) {
  if (!device.throttle) return;
  double power = 0.0;
  double heat = 0.0;
  for (const record::ThrottleShare& share : *device.throttle) {
    if (share.reason == "sw_power_cap" || share.reason == "hw_power_brake") {
      power = std::max(power, share.share);
    }
    if (share.reason == "sw_thermal" || share.reason == "hw_thermal" ||
        share.reason == "hw_slowdown") {
      heat = std::max(heat, share.share);
    }
  }
  if (power > throttled_share) {
    const std::string watts =
        device.power_w ? format(", at {:.0f} W on average", device.power_w->mean) : "";
    all.push_back({.limit = TrainingLimit::power,
                   .sentence = format("the power limit held the clocks down in {:.0f} % of the"
                                      " samples{}: the device works as hard as it may",
                                      power * 100.0, watts)});
  }
  if (heat > throttled_share) {
    const std::string degrees =
        device.temperature_c ? format(" (up to {:.0f} °C)", device.temperature_c->max) : "";
    all.push_back({.limit = TrainingLimit::heat,
                   .sentence = format("heat{} held the clocks down in {:.0f} % of the samples:"
                                      " cooling would help, no flag does",
                                      degrees, heat * 100.0)});
  }
}

}  // namespace

std::string TrainingAdvice::change() const {
  std::vector<std::string> words;
  for (const RequestChange& each : changes) words.push_back(each.text());
  return join(words, " ");
}

std::vector<TrainingAdvice> advice_of(const TrainingRun& run) {
  std::vector<TrainingAdvice> all;
  const EpochSums times = epoch_sums(run);
  if (times.train_s <= 0.0) return all;
  if (auto advice = data_advice(run, times)) all.push_back(std::move(*advice));
  // What follows is about a device that works by itself.
  if (run.identity.device == "cpu") return all;
  const record::SampleSummary device = device_samples(run);
  if (auto advice = precision_advice(run)) all.push_back(std::move(*advice));
  if (auto advice = format_advice(run)) all.push_back(std::move(*advice));
  if (auto advice = batch_advice(run, times, device)) all.push_back(std::move(*advice));
  add_throttling(all, device);
  return all;
}

}  // namespace rooflab::training
