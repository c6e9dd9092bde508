// What the libraries and the driver hold of a device's memory in addition to the tensors.
//
// Where `rooflab probe` observed an op's workspace on the device itself, that is what counts
// (op_workspace.cpp). On another device the libraries may pick other algorithms, so there is a
// bound in place of a figure:
//
//     expected     the workspace by the rules of the nearest device that was probed
//     most         twice the most that is plausible by these rules; on a device of another maker,
//                  whose libraries have other algorithms, an im2col of the whole batch if
//                  that is more: the operand of the product that a convolution is written as
//     kept         what the libraries of that device keep from step to step
//
// An op that nobody observed is taken to copy its operands and results once, and twice at most.
// A few kernels that are not products take temporary memory too (softmax's backward pass: one
// tensor); it is left out.
//
// The context of a device that was not probed is what others saw on devices of its architecture
// (data/driver_contexts.toml). How far these bounds hold: docs/methods/memory.md. Source of im2col:
// Chellapilla, Puri and Simard, "High performance convolutional neural networks for document
// processing", IWFHR 2006; AMD's MIOpen has it as its algorithm GEMM.

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "device/driver_context.hpp"
#include "rooflab/predict/memory_model.hpp"

namespace rooflab::predict {
namespace {

Bytes whole(double bytes) { return Bytes(static_cast<std::int64_t>(bytes)); }

/// The operand of the product that a convolution is, for the whole batch; 0 for other ops.
double im2col_bytes(const OpShape& shape) {
  if (!shape.op.starts_with("conv")) return 0.0;
  const auto size = [&shape](std::string_view column) {
    const auto columns = columns_of(shape.op);
    const auto found = std::ranges::find(columns, column);
    return shape.sizes[static_cast<std::size_t>(found - columns.begin())];
  };
  return size("batch") * size("pixels") * size("in_channels") * size("groups") * size("kernel") *
         element_bytes(shape.type);
}

/// The workspace of an op on another device than the one that it was observed on.
Workspace carried(Workspace workspace, const OpShape& shape, Relation relation) {
  constexpr double other_algorithms = 2.0;
  workspace.most *= other_algorithms;
  if (relation == Relation::other_maker) {
    workspace.most = std::max(workspace.most, im2col_bytes(shape));
  }
  return workspace;
}

/// The workspace of an op that nobody observed. Kernels of grouped products read their operands
/// where they lie and get a table of addresses only (PyTorch,
/// aten/src/ATen/native/cuda/GroupMM.cu).
Workspace of_copies(const OpShape& shape) {
  if (shape.op == "grouped_matmul") return {};
  constexpr double copies = 2.0;
  const double bytes = work_of(shape).bytes;
  Workspace workspace{{{bytes, 1.0}}, copies * bytes, 0.0};
  workspace.most = std::max(workspace.most, im2col_bytes(shape));
  return workspace;
}

void set_context(LibraryMemory& memory, const device::Device& device) {
  const std::optional<device::DriverContext> context = device::driver_context(device);
  if (!context) return;
  memory.context = whole(context->expected);
  memory.most_context = whole(context->most);
  memory.context_source =
      format("as others saw it on {}: {}", device.architecture, context->source);
}

std::string rules_of(const std::string& device) { return format("rules of the {}", device); }

}  // namespace

LibraryMemory library_memory(const device::Device& device) {
  LibraryMemory memory;
  set_context(memory, device);
  return memory;
}

LibraryMemory library_memory(const schedule::Schedule& schedule, const TimeModel& model) {
  LibraryMemory memory;
  std::map<std::pair<std::string, std::vector<double>>, Workspace> known;
  bool multiplies = false;
  for (const schedule::ScheduledOp& op : schedule.ops) {
    memory.workspace.emplace_back();
    const std::optional<OpShape> shape = shape_of(schedule, op, model.target());
    if (!shape || !is_product(shape->op)) continue;
    multiplies = multiplies || shape->op == "linear" || shape->op == "matmul";
    const auto key = std::pair(shape->kind(), shape->sizes);
    const auto found = known.find(key);
    if (found != known.end()) {
      memory.workspace.back() = found->second;
      continue;
    }
    const std::optional<TimeModel::ObservedWorkspace> observed = model.workspace(*shape);
    Workspace workspace;
    if (!observed) {
      workspace = of_copies(*shape);
      if (memory.workspace_source.empty() && !workspace.amounts.empty()) {
        memory.workspace_source = "copies of operands";
      }
    } else if (observed->device->id == model.target().id) {
      workspace = observed->workspace;
    } else {
      workspace =
          carried(observed->workspace, *shape, relation_of(model.target(), *observed->device));
      memory.workspace_source = rules_of(observed->device->name);
    }
    memory.workspace.back() = known.emplace(key, std::move(workspace)).first->second;
  }
  const auto figure = [&model](std::string_view name) { return model.observed_figure(name); };
  const bool training = schedule.phase == Phase::training;
  if (multiplies) {
    const auto kept = figure(training ? "memory.blas_workspace_training" : "memory.blas_workspace");
    if (kept) {
      memory.kept = whole(kept->value);
      if (kept->device->id != model.target().id) {
        memory.workspace_source = rules_of(kept->device->name);
      }
    }
  }
  const auto context = figure("memory.context");
  if (context && context->device->id == model.target().id) {
    memory.context = memory.most_context = whole(context->value);
  } else {
    set_context(memory, model.target());
  }
  return memory;
}

}  // namespace rooflab::predict
