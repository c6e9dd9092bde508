// Verdicts on memory compared with measured peaks: on devices that were probed, and on the same
// rows as if they had not been.

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "accuracy_page.hpp"
#include "base/format.hpp"
#include "default_prediction.hpp"
#include "judged.hpp"
#include "published_rows.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/zoo/zoo.hpp"
#include "unseen_case.hpp"

namespace rooflab::accuracy {
namespace {

using predict::MemoryEstimate;
using predict::Verdict;

/// A step that ran, and what it took.
struct MeasuredPeak {
  std::string device;
  StepRequest request;
  double allocated_bytes = 0.0;
};

std::vector<MeasuredPeak> measured_peaks() {
  std::vector<MeasuredPeak> peaks;
  const PublishedRows ten("h200_pytorch_eager.csv");
  for (std::size_t i = 0; i < ten.size(); ++i) {
    const std::string network = ten.text(i, "model");
    peaks.push_back({"h200-sxm",
                     {.network = network,
                      .batch = ten.integer(i, "batch"),
                      .phase = ten.text(i, "mode") == "train" ? Phase::training : Phase::inference,
                      .precision = from_name<Precision>(ten.text(i, "precision")).value(),
                      .variant = network == "googlenet" ? "aux" : ""},
                     ten.number(i, "peak_alloc_bytes")});
  }
  const std::vector<std::pair<std::string, std::string>> files = {
      {"h200-sxm", "h200_unseen.jsonl"}, {"h100-sxm", "h100_unseen.jsonl"}};
  for (const auto& [device, file] : files) {
    for (UnseenCase& one : unseen_cases(file)) {
      peaks.push_back({device, std::move(one.request), one.allocated_bytes});
    }
  }
  return peaks;
}

/// A row of published_peaks.csv. Without `peak_bytes` the step ran out of memory.
struct PublishedPeak {
  MeasuredPeak peak;
  double memory_bytes = 0.0;
  bool ran = false;
};

std::vector<PublishedPeak> published_peaks() {
  std::vector<PublishedPeak> peaks;
  const PublishedRows rows("published_peaks.csv");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string device = rows.text(i, "device");
    const bool limited = !rows.text(i, "memory_limit_bytes").empty();
    PublishedPeak one{{device,
                       {.network = rows.text(i, "network"),
                        .batch = rows.integer(i, "batch"),
                        .phase = from_name<Phase>(rows.text(i, "phase")).value(),
                        .precision = from_name<Precision>(rows.text(i, "precision")).value()},
                       0.0},
                      limited ? rows.number(i, "memory_limit_bytes")
                              : catalog().find(device).memory.value().value,
                      !rows.text(i, "peak_bytes").empty()};
    if (one.ran) one.peak.allocated_bytes = rows.number(i, "peak_bytes");
    peaks.push_back(std::move(one));
  }
  return peaks;
}

/// A device with the same figures that nobody probed.
const analyze::CalibratedModel& unprobed_model(const std::string& id) {
  static std::map<std::string, device::Device> twins;
  device::Device& twin = twins[id];
  if (twin.id.empty()) {
    twin = catalog().find(id);
    twin.id += "-twin";
  }
  return model_for(twin);
}

MemoryEstimate memory_by(const StepRequest& request, const analyze::CalibratedModel& model) {
  return analyze::memory_of(step_of(request), model.times.target(), &model);
}

Bytes whole(double bytes) { return Bytes(static_cast<std::int64_t>(bytes)); }

/// What a process took of the device at least: what its allocator gave out, and the context that a
/// process of the kind was seen to hold (an H100: 0.73 GB, an H200: 0.86 GB).
double taken(const MeasuredPeak& peak) {
  constexpr double least_context = 0.73e9;
  return peak.allocated_bytes + least_context;
}

constexpr std::array sizes = {0.9, 0.99, 1.02, 1.1, 1.25, 1.5, 2.0, 4.0};

using Counts = std::array<std::size_t, 4>;  ///< rows by verdict

// A device with less than a row took must not get `fits`, one with more must not get `oom`.
TEST(Accuracy, OfMemoryVerdicts) {
  std::string text =
      "| rows | memory / taken | fits | likely | risky | oom |\n"
      "| --- | --: | --: | --: | --: | --: |\n";
  const auto add = [&](const std::string& name, bool probed, std::string_view device) {
    std::array<Counts, sizes.size()> verdicts = {};
    for (const MeasuredPeak& peak : measured_peaks()) {
      if (peak.device != device) continue;
      const MemoryEstimate memory =
          memory_by(peak.request,
                    probed ? model_for(catalog().find(peak.device)) : unprobed_model(peak.device));
      for (std::size_t k = 0; k < sizes.size(); ++k) {
        const Verdict verdict = predict::fit(memory, whole(sizes[k] * taken(peak)))->verdict;
        ++verdicts[k][static_cast<std::size_t>(verdict)];
        const std::string row =
            format("{}, {} {}, batch {}: {} times what it took", name, peak.request.network,
                   name_of(peak.request.phase), peak.request.batch, sizes[k]);
        EXPECT_FALSE(sizes[k] < 1.0 && verdict == Verdict::fits) << row;
        EXPECT_FALSE(sizes[k] > 1.0 && verdict == Verdict::oom) << row;
      }
    }
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      text += format("| {} | {} | {} |\n", name, sizes[k],
                     format("{} | {} | {} | {}", verdicts[k][0], verdicts[k][1], verdicts[k][2],
                            verdicts[k][3]));
    }
  };
  add("probed H200", true, "h200-sxm");
  add("H200 as if not probed", false, "h200-sxm");
  add("H100, not probed", false, "h100-sxm");
  expect_in_page("memory verdicts", text);

  text =
      "| device | case | memory | took | verdict | expected | at most |\n"
      "| --- | --- | --: | --: | --- | --: | --: |\n";
  for (const PublishedPeak& one : published_peaks()) {
    const analyze::CalibratedModel& model = model_for(catalog().find(one.peak.device));
    const MemoryEstimate memory = memory_by(one.peak.request, model);
    const Verdict verdict = predict::fit(memory, whole(one.memory_bytes))->verdict;
    const std::string row = format("{} {}, batch {}", one.peak.request.network,
                                   name_of(one.peak.request.phase), one.peak.request.batch);
    if (one.ran) {
      EXPECT_NE(name_of(verdict), "oom") << row << " on " << one.peak.device;
    } else {
      EXPECT_NE(name_of(verdict), "fits") << row << " on " << one.peak.device;
    }
    text += format("| {} | {} | {} | {} | {} | {} | {} |\n", one.peak.device, row,
                   si(one.memory_bytes, "B"), one.ran ? si(one.peak.allocated_bytes, "B") : "more",
                   name_of(verdict), si(memory.total.as_double(), "B"),
                   si(memory.most_total.as_double(), "B"));
  }
  expect_in_page("published peaks", text);
}

// Who asks about a network of 244 MB in inference at batch 1 gets `fits` wherever the memory is
// known.
TEST(Accuracy, OfAlexNetOnEveryDevice) {
  const schedule::Schedule alexnet = step_of({.network = "alexnet"});
  std::map<Verdict, std::vector<std::string>> devices;
  const std::vector<std::string> ids = catalog().ids();
  for (const std::string& id : ids) {
    const device::Device device = catalog().find(id);
    const analyze::CalibratedModel& model = model_for(device);
    const MemoryEstimate memory = analyze::memory_of(alexnet, device, &model);
    devices[predict::fit(memory, whole(device.memory.value().value))->verdict].push_back(device.id);
  }
  EXPECT_EQ(devices[Verdict::fits].size(), ids.size());
  std::string text;
  for (const auto& [verdict, with] : devices) {
    text += format("AlexNet, inference at batch 1: `{}` on {} of {} devices.\n", name_of(verdict),
                   with.size(), ids.size());
  }
  expect_in_page("alexnet verdicts", text);
}

}  // namespace
}  // namespace rooflab::accuracy
