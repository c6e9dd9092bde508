// Sums of groups g of N_g launches, with the mean m_g of the n_g that were counted and the standard
// error e_g of N_g m_g:
//
//   sum = sum N_g m_g        error = sqrt(sum e_g^2)
//   e_g = N_g s_g / sqrt(n_g) * sqrt(1 - n_g / N_g)
//
// with the standard deviation s_g between the launches of the group. Cochran, Sampling Techniques,
// 3rd edition (1977), (5.10) with the finite population correction of (2.20): a stratum for each
// group.

#include "rooflab/record/counted_groups.hpp"

#include <cmath>

#include "base/field_table.hpp"
#include "base/schema.hpp"
#include "record_json.hpp"

namespace rooflab::record {
namespace {

/// One row whose figures are the roots of the sums of squares.
KernelTable in_quadrature(const KernelTable& errors) {
  KernelTable sum;
  sum.add({});
  for (const KernelFigure figure : values_of<KernelFigure>) {
    if (is_derived(figure) || !errors.has(figure)) continue;
    double squares = 0.0;
    for (std::size_t row = 0; row < errors.size(); ++row) {
      const double error = errors.at(figure, row).value_or(0.0);
      squares += error * error;
    }
    sum.set(figure, 0, std::sqrt(squares));
  }
  return sum;
}

}  // namespace

GroupSums sums_of(const CountedGroups& groups, bool tensor_cores) {
  GroupSums all;
  all.sums.tensor_cores = tensor_cores;
  all.groups = static_cast<std::int64_t>(groups.groups.size());
  double time_s = 0.0;
  double covered_s = 0.0;
  double without_s = 0.0;
  for (std::size_t row = 0; row < groups.groups.size(); ++row) {
    all.sums.add(groups.totals, row);
    const GroupLaunches& group = groups.groups[row];
    const LaunchFigures figures = figures_of(groups.totals, row, tensor_cores);
    const double group_s = figures[KernelFigure::time_s].value_or(0.0);
    all.launches += group.launches;
    time_s += group_s;
    if (group.counted_launches == 0) {
      ++all.without;
      without_s += group_s;
    }
    if (group.counted_launches == 1 && group.launches > 1) ++all.once;
    if (figures[KernelFigure::flops] && figures[KernelFigure::dram_bytes]) covered_s += group_s;
  }
  if (time_s > 0.0) {
    all.covered_share = covered_s / time_s;
    all.without_s = without_s;
  }
  all.errors = figures_of(in_quadrature(groups.errors), 0, tensor_cores);
  return all;
}

std::span<const Field> fields_of(For<GroupLaunches>) {
  return members<&GroupLaunches::launches, &GroupLaunches::timed_launches,
                 &GroupLaunches::counted_launches>;
}

namespace {

template <KernelTable CountedGroups::*table>
Json table_rows(const CountedGroups& groups) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < (groups.*table).size(); ++row) {
    rows.push_back(kernel_json(groups.*table, row, true));
  }
  return rows;
}

template <KernelTable CountedGroups::*table>
void read_table(CountedGroups& groups, const JsonValue& from) {
  from.for_each_element([&groups](const JsonValue& row) {
    add_entry(groups.*table, from_json<KernelEntry>(row.object()));
  });
}

template <KernelFigure figure>
std::optional<double> sum_of(const GroupSums& sums) {
  return sums.sums.known(figure);
}
template <KernelFigure figure>
std::optional<double> error_of(const GroupSums& sums) {
  return sums.errors[figure];
}

}  // namespace

std::span<const Field> fields_of(For<CountedGroups>) {
  static constexpr auto fields = field_table(
      members<&CountedGroups::chip, &CountedGroups::window_s, &CountedGroups::held_s>,
      field<&CountedGroups::groups>("launch_groups"),
      field<&table_rows<&CountedGroups::totals>, &read_table<&CountedGroups::totals>>("group_totals"),
      field<&table_rows<&CountedGroups::errors>, &read_table<&CountedGroups::errors>>("group_errors"));
  return fields;
}

std::span<const Field> fields_of(For<GroupSums>) {
  using enum KernelFigure;
  static constexpr auto fields = field_table(
      field<&GroupSums::launches>(), field<&GroupSums::groups>("group_count"),
      field<&GroupSums::once>("groups_counted_once"), field<&GroupSums::without>("groups_uncounted"),
      field<&GroupSums::without_s>("uncounted_s"), field<&GroupSums::covered_share>(),
      field<&sum_of<KernelFigure::time_s>>("time_s"), field<&sum_of<flops>>("flop"),
      field<&error_of<flops>>("flop_error"), field<&sum_of<tensor_flops>>("tensor_flop"),
      field<&sum_of<cuda_core_flops>>("cuda_core_flop"), field<&sum_of<dram_bytes>>("dram_bytes"),
      field<&error_of<dram_bytes>>("dram_bytes_error"));
  return fields;
}

}  // namespace rooflab::record
