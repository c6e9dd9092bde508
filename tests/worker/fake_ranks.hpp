#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <utility>

#include "base/format.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "engine/ranks.hpp"
#include "rooflab/device/overlap.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab {

/// Ranks that never talk to each other: everyone knows the figures of all. A step takes 0.2 ms a
/// sample and a hundredth more on each further rank, an exchange 2 ms times 2 (N - 1) / N, of which
/// three quarters are hidden.
///
/// Rules: `oom`; `kill-rank=R` (rank R dies in the middle; the others notice); `slow`; `mute` (ends
/// well without a result); `full` (finds the disk full).
class FakeRanks {
 public:
  FakeRanks(std::string rule, record::Environment environment)
      : rule_(std::move(rule)),
        environment_(std::move(environment)),
        place_(engine::place_from_environment(engine::own_environment())
                   .value_or(engine::RankPlace())) {}

  int rank(const engine::ScaleRequest& request, const std::filesystem::path& result) const {
    if (place_.rank == 0) {
      std::cout << to_json(engine::Progress{"measure", 0.5, 1.0}).dump() << std::endl;
    }
    if (rule_ == "slow") std::this_thread::sleep_for(std::chrono::hours(1));
    if (rule_ == "mute") return 0;
    if (rule_ == "full") {
      throw Error(ErrorKind::system,
                  format("cannot write '{}': the fake disk is full", result.filename().string()));
    }
    if (rule_.starts_with("kill-rank=")) return broken(request, result);
    if (place_.rank > 0) return 0;
    record::ScaleRun run = whole(request);
    if (rule_ == "oom") {
      run.status = record::Status::oom;
      run.message = "rank 1: out of memory: 300 MB held, 128 MB asked";
      for (record::RankResult& each : run.ranks) each.steps_s.clear();
    }
    save_file(result, run);
    return run.status == record::Status::ok ? 0 : 1;
  }

  /// 10 us and 100 GB/s over two ranks, 5 us more for each further one; at the same time
  /// products take 1.2 times as long, copies 1.4 times, all-reduces 1.1 and 1.3 times.
  int links(const engine::LinkRequest& request, const std::filesystem::path& result) const {
    if (place_.rank > 0) return 0;
    const auto ranks = static_cast<int>(request.devices.size());
    engine::LinkProbe probe;
    probe.backend = request.devices.front() == "cpu" ? "gloo" : "nccl";
    for (double bytes = 4096.0; bytes <= 256.0 * 1024 * 1024; bytes *= 4.0) {
      const double share = 2.0 * (ranks - 1) / ranks;
      const double time = 5e-6 * ranks + share * bytes / 100e9;
      probe.times.push_back({ranks, bytes, time, 0.99 * time, 1.05 * time, "all_reduce"});
      if (ranks > 2) continue;
      const double copy = 5e-6 + bytes / 150e9;
      probe.times.push_back({2, bytes, copy, 0.99 * copy, 1.05 * copy, "copy"});
    }
    const auto add = [&](device::OverlapFigure figure, double value) {
      probe.figures.push_back({device::overlap_figure_name(figure, ranks), "1", value, 0.99 * value,
                               1.02 * value, 5, "buckets of 25 MiB"});
    };
    add(device::OverlapFigure::product, 1.2);
    add(device::OverlapFigure::copy, 1.4);
    add(device::OverlapFigure::all_reduce_beside_product, 1.1);
    add(device::OverlapFigure::all_reduce_beside_copy, 1.3);
    save_file(result, probe);
    return 0;
  }

 private:
  [[nodiscard]] record::RankResult result_of(const engine::ScaleRequest& request, int rank) const {
    const int size = place_.size;
    const double alone = 2e-4 * static_cast<double>(request.request.identity.batch);
    const double exchange = 2e-3 * 2.0 * (size - 1) / size;
    const double step = (alone + exchange / 4.0) * (1.0 + 0.01 * rank);
    record::RankResult result;
    result.rank = rank;
    result.host = "fakehost";
    result.device = environment_.device;
    result.device.index = rank;
    for (const double factor : {1.00, 0.98, 1.02, 0.99, 1.01}) {
      result.steps_s.push_back(step * factor);
    }
    if (size > 1 && request.exchange_alone) {
      result.alone_s = alone;
      result.exchange_s = exchange;
    }
    if (environment_.device.kind != "cpu" && request.kernels) {
      result.kernels = record::RankKernels{
          step, 0.9 * alone + exchange, exchange, 0.75 * exchange, 0.95, 0.9, 0.5};
      record::Sample sample;
      sample.core_utilization = 0.97;
      result.samples = {{"cuda:0", environment_.device.name, {sample}}};
    }
    result.allocated_peak = Bytes(2'000'000'000);
    result.reserved_peak = Bytes(2'500'000'000);
    return result;
  }

  [[nodiscard]] record::ScaleRun whole(const engine::ScaleRequest& request) const {
    record::ScaleRun run;
    run.identity = request.request.identity;
    run.identity.device = request.devices.front();
    run.ranks_wanted = place_.size;
    run.environment = environment_;
    if (place_.size > 1) {
      run.backend = environment_.device.kind == "cpu" ? "gloo" : "nccl";
      run.bucket_bytes = {1'000'000, 25'000'000};
    }
    for (int rank = 0; rank < place_.size; ++rank) run.ranks.push_back(result_of(request, rank));
    return run;
  }

  int broken(const engine::ScaleRequest& request, const std::filesystem::path& result) const {
    record::RankResult own = result_of(request, place_.rank);
    own.steps_s.resize(2);
    const std::string text = to_json(own).dump();
    write_file_atomically(std::filesystem::path(result) += ".part", text);
    const int dead = static_cast<int>(parse_integer(rule_.substr(10)).value());
    if (place_.rank == dead) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      ::raise(SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    std::cerr << "rank " << dead << " does not answer\n";
    return 1;
  }

  std::string rule_;
  record::Environment environment_;
  engine::RankPlace place_;
};

}  // namespace rooflab
