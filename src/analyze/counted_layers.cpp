// Counters of kernels, folded by the node that launched them, next to the model's rows.
//
//   time     sum of the kernels' times, of steps that were traced without counters
//   FLOPs    by arithmetic path, of steps that were counted kernel by kernel (kernel_work.hpp has
//            the conventions: 1 MAC = 2 FLOP, an fp16 instruction does two lanes, hfma that only
//            moves constants is left out)
//   bytes    DRAM, read and written, likewise; kernels ran one after the other, caches kept
//   model    FLOPs and compulsory bytes of the phase, all passes of the node together
//
// The kernels are those of one step. A sum over launches of which one lacks the figure is not
// known. Forward and backward are told apart only where a gap's reason is looked for.

#include "rooflab/analyze/counted_layers.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "counted_gap.hpp"
#include "notes/analyze_notes.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/record/kernel_sums.hpp"

namespace rooflab::analyze {
namespace {

using record::KernelFigure;
using record::KernelTable;

constexpr std::string_view no_node = "(no node)";

/// Launches of one node: rows of the kernel table.
struct Launches {
  std::string name;
  std::string op;
  std::vector<std::size_t> forward;
  std::vector<std::size_t> backward;
};

/// Groups launches by node, in the model's order.
class ByNode {
 public:
  explicit ByNode(const CaseResult* model) {
    if (model == nullptr) return;
    for (const LayerRow& row : model->layers) of(row.name).op = row.op;
  }

  void add(std::size_t row, const record::LaunchScope& scope) {
    // A cast that autocast put before a node belongs to that node, as in the layer table.
    const std::string node = scope.node.substr(0, scope.node.rfind(".cast"));
    Launches& launches =
        of(!index_.contains(scope.node) && index_.contains(node) ? node : scope.node);
    if (launches.op.empty()) launches.op = scope.op;
    (scope.pass == "backward" ? launches.backward : launches.forward).push_back(row);
  }

  std::vector<Launches> all;

 private:
  Launches& of(const std::string& name) {
    const auto [entry, added] = index_.try_emplace(name, all.size());
    if (added) all.push_back({name, {}, {}, {}});
    return all[entry->second];
  }

  std::unordered_map<std::string, std::size_t> index_;
};

ByNode by_node(const record::Record& record, const KernelTable& kernels, const CaseResult* model,
               std::size_t& without_node) {
  ByNode groups(model);
  const std::vector<record::LaunchScope>& scopes = record.counting->scopes;
  const record::LaunchScope unknown = {std::string(no_node), "", "forward"};
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    const std::int64_t id = kernels.launch(row).external_id;
    const bool known = id >= 1 && static_cast<std::size_t>(id) <= scopes.size();
    if (!known) ++without_node;
    groups.add(row, known ? scopes[static_cast<std::size_t>(id) - 1] : unknown);
  }
  return groups;
}

const graph::Node* node_of(const graph::Graph* network, const std::string& name) {
  if (network == nullptr) return nullptr;
  const auto found = std::ranges::find(network->nodes, name, &graph::Node::name);
  return found == network->nodes.end() ? nullptr : &*found;
}

bool wants_tensor_cores(Precision precision) {
  return precision == Precision::tf32 || precision == Precision::fp16 ||
         precision == Precision::bf16 || autocast_type(precision);
}

/// Matrix work that a precision with tensor cores did elsewhere.
std::string remark_of(const CountedLayer& layer, Precision precision) {
  const std::optional<double> flops = layer.sums.at(KernelFigure::flops);
  if (!wants_tensor_cores(precision) || !layer.model || !flops) return "";
  const double matrix = layer.model->matrix_flops.as_double();
  const double tensor = layer.sums.at(KernelFigure::tensor_flops).value_or(0.0);
  if (matrix <= 0.0 || tensor >= 0.05 * matrix || *flops - tensor < 0.3 * matrix) return "";
  return "its matrix products ran on CUDA cores, not on tensor cores";
}

std::optional<double> step_sum(const record::Counting& counting, KernelFigure figure) {
  return counting.step ? counting.step->sum(figure) : std::nullopt;
}

/// The whole step set against the sum over its kernels.
std::vector<Note> differences_of(const CountedLayers& counted) {
  std::vector<Note> notes;
  if (!counted.step) return notes;
  const auto differ = [](double step, double sum, double threshold) {
    return std::abs(step - sum) > threshold * std::max(step, sum);
  };
  const std::optional<double> step_tensor = counted.step->at(KernelFigure::tensor_flops);
  const std::optional<double> tensor = counted.total.sums.at(KernelFigure::tensor_flops);
  if (step_tensor && tensor && differ(*step_tensor, *tensor, 0.001)) {
    notes.push_back({counted.total.sums.has_all(KernelFigure::flops)
                         ? says.steps_not_alike
                         : says.tensor_work_not_all_counted,
                     {*step_tensor, *tensor}});
  }
  const std::optional<double> step_dram = counted.step->at(KernelFigure::dram_bytes);
  const std::optional<double> dram = counted.total.sums.at(KernelFigure::dram_bytes);
  if (step_dram && dram && differ(*step_dram, *dram, 0.05)) {
    notes.push_back({counted.total.sums.has_all(KernelFigure::dram_bytes)
                         ? says.traffic_one_by_one
                         : says.traffic_not_all_counted,
                     {*step_dram, *dram}});
  }
  return notes;
}

/// Layers with such a gap, the largest absolute difference first.
std::vector<const CountedLayer*> by_difference(const std::vector<CountedLayer>& layers,
                                               std::optional<Gap> CountedLayer::*gap,
                                               KernelFigure figure,
                                               std::optional<double> (CountedLayer::*modelled)()
                                                   const) {
  std::vector<const CountedLayer*> found;
  for (const CountedLayer& layer : layers) {
    if (layer.*gap) found.push_back(&layer);
  }
  std::ranges::stable_sort(found, std::ranges::greater(), [&](const CountedLayer* layer) {
    return std::abs(layer->sums.at(figure).value_or(0.0) - (layer->*modelled)().value_or(0.0));
  });
  return found;
}

}  // namespace

std::vector<const CountedLayer*> CountedLayers::largest_flops_gaps() const {
  return by_difference(layers, &CountedLayer::flops_gap, KernelFigure::flops,
                       &CountedLayer::model_flops);
}

std::vector<const CountedLayer*> CountedLayers::largest_bytes_gaps() const {
  return by_difference(layers, &CountedLayer::bytes_gap, KernelFigure::dram_bytes,
                       &CountedLayer::compulsory_bytes);
}

record::KernelTable with_known_zeros(const KernelTable& kernels, const record::Counting& counting) {
  KernelTable completed = kernels;
  // Where a type that the step has work of was not asked of the kernels, the zeros of the others
  // would pass for all.
  for (const KernelFigure type : record::float_tensor_figures) {
    if (!kernels.has(type) && step_sum(counting, type).value_or(0.0) > 0.0) return completed;
  }
  for (const KernelFigure type : record::float_tensor_figures) {
    if (step_sum(counting, type) != 0.0) continue;
    for (std::size_t row = 0; row < completed.size(); ++row) {
      if (!completed.at(type, row)) completed.set(type, row, 0.0);
    }
  }
  return completed;
}

void CountedLayers::complete() {
  if (total.sums.at(KernelFigure::time_s)) total.time_share = 1.0;
  step_differences = differences_of(*this);
}

std::optional<CountedLayer> CountedLayers::step_sum() const {
  if (!step) return std::nullopt;
  CountedLayer whole = total;
  whole.name = "whole step";
  whole.time_share.reset();
  whole.roof_place.reset();
  whole.sums = *step;
  whole.sums.launches = static_cast<std::size_t>(counting.launches_per_step);
  return whole;
}

namespace {

using RowsByName = std::unordered_map<std::string, const LayerRow*>;

RowsByName rows_by_name(const CaseResult* model) {
  RowsByName rows;
  if (model == nullptr) return rows;
  for (const LayerRow& row : model->layers) rows.emplace(row.name, &row);
  return rows;
}

}  // namespace

std::optional<CountedLayers> counted_layers_of(const record::Record& record,
                                               const graph::Graph* network,
                                               const CaseResult* model) {
  if (!record.counting) return std::nullopt;
  const record::Counting& counting = *record.counting;
  const std::optional<device::Device> device =
      model != nullptr ? std::optional(model->device) : std::nullopt;
  const bool tensor_cores = record::may_have_tensor_work(record);
  CountedLayers result;
  result.counting = counting;
  if (counting.step && !counting.step->empty()) {
    result.step = sums_of(*counting.step, tensor_cores);
  }
  if (model != nullptr) result.total.model = model->limit;
  if (!record.kernels || record.kernels->empty()) return result;
  const KernelTable kernels = with_known_zeros(*record.kernels, counting);
  result.total.sums = sums_of(kernels, tensor_cores);
  result.total.roof_place = roof_place_of(result.total.sums, device);
  result.complete();
  if (counting.scopes.empty()) return result;

  const RowsByName rows = rows_by_name(model);
  for (const Launches& launches : by_node(record, kernels, model, result.without_node).all) {
    const auto found = rows.find(launches.name);
    const LayerRow* row = found == rows.end() ? nullptr : found->second;
    if (launches.forward.empty() && launches.backward.empty()) {
      const bool has_work =
          row != nullptr && (row->flops() > Flops(0) || row->compulsory_bytes > Bytes(0));
      if (has_work) result.without_kernels.push_back(launches.name);
      continue;
    }
    CountedLayer& layer = result.layers.emplace_back();
    layer.sums = {.tensor_cores = tensor_cores, .whole_only = true};
    for (const auto* pass : {&launches.forward, &launches.backward}) {
      for (const std::size_t launch : *pass) layer.sums.add(kernels, launch);
    }
    layer.name = launches.name;
    layer.op = launches.op;
    const graph::Node* node = node_of(network, launches.name);
    layer.op_class = node != nullptr ? op_class_of(node->op) : op_class_of_row(launches.name);
    layer.time_share =
        quotient(layer.sums.at(KernelFigure::time_s), result.total.sums.at(KernelFigure::time_s));
    Flops forward(0);
    Flops backward(0);
    if (row != nullptr && row->counted) {
      layer.model = *row;
      forward = Flops(2 * row->macs.value());
      backward = row->matrix_flops - forward;
    }
    const GapEvidence evidence{layer,
                               kernels,
                               launches.forward,
                               launches.backward,
                               network,
                               node,
                               forward,
                               backward,
                               record.identity.precision,
                               record.identity.phase == Phase::training,
                               model != nullptr && model->device.l2
                                   ? std::optional(model->device.l2->value)
                                   : std::nullopt};
    layer.flops_gap = flops_gap_of(evidence);
    layer.bytes_gap = bytes_gap_of(evidence);
    if (model != nullptr) layer.breaches = breaches_of(layer, *model);
    layer.roof_place = roof_place_of(layer.sums, device);
    layer.remark = remark_of(layer, record.identity.precision);
  }
  return result;
}

}  // namespace rooflab::analyze
