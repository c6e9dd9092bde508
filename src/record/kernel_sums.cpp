#include "rooflab/record/kernel_sums.hpp"

#include <algorithm>
#include <utility>

#include "rooflab/base/statistics.hpp"

namespace rooflab::record {
namespace {

FoldedFigure& entry(KernelSums& sums, KernelFigure figure) {
  return sums.figures[static_cast<std::size_t>(figure)];
}

/// Adds a launch of `value` over `weight`.
void fold(FoldedFigure& folded, double value, double weight) {
  folded.sum += static_cast<long double>(value);
  folded.weight += static_cast<long double>(weight);
}

}  // namespace

void KernelSums::add(const KernelTable& kernels, std::size_t row) {
  const LaunchFigures launch = figures_of(kernels, row, tensor_cores);
  const std::optional<double> time = launch[KernelFigure::time_s];
  const auto summed = kernels.summed(row);
  const auto count = summed ? static_cast<std::size_t>(summed->launches) : std::size_t{1};
  if (time) {
    const auto [shortest, longest] =
        summed ? std::pair(summed->shortest_s, summed->longest_s) : std::pair(*time, *time);
    shortest_s = std::min(shortest_s.value_or(shortest), shortest);
    longest_s = std::max(longest_s.value_or(longest), longest);
  }
  launches += count;
  for (const KernelFigure figure : values_of<KernelFigure>) {
    const KernelFigureFacts& facts = facts_of(figure);
    FoldedFigure& folded = entry(*this, figure);
    if (facts.fold == Fold::ratio) {
      if (!launch[facts.above] || !launch[facts.below]) continue;
      fold(folded, *launch[facts.above], *launch[facts.below]);
    } else {
      if (!launch[figure]) continue;
      folded.last = *launch[figure];
      if (facts.fold == Fold::sum) fold(folded, folded.last, 0.0);
      if (facts.fold == Fold::mean && time) fold(folded, folded.last * *time, *time);
    }
    folded.count += count;
  }
}

void KernelSums::stand_in(const KernelSums& step) {
  for (const KernelFigure figure : values_of<KernelFigure>) {
    const KernelFigureFacts& facts = facts_of(figure);
    FoldedFigure& folded = entry(*this, figure);
    if (folded.count > 0) continue;
    if (facts.fold == Fold::sum && step.count(figure) > 0) {
      fold(folded, *step.known(figure), 0.0);
      folded.count = launches;
    }
    // Ratios stand behind the sums that they are made of.
    if (facts.fold == Fold::ratio && has_all(facts.above) && has_all(facts.below)) {
      fold(folded, *known(facts.above), *known(facts.below));
      folded.count = launches;
    }
  }
}

std::optional<double> KernelSums::known(KernelFigure figure) const {
  const FoldedFigure& folded = figures[static_cast<std::size_t>(figure)];
  const Fold fold = facts_of(figure).fold;
  if (folded.count == 0) return std::nullopt;
  if (fold == Fold::sum) return static_cast<double>(folded.sum);
  // A single value needs no weight.
  if (fold != Fold::ratio && folded.count == 1) return folded.last;
  return quotient(static_cast<double>(folded.sum), static_cast<double>(folded.weight));
}

std::optional<double> KernelSums::known(ArithmeticPath path) const {
  std::optional<double> work;
  for (const KernelFigure figure : values_of<KernelFigure>) {
    const std::optional<double> part = known(figure);
    if (part && facts_of(figure).path == path) work = work.value_or(0.0) + *part;
  }
  return work;
}

std::map<KernelFigure, double> KernelSums::tensor_by_type() const {
  std::map<KernelFigure, double> types;
  for (const KernelFigure figure : values_of<KernelFigure>) {
    const std::optional<double> operations = known(figure);
    if (operations && is_tensor_type(figure)) types[figure] = *operations;
  }
  return types;
}

bool KernelSums::flop_is_bound() const {
  return count(KernelFigure::collected_flops) > 0 && !has_all(KernelFigure::flops);
}

std::vector<std::string> KernelSums::flop_lacks() const {
  std::vector<std::string> keys;
  for (const KernelFigure part : flop_parts) {
    const bool wanted = part != KernelFigure::tensor_flops || tensor_cores;
    if (wanted && !has_all(part)) keys.emplace_back(name_of(part));
  }
  return keys;
}

std::vector<std::string> KernelSums::not_collected() const {
  std::vector<std::string> keys;
  for (const KernelFigure figure : values_of<KernelFigure>) {
    if (facts_of(figure).shown == Shown::always && !at(figure)) keys.emplace_back(name_of(figure));
  }
  return keys;
}

std::map<std::string, double> KernelSums::coverage() const {
  std::map<std::string, double> shares;
  for (const KernelFigure figure : values_of<KernelFigure>) {
    const KernelFigureFacts& facts = facts_of(figure);
    if (!(facts.shown == Shown::always || facts.is_further_sum()) || !at(figure)) continue;
    shares[std::string(facts.word.key())] =
        static_cast<double>(count(figure)) / static_cast<double>(launches);
  }
  return shares;
}

KernelSums sums_of(const KernelTable& kernels, bool tensor_cores) {
  KernelSums sums{.tensor_cores = tensor_cores};
  for (std::size_t row = 0; row < kernels.size(); ++row) sums.add(kernels, row);
  return sums;
}

namespace {

using enum KernelFigure;

using Term = std::pair<KernelFigure, double>;

constexpr std::array<Term, 3> fp64_terms = {{{dadd, 1.0}, {dmul, 1.0}, {dfma, 2.0}}};
constexpr std::array<Term, 3> fp32_terms = {{{fadd, 1.0}, {fmul, 1.0}, {ffma, 2.0}}};
constexpr std::array<Term, 3> packed_terms = {{{fadd2, 2.0}, {fmul2, 2.0}, {ffma2, 4.0}}};
constexpr std::array<Term, 3> fp16_terms = {{{hadd, 2.0}, {hmul, 2.0}, {hfma, 4.0}}};

using Terms = std::array<Term, 3>;

std::optional<double> sum_of_all(const LaunchFigures& launch, const Terms& terms) {
  double sum = 0.0;
  for (const auto& [figure, factor] : terms) {
    if (!launch[figure]) return std::nullopt;
    sum += factor * *launch[figure];
  }
  return sum;
}

/// The sum of all terms, or zero where no instruction of the type ran.
std::optional<double> sum_of_all(const LaunchFigures& launch, const Terms& terms,
                                 KernelFigure any) {
  const std::optional<double> sum = sum_of_all(launch, terms);
  return !sum && launch[any] == 0.0 ? 0.0 : sum;
}

/// The terms that were collected; nullopt: none.
std::optional<double> part_of(const LaunchFigures& launch, const Terms& terms) {
  std::optional<double> sum;
  for (const auto& [figure, factor] : terms) {
    if (launch[figure]) sum = sum.value_or(0.0) + factor * *launch[figure];
  }
  return sum;
}

std::optional<double> sum_of_known(std::initializer_list<std::optional<double>> parts) {
  std::optional<double> sum;
  for (const std::optional<double>& part : parts) {
    if (part) sum = sum.value_or(0.0) + *part;
  }
  return sum;
}

template <class Figures>
std::optional<double> collected_of(const LaunchFigures& launch, const Figures& figures) {
  std::optional<double> sum;
  for (const KernelFigure figure : figures) {
    if (launch[figure]) sum = sum.value_or(0.0) + *launch[figure];
  }
  return sum;
}

}  // namespace

LaunchFigures figures_of(const KernelTable& kernels, std::size_t row, bool tensor_cores) {
  LaunchFigures launch;
  for (const KernelFigure figure : values_of<KernelFigure>)
    launch[figure] = kernels.at(figure, row);
  if (launch[dram_read_bytes] && launch[dram_write_bytes]) {
    launch[dram_bytes] = *launch[dram_read_bytes] + *launch[dram_write_bytes];
  }
  launch[fp64_flops] = sum_of_all(launch, fp64_terms, fp64_instructions);
  launch[fp32_flops] = sum_of_all(launch, fp32_terms, fp32_instructions);
  const std::optional<double> packed = sum_of_all(launch, packed_terms);
  if (launch[fp32_flops]) *launch[fp32_flops] += packed.value_or(0.0);
  launch[fp16_flops] = sum_of_all(launch, fp16_terms, fp16_instructions);
  // Without additions and multiplications, or not knowing of them, hfma may be moves.
  std::optional<double> fp16_part = launch[fp16_flops];
  if (launch[fp16_flops]) {
    const bool moves = launch[hadd] == 0.0 && launch[hmul] == 0.0;
    launch[fp16_move_flops] = moves ? std::exchange(*launch[fp16_flops], 0.0) : 0.0;
    fp16_part = launch[fp16_flops];
  } else if (launch[hadd].value_or(0.0) > 0.0 || launch[hmul].value_or(0.0) > 0.0) {
    fp16_part = part_of(launch, fp16_terms);
  }
  launch[tensor_flops] = collected_of(launch, float_tensor_figures);
  launch[collected_fp32_flops] =
      launch[fp32_flops] ? launch[fp32_flops] : sum_of_known({part_of(launch, fp32_terms), packed});
  const std::optional<double> fp64_part =
      launch[fp64_flops] ? launch[fp64_flops] : part_of(launch, fp64_terms);
  launch[cuda_core_flops] = sum_of_known({fp64_part, launch[collected_fp32_flops], fp16_part});
  launch[collected_flops] = sum_of_known({launch[cuda_core_flops], launch[tensor_flops]});
  const auto may_be_more = [&](KernelFigure work, KernelFigure any) {
    return !launch[work] && launch[any].value_or(0.0) > 0.0;
  };
  if (launch[fp32_flops] && (launch[tensor_flops] || !tensor_cores) &&
      !may_be_more(fp64_flops, fp64_instructions) && !may_be_more(fp16_flops, fp16_instructions)) {
    launch[flops] = launch[collected_flops];
  }
  return launch;
}

}  // namespace rooflab::record
