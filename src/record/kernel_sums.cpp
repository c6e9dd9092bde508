#include "rooflab/record/kernel_sums.hpp"

#include <algorithm>

#include "rooflab/base/quotient.hpp"
#include "rooflab/record/kernel_work.hpp"

namespace rooflab::record {
namespace {

using enum KernelFigure;

std::size_t index_of(KernelFigure figure) { return static_cast<std::size_t>(figure); }
std::size_t index_of(KernelRatio ratio) { return static_cast<std::size_t>(ratio); }

constexpr auto ratio_facts = std::to_array<KernelRatioFacts>({
    {"intensity", "FLOP/B", "", flops, dram_bytes},
    {"flops_per_s", "FLOP/s", "FLOP/s", flops, time_s},
    {"bytes_per_s", "B/s", "B/s", dram_bytes, time_s},
});
static_assert(ratio_facts.size() == kernel_ratios.size());

/// What is listed as collected or not: sums that people see.
bool is_total(const KernelFigureFacts& facts) {
  return facts.fold == Fold::sum && facts.shown != Shown::never && !facts.title.empty();
}

}  // namespace

const KernelRatioFacts& facts_of(KernelRatio ratio) { return ratio_facts.at(index_of(ratio)); }

void KernelSums::add(const KernelTable& kernels, std::size_t row) {
  ++launches;
  const LaunchFigures launch = figures_of(kernels, row, tensor_cores);
  const std::optional<double> time = launch[time_s];
  if (time) {
    shortest_s = count(time_s) == 0 ? *time : std::min(shortest_s, *time);
    longest_s = std::max(longest_s, *time);
  }
  for (const KernelFigure figure : kernel_figures) {
    const std::optional<double> found = launch[figure];
    if (!found) continue;
    FoldedFigure& folded = figures[index_of(figure)];
    ++folded.count;
    folded.last = *found;
    if (facts_of(figure).fold == Fold::sum) {
      folded.sum += static_cast<long double>(*found);
    } else if (time) {
      folded.sum += static_cast<long double>(*found * *time);
      folded.weight += static_cast<long double>(*time);
    }
  }
  for (const KernelRatio ratio : kernel_ratios) {
    const std::optional<double> above = launch[facts_of(ratio).above];
    const std::optional<double> below = launch[facts_of(ratio).below];
    if (!above || !below) continue;
    FoldedRatio& pair = ratios[index_of(ratio)];
    pair.above += static_cast<long double>(*above);
    pair.below += static_cast<long double>(*below);
    ++pair.count;
  }
}

void KernelSums::stand_in(const KernelSums& step) {
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (facts_of(kernel_figures[i]).fold != Fold::sum) continue;
    if (figures[i].count > 0 || step.figures[i].count == 0) continue;
    figures[i] = step.figures[i];
    figures[i].count = launches;
  }
  for (const KernelRatio ratio : kernel_ratios) {
    FoldedRatio& pair = ratios[index_of(ratio)];
    const FoldedFigure& above = figures[index_of(facts_of(ratio).above)];
    const FoldedFigure& below = figures[index_of(facts_of(ratio).below)];
    if (pair.count > 0 || above.count == 0 || below.count == 0) continue;
    pair = {above.sum, below.sum, launches};
  }
}

std::optional<double> KernelSums::known(KernelFigure figure) const {
  const FoldedFigure& folded = figures[index_of(figure)];
  if (folded.count == 0) return std::nullopt;
  if (facts_of(figure).fold == Fold::sum) return static_cast<double>(folded.sum);
  // A value that stands alone needs no weight.
  if (folded.count == 1) return folded.last;
  return quotient(static_cast<double>(folded.sum), static_cast<double>(folded.weight));
}

std::optional<double> KernelSums::at(KernelFigure figure) const {
  const bool sum = facts_of(figure).fold == Fold::sum;
  return whole_only && sum && count(figure) < launches ? std::nullopt : known(figure);
}

std::optional<double> KernelSums::at(KernelRatio ratio) const {
  const FoldedRatio& pair = ratios[index_of(ratio)];
  if (whole_only && pair.count < launches) return std::nullopt;
  return quotient(static_cast<double>(pair.above), static_cast<double>(pair.below));
}

std::optional<double> KernelSums::known(ArithmeticPath path) const {
  std::optional<double> work;
  for (const KernelFigure figure : kernel_figures) {
    if (facts_of(figure).path != path || count(figure) == 0) continue;
    work = work.value_or(0.0) + known(figure).value_or(0.0);
  }
  return work;
}

std::optional<double> KernelSums::cuda_core_flops() const {
  const std::optional<double> collected = at(collected_flops);
  return collected ? std::optional(*collected - at(tensor_flops).value_or(0.0)) : std::nullopt;
}

std::map<KernelFigure, double> KernelSums::tensor_by_type() const {
  std::map<KernelFigure, double> types;
  for (const KernelFigure figure : kernel_figures) {
    if (!is_tensor_type(figure)) continue;
    if (const auto operations = known(figure)) types[figure] = *operations;
  }
  return types;
}

std::vector<std::string> KernelSums::not_collected() const {
  std::vector<std::string> keys;
  for (const KernelFigure figure : kernel_figures) {
    const KernelFigureFacts& facts = facts_of(figure);
    if (facts.shown == Shown::always && count(figure) == 0) keys.emplace_back(facts.key);
  }
  if (!at(KernelRatio::intensity)) keys.emplace_back(facts_of(KernelRatio::intensity).key);
  return keys;
}

std::map<std::string, double> KernelSums::coverage() const {
  std::map<std::string, double> shares;
  const auto share = [this](std::size_t count) {
    return static_cast<double>(count) / static_cast<double>(launches);
  };
  for (const KernelFigure figure : kernel_figures) {
    const KernelFigureFacts& facts = facts_of(figure);
    if (is_total(facts) && count(figure) > 0) shares[std::string(facts.key)] = share(count(figure));
  }
  if (at(KernelRatio::intensity)) {
    shares[std::string(facts_of(KernelRatio::intensity).key)] =
        share(ratios[index_of(KernelRatio::intensity)].count);
  }
  return shares;
}

KernelSums sums_of(const KernelTable& kernels, bool tensor_cores) {
  KernelSums sums{.tensor_cores = tensor_cores};
  for (std::size_t row = 0; row < kernels.size(); ++row) sums.add(kernels, row);
  return sums;
}

}  // namespace rooflab::record
