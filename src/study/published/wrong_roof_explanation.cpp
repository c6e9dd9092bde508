// Peaks of arithmetic that the work did not run on.
//
// The peak is what the publisher says to have divided by (`used.peak_flops`), or what follows from
// an estimated time: printed work / printed time, with the work as it is printed, doubled (printed
// are MACs) and halved (MACs meant). It is looked up among the peaks of the row's device, within
// 3 %: datasheets and transcriptions of them round to two or three digits. A time that is bytes /
// bandwidth within 1 % says nothing of a peak.
//
// Held against it: the paths that matrix work of the row's precision may take on the device. fp32
// data may take FP32 units or, because frameworks allow it, TF32; when a count of the row shows
// that its matrix work went to tensor cores (tensor_work_explanation.cpp), then TF32 alone. A row
// without a precision has those of our matching cases; without any, nothing is claimed.
//
// A peak is claimed to be wrong when paths of the device have it but none of the allowed ones, or
// when it is twice the peak of an allowed tensor path: datasheets print for it the rate at which
// two of four values are zeros that are left out, which dense work never has. NVIDIA's tensor cores
// can do so from compute capability 8.0 on, except for FP64. Such a reading is told first.
//
// Where several readings of an estimated time fit, all are listed, and one of whole FLOPs over an
// allowed path acquits. Devices with equal peaks of two paths (A100: FP32 and FP64 tensor, 19.5)
// are acquitted by either.

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "explanation_rules.hpp"
#include "rooflab/predict/limit.hpp"

namespace rooflab::study {
namespace {

constexpr double most_difference_of_figures = 0.03;
constexpr double most_difference_of_bytes = 0.01;
constexpr double sparse_gain = 2.0;
constexpr double least_sparse_capability = 8.0;

using enum ArithmeticPath;
using Paths = std::set<ArithmeticPath>;

void add_paths_of(Paths& paths, const device::Device& device, Precision precision) {
  const auto add = [&](DType type, Precision how) {
    if (const auto path = predict::matrix_path(device, type, how)) paths.insert(*path);
  };
  const DType type = matrix_type(precision);
  add(type, precision);
  if (precision == Precision::fp64) paths.insert(fp64_vector);
  if (precision == Precision::fp32) {
    paths.insert(fp32_vector);
    add(type, Precision::tf32);
  }
  const bool is_amp = precision == Precision::amp;  // bf16, or fp16 on devices without bf16
  if (is_amp) add(DType::f16, Precision::fp16);
  if ((is_amp || type == DType::f16) && device.peaks.contains(fp16_tensor_fp16)) {
    paths.insert(fp16_tensor_fp16);
  }
}

/// The paths that the row's work may have taken; empty: unknown.
Paths allowed_paths(const ComparedRows& context, const PublishedCase& published) {
  const device::Device& device = *published.key.known_device;
  if (const auto gap = tensor_gap_of(context, published)) return {gap->path};
  Paths paths;
  if (published.key.precision) {
    add_paths_of(paths, device, *published.key.precision);
    return paths;
  }
  for (const OwnCase* own : own_cases_of(context, published.key)) {
    if (own->key.precision && same_case(own->key, published.key)) {
      add_paths_of(paths, device, *own->key.precision);
    }
  }
  return paths;
}

Paths paths_with_peak(const device::Device& device, double peak) {
  Paths paths;
  for (const auto& [path, figure] : device.peaks) {
    if (path != int8_tensor_int32 && near(peak, figure.value, most_difference_of_figures))
      paths.insert(path);
  }
  return paths;
}

/// Peaks in a device file are dense. AMD's `gfx942` is not a number.
bool has_sparsity(const device::Device& device, ArithmeticPath path) {
  if (!is_matrix_unit(path) || path == fp64_tensor || !device.compute_capability) return false;
  return parse_number(device.compute_capability->value).value_or(0.0) >= least_sparse_capability;
}

/// The paths that a peak may be of.
struct Roofs {
  Paths sparse;  ///< allowed ones, whose figure with sparsity it is
  Paths dense;

  [[nodiscard]] bool empty() const { return sparse.empty() && dense.empty(); }
};

Roofs roofs_with_peak(const device::Device& device, double peak, const Paths& allowed) {
  Roofs roofs{.dense = paths_with_peak(device, peak)};
  for (const ArithmeticPath path : paths_with_peak(device, peak / sparse_gain)) {
    if (allowed.contains(path) && has_sparsity(device, path)) roofs.sparse.insert(path);
  }
  return roofs;
}

bool meet(const Paths& a, const Paths& b) {
  return std::ranges::any_of(a, [&](ArithmeticPath path) { return b.contains(path); });
}

std::string labels_of(const Paths& paths) {
  std::vector<std::string> labels;
  for (const ArithmeticPath path : paths) labels.emplace_back(label_of(path));
  return join(labels, " or ");
}

std::string labels_of(const Roofs& roofs) {
  std::vector<std::string> labels;
  if (!roofs.sparse.empty()) {
    labels.push_back(labels_of(roofs.sparse) + " (its own figure with sparsity)");
  }
  if (!roofs.dense.empty()) labels.push_back(labels_of(roofs.dense));
  return join(labels, " or ");
}

std::string peaks_text(const device::Device& device, const Paths& paths, const Paths& sparse = {}) {
  std::vector<std::string> peaks;
  const auto add = [&](ArithmeticPath path, std::string_view how, double gain) {
    const auto peak = device::peak(device, path);
    if (peak) peaks.push_back(format("{}{} {}", label_of(path), how, si(*peak * gain, "FLOP/s")));
  };
  for (const ArithmeticPath path : sparse) add(path, " with sparsity", sparse_gain);
  for (const ArithmeticPath path : paths) add(path, "", 1.0);
  return join(peaks, ", ");
}

/// An estimated time as work over a peak.
struct Reading {
  std::string work;       ///< `365.9 GFLOP (macs, 2 FLOP each)`
  bool is_whole = false;  ///< all FLOPs, and not MACs in their place
  double rate = 0.0;      ///< FLOP/s
  Roofs roofs;
};

/// Whether a published count is one of MACs: by its name, or by our MACs of the case.
bool counts_macs(const ComparedRows& context, const PublishedCase& published,
                 std::string_view quantity, double value) {
  if (quantity == "macs") return true;
  if (!published.key.batch) return false;
  return std::ranges::any_of(own_cases_of(context, published.key), [&](const OwnCase* own) {
    const auto macs = own->figure("macs");
    return own->key.batch && macs && same_model(own->key, published.key) &&
           same_batch(own->key, published.key) && near(value, *macs, most_difference_of_figures) &&
           !published.key.is_training();
  });
}

std::vector<Reading> readings_of(const ComparedRows& context, const PublishedCase& published,
                                 const Paths& allowed, double time) {
  std::vector<Reading> readings;
  for (const std::string_view quantity : {"macs", "estimated_flops", "flops"}) {
    const auto value = published.value(quantity);
    if (!value) continue;
    const bool macs = counts_macs(context, published, quantity, *value);
    const auto add = [&](double factor, bool is_whole, std::string_view what) {
      const double rate = factor * *value / time;
      Roofs roofs = roofs_with_peak(*published.key.known_device, rate, allowed);
      if (!is_whole) roofs.sparse.clear();  // two mistakes at once explain too much
      if (roofs.empty()) return;
      readings.push_back({format("{} ({}{})", si(factor * *value, "FLOP"), quantity, what),
                          is_whole, rate, std::move(roofs)});
    };
    if (macs) {
      add(2.0, true, ", 2 FLOP each");
      add(1.0, false, ", each taken for 1 FLOP");
    } else {
      add(1.0, true, "");
      add(0.5, false, ", halved");
    }
  }
  return readings;
}

bool is_time_of_bytes(const PublishedCase& published, double time) {
  std::vector<double> bandwidths;
  if (const auto used = published.used("bandwidth")) bandwidths.push_back(*used);
  if (published.key.known_device->bandwidth) {
    bandwidths.push_back(published.key.known_device->bandwidth->value);
  }
  for (const std::string_view quantity : {"estimated_bytes", "bytes"}) {
    const auto bytes = published.value(quantity);
    if (bytes && std::ranges::any_of(bandwidths, [&](double bandwidth) {
          return near(*bytes / bandwidth, time, most_difference_of_bytes);
        })) {
      return true;
    }
  }
  return false;
}

/// What the same source took for the same work on other devices.
void add_elsewhere(Explanation& explanation, const ComparedRows& context,
                   const PublishedCase& published) {
  for (const PublishedCase* other : same_work_elsewhere(context, published)) {
    if (!other->key.known_device) continue;
    Roofs roofs;
    const Paths allowed = allowed_paths(context, *other);
    const auto used = other->used("peak_flops");
    const auto time = other->value("estimated_time");
    if (used) {
      roofs = roofs_with_peak(*other->key.known_device, *used, allowed);
    } else if (time && !is_time_of_bytes(*other, *time)) {
      for (const Reading& reading : readings_of(context, *other, allowed, *time)) {
        if (!reading.is_whole) continue;
        roofs.sparse.insert(reading.roofs.sparse.begin(), reading.roofs.sparse.end());
        roofs.dense.insert(reading.roofs.dense.begin(), reading.roofs.dense.end());
      }
    }
    if (roofs.empty()) continue;
    add_evidence(explanation, "on {} the same source's peak is that of {}", other->key.device,
                 labels_of(roofs));
  }
}

std::optional<Explanation> used_peak_explanation(const PublishedCase& published,
                                                 const Paths& allowed) {
  const auto used = published.used("peak_flops");
  if (!used) return std::nullopt;
  const device::Device& device = *published.key.known_device;
  const Roofs taken = roofs_with_peak(device, *used, allowed);
  if (taken.empty() || meet(taken.dense, allowed)) return std::nullopt;
  return Explanation{
      Explanation::Kind::wrong_roof,
      published.name,
      format("the peak of {} is that of {}; matrix work of this case runs on {}",
             si(*used, "FLOP/s"), labels_of(taken), labels_of(allowed)),
      {format("{}: {}; {}", device.name, peaks_text(device, taken.dense, taken.sparse),
              peaks_text(device, allowed))}};
}

std::optional<Explanation> estimated_time_explanation(const ComparedRows& context,
                                                      const PublishedCase& published,
                                                      const Paths& allowed) {
  const auto time = published.value("estimated_time");
  if (!time || is_time_of_bytes(published, *time)) return std::nullopt;
  const std::vector<Reading> readings = readings_of(context, published, allowed, *time);
  const auto is_right = [&](const Reading& reading) {
    return reading.is_whole && meet(reading.roofs.dense, allowed);
  };
  if (readings.empty() || std::ranges::any_of(readings, is_right)) return std::nullopt;
  const device::Device& device = *published.key.known_device;
  Explanation explanation{.kind = Explanation::Kind::wrong_roof, .subject = published.name};
  explanation.sentence = format(
      "the estimated time {} is {} over the peak of {}; matrix work of this case runs on {}",
      si(*time, "s"), readings.front().work, labels_of(readings.front().roofs), labels_of(allowed));
  for (const Reading& reading : readings) {
    add_evidence(explanation, "{} / {} = {}: {}", reading.work, si(*time, "s"),
                 si(reading.rate, "FLOP/s"),
                 peaks_text(device, reading.roofs.dense, reading.roofs.sparse));
  }
  add_evidence(explanation, "{}: {}", device.name, peaks_text(device, allowed));
  return explanation;
}

}  // namespace

void add_wrong_roofs(const ComparedRows& context, std::vector<Explanation>& found) {
  for (const PublishedCase& published : context.published) {
    if (!published.key.known_device) continue;
    const Paths allowed = allowed_paths(context, published);
    if (allowed.empty()) continue;
    std::optional<Explanation> explanation = used_peak_explanation(published, allowed);
    if (!explanation && !published.row->used.contains("peak_flops")) {
      explanation = estimated_time_explanation(context, published, allowed);
    }
    if (!explanation) continue;
    add_elsewhere(*explanation, context, published);
    add_figures(*explanation, published, {"estimated_time"});
    found.push_back(std::move(*explanation));
  }
}

}  // namespace rooflab::study
