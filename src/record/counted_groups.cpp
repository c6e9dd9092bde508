// Sums of groups g of N_g launches, with the mean m_g of the n_g that were counted and the standard
// error e_g of N_g m_g:
//
//   sum = sum N_g m_g        error = sqrt(sum e_g^2)
//   e_g = N_g s_g / sqrt(n_g) * sqrt(1 - n_g / N_g)
//
// with the standard deviation s_g between the launches of the group. Cochran, Sampling Techniques,
// 3rd edition (1977), (5.10) with the finite population correction of (2.20): a stratum for each
// group.
//
// Groups without counters are estimated from the c other groups with the same kernel's name, by the
// blocks x of their grids (Cochran, chapter 6, the ratio estimator):
//
// Each figure is summed by itself, and FLOPs are those of the sums: a group may have its CUDA-core
// instructions counted and its tensor operations estimated.
//
//   R = sum m_i / sum x_i      estimate = R sum N_u x_u
//   error = sum N_u x_u / x_mean * s_d / sqrt(c)      s_d^2 = sum (m_i - R x_i)^2 / (c - 1)

#include "rooflab/record/counted_groups.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "describe/field_table.hpp"
#include "describe/schema.hpp"
#include "record_json.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::record {
namespace {

/// One row whose figures are the roots of the sums of squares.
KernelTable in_quadrature(std::initializer_list<const KernelTable*> tables) {
  KernelTable sum;
  sum.add({});
  for (const KernelFigure figure : values_of<KernelFigure>) {
    if (is_derived(figure)) continue;
    double squares = 0.0;
    bool known = false;
    for (const KernelTable* errors : tables) {
      for (std::size_t row = 0; row < errors->size(); ++row) {
        const std::optional<double> error = errors->at(figure, row);
        known = known || error;
        squares += error.value_or(0.0) * error.value_or(0.0);
      }
    }
    if (known) sum.set(figure, 0, std::sqrt(squares));
  }
  return sum;
}

/// Without an addition or a multiplication, fp16 FMAs are moves (kernel_sums.hpp), kernel by
/// kernel.
bool is_move(const KernelTable& kernels, KernelFigure figure, std::size_t row) {
  return figure == KernelFigure::hfma && kernels.at(KernelFigure::hadd, row) == 0.0 &&
         kernels.at(KernelFigure::hmul, row) == 0.0;
}

/// An amount, of which all launches together have a sum.
bool is_amount(KernelFigure figure) {
  return !is_derived(figure) && facts_of(figure).fold == Fold::sum;
}

/// One row: sums over all launches, figure by figure, since each was counted on other launches.
KernelTable all_launches(const CountedGroups& groups) {
  KernelTable all;
  all.add({});
  for (const KernelFigure figure : values_of<KernelFigure>) {
    if (!is_amount(figure)) continue;
    double sum = 0.0;
    bool known = false;
    for (const KernelTable* kernels : {&groups.totals, &groups.estimates}) {
      for (std::size_t row = 0; row < kernels->size(); ++row) {
        const std::optional<double> value = kernels->at(figure, row);
        known = known || value;
        if (!is_move(*kernels, figure, row)) sum += value.value_or(0.0);
      }
    }
    if (known) all.set(figure, 0, sum);
  }
  return all;
}

/// What FLOPs and bytes are made of, as far as some group has it.
std::vector<KernelFigure> parts_of_work(const CountedGroups& groups) {
  std::vector<KernelFigure> parts;
  for (const KernelFigure figure : values_of<KernelFigure>) {
    const bool is_core = figure >= KernelFigure::dadd && figure <= KernelFigure::ffma2;
    const bool is_dram =
        figure >= KernelFigure::dram_read_bytes && figure <= KernelFigure::dram_bytes;
    const bool is_part = is_core || is_dram || is_tensor_type(figure);
    if (is_part && groups.totals.has(figure)) parts.push_back(figure);
  }
  return parts;
}

/// Estimates by kernel's name.
std::unordered_map<std::string_view, std::size_t> estimates_by_name(const CountedGroups& groups) {
  std::unordered_map<std::string_view, std::size_t> rows;
  for (std::size_t row = 0; row < groups.estimates.size(); ++row) {
    rows.emplace(groups.estimates.name(row), row);
  }
  return rows;
}

}  // namespace

GroupSums sums_of(const CountedGroups& groups, bool tensor_cores) {
  GroupSums all;
  all.sums.tensor_cores = tensor_cores;
  all.groups = static_cast<std::int64_t>(groups.groups.size());
  double time_s = 0.0;
  double covered_s = 0.0;
  double estimated_s = 0.0;
  double without_s = 0.0;
  const std::vector<KernelFigure> parts = parts_of_work(groups);
  const auto estimates = estimates_by_name(groups);
  for (std::size_t row = 0; row < groups.groups.size(); ++row) {
    const GroupLaunches& group = groups.groups[row];
    const double group_s = groups.totals.at(KernelFigure::time_s, row).value_or(0.0);
    const auto counted = [&](KernelFigure part) { return groups.totals.at(part, row).has_value(); };
    const auto estimate = estimates.find(groups.totals.name(row));
    const auto known = [&](KernelFigure part) {
      return counted(part) ||
             (estimate != estimates.end() && groups.estimates.at(part, estimate->second));
    };
    all.launches += group.launches;
    time_s += group_s;
    if (group.counted_launches == 0) {
      ++all.without;
      without_s += group_s;
    }
    if (group.counted_launches == 1 && group.launches > 1) ++all.once;
    if (parts.empty()) continue;
    if (std::ranges::all_of(parts, counted)) {
      covered_s += group_s;
    } else if (std::ranges::all_of(parts, known)) {
      estimated_s += group_s;
    }
  }
  all.sums.add(all_launches(groups), 0);
  if (time_s > 0.0) {
    all.covered_share = covered_s / time_s;
    all.known_share = (covered_s + estimated_s) / time_s;
    all.without_s = without_s;
  }
  all.errors =
      figures_of(in_quadrature({&groups.errors, &groups.estimate_errors}), 0, tensor_cores);
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
/// Relative.
template <KernelFigure figure>
std::optional<double> error_of(const GroupSums& sums) {
  const std::optional<double> error = sums.errors[figure];
  return error ? quotient(*error, sums.sums.known(figure).value_or(0.0)) : error;
}

}  // namespace

std::span<const Field> fields_of(For<CountedGroups>) {
  static constexpr auto fields = field_table(
      members<&CountedGroups::chip, &CountedGroups::window_s, &CountedGroups::held_s>,
      field<&CountedGroups::groups>("launch_groups"),
      field<&table_rows<&CountedGroups::totals>, &read_table<&CountedGroups::totals>>(
          "group_totals"),
      field<&table_rows<&CountedGroups::errors>, &read_table<&CountedGroups::errors>>(
          "group_errors"),
      field<&table_rows<&CountedGroups::estimates>, &read_table<&CountedGroups::estimates>>(
          "group_estimates"),
      field<&table_rows<&CountedGroups::estimate_errors>,
            &read_table<&CountedGroups::estimate_errors>>("group_estimate_errors"));
  return fields;
}

std::span<const Field> fields_of(For<GroupSums>) {
  using enum KernelFigure;
  static constexpr auto fields = field_table(
      field<&GroupSums::launches>(), field<&GroupSums::groups>("group_count"),
      field<&GroupSums::once>("groups_counted_once"),
      field<&GroupSums::without>("groups_uncounted"), field<&GroupSums::without_s>("uncounted_s"),
      members<&GroupSums::covered_share, &GroupSums::known_share>,
      field<&sum_of<KernelFigure::time_s>>("time_s"), field<&sum_of<flops>>("flop"),
      field<&error_of<flops>>("flop_error_share"), field<&sum_of<tensor_flops>>("tensor_flop"),
      field<&sum_of<cuda_core_flops>>("cuda_core_flop"), field<&sum_of<dram_bytes>>("dram_bytes"),
      field<&error_of<dram_bytes>>("dram_bytes_error_share"));
  return fields;
}

}  // namespace rooflab::record
