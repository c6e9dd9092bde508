// Time of operators, on the host and on the device.
//
//   host total    duration of the call, its callees and its launches included
//   host self     duration - children's durations; plugin: - durations of its own runtime calls
//   device self   kernels, copies and fills that its own runtime calls launched
//   device total  device self + the children's device totals
//
// A call is counted in every operator above it: host totals of different operators overlap, self
// times do not. Device time adds up concurrent streams.
//
// Source: torch_tb_profiler, profiler/node.py (fill_stats) and op_agg.py. Differences of ours:
// launches through the driver count, kernels without a recorded launch go to the op of their own
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
void add(OperatorRow& sum, const OperatorRow& row) {
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

}  // namespace

OperatorTable operator_table(const Timeline& timeline, const OperatorTree& tree, TraceRule rule,
                             const Moments& moments) {
  constexpr std::uint32_t no_group = std::numeric_limits<std::uint32_t>::max();
  using Node = OperatorTree::Node;
  const record::RangeTable& ranges = timeline.trace->ranges;
  OperatorTable table;
  std::vector<Group> groups;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;    // of groups, by name and arguments
  std::vector<std::uint32_t> group_of(tree.size(), no_group);  // of operators only
  std::vector<std::int64_t> device_total(tree.size());

  for (Node node = 0; node < tree.size(); ++node) {
    if (!tree.is_operator(node)) continue;
    const std::uint32_t range = tree.range(node);
    if (!moments.has(ranges.start_ns[range])) continue;
    const std::uint64_t key =
        (static_cast<std::uint64_t>(ranges.name[range]) << 32) | ranges.argument[range];
    const auto [at, is_new] = numbers.try_emplace(key, static_cast<std::uint32_t>(groups.size()));
    if (is_new) groups.push_back(group_of_range(ranges, range));
    group_of[node] = at->second;
    OperatorRow& row = groups[at->second].row;
    ++row.calls;
    row.host_total_ns += ranges.duration_ns[range];
    row.host_self_ns += ranges.duration_ns[range];
  }
  const auto row_of = [&](Node node) {
    const bool has_row = node != OperatorTree::none && group_of[node] != no_group;
    return has_row ? &groups[group_of[node]].row : nullptr;
  };
  for (std::uint32_t i = 0; rule == TraceRule::plugin && i < ranges.size(); ++i) {
    if (ranges.kind[i] != RangeKind::runtime || timeline.traits_at(i).driver) continue;
    if (OperatorRow* row = row_of(tree.of_call(i))) row->host_self_ns -= ranges.duration_ns[i];
  }
  for (std::size_t w = 0; w < timeline.work.size(); ++w) {
    const Node node = tree.of_work(w);
    const std::int64_t duration = timeline.work[w].duration_ns();
    if (node != OperatorTree::none) device_total[node] += duration;
    OperatorRow* const row = row_of(node);
    (row != nullptr ? row->device_self_ns : table.unattributed_ns) += duration;
  }
  for (std::size_t i = tree.size(); i-- > 0;) {  // children before parents
    const auto node = static_cast<Node>(i);
    if (!tree.alive(node)) continue;
    if (OperatorRow* row = row_of(node)) row->device_total_ns += device_total[node];
    const Node parent = tree.parent(node);
    if (parent != OperatorTree::none) device_total[parent] += device_total[node];
    if (OperatorRow* row = row_of(parent)) {
      row->host_self_ns -= ranges.duration_ns[tree.range(node)];
    }
  }
  std::vector<bool> counted(tree.size());  // itself or one above it has modelled work
  for (Node node = 0; node < tree.size(); ++node) {
    const Node parent = tree.parent(node);
    counted[node] = parent != OperatorTree::none && counted[parent];
    if (counted[node] || group_of[node] == no_group || !groups[group_of[node]].work) continue;
    counted[node] = true;
    table.flops = table.flops.value_or(0.0) + groups[group_of[node]].work->flops;
    table.flops_device_ns += device_total[node];
  }

  table.modelled = modelled_operators(timeline, tree, [&](Node node) {
    return group_of[node] == no_group ? nullptr : &groups[group_of[node]];
  });

  OperatorRow zero;
  zero.flops = zero.bytes = 0.0;
  std::vector<OperatorRow> by_name(ranges.names.size(), zero);
  for (Group& group : groups) {
    const auto calls = static_cast<double>(group.row.calls);
    if (group.work) {
      group.row.flops = group.work->flops * calls;
      if (group.work->bytes) group.row.bytes = *group.work->bytes * calls;
    }
    OperatorRow& sum = by_name[group.name];
    sum.name = group.row.name;
    add(sum, group.row);
  }
  std::erase_if(by_name, [](const OperatorRow& row) { return row.calls == 0; });
  table.by_name = std::move(by_name);
  sort_rows(table.by_name);
  const bool has_arguments =
      std::ranges::any_of(groups, [](const Group& group) { return !group.row.arguments.empty(); });
  if (has_arguments) {
    for (Group& group : groups) table.by_arguments.push_back(std::move(group.row));
    sort_rows(table.by_arguments);
  }
  return table;
}

}  // namespace rooflab::trace
