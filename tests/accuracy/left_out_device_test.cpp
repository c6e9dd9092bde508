// Each calibrated device left out in turn: its published single ops predicted from all others'.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accuracy_page.hpp"
#include "first_rule.hpp"
#include "judged.hpp"
#include "predict/achievable_rate.hpp"
#include "rooflab/analyze/calibrations.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::accuracy {
namespace {

using analyze::KnownCalibrations;
using predict::Relation;

/// Shorter ops are mostly a launch, of which the published times leave an unsure rest.
constexpr double shortest_s = 20e-6;
constexpr std::size_t sampled_rows = 200;  ///< of a kind, spread evenly over its rows

/// Logarithms of predicted over measured times of a set of ops.
struct Errors {
  std::vector<double> now;
  std::vector<double> before;        ///< by the rule of version 0.1
  std::vector<double> roofline;      ///< by the device's own datasheet
  std::vector<double> without_chip;  ///< with all devices of its chip left out
  double inside = 0.0;
  double inside_without_chip = 0.0;

  void add(const Errors& other) {
    const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(now, other.now);
    append(before, other.before);
    append(roofline, other.roofline);
    append(without_chip, other.without_chip);
    inside += other.inside;
    inside_without_chip += other.inside_without_chip;
  }
  [[nodiscard]] double coverage() const { return inside / static_cast<double>(now.size()); }
  [[nodiscard]] double coverage_without_chip() const {
    return inside_without_chip / static_cast<double>(without_chip.size());
  }
};

/// exp(median |log|) - 1: twice too long and half too short count alike.
double typical(std::vector<double> logs) {
  for (double& log : logs) log = std::abs(log);
  return std::expm1(quantile(logs, 0.5));
}
double mean_error(std::vector<double> logs) {
  for (double& log : logs) log = std::abs(log);
  return std::expm1(statistics_of(logs).mean);
}
double bias(const std::vector<double>& logs) { return std::expm1(statistics_of(logs).mean); }

std::string typical_or_dash(const std::vector<double>& logs) {
  return logs.empty() ? "-" : percent(typical(logs));
}

struct LeftOutDevice {
  device::Device device;
  std::string nearest;  ///< id of the device that most is carried from
  std::map<std::string, Errors> kinds;

  [[nodiscard]] Errors all() const {
    Errors sum;
    for (const auto& [kind, errors] : kinds) sum.add(errors);
    return sum;
  }
};

/// The device without what was derived from the rows that are left out.
device::Device as_if_unmeasured(device::Device device) {
  device.sustained_clock.reset();
  device.sustained.clear();
  return device;
}

std::vector<predict::CalibratedDevice> sources(const KnownCalibrations& known,
                                               const device::Device& target, Relation nearest) {
  std::vector<predict::CalibratedDevice> kept;
  for (const device::LazyCalibration& each : known.all) {
    const device::Device& device = known.devices.at(each.entry().device);
    if (predict::relation_of(target, device) >= nearest) kept.push_back({each, device});
  }
  return predict::relatives_of(target, std::move(kept));
}

bool has_kind(const std::vector<predict::CalibratedDevice>& devices, const std::string& kind) {
  return std::ranges::any_of(devices, [&kind](const predict::CalibratedDevice& each) {
    return std::ranges::any_of(each.calibration.entry().kinds, [&kind](const auto& known) {
      return known.name == kind && known.fitted;
    });
  });
}

Errors errors_of(const std::string& kind, const device::OpTable& table,
                 const device::Device& target, const predict::TimeModel& model,
                 const predict::TimeModel& without_chip, FirstRule* before) {
  Errors errors;
  const std::size_t step = (table.rows.size() + sampled_rows - 1) / sampled_rows;
  for (std::size_t i = 0; i < table.rows.size(); i += step) {
    const double measured_s = table.rows[i].time_s;
    if (measured_s < shortest_s) continue;
    predict::OpShape shape = predict::shape_of_kind(kind);
    shape.sizes = table.rows[i].sizes;
    const auto judge = [measured_s, &shape](const predict::TimeModel& by, std::vector<double>& logs,
                                            double& inside) {
      const predict::OpEstimate estimate = by.estimate(shape);
      logs.push_back(std::log(estimate.time_s / measured_s));
      const double deviation = std::hypot(estimate.deviation, estimate.common_deviation);
      if (std::abs(logs.back()) <= 1.645 * deviation) inside += 1.0;
    };
    judge(model, errors.now, errors.inside);
    judge(without_chip, errors.without_chip, errors.inside_without_chip);
    errors.roofline.push_back(
        std::log(predict::datasheet_times(shape, target).longest() / measured_s));
    if (before == nullptr) continue;
    if (const auto time = before->time_s(shape, target)) {
      errors.before.push_back(std::log(*time / measured_s));
    }
  }
  return errors;
}

std::vector<LeftOutDevice> leave_each_out() {
  const KnownCalibrations known = KnownCalibrations::built_in();
  const device::Device& h200 = known.devices.at("h200-sxm");
  FirstRule first(*known.of(h200), h200);
  std::vector<LeftOutDevice> devices;
  for (const device::LazyCalibration& each : known.all) {
    const std::string& id = each.entry().device;
    const device::Device target = as_if_unmeasured(known.devices.at(id));
    const auto others = sources(known, target, Relation::same_chip);
    const predict::TimeModel model(others, target);
    const predict::TimeModel without_chip(sources(known, target, Relation::same_architecture),
                                          target);
    LeftOutDevice left{target, model.source().id, {}};
    for (const auto& [kind, table] : each.read()->ops) {
      if (!has_kind(others, kind)) continue;
      Errors errors =
          errors_of(kind, table, target, model, without_chip, id == h200.id ? nullptr : &first);
      if (!errors.now.empty()) left.kinds.emplace(kind, std::move(errors));
    }
    devices.push_back(std::move(left));
  }
  return devices;
}

std::string cells(const Errors& errors) {
  return format("{} | {} | {} | {:.0f} % | {} | {}", errors.now.size(),
                percent(typical(errors.now)), signed_percent(bias(errors.now)),
                100.0 * errors.coverage(), typical_or_dash(errors.before),
                percent(typical(errors.roofline)));
}

TEST(Accuracy, OfDevicesLeftOut) {
  const std::vector<LeftOutDevice> devices = leave_each_out();
  ASSERT_EQ(devices.size(), 13U);
  std::string by_device =
      "| device left out | nearest source | rows | typical error | bias | in the 90 % interval | "
      "version 0.1 | own roofline | its chip left out | in the interval |\n"
      "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |\n";
  std::string by_kind =
      "| device left out | kind | rows | typical error | bias | in the 90 % interval | version 0.1 "
      "| own roofline |\n"
      "| --- | --- | --: | --: | --: | --: | --: | --: |\n";
  Errors pooled;
  std::vector<std::string> over_aim;
  std::vector<std::string> worse;
  for (const LeftOutDevice& left : devices) {
    const Errors all = left.all();
    pooled.add(all);
    by_device +=
        format("| {} | {} | {} | {} | {:.0f} % |\n", left.device.name, left.nearest, cells(all),
               percent(typical(all.without_chip)), 100.0 * all.coverage_without_chip());
    if (typical(all.now) > 0.20) {
      over_aim.push_back(format("{} ({})", left.device.name, percent(typical(all.now))));
    }
    for (const auto& [kind, errors] : left.kinds) {
      by_kind += format("| {} | `{}` | {} |\n", left.device.name, kind, cells(errors));
      if (typical(errors.now) <= typical(errors.roofline)) continue;
      worse.push_back(format("{}, `{}` ({}, roofline {}, {} rows)", left.device.name, kind,
                             percent(typical(errors.now)), percent(typical(errors.roofline)),
                             errors.now.size()));
    }
  }
  by_device +=
      format("| all rows | | {} | {} | {:.0f} % |\n", cells(pooled),
             percent(typical(pooled.without_chip)), 100.0 * pooled.coverage_without_chip());
  EXPECT_LE(typical(pooled.now), 0.20);
  EXPECT_GE(pooled.coverage(), 0.80);
  EXPECT_LE(pooled.coverage(), 0.97);
  EXPECT_LT(typical(pooled.now), typical(pooled.before));
  EXPECT_LT(typical(pooled.now), typical(pooled.roofline));

  Summary summary{.rows = pooled.now.size(),
                  .mean = mean_error(pooled.now),
                  .median = typical(pooled.now),
                  .inside = pooled.coverage(),
                  .bias = bias(pooled.now),
                  .roofline = mean_error(pooled.roofline)};
  expect_line_in_page(overview_line("single ops of 13 devices, each left out", summary));
  expect_in_page("left out devices", by_device);
  expect_in_page("left out kinds", by_kind);
  const auto list = [](const std::vector<std::string>& entries) {
    std::string text;
    for (const std::string& entry : entries) text += "- " + entry + "\n";
    return entries.empty() ? std::string("- none\n") : text;
  };
  expect_in_page("left out over aim", list(over_aim));
  expect_in_page("left out worse than roofline", list(worse));
}

}  // namespace
}  // namespace rooflab::accuracy
