// Time of operators, on the host and on the device.
//
//   host total    duration of the call, its callees and its launches included
//   host self     duration - children's durations; plugin: - durations of the op's runtime calls
//   device self   kernels, copies and fills that its own runtime calls launched
//   device total  device self + the children's device totals
//
// A call is counted in every operator above it: host totals of different operators overlap, self
// times do not. Device time adds up concurrent streams.
//
// Source: torch_tb_profiler, profiler/node.py (fill_stats) and op_agg.py. Differences of ours:
// launches through the driver count, kernels without a recorded launch go to the op of the same
// External id, and host self is what the thread spent in the op, launches included.
//
// When it misleads: host time of an asynchronous op is the time to launch it. An operator that
// waits
// (`aten::item`) is charged with what it waits for. A kernel in a CUDA graph has no operator.

#include "rooflab/trace/trace_operators.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "trace_op_work.hpp"
#include "trace_panes.hpp"

namespace rooflab::trace {
namespace {

using record::RangeKind;

void sort_rows(std::vector<OperatorRow>& rows) {
  const bool on_device =
      std::ranges::any_of(rows, [](const OperatorRow& row) { return row.device_self_ns > 0; });
  std::ranges::stable_sort(rows, {}, [&](const OperatorRow& row) {
    const std::int64_t self_ns = on_device ? row.device_self_ns : row.host_self_ns;
    return std::pair(-self_ns, std::string_view(row.name));
  });
}

/// Calls with the same name and arguments, which is what decides on modelled work.
struct Group {
  OperatorRow row;
  record::NameTable::Id name = 0;
  std::optional<OpWork> work;  ///< work of a call
};

Group group_of_range(const record::RangeTable& ranges, std::uint32_t range) {
  Group group;
  group.name = ranges.name[range];
  group.row.name = ranges.names[group.name];
  if (const record::NameTable::Id argument = ranges.argument[range]; argument != 0) {
    group.row.arguments = ranges.arguments[argument];
    group.work = modelled_op_work(group.row.name, group.row.arguments);
  }
  return group;
}

/// Adds up the calls; unknown work of a part makes that of the whole unknown.
void add_operator(OperatorRow& sum, const OperatorRow& row) {
  sum.calls += row.calls;
  sum.host_total_ns += row.host_total_ns;
  sum.host_self_ns += row.host_self_ns;
  sum.device_total_ns += row.device_total_ns;
  sum.device_self_ns += row.device_self_ns;
  add_part(sum.flops, row.flops);
  add_part(sum.bytes, row.bytes);
}

/// Each piece of device work for the outermost operator above it with modelled work, else for the
/// one that launched it. `group_at`: of a node, nullptr for one that is left out.
template <class GroupAt>
std::vector<ModelledOperator> modelled_operators(const Timeline& timeline, const OperatorTree& tree,
                                                 const GroupAt& group_at) {
  using Node = OperatorTree::Node;
  std::vector<Node> outermost(tree.size(), OperatorTree::none);  // with modelled work
  for (Node node = 0; node < tree.size(); ++node) {
    const Node parent = tree.parent(node);
    if (parent != OperatorTree::none) outermost[node] = outermost[parent];
    const Group* const group = group_at(node);
    if (outermost[node] == OperatorTree::none && group != nullptr && group->work) {
      outermost[node] = node;
    }
  }
  std::vector<ModelledOperator> rows;
  std::unordered_map<std::string_view, std::size_t> known;
  std::vector<bool> called(tree.size());
  for (std::size_t w = 0; w < timeline.work.size(); ++w) {
    Node node = tree.of_work(w);
    if (node != OperatorTree::none && outermost[node] != OperatorTree::none) node = outermost[node];
    const Group* const group = node == OperatorTree::none ? nullptr : group_at(node);
    const std::string_view name = group == nullptr ? std::string_view() : group->row.name;
    const auto [at, is_new] = known.try_emplace(name, rows.size());
    if (is_new) {
      rows.push_back({.name = std::string(name), .flops = 0.0, .bytes = 0.0});
      if (group == nullptr) rows.back().flops = rows.back().bytes = std::nullopt;
    }
    ModelledOperator& row = rows[at->second];
    ++row.launches;
    row.device_ns += timeline.work[w].duration_ns();
    if (group == nullptr || called[node]) continue;
    called[node] = true;
    ++row.calls;
    add_part(row.flops, group->work ? std::optional(group->work->flops) : std::nullopt);
    add_part(row.bytes, group->work ? group->work->bytes : std::nullopt);
    if (group->work && group->work->type) row.types.insert(*group->work->type);
  }
  return rows;
}

/// Times of the operators that the host began at one of the moments, by name and arguments.
class OperatorSums {
 public:
  using Node = OperatorTree::Node;

  OperatorSums(const Timeline& timeline, const OperatorTree& tree, const Moments& moments);

  /// Takes the time of the runtime's calls from the host's own.
  void take_off_runtime_calls();
  void add_device_work();
  /// Each operator's share in its callers: their device totals have it, their own host time not.
  void fold_into_callers();
  /// The table of the sums.
  [[nodiscard]] OperatorTable table() &&;

 private:
  static constexpr std::uint32_t no_group = std::numeric_limits<std::uint32_t>::max();

  /// Group of a node; nullptr: the node is left out.
  [[nodiscard]] Group* group_at(Node node) {
    const bool has = node != OperatorTree::none && group_of_[node] != no_group;
    return has ? &groups_[group_of_[node]] : nullptr;
  }
  /// Work of the outermost operators that have any.
  void add_modelled_work(OperatorTable& table);
  void set_work_of_all_calls();
  [[nodiscard]] std::vector<OperatorRow> rows_by_name() const;

  const Timeline& timeline_;
  const OperatorTree& tree_;
  const record::RangeTable& ranges_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> group_of_;  ///< number of a node's group; operators only
  std::vector<std::int64_t> device_total_;
  std::int64_t unattributed_ns_ = 0;
};

OperatorSums::OperatorSums(const Timeline& timeline, const OperatorTree& tree,
                           const Moments& moments)
    : timeline_(timeline),
      tree_(tree),
      ranges_(timeline.trace->ranges),
      group_of_(tree.size(), no_group),
      device_total_(tree.size()) {
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;  // of groups, by name and arguments
  for (Node node = 0; node < tree.size(); ++node) {
    if (!tree.is_operator(node)) continue;
    const std::uint32_t range = tree.range(node);
    if (!moments.has(ranges_.start_ns[range])) continue;
    const std::uint64_t key =
        (static_cast<std::uint64_t>(ranges_.name[range]) << 32) | ranges_.argument[range];
    const auto [at, is_new] = numbers.try_emplace(key, static_cast<std::uint32_t>(groups_.size()));
    if (is_new) groups_.push_back(group_of_range(ranges_, range));
    group_of_[node] = at->second;
    OperatorRow& row = groups_[at->second].row;
    ++row.calls;
    row.host_total_ns += ranges_.duration_ns[range];
    row.host_self_ns += ranges_.duration_ns[range];
  }
}

void OperatorSums::take_off_runtime_calls() {
  for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
    if (ranges_.kind[i] != RangeKind::runtime || timeline_.traits_at(i).driver) continue;
    if (Group* const group = group_at(tree_.of_call(i))) {
      group->row.host_self_ns -= ranges_.duration_ns[i];
    }
  }
}

void OperatorSums::add_device_work() {
  for (std::size_t w = 0; w < timeline_.work.size(); ++w) {
    const Node node = tree_.of_work(w);
    const std::int64_t duration = timeline_.work[w].duration_ns();
    if (node != OperatorTree::none) device_total_[node] += duration;
    Group* const group = group_at(node);
    (group != nullptr ? group->row.device_self_ns : unattributed_ns_) += duration;
  }
}

void OperatorSums::fold_into_callers() {
  for (std::size_t i = tree_.size(); i-- > 0;) {  // children before parents
    const auto node = static_cast<Node>(i);
    if (!tree_.alive(node)) continue;
    if (Group* const group = group_at(node)) group->row.device_total_ns += device_total_[node];
    const Node parent = tree_.parent(node);
    if (parent != OperatorTree::none) device_total_[parent] += device_total_[node];
    if (Group* const group = group_at(parent)) {
      group->row.host_self_ns -= ranges_.duration_ns[tree_.range(node)];
    }
  }
}

void OperatorSums::add_modelled_work(OperatorTable& table) {
  std::vector<bool> counted(tree_.size());  // itself or one above it has modelled work
  for (Node node = 0; node < tree_.size(); ++node) {
    const Node parent = tree_.parent(node);
    counted[node] = parent != OperatorTree::none && counted[parent];
    const Group* const group = group_at(node);
    if (counted[node] || group == nullptr || !group->work) continue;
    counted[node] = true;
    table.flops = table.flops.value_or(0.0) + group->work->flops;
    table.flops_device_ns += device_total_[node];
  }
  table.modelled = modelled_operators(timeline_, tree_,
                                      [&](Node node) -> const Group* { return group_at(node); });
}

void OperatorSums::set_work_of_all_calls() {
  for (Group& group : groups_) {
    if (!group.work) continue;
    const auto calls = static_cast<double>(group.row.calls);
    group.row.flops = group.work->flops * calls;
    if (group.work->bytes) group.row.bytes = *group.work->bytes * calls;
  }
}

std::vector<OperatorRow> OperatorSums::rows_by_name() const {
  OperatorRow zero;
  zero.flops = zero.bytes = 0.0;
  std::vector<OperatorRow> rows(ranges_.names.size(), zero);
  for (const Group& group : groups_) {
    rows[group.name].name = group.row.name;
    add_operator(rows[group.name], group.row);
  }
  std::erase_if(rows, [](const OperatorRow& row) { return row.calls == 0; });
  sort_rows(rows);
  return rows;
}

OperatorTable OperatorSums::table() && {
  OperatorTable table;
  table.unattributed_ns = unattributed_ns_;
  add_modelled_work(table);
  set_work_of_all_calls();
  table.by_name = rows_by_name();
  const bool has_arguments =
      std::ranges::any_of(groups_, [](const Group& group) { return !group.row.arguments.empty(); });
  if (!has_arguments) return table;
  for (Group& group : groups_) table.by_arguments.push_back(std::move(group.row));
  sort_rows(table.by_arguments);
  return table;
}

}  // namespace

OperatorTable operator_table(const Timeline& timeline, const OperatorTree& tree, TraceRule rule,
                             const Moments& moments) {
  OperatorSums sums(timeline, tree, moments);
  if (rule == TraceRule::plugin) sums.take_off_runtime_calls();
  sums.add_device_work();
  sums.fold_into_callers();
  return std::move(sums).table();
}

}  // namespace rooflab::trace
