#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data_parallel.hpp"
#include "device_watch.hpp"
#include "rank_job.hpp"
#include "rank_run.hpp"
#include "step.hpp"

namespace rooflab::torch_worker {

/// One rank's measurement; the essay is at the head of rank_run.cpp.
class RankMeasurement {
 public:
  RankMeasurement(const engine::ScaleRequest& request, const engine::RankPlace& place,
                  std::filesystem::path result, const ProgressListener& progress);
  int run();

 private:
  void measure();
  void set_up();

  /// One id on all ranks, another for every case.
  [[nodiscard]] std::uint64_t fingerprint() const;
  void describe();
  [[nodiscard]] std::vector<at::Tensor> buffers() const;

  /// One step, waited for.
  void step();
  void first_steps();

  /// For tests: the losses of three steps and the parameters after them, a number a line.
  void write_outputs();
  void warm_up();

  /// Device times of steps, one after the other without a wait.
  template <class Work>
  [[nodiscard]] std::vector<double> timed(std::int64_t count, Work work) {
    std::vector<std::pair<std::unique_ptr<Mark>, std::unique_ptr<Mark>>> marks;
    for (std::int64_t i = 0; i < count; ++i) {
      std::unique_ptr<Mark> begin = backend_->mark();
      work();
      marks.emplace_back(std::move(begin), backend_->mark());
    }
    backend_->synchronize();
    job_->progressed();
    std::vector<double> times;
    for (const auto& [begin, end] : marks) {
      times.push_back(backend_->seconds_between(*begin, *end));
    }
    return times;
  }

  /// The number of steps that fill `seconds`, by rank 0's estimate.
  [[nodiscard]] std::int64_t steps_in(double seconds, int least, int most);
  void time_steps();
  void keep(const std::vector<double>& times);
  void write_part(const std::string& text) const;
  void time_apart();
  void trace();
  [[nodiscard]] std::optional<Bytes> held() const {
    return backend_ ? backend_->allocator().allocated_peak : std::nullopt;
  }

  // ---- the end ------------------------------------------------------------------------------

  [[nodiscard]] record::ScaleRun whole(record::Status status, const std::string& message) const;
  void finish();

  /// Ends the process. `own_fault`: no other rank caused it. From any thread, while the work may be
  /// blocked for ever.
  void give_up(record::Status status, const std::string& why, bool own_fault);
  void write_broken(record::Status status, const std::string& why,
                    const record::RankResult& own) const;
  void say(std::string_view stage, double done, double left_s = 0.0) const {
    if (progress_ && place_.rank == 0) progress_(stage, done, left_s);
  }

  const engine::ScaleRequest& request_;
  const engine::MeasureSettings& settings_;
  const engine::RankPlace place_;
  const std::filesystem::path result_;
  const ProgressListener& progress_;
  record::Record record_;  ///< environment, samples, warnings, outcome of this rank
  mutable std::mutex mutex_;
  record::RankResult own_;
  std::vector<std::int64_t> bucket_bytes_;
  double step_estimate_s_ = 0.0;
  std::optional<RankJob> job_;
  std::unique_ptr<DeviceBackend> backend_;
  std::optional<DeviceWatch> watch_;
  std::unique_ptr<Step> step_;
  std::unique_ptr<RankGroup> group_;
  std::unique_ptr<DataParallel> exchange_;
};

}  // namespace rooflab::torch_worker
