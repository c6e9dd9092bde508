#include "left_out_devices.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "first_rule.hpp"
#include "predict/achievable_rate.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/predict/time_model.hpp"

namespace rooflab::accuracy {
namespace {

using analyze::KnownCalibrations;
using predict::Relation;

/// Shorter ops are mostly a launch, of which the published times leave an unsure rest.
constexpr double shortest_s = 20e-6;
constexpr std::size_t sampled_rows = 200;  ///< rows of a kind, spread evenly

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

LeftOutErrors errors_of(const std::string& kind, const device::OpTable& table,
                        const device::Device& target, const predict::TimeModel& model,
                        const predict::TimeModel& without_chip, FirstRule* before) {
  LeftOutErrors errors;
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
      return std::exp(2.0 * 1.645 * deviation);
    };
    errors.width += judge(model, errors.now, errors.inside);
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

}  // namespace

void LeftOutErrors::add(const LeftOutErrors& other) {
  const auto append = [](std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(now, other.now);
  append(before, other.before);
  append(roofline, other.roofline);
  append(without_chip, other.without_chip);
  inside += other.inside;
  width += other.width;
  inside_without_chip += other.inside_without_chip;
}

double typical_error(std::vector<double> logs) {
  for (double& log : logs) log = std::abs(log);
  return std::expm1(quantile(logs, 0.5));
}

double mean_error(std::vector<double> logs) {
  for (double& log : logs) log = std::abs(log);
  return std::expm1(statistics_of(logs).mean);
}

double bias_of(const std::vector<double>& logs) { return std::expm1(statistics_of(logs).mean); }

LeftOutErrors LeftOutDevice::all() const {
  LeftOutErrors sum;
  for (const auto& [kind, errors] : kinds) sum.add(errors);
  return sum;
}

std::vector<LeftOutDevice> leave_each_device_out() {
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
      LeftOutErrors errors =
          errors_of(kind, table, target, model, without_chip, id == h200.id ? nullptr : &first);
      if (!errors.now.empty()) left.kinds.emplace(kind, std::move(errors));
    }
    devices.push_back(std::move(left));
  }
  return devices;
}

}  // namespace rooflab::accuracy
