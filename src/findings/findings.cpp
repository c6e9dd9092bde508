#include "rooflab/findings/findings.hpp"

#include "result_facts.hpp"
#include "rules.hpp"

namespace rooflab::findings {
namespace {

constexpr void (*trace_rules[])(const TraceFacts&, FindingList&) = {
    add_host_wait,          add_small_batch,   add_data_loading,  add_blocking_copies,
    add_layout_conversion,  add_cuda_core_products, add_recomputation, add_short_kernels,
    add_optimizer,          add_exposed_communication, add_long_kernel, add_tensor_cores_used};

/// Of all of them, sorted together.
template <class Result>
std::vector<Finding> findings_of_all(std::span<const Result> results) {
  std::vector<Finding> all;
  for (const Result& result : results) {
    for (Finding& finding : findings_of(result)) all.push_back(std::move(finding));
  }
  sort_by_worth(all);
  return all;
}

}  // namespace

std::string short_name(const std::string& kernel) {
  constexpr std::size_t most = 60;
  std::string name = kernel.starts_with("void ") ? kernel.substr(5) : kernel;
  if (name.size() <= most) return name;
  std::size_t end = most - 3;
  while (end > 0 && (name[end] & 0xC0) == 0x80) --end;  // not within a letter
  return name.substr(0, end) + "...";
}

std::vector<Finding> findings_of(const analyze::ImportedCase& imported) {
  if (!imported.trace || imported.trace->work.steps == 0) return {};
  const trace::TracePanes& panes = imported.trace->ours;
  const TraceFacts facts{imported, panes, imported.trace->work, panes.breakdown.mean.total_ns};
  if (facts.step_ns <= 0.0 || facts.work.kernel_ns <= 0.0) return {};
  FindingList found(facts.step_ns * seconds_per_ns, imported.title);
  for (const auto rule : trace_rules) rule(facts, found);
  return std::move(found).sorted();
}

std::vector<Finding> findings_of(std::span<const analyze::ImportedCase> cases) {
  return findings_of_all(cases);
}

}  // namespace rooflab::findings
