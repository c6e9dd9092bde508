// From what the workers measured to a calibration.
//
// An item's graph is lowered as a network's would be, and the scheduled op of each pass names the
// row: kind and sizes. Rows that the schedule cannot distinguish are averaged: where the backward
// of a node is several ops of one kind (both factors of a product of two tensors), each takes its
// share.
//
// Workspace is what was allocated for a while in addition to the results: the peak during the call
// less the op's own results, less what the allocator's rounding may add (under 1 MiB a tensor,
// which it does not split off).

#include "calibration_builder.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <thread>

#include "notes/probe_notes.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/predict/op_model.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::probe {
namespace {

using engine::ProbeItem;
using engine::ProbeKind;
using engine::ProbeResult;
using predict::OpShape;
using schedule::Pass;
using schedule::Schedule;
using schedule::ScheduledOp;

constexpr std::size_t least_rows = 3;
constexpr double shortest_s = 2e-7;  // below what device events can tell

Schedule lowered(const ProbeItem& item) {
  schedule::LoweringOptions options;
  options.phase = item.gradients ? Phase::training : Phase::inference;
  options.precision = item.precision;
  options.channels_last = item.channels_last;
  options.optimizer =
      from_name<schedule::Optimizer>(item.optimizer).value_or(schedule::Optimizer::sgd_momentum);
  return schedule::lower(graph::parse_text(item.graph, "probe item"), options);
}

std::optional<double> workspace(const Schedule& schedule, const ScheduledOp& op,
                                const std::optional<double>& peak) {
  if (!peak) return std::nullopt;
  constexpr double kept_whole = 1024.0 * 1024.0;
  double results = 0.0;
  for (const schedule::TensorId id : op.writes) {
    const bool in_place = std::ranges::any_of(op.reads, [&](schedule::TensorId read) {
      return schedule.tensor(read).storage == schedule.tensor(id).storage;
    });
    if (!in_place) results += schedule.storage_of(id).bytes.as_double();
  }
  const double rest = *peak - results;
  return rest > kept_whole * static_cast<double>(op.writes.size() + 1) ? rest : 0.0;
}

/// Time and peak of the gradient of an op's weights. Recurrent layers make theirs behind those of
/// the data, so that it is the difference to all gradients.
std::pair<std::optional<double>, std::optional<double>> weight_gradient(const Schedule& schedule,
                                                                        const ProbeResult& result) {
  const bool recurrent = std::holds_alternative<graph::Recurrent>(schedule.graph.nodes.back().op);
  if (!recurrent) return {result.weight_gradient_s, result.weight_gradient_peak_bytes};
  if (!result.gradients_s || !result.data_gradient_s) return {};
  std::optional<double> peak = result.gradients_peak_bytes;
  const auto last = static_cast<graph::NodeId>(schedule.graph.nodes.size() - 1);
  for (const ScheduledOp& op : schedule.ops) {
    const bool of_data = op.node == last && op.pass == Pass::data_gradient &&
                         std::holds_alternative<schedule::NodeWork>(op.work);
    if (!peak || !of_data) continue;
    for (const schedule::TensorId id : op.writes) {
      *peak -= schedule.storage_of(id).bytes.as_double();
    }
  }
  return {*result.gradients_s - *result.data_gradient_s, peak};
}

OpShape shape_of_call(const ProbeItem& item) {
  engine::ProbeCall call = engine::call_of(item);
  OpShape shape = predict::shape_of_kind(call.kind);
  shape.sizes = std::move(call.sizes);
  return shape;
}

/// Shape of an item that evaluation runs as one call.
std::optional<OpShape> module_shape(const ProbeItem& item, const Schedule& schedule,
                                    const device::Device& device) {
  if (item.gradients) return std::nullopt;
  const std::vector<graph::AttentionModule> modules = graph::find_attention_modules(schedule.graph);
  if (modules.empty()) return std::nullopt;
  return predict::shape_of(schedule.graph, modules.front(), item.precision, device);
}

class RowAdder {
 public:
  RowAdder(device::Calibration& calibration, const device::Device& device)
      : calibration_(calibration), device_(device) {}

  void add(const ProbeItem& item, const ProbeResult& result) {
    if (item.kind == ProbeKind::call) {
      if (result.forward_s) {
        insert(shape_of_call(item), std::max(*result.forward_s, shortest_s), std::nullopt);
      }
      return;
    }
    const Schedule schedule = lowered(item);
    if (item.kind == ProbeKind::optimizer) {
      add_optimizer(schedule, result);
      return;
    }
    if (const std::optional<OpShape> module = module_shape(item, schedule, device_)) {
      if (result.forward_s) {
        insert(*module, std::max(*result.forward_s, shortest_s), std::nullopt);
      }
      return;
    }
    const auto last = static_cast<graph::NodeId>(schedule.graph.nodes.size() - 1);
    const bool copies = std::holds_alternative<graph::Contiguous>(schedule.graph.nodes.back().op);
    const auto own = [last, copies](const ScheduledOp& op, bool forward) {
      const bool work = std::holds_alternative<schedule::NodeWork>(op.work) ||
                        (copies && std::holds_alternative<schedule::CopyWork>(op.work));
      return op.node == last && work && (op.pass == Pass::forward) == forward;
    };
    double backward_ops = 0.0;
    for (const ScheduledOp& op : schedule.ops) backward_ops += own(op, false) ? 1.0 : 0.0;
    const auto [weight_gradient_s, weight_gradient_peak_bytes] = weight_gradient(schedule, result);
    // Each gradient of a product of two tensors was measured separately.
    std::optional<double> all_gradients_s = result.gradients_s;
    if (!all_gradients_s && result.data_gradient_s && result.weight_gradient_s) {
      all_gradients_s = *result.data_gradient_s + *result.weight_gradient_s;
    }
    for (const ScheduledOp& op : schedule.ops) {
      const bool forward = own(op, true);
      if (!forward && !own(op, false)) continue;
      const std::optional<OpShape> shape = predict::shape_of(schedule, op, device_);
      if (!shape) continue;
      const auto add_row = [&](const std::optional<double>& time, double shares,
                               const std::optional<double>& peak) {
        if (!time) return;
        insert(*shape, std::max(*time / shares, shortest_s),
               shares == 1.0 ? workspace(schedule, op, peak) : std::nullopt);
      };
      if (forward) {
        add_row(result.forward_s, 1.0, result.forward_peak_bytes);
      } else if (shape->pass == "data_gradient") {
        add_row(result.data_gradient_s, 1.0, result.data_gradient_peak_bytes);
      } else if (shape->pass == "weight_gradient") {
        add_row(weight_gradient_s, 1.0, weight_gradient_peak_bytes);
      } else {
        add_row(all_gradients_s, backward_ops, result.gradients_peak_bytes);
      }
    }
  }

 private:
  /// The passes of one step are measured together: a row of their common kind.
  void add_optimizer(const Schedule& schedule, const ProbeResult& result) {
    if (!result.optimizer_s) return;
    for (const ScheduledOp& op : schedule.ops) {
      if (op.pass != Pass::optimizer) continue;
      const std::optional<OpShape> shape = predict::shape_of(schedule, op, device_);
      if (shape) insert(*shape, std::max(*result.optimizer_s, shortest_s), std::nullopt);
      return;
    }
  }

  void insert(const OpShape& shape, double time, std::optional<double> workspace_bytes) {
    device::OpTable& table = calibration_.ops[shape.kind()];
    const std::span<const std::string_view> columns = predict::columns_of(shape.op);
    if (!std::ranges::equal(table.columns, columns)) {  // new, or of a version with other sizes
      table = {};
      table.columns.assign(columns.begin(), columns.end());
    }
    table.rows.push_back({shape.sizes, time, workspace_bytes});
  }

  device::Calibration& calibration_;
  const device::Device& device_;
};

/// Kind and sizes of what an item measures first: its op's forward pass, or the optimizer's step.
std::optional<OpShape> first_shape(const ProbeItem& item, const device::Device& device) {
  if (item.kind == ProbeKind::call) return shape_of_call(item);
  const Schedule schedule = lowered(item);
  if (std::optional<OpShape> module = module_shape(item, schedule, device)) return module;
  const auto last = static_cast<graph::NodeId>(schedule.graph.nodes.size() - 1);
  for (const ScheduledOp& op : schedule.ops) {
    const bool wanted =
        item.kind == ProbeKind::optimizer ? op.pass == Pass::optimizer : op.node == last;
    if (!wanted) continue;
    if (std::optional<OpShape> shape = predict::shape_of(schedule, op, device)) return shape;
  }
  return std::nullopt;
}

/// A shape that was measured more than once (by another item, or as another kernel's equal) becomes
/// one row: the median.
void merge_equal_rows(device::OpTable& table) {
  std::map<std::vector<double>, std::vector<device::OpRow>> groups;
  for (device::OpRow& row : table.rows) groups[row.sizes].push_back(std::move(row));
  table.rows.clear();
  for (auto& [sizes, rows] : groups) {
    std::ranges::sort(rows, {}, &device::OpRow::time_s);
    table.rows.push_back(std::move(rows[rows.size() / 2]));
  }
}

/// Published rows may be too large to say what a small op takes: the floor that they were fitted
/// with stays.
std::optional<double> floor_of_published(const device::OpTable& table) {
  if (!table.published || table.curve.empty()) return std::nullopt;
  return std::exp(table.curve.front());
}

}  // namespace

void add_op_rows(device::Calibration& calibration, std::span<const ProbeItem> items,
                 std::span<const ProbeResult> results, const device::Device& device) {
  RowAdder adder(calibration, device);
  for (const ProbeResult& result : results) {
    if (result.item >= items.size()) continue;
    const ProbeItem& item = items[result.item];
    if (item.kind != ProbeKind::chain) adder.add(item, result);
  }
  for (auto& [kind, table] : calibration.ops) merge_equal_rows(table);
}

std::vector<ProbeItem> not_measured_yet(std::vector<ProbeItem> items,
                                        const device::Calibration& calibration,
                                        const device::Device& device) {
  std::erase_if(items, [&](const ProbeItem& item) {
    const std::optional<OpShape> shape = first_shape(item, device);
    if (!shape) return false;
    const auto table = calibration.ops.find(shape->kind());
    return table != calibration.ops.end() &&
           std::ranges::find(table->second.rows, shape->sizes, &device::OpRow::sizes) !=
               table->second.rows.end();
  });
  return items;
}

void add_host_costs(device::Calibration& calibration, device::HostCosts costs) {
  const auto known = std::ranges::find(calibration.hosts, costs.issuer, &device::HostCosts::issuer);
  if (known == calibration.hosts.end()) {
    calibration.hosts.push_back(std::move(costs));
    return;
  }
  const auto lower = [](std::optional<double>& kept, const std::optional<double>& other) {
    if (other && (!kept || *other < *kept)) kept = other;
  };
  const auto lower_ops = [&lower](std::map<std::string, device::HostCost>& kept,
                                  const std::map<std::string, device::HostCost>& others) {
    for (const auto& [name, other] : others) {
      const auto [cost, added] = kept.emplace(name, other);
      if (added) continue;
      cost->second.inference_s = std::min(cost->second.inference_s, other.inference_s);
      lower(cost->second.forward_s, other.forward_s);
      lower(cost->second.backward_s, other.backward_s);
    }
  };
  lower_ops(costs.ops, known->ops);
  lower_ops(costs.autocast, known->autocast);
  const auto lower_all = [](std::map<std::string, double>& kept,
                            const std::map<std::string, double>& others) {
    for (const auto& [name, seconds] : others) {
      const auto [entry, added] = kept.emplace(name, seconds);
      if (!added) entry->second = std::min(entry->second, seconds);
    }
  };
  lower_all(costs.optimizer_fixed_s, known->optimizer_fixed_s);
  lower_all(costs.optimizer_per_tensor_s, known->optimizer_per_tensor_s);
  costs.loss_s = std::min(costs.loss_s, known->loss_s);
  costs.step_s = std::min(costs.step_s, known->step_s);
  lower(costs.module_call_s, known->module_call_s);
  costs.jitter = std::max(costs.jitter, known->jitter);
  *known = std::move(costs);
}

void fit_tables(device::Calibration& calibration, double multiprocessors,
                const std::function<void(double)>& progress) {
  std::vector<std::pair<const std::string, device::OpTable>*> tables;
  std::erase_if(calibration.ops, [&](const auto& entry) {
    if (entry.second.rows.size() >= least_rows) return false;
    calibration.notes.push_back({says.kind_too_small, {entry.second.rows.size()}, entry.first});
    return true;
  });
  std::size_t all_rows = 0;
  for (auto& entry : calibration.ops) {
    tables.push_back(&entry);
    all_rows += entry.second.rows.size();
  }
  // The longest first, so that no thread is left with one at the end.
  std::ranges::sort(tables, std::greater{},
                    [](const auto* entry) { return entry->second.rows.size(); });
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done_rows = 0;
  std::mutex speaking;
  const auto work = [&] {
    for (std::size_t i = next++; i < tables.size(); i = next++) {
      predict::fit_table(tables[i]->first, tables[i]->second, multiprocessors,
                         floor_of_published(tables[i]->second));
      done_rows += tables[i]->second.rows.size();
      if (!progress) continue;
      const std::lock_guard lock(speaking);
      progress(static_cast<double>(done_rows) / static_cast<double>(all_rows));
    }
  };
  std::vector<std::jthread> threads;
  const unsigned count = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 1; i < count; ++i) threads.emplace_back(work);
  work();
}

}  // namespace rooflab::probe
