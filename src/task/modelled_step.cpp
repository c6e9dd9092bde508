// FLOPs and bytes of the kernels of a profiled step without counters.
//
// The program's dispatcher gave each of its operations a number. The profile says which number was
// at work when a kernel was launched; the recording says, under the same number, the shapes of the
// tensors. The recording is lowered as `rooflab summary` lowers it, so that an operation has the
// FLOPs and compulsory bytes that it has there. Kernels of one operation are summed, and operations
// of one name, pass and module.
//
// When it is wrong: an algorithm with less arithmetic (Winograd), data that stays in a cache or is
// read twice, kernels that do the work of several operations. A kernel that no operation launched
// (of an extension, of Triton) has no work here, and an operation without a rule none that is
// known.

#include "modelled_step.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "rooflab/analyze/counted_layers.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/recording/recording.hpp"
#include "task_notes.hpp"

namespace rooflab::task {
namespace {

using record::ModelledOp;
using record::ModelledStep;

/// What an operation has to do.
struct OpWork {
  std::optional<double> flops = 0.0;
  std::optional<double> bytes = 0.0;
  std::optional<ArithmeticPath> path;
};

ModelledOp empty_row() {
  ModelledOp row;
  row.time_s = row.flops = row.bytes = row.counted_flops = row.counted_bytes = 0.0;
  return row;
}

/// A row of kernels whose op is not known: by the innermost of the ranges around their launch.
ModelledOp row_of_range(const std::string& ranges) {
  ModelledOp row = empty_row();
  const std::size_t end = ranges.rfind(record::range_separator);
  row.op = end == std::string::npos ? ranges : ranges.substr(end + record::range_separator.size());
  row.module = end == std::string::npos ? "" : ranges.substr(0, end);
  row.flops = row.bytes = std::nullopt;
  return row;
}

/// The work of the operations of one recording.
class WorkOfOps {
 public:
  WorkOfOps(recording::Recording recorded, const std::optional<device::Device>& device)
      : recorded_(std::move(recorded)),
        lowered_(recording::lower_by_op(recorded_)),
        limit_(predict::limit_of(lowered_.schedule, device.value_or(device::Device{}))),
        device_(device) {
    for (std::size_t i = 0; i < recorded_.ops.size(); ++i) numbers_[recorded_.ops[i].call] = i;
  }

  /// The place of the operation with that number; nullopt: none was recorded.
  [[nodiscard]] std::optional<std::size_t> op_of(std::int64_t call) const {
    const auto found = call < 0 ? numbers_.end() : numbers_.find(call);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

  [[nodiscard]] OpWork work_of(std::size_t op) const {
    const auto [first, last] = lowered_.entries_of(op);
    OpWork work;
    for (std::size_t i = first; i < last; ++i) {
      const predict::OpLimit& entry = limit_.ops[i];
      const auto& cost = entry.cost;
      add_part(work.flops, cost ? std::optional(cost->flops().as_double()) : std::nullopt);
      add_part(work.bytes, cost ? std::optional(cost->bytes().as_double()) : std::nullopt);
      if (entry.matrix_path) {
        work.path = entry.matrix_path;
      } else if (cost && !work.path && device_) {
        work.path = predict::vector_path(*device_, cost->vector_type);
      }
    }
    // It launched a kernel, so it moved something.
    if (work.bytes == 0.0) work.flops = work.bytes = std::nullopt;
    return work;
  }

  /// The row of an operation, without figures.
  [[nodiscard]] ModelledOp row_of(std::size_t index) const {
    const recording::Op& op = recorded_.ops[index];
    const recording::Place& place = recorded_.place_of(op);
    ModelledOp row = empty_row();
    row.op = recorded_.name_of(op);
    row.pass = name_of(place.part);
    if (place.module >= 0) {
      const recording::Module& module = recorded_.modules[static_cast<std::size_t>(place.module)];
      row.module = module.name;
      row.module_class = module.class_name;
    }
    return row;
  }

 private:
  const recording::Recording recorded_;
  recording::LoweredOps lowered_;
  predict::NetworkLimit limit_;
  std::optional<device::Device> device_;
  std::unordered_map<std::int64_t, std::size_t> numbers_;
};

/// The work of the operations of each recording; null: no kernel has an op of it.
using Recordings = std::vector<std::unique_ptr<const WorkOfOps>>;

ModelledStep modelled_step(const record::KernelTable& kernels, bool tensor_cores,
                           const record::ToldOps& told, const Recordings& recordings) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  ModelledStep step;
  step.part_of_run = told.part_of_run;
  step.time_s = 0.0;
  std::map<Key, std::size_t> rows;
  std::set<std::tuple<std::int32_t, std::size_t, std::int64_t>> seen;  // with the graph's launch
  for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) {
    const record::ToldLaunch& launch = told.launches[kernel];
    if (told.part_of_run && launch.recording < 0) continue;
    ++step.launches;
    const std::optional<double> time_s = kernels.at(record::KernelFigure::time_s, kernel);
    add_part(step.time_s, time_s);
    const WorkOfOps* const ops =
        launch.call < 0 ? nullptr : recordings[static_cast<std::size_t>(launch.recording)].get();
    const std::optional<std::size_t> op = ops == nullptr ? std::nullopt : ops->op_of(launch.call);
    if (!op && launch.range < 0) continue;
    ModelledOp row =
        op ? ops->row_of(*op) : row_of_range(told.ranges[static_cast<std::size_t>(launch.range)]);
    const auto [known, is_new] =
        rows.try_emplace({row.op, row.pass, row.module, row.module_class}, step.ops.size());
    if (is_new) step.ops.push_back(std::move(row));
    ModelledOp& sum = step.ops[known->second];
    ++sum.launches;
    add_part(sum.time_s, time_s);
    record::KernelSums counted;
    counted.tensor_cores = tensor_cores;
    counted.add(kernels, kernel);
    add_part(sum.counted_flops, counted.at(record::KernelFigure::flops));
    add_part(sum.counted_bytes, counted.at(record::KernelFigure::dram_bytes));
    if (!op || !seen.insert({launch.recording, *op, launch.replay}).second) continue;
    const OpWork work = ops->work_of(*op);
    ++sum.calls;
    add_part(sum.flops, work.flops);
    add_part(sum.bytes, work.bytes);
    if (work.path) sum.path = work.path;
  }
  return step;
}

}  // namespace

void add_modelled_step(record::Record& record, const device::Catalog& catalog) {
  if (!record.told_ops || !record.kernels) return;
  const record::ToldOps told = *std::exchange(record.told_ops, std::nullopt);
  std::optional<Note> ignored;
  const std::optional<device::Device> device =
      analyze::find_device(catalog, record.environment.device, ignored);
  Recordings recordings;
  bool any = false;
  for (std::size_t number = 0; number < told.recordings.size(); ++number) {
    recordings.push_back(nullptr);
    const bool is_used = std::ranges::any_of(told.launches, [&](const record::ToldLaunch& launch) {
      return launch.call >= 0 && launch.recording == static_cast<std::int32_t>(number);
    });
    if (!is_used) continue;
    try {
      recordings.back() = std::make_unique<const WorkOfOps>(
          recording::read_recording(told.recordings[number]), device);
      any = true;
    } catch (const Error& error) {
      record.warnings.push_back({says.ops_not_read, {error.full_message()}});
    }
  }
  if (!any && told.ranges.empty()) return;
  const record::KernelTable kernels =
      record.counting ? analyze::with_known_zeros(*record.kernels, *record.counting)
                      : *record.kernels;
  record.modelled = modelled_step(kernels, record::may_have_tensor_work(record), told, recordings);
}

}  // namespace rooflab::task
