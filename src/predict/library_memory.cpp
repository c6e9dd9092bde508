#include <algorithm>
#include <map>
#include <set>

#include "rooflab/base/text.hpp"
#include "rooflab/predict/memory_model.hpp"

namespace rooflab::predict {
namespace {

std::optional<Bytes> bytes_of(const device::Calibration& calibration, std::string_view name) {
  const device::MeasuredFigure* figure = calibration.find(name);
  if (figure == nullptr) return std::nullopt;
  return Bytes(static_cast<std::int64_t>(figure->value));
}

}  // namespace

std::optional<LibraryMemory> library_memory(const schedule::Schedule& schedule,
                                            const TimeModel& model) {
  if (!model.probed()) return std::nullopt;
  LibraryMemory memory;
  std::map<std::pair<std::string, std::vector<double>>, std::optional<Workspace>> known;
  std::set<std::string> unknown;
  bool multiplies = false;
  for (const schedule::ScheduledOp& op : schedule.ops) {
    memory.workspace.emplace_back();
    const std::optional<OpShape> shape = shape_of(schedule, op, model.target());
    // Products call libraries that take workspace. A few other kernels take temporary memory too
    // (softmax's backward: one tensor); it is left out.
    if (!shape || !is_product(shape->op)) continue;
    multiplies = multiplies || shape->op == "linear" || shape->op == "matmul";
    const auto key = std::pair(shape->kind(), shape->sizes);
    auto found = known.find(key);
    if (found == known.end()) found = known.emplace(key, model.workspace(*shape)).first;
    if (!found->second) {
      unknown.insert(format("workspace of {}", shape->kind()));
      continue;
    }
    memory.workspace.back() = *found->second;
  }
  memory.unknown.assign(unknown.begin(), unknown.end());
  const device::Calibration& calibration = model.calibration();
  const bool training = schedule.phase == Phase::training;
  if (multiplies) {
    const std::optional<Bytes> kept = bytes_of(
        calibration, training ? "memory.blas_workspace_training" : "memory.blas_workspace");
    if (kept) memory.kept = *kept;
  }
  memory.context = bytes_of(calibration, "memory.context");
  return memory;
}

}  // namespace rooflab::predict
