#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "rooflab/analyze/network_count.hpp"
#include "rooflab/graph/op_facts.hpp"

namespace rooflab::analyze {
namespace {

using graph::Graph;
using graph::Node;
using graph::ValueId;
using graph::ValueKind;
using schedule::Pass;

/// The first `depth` components of a scope path.
std::string_view folded_name(std::string_view path, std::optional<int> depth) {
  if (!depth) return path;
  std::size_t end = 0;
  for (int component = 0; component < *depth; ++component) {
    end = path.find('.', end);
    if (end == std::string_view::npos) return path;
    ++end;
  }
  return path.substr(0, end - 1);
}

/// The table while it grows: which row a node belongs to.
class Folder {
 public:
  Folder(const schedule::Schedule& schedule, std::optional<int> depth)
      : network_(schedule.graph), depth_(depth) {
    for (const Node& node : network_.nodes) names_.insert(node.name);
    rows_of_nodes_.reserve(network_.nodes.size());
    for (const Node& node : network_.nodes) {
      add_node(node, !node.training_only || schedule.phase != Phase::inference);
    }
  }

  /// Number of the op's row; loss and optimizer get theirs when first met.
  std::size_t row_of(const schedule::ScheduledOp& op) {
    if (op.node >= 0) return rows_of_nodes_[static_cast<std::size_t>(op.node)];
    return index_of(op.pass == Pass::optimizer ? "(optimizer)" : "(loss)");
  }

  std::vector<LayerRow> rows;

 private:
  /// In a recording several nodes have one name: the first of the weightiest says what they are.
  static int weight_of(const graph::Op& op) {
    const graph::Family family = graph::family_of(op);
    if (family == graph::Family::matrix) return 4;
    if (family == graph::Family::normalisation) return 3;
    return graph::is_view(op) ? 1 : 2;
  }

  /// A cast that autocast put before a node belongs to that node.
  [[nodiscard]] std::string_view owner(const Node& node) const {
    const std::string_view name = node.name;
    if (!std::holds_alternative<graph::Cast>(node.op)) return name;
    const std::size_t cut = name.rfind(".cast");
    if (cut == std::string_view::npos || !names_.contains(std::string(name.substr(0, cut)))) {
      return name;
    }
    return name.substr(0, cut);
  }

  std::size_t index_of(std::string_view name) {
    const auto [entry, added] = index_.try_emplace(std::string(name), rows.size());
    if (added) {
      LayerRow& row = rows.emplace_back();
      row.name = name;
      row.counted = true;
      row.op = name.starts_with('(') ? name.substr(1, name.size() - 2) : "";
      row.op_class = op_class_of_row(name);
    }
    return entry->second;
  }

  void add_node(const Node& node, bool runs) {
    const std::string_view own = owner(node);
    const std::string_view name = folded_name(own, depth_);
    const std::size_t index = index_of(name);
    rows_of_nodes_.push_back(index);
    weights_.resize(rows.size(), 0);
    LayerRow& row = rows[index];
    const bool is_cast_of_other = own != std::string_view(node.name);
    if (row.op.empty() && !is_cast_of_other) row.op_class = op_class_of(node.op);
    const bool counts = weight_of(node.op) > weights_[index];
    if (name != own) {
      row.op = "module";
    } else if (!is_cast_of_other && counts) {
      row.op = graph::name_of(node.op);
      row.op_class = op_class_of(node.op);
      weights_[index] = weight_of(node.op);
    }
    if (runs && !is_cast_of_other && !node.outputs.empty() && (counts || name != own)) {
      row.output_shape = network_.type(node.outputs.front()).shape;
    }
    for (const ValueId id : node.inputs) {
      const graph::Value& value = network_.value(id);
      if (value.kind == ValueKind::parameter && seen_parameters_.insert(id).second) {
        row.parameters = checked_add(row.parameters, value.type.shape.elements());
      }
    }
  }

  const Graph& network_;
  std::optional<int> depth_;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::size_t> rows_of_nodes_;
  std::unordered_set<ValueId> seen_parameters_;
  std::vector<int> weights_;  ///< index: row; weight of the op that says what a row is
};

void add_cost(LayerRow& row, const cost::Cost& cost, Pass pass) {
  row.add(cost, pass);
  if (pass == Pass::data_gradient) row.data_gradient_flops += cost.flops();
  if (pass == Pass::weight_gradient) row.weight_gradient_flops += cost.flops();
}

}  // namespace

OpClass op_class_of(const graph::Op& op) {
  return std::visit(
      []<class Struct>(const Struct& attributes) {
        return graph::facts<Struct>.op_class.of(attributes);
      },
      op);
}

OpClass op_class_of_row(std::string_view name) {
  if (name == "(loss)") return OpClass::loss;
  if (name == "(optimizer)") return OpClass::optimizer;
  return OpClass::other;
}

std::vector<LayerRow> layer_table(const schedule::Schedule& schedule,
                                  const predict::NetworkLimit& limit, std::optional<int> depth) {
  Folder folder(schedule, depth);
  std::map<std::size_t, double> longest;
  std::set<std::size_t> untimed;  // a part without a time leaves the whole without one
  for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
    const std::size_t number = folder.row_of(schedule.ops[i]);
    LayerRow& row = folder.rows[number];
    const predict::OpLimit& op = limit.ops[i];
    if (op.cost) {
      add_cost(row, *op.cost, schedule.ops[i].pass);
    } else {
      row.counted = false;
    }
    if (!op.time) {
      untimed.insert(number);
      continue;
    }
    row.time = row.time.value_or(Seconds{}) + *op.time;
    if (op.time->value > longest[number]) {
      longest[number] = op.time->value;
      row.bound = op.bound;
    }
  }
  for (LayerRow& row : folder.rows) {
    if (row.counted) continue;
    row.forward.reset();
    row.backward.reset();
  }
  for (const std::size_t number : untimed) {
    folder.rows[number].time.reset();
    folder.rows[number].bound = predict::Bound::none;
  }
  add_limit_shares(folder.rows, limit.time);
  return std::move(folder.rows);
}

void add_limit_shares(std::vector<LayerRow>& rows, const std::optional<Seconds>& limit) {
  if (!limit || limit->value <= 0.0) return;
  for (LayerRow& row : rows) {
    if (row.time) row.limit_share = row.time->value / limit->value;
  }
}

}  // namespace rooflab::analyze
