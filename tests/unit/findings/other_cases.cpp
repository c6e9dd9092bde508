// Kernels with counters, series of data-parallel runs, jobs and training runs.

#include "../predict/toy_device.hpp"
#include "finding_cases.hpp"
#include "scale_runs.hpp"

namespace rooflab::findings {
namespace other_case {

using record::KernelFigure;

/// One launch of 10 s on a device of 100 B/s and 1000 FLOP/s.
std::vector<Finding> findings_of_kernel(std::string_view name, const device::Device& device,
                                        const std::map<KernelFigure, double>& figures,
                                        const std::string& capability) {
  record::Record record;
  record.environment.device.compute_capability = capability;
  record::KernelTable& kernels = record.kernels.emplace();
  record::KernelLaunch launch;
  launch.name = kernels.names.intern(name);
  const std::size_t row = kernels.add(launch);
  kernels.set(KernelFigure::time_s, row, 10.0);
  for (const auto& [figure, value] : figures) kernels.set(figure, row, value);
  return findings_of(
      analyze::imported_case_of(std::move(record), "toy", device::Catalog({device}), device));
}

// 1000 of 10000 possible FLOPs, and 100 of 1000 possible bytes: both 10 %.
std::vector<Finding> far_from_roofs(bool present) {
  return findings_of_kernel("k", predict::toy_device(),
                            {{KernelFigure::ffma, 500.0},
                             {KernelFigure::fadd, 0.0},
                             {KernelFigure::fmul, 0.0},
                             {KernelFigure::dram_bytes, present ? 100.0 : 900.0}},
                            "6.1");
}

std::vector<Finding> low_occupancy(bool present) {
  return findings_of_kernel("k", predict::toy_device(),
                            {{KernelFigure::occupancy, present ? 0.1 : 0.5}}, "6.1");
}

std::vector<Finding> layout_conversion(bool present) {
  return findings_of_kernel(present ? "void cudnn::nchwToNhwcKernel<float>" : "k",
                            predict::toy_tensor_device(), {}, "8.0");
}

// TF32 is four times as fast as FP32: 10 s become 2.5.
std::vector<Finding> cuda_core_products(bool present) {
  return findings_of_kernel("sgemm_128x64_nn", predict::toy_tensor_device(),
                            {{KernelFigure::ffma, 500.0},
                             {KernelFigure::fadd, 0.0},
                             {KernelFigure::fmul, 0.0},
                             {KernelFigure::tensor_tf32, present ? 0.0 : 500.0}},
                            "8.0");
}

std::vector<Finding> findings_of_runs(const std::vector<record::ScaleRun>& runs) {
  return findings_of(analyze::scaling_of(runs));
}

// 14 ms of a mean of 12: 2 ms are waited for.
std::vector<Finding> unbalanced_ranks(bool present) {
  return findings_of_runs({run_of(64, {(present ? 10 : 14) * ms, 14 * ms})});
}

// Two ranks compute 14 and 10 ms of a step.
std::vector<Finding> unbalanced_job(bool present) {
  trace::TraceJob job;
  for (const double computation_ms : {present ? 14.0 : 12.0, present ? 10.0 : 12.0}) {
    trace::RankRow& rank = job.ranks.emplace_back();
    rank.rank = static_cast<int>(job.ranks.size()) - 1;
    rank.overlap.computation_only_ns = computation_ms * 1e6;
  }
  job.load_imbalance = present ? 14.0 / 12.0 - 1.0 : 0.0;
  return findings_of(job);
}

// 12 ms with, 10 without an exchange that takes 4 by itself: 2 are exposed.
std::vector<Finding> exposed_communication(bool present) {
  record::ScaleRun run = run_of(64, {12 * ms, 12 * ms});
  for (record::RankResult& rank : run.ranks) {
    rank.alone_s = (present ? 10 : 12) * ms;
    rank.exchange_s = 4 * ms;
  }
  return findings_of_runs({run});
}

// A kernel runs 55 % of 10 ms.
std::vector<Finding> host_wait(bool present) {
  record::ScaleRun run = run_of(64, {10 * ms, 10 * ms});
  for (record::RankResult& rank : run.ranks) {
    rank.kernels =
        record::RankKernels{.step_s = 10 * ms, .kernel_s = 6 * ms, .busy = present ? 0.55 : 0.95};
  }
  return findings_of_runs({run});
}

std::vector<Finding> mixed_batches(bool present) {
  return findings_of_runs({run_of(64, {10 * ms}), run_of(present ? 48 : 64, {8 * ms, 8 * ms})});
}

std::vector<Finding> scaling_efficiency(bool present) {
  std::vector<record::ScaleRun> runs = {run_of(64, {10 * ms})};
  if (present) runs.push_back(run_of(64, {12.5 * ms, 12.5 * ms}));
  return findings_of_runs(runs);
}

/// 1 GB on one device; two hold 600 MB each.
std::vector<Finding> memory_of_ranks(bool present) {
  std::vector<record::ScaleRun> runs = {run_of(64, {10 * ms}), run_of(32, {6 * ms, 6 * ms})};
  runs[0].ranks[0].allocated_peak = Bytes(1'000'000'000);
  for (record::RankResult& rank : runs[1].ranks) {
    if (present) rank.allocated_peak = Bytes(600'000'000);
  }
  return findings_of_runs(runs);
}

std::vector<Finding> ended_early(bool present) {
  record::ScaleRun run = run_of(64, {10 * ms, 10 * ms});
  if (present) run.status = record::Status::crashed;
  return findings_of_runs({run});
}

std::vector<Finding> training_waits(bool present) {
  training::TrainingSummary summary;
  training::TrainingGroup& group = summary.groups.emplace_back();
  group.number = 1;
  if (present) {
    group.advice = {{.limit = training::TrainingLimit::data, .sentence = "it waits for images"}};
  }
  return findings_of(summary);
}

}  // namespace other_case

std::vector<FindingCase> other_cases() {
  using namespace other_case;
  return {{FindingKind::far_from_roofs, "log", far_from_roofs, 9.0},
          {FindingKind::low_occupancy, "log", low_occupancy, std::nullopt},
          {FindingKind::cuda_core_products, "log", cuda_core_products, 7.5},
          {FindingKind::layout_conversion, "log", layout_conversion, 10.0},
          {FindingKind::unbalanced_ranks, "series", unbalanced_ranks, 2 * ms},
          {FindingKind::unbalanced_ranks, "job", unbalanced_job, 2 * ms},
          {FindingKind::exposed_communication, "series", exposed_communication, 2 * ms},
          {FindingKind::host_wait, "series", host_wait, 4.5 * ms},
          {FindingKind::mixed_batches, "series", mixed_batches, std::nullopt},
          {FindingKind::scaling_efficiency, "series", scaling_efficiency, std::nullopt},
          {FindingKind::memory_of_ranks, "series", memory_of_ranks, std::nullopt},
          {FindingKind::ended_early, "series", ended_early, std::nullopt},
          {FindingKind::data_loading, "training", training_waits, std::nullopt}};
}

}  // namespace rooflab::findings
