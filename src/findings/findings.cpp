#include "rooflab/findings/findings.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "result_facts.hpp"
#include "rules.hpp"

namespace rooflab::findings {
namespace {

// What a rule takes of the step is gone for the rules behind it, so those of one cause come first,
// then those of what many causes have in common.
template <class Facts>
using Rule = void (*)(const Facts&, FindingList&);

constexpr Rule<TraceFacts> trace_rules[] = {
    add_data_loading,      add_blocking_copies,    add_exposed_communication, add_recomputation,
    add_layout_conversion, add_cuda_core_products, add_short_kernels,         add_optimizer,
    add_host_wait,         add_small_batch,        add_above_prediction,      add_long_kernel,
    add_tensor_cores_used};
constexpr Rule<CounterFacts> counter_rules[] = {add_cuda_core_products, add_layout_conversion,
                                                add_far_from_roofs, add_low_occupancy};
constexpr Rule<NetworkFacts> network_rules[] = {add_optimizer,         add_cuda_core_products,
                                                add_layout_conversion, add_channel_padding,
                                                add_unaligned_size,    add_memory_bound};
constexpr Rule<NetworkFacts> prediction_rules[] = {add_host_wait, add_small_batch,
                                                   add_limit_far_below};
constexpr Rule<analyze::MeasuredCase> timed_rules[] = {add_host_wait, add_data_loading};
constexpr Rule<analyze::MeasuredCase> measured_rules[] = {
    add_clocks_held_down, add_faster_than_limit, add_outside_interval, add_no_expectation,
    add_first_call};
constexpr Rule<analyze::ScalingSeries> series_rules[] = {add_mixed_batches, add_scaling_efficiency,
                                                         add_memory_of_ranks};
constexpr Rule<analyze::ScalingRow> row_rules[] = {add_ended_early, add_unbalanced_ranks,
                                                   add_exposed_communication, add_host_wait};

template <class Facts, std::size_t count>
void apply(const Rule<Facts> (&rules)[count], const Facts& facts, FindingList& found) {
  for (const Rule<Facts> rule : rules) rule(facts, found);
}

void append(std::vector<Finding>& all, std::vector<Finding> more) {
  for (Finding& finding : more) all.push_back(std::move(finding));
}

/// What is said of a device is said once, of none of the results from there.
void say_once(std::vector<Finding>& all) {
  std::set<std::string> said;
  std::erase_if(all, [&](Finding& finding) {
    if (finding.kind != FindingKind::no_expectation) return false;
    finding.subject.clear();
    return !said.insert(finding.sentence()).second;
  });
}

/// Findings of all of them, sorted together.
template <class Result>
std::vector<Finding> findings_of_all(std::span<const Result> results) {
  std::vector<Finding> all;
  for (const Result& result : results) append(all, findings_of(result));
  say_once(all);
  sort_by_worth(all);
  return all;
}

std::vector<Finding> counter_findings(const analyze::ImportedCase& imported) {
  double kernels_s = 0.0;
  for (const analyze::KernelGroup& group : imported.kernels)
    kernels_s += group.time_s.value_or(0.0);
  if (kernels_s <= 0.0) return {};
  const CounterFacts facts{imported, evidence_of(imported.record), kernels_s,
                           KernelTimes(*imported.record.kernels)};
  FindingList found(facts.times.all_s(), imported.title, may_be_of_pytorch(imported.record));
  apply(counter_rules, facts, found);
  return std::move(found).sorted();
}

}  // namespace

std::vector<Finding> findings_of(const analyze::ImportedCase& imported) {
  std::vector<Finding> all = counter_findings(imported);
  if (imported.trace && imported.trace->work.steps > 0) {
    const trace::TracePanes& panes = imported.trace->ours;
    const TraceFacts facts{imported, panes, imported.trace->work, evidence_of(imported.record),
                           panes.breakdown.mean.total_ns};
    if (facts.step_ns > 0.0 && facts.work.kernel_ns > 0.0) {
      FindingList found(facts.step_ns * seconds_per_ns, imported.title,
                        may_be_of_pytorch(imported.record));
      apply(trace_rules, facts, found);
      append(all, std::move(found).sorted());
    }
  }
  sort_by_worth(all);
  return all;
}

std::vector<Finding> findings_of(const analyze::CaseResult& result) {
  const std::optional<NetworkFacts> facts = network_facts(result);
  if (!facts) return {};
  FindingList found(facts->step_s,
                    format("{} on {}, {}", result.model, result.device.id, result.size_text()));
  found.set_floor(facts->floor_s);
  apply(network_rules, *facts, found);
  apply(prediction_rules, *facts, found);
  return std::move(found).sorted();
}

std::vector<Finding> findings_of(const analyze::MeasuredCase& measured) {
  FindingList found(measured.median_s(), title_of(measured.record.identity));
  apply(timed_rules, measured, found);
  if (const auto facts = network_facts(measured)) {
    found.set_floor(facts->floor_s);
    apply(network_rules, *facts, found);
  }
  apply(measured_rules, measured, found);
  std::vector<Finding> all = std::move(found).sorted();
  if (!measured.record.identity.other_worker().empty()) {
    for (Finding& each : all) each.attempt.clear();  // lines of PyTorch
  }
  return all;
}

std::vector<Finding> findings_of(const analyze::ScalingSeries& series) {
  const std::string title = format("{} on {}, {}, {}", series.model, series.device,
                                   name_of(series.precision), name_of(series.kind));
  FindingList of_series({}, title);
  apply(series_rules, series, of_series);
  std::vector<Finding> all = std::move(of_series).sorted();
  for (const analyze::ScalingRow& row : series.rows) {
    FindingList found(row.step().step_s, format("{}, {}", title, plural(row.devices, "device")),
                      false);
    apply(row_rules, row, found);
    append(all, std::move(found).sorted());
  }
  sort_by_worth(all);
  return all;
}

std::vector<Finding> findings_of(const trace::TraceJob& job) {
  FindingList found({}, "the ranks of the job");
  add_unbalanced_ranks(job, found);
  return std::move(found).sorted();
}

std::vector<Finding> findings_of(const training::TrainingSummary& trainings) {
  std::vector<Finding> all;
  for (const training::TrainingGroup& group : trainings.groups) {
    FindingList found({}, format("group {}, {}", group.number, group.device), false);
    const std::string command =
        group.runs.empty() ? "" : trainings.runs[group.runs.back()].run.identity.command;
    add_training_advice(group.advice, command, found);
    append(all, std::move(found).sorted());
  }
  return all;
}

ImportedFindings imported_findings(std::span<const analyze::ImportedCase> cases,
                                   const std::optional<trace::TraceJob>& job) {
  ImportedFindings found;
  for (const analyze::ImportedCase& each : cases) {
    append(found.all, found.of_each.emplace_back(findings_of(each)));
  }
  if (job) append(found.all, findings_of(*job));
  sort_by_worth(found.all);
  return found;
}
std::vector<Finding> findings_of(std::span<const analyze::CaseResult> cases) {
  return findings_of_all(cases);
}
std::vector<Finding> findings_of(std::span<const analyze::MeasuredCase> cases) {
  return findings_of_all(cases);
}

std::vector<Finding> findings_of(const analyze::Scaling& scaling) {
  return findings_of_all(std::span<const analyze::ScalingSeries>(scaling.series));
}

std::vector<Finding> findings_of(const analyze::ResultSet& results) {
  std::vector<Finding> all = findings_of(std::span<const analyze::CaseResult>(results.predictions));
  append(all, findings_of(std::span<const analyze::MeasuredCase>(results.measured)));
  append(all, imported_findings(results.imported, results.job).all);
  append(all, findings_of(training::summarize_training(results.trainings)));
  if (!results.scaled.empty()) append(all, findings_of(analyze::scaling_of(results.scaled)));
  sort_by_worth(all);
  return all;
}

}  // namespace rooflab::findings
