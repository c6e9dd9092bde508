#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "profile_file.hpp"
#include "rooflab/counters/metric_plan.hpp"
#include "rooflab/counters/range_session.hpp"

namespace rooflab::inject {

/// Counts one metric set a step until all are done: first those of whole steps, then, if asked for,
/// those of every kernel. Whoever drives it says where steps begin and end; the device must have
/// finished its work at both. Values go to the file as soon as they are there.
class StepCounting {
 public:
  /// `sequence`: signatures of a step's launches, in order. Throws CuptiError.
  StepCounting(std::shared_ptr<const counters::CuptiLibrary> cupti, void* context, int device,
               std::vector<std::uint32_t> sequence, bool kernels, ProfileFile& file);

  [[nodiscard]] bool done() const { return next_ == sets_.size(); }
  [[nodiscard]] bool armed() const { return session_.armed(); }
  [[nodiscard]] const std::string& chip() const { return session_.chip(); }

  /// Arms the next set. Throws CuptiError.
  void begin_step();
  /// Takes its values. `launched`: the signatures of the launches since begin_step. A step that was
  /// not like the reference is counted anew, a few times. Throws CuptiError.
  void end_step(const std::vector<std::uint32_t>& launched);
  /// Forgets the step under way: it broke off.
  void abandon_step();

 private:
  struct Set {
    counters::MetricConfig config;
    counters::RangeUnit unit;
    int attempts = 0;
  };
  using Clock = std::chrono::steady_clock;

  void plan_totals();
  void plan_kernels();
  void add_sets(const counters::MetricPlan& plan, counters::RangeUnit unit);
  void write_totals(const Set& set, const counters::RangeValues& values);
  void write_kernels(const Set& set, const counters::RangeValues& values,
                     const std::vector<std::uint32_t>& launched);
  void end_set(std::int64_t launches, std::int64_t dropped);

  std::shared_ptr<const counters::CuptiLibrary> cupti_;
  counters::RangeSession session_;
  std::vector<std::uint32_t> sequence_;
  bool kernels_wanted_;
  bool kernels_planned_ = false;
  ProfileFile& file_;
  counters::PassCount passes_;
  std::vector<Set> sets_;
  std::size_t next_ = 0;
  std::vector<record::KernelFigure> absent_;  ///< tensor types without work in the step
  std::optional<Clock::time_point> first_armed_;
  Clock::time_point armed_;
};

}  // namespace rooflab::inject
