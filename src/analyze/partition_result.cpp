#include "rooflab/analyze/partition_result.hpp"

#include "describe/field_table.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::analyze {

std::optional<double> PartitionResult::measured_step_s() const {
  return run ? median_of(run->steps_s) : std::nullopt;
}

const predict::PartitionPlan* PartitionResult::plan() const {
  if (own) return &*own;
  return outcome.plan ? &*outcome.plan : nullptr;
}

std::optional<double> PartitionResult::ratio() const {
  if (plan() == nullptr) return std::nullopt;
  return quotient(plan()->pipelined.value, measured_step_s());
}

std::optional<double> PartitionResult::samples_per_s() const {
  std::optional<double> step = measured_step_s();
  if (!step && plan() != nullptr) step = plan()->pipelined.value;
  return quotient(static_cast<double>(batch), step);
}

std::vector<PartitionStage> PartitionResult::stages_of(const predict::PartitionPlan* of) const {
  std::vector<PartitionStage> stages;
  if (of == nullptr) return stages;
  const bool ran = of == plan() && run && run->status == record::Status::ok;
  for (const predict::PlannedStage& planned : of->stages) {
    const std::size_t i = stages.size();
    PartitionStage& stage = stages.emplace_back();
    stage.number = static_cast<std::int64_t>(i);
    stage.planned = planned;
    const int micro_batches = of->micro_batches;
    for (Seconds* time :
         {&stage.planned.forward, &stage.planned.backward, &stage.planned.transfer}) {
      time->value *= micro_batches;
    }
    stage.planned.received = planned.received * micro_batches;
    stage.planned.returned = planned.returned * micro_batches;
    if (ran && i < run->stages.size()) stage.run = run->stages[i];
  }
  return stages;
}

std::vector<PartitionDevice> PartitionResult::stage_devices() const {
  std::vector<PartitionDevice> rows;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    rows.push_back({devices[i], memory[i], outcome.least_memory});
  }
  return rows;
}

namespace {

/// A member of the stage as it was planned.
template <auto member>
constexpr Within planned{&PartitionStage::planned, member};

std::int64_t nodes_of(const PartitionStage& stage) {
  return stage.planned.end - stage.planned.begin;
}
predict::Verdict stage_verdict(const PartitionStage& stage) { return stage.planned.fit.verdict; }
double margin_of(const PartitionStage& stage) { return stage.planned.fit.margin; }

Json json_of(const PartitionResult& result, const std::optional<predict::PartitionPlan>& of) {
  if (!of) return nullptr;
  constexpr FigureKey stages = "stages";
  Json plan = to_json(*of);
  plan.update({{stages.key(), codec::encode(result.stages_of(&*of))}});
  return plan;
}
Json plan_of(const PartitionResult& result) { return json_of(result, result.outcome.plan); }
Json own_plan_of(const PartitionResult& result) { return json_of(result, result.own); }

}  // namespace

std::span<const Field> fields_of(For<PartitionStage>) {
  using predict::PlannedStage;
  using record::StageResult;
  static constexpr Field fields[] = {
      field<&PartitionStage::number>("stage"),
      field<planned<&PlannedStage::device>>("device"),
      field<planned<&PlannedStage::first>>("first_node"),
      field<planned<&PlannedStage::last>>("last_node"),
      field<&nodes_of>("nodes"),
      field<planned<&PlannedStage::forward>>("forward_s"),
      field<planned<&PlannedStage::backward>>("backward_s"),
      field<planned<&PlannedStage::optimizer>>("optimizer_s"),
      field<&PartitionStage::time>("predicted_s"),
      field<planned<&PlannedStage::received>>("received_bytes"),
      field<planned<&PlannedStage::returned>>("returned_bytes"),
      field<planned<&PlannedStage::transfer>>("transfer_s")
          .says("In a step: what the stage receives and gives back."),
      field<planned<&PlannedStage::memory>>("memory"),
      field<&stage_verdict>("verdict"),
      field<&margin_of>("margin_share"),
      field<IfThere{&PartitionStage::run, &StageResult::time_s}>("median_s"),
      field<IfThere{&PartitionStage::run, &StageResult::transfer_s}>("measured_transfer_s"),
      field<IfThere{&PartitionStage::run, &StageResult::received}>("measured_received_bytes"),
      field<IfThere{&PartitionStage::run, &StageResult::allocated_peak}>(
          "measured_allocated_peak_bytes")};
  return fields;
}

std::span<const Field> fields_of(For<PartitionDevice>) {
  static constexpr Field fields[] = {field<&PartitionDevice::device>("device"),
                                     field<&PartitionDevice::memory>("usable_memory_bytes"),
                                     field<&PartitionDevice::least_memory>("least_memory_bytes")};
  return fields;
}

std::span<const Field> fields_of(For<PartitionResult>) {
  static constexpr auto fields = field_table(
      members<&PartitionResult::model, &PartitionResult::batch, &PartitionResult::phase,
              &PartitionResult::precision>,
      field<&PartitionResult::stage_devices>("devices"), field<&PartitionResult::link>(),
      field<&plan_of>("plan"), field<&own_plan_of>("own_plan").sparse(),
      field<&PartitionResult::run>(), field<&PartitionResult::measured_step_s>("median_s"),
      field<&PartitionResult::ratio>("time_ratio"),
      members<&PartitionResult::samples_per_s, &PartitionResult::notes>,
      field<&PartitionResult::command>("command_line"));
  return fields;
}

}  // namespace rooflab::analyze
