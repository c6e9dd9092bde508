#pragma once

#include <array>
#include <span>
#include <string_view>

#include "describe/fields.hpp"
#include "engine/probe.hpp"
#include "engine/ranks.hpp"
#include "engine/stages.hpp"
#include "record/record_json.hpp"
#include "rooflab/analyze/comparison.hpp"
#include "rooflab/analyze/fit_result.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/analyze/network_count.hpp"
#include "rooflab/analyze/partition_result.hpp"
#include "rooflab/analyze/scaling.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/engine/case.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/findings/finding.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/record/scale_run.hpp"
#include "rooflab/record/training_run.hpp"
#include "rooflab/task/machine.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/task/request_kind.hpp"
#include "rooflab/trace/trace_analysis.hpp"
#include "rooflab/training/training_advice.hpp"
#include "rooflab/training/training_summary.hpp"
#include "rooflab/zoo/zoo.hpp"
#include "study/case_file.hpp"
#include "study/published/explanation.hpp"
#include "study/study_origin.hpp"
#include "study/study_text.hpp"

namespace rooflab {

/// A described type under the name that docs/formats gives it.
struct DescribedType {
  std::string_view name;
  std::span<const Field> (*fields)();
};

template <Described T>
constexpr DescribedType described(std::string_view name) {
  return {name, [] { return std::span<const Field>(fields_of(For<T>{})); }};
}

/// All that files and results are made of; each has its place in docs/formats.
inline constexpr std::array described_types = std::to_array<DescribedType>({
    described<study::CaseOutcome>("case of a study"),
    described<study::Explanation>("finding of a study"),
    described<study::LocalGpu>("local GPU"),
    described<study::Machine>("machine"),
    described<study::PlannedCase>("planned case"),
    described<study::StudyOrigin>("study folder"),
    described<study::StudyText>("text of a study"),
    described<task::RequestFile>("request"),
    described<task::LocalDevice>("local device"),
    described<task::Machine>("this machine"),
    described<task::Rewrite>("rewrite"),
    described<zoo::ModelInfo>("network"),
    described<zoo::VariantInfo>("variant"),
    described<engine::Capabilities>("capabilities"),
    described<engine::WorkerBuild>("worker build"),
    described<engine::Case>("case"),
    described<engine::DeviceProbeLine>("line of a device probe"),
    described<engine::DeviceProbeRequest>("device probe"),
    described<engine::EvaluationFault>("evaluation fault"),
    described<engine::EvaluationRequest>("evaluation request"),
    described<engine::EvaluationResult>("evaluation result"),
    described<engine::LinkProbe>("link result"),
    described<engine::LinkRequest>("link request"),
    described<engine::LinkTime>("link time"),
    described<engine::MeasureSettings>("settings"),
    described<engine::OpProbeLine>("line of an op probe"),
    described<engine::OpProbeRequest>("op probe"),
    described<engine::ProbeItem>("probe item"),
    described<engine::ProbeResult>("probe result"),
    described<engine::Progress>("progress"),
    described<engine::ScaleRequest>("scale request"),
    described<engine::StageRequest>("stage request"),
    described<engine::TrainingRequest>("training request"),
    described<engine::ValueSource>("value file"),
    described<analyze::CalibrationUse>("calibration use"),
    described<analyze::CaseResult>("predicted case"),
    described<analyze::RewriteFigures>("rewrite figures"),
    described<analyze::Comparand>("comparand"),
    described<analyze::Comparison>("comparison"),
    described<analyze::ComparisonList>("comparison list"),
    described<analyze::LayerRow>("layer"),
    described<analyze::NetworkSummary>("summary"),
    described<analyze::NetworkTotals>("network totals"),
    described<analyze::UncountedOp>("uncounted op"),
    described<device::Device>("datasheet"),
    described<device::Figure>("figure"),
    described<predict::KindShare>("kind of ops"),
    described<predict::Communication>("messages of a step"),
    described<predict::PercentOfPeak>("percent of peak"),
    described<analyze::ClassTime>("class time"),
    described<analyze::CountedLayer>("counted layer"),
    described<analyze::CountedLayers>("counted layers"),
    described<analyze::Gap>("gap"),
    described<analyze::ImportedCase>("imported case"),
    described<analyze::ModelledOpRow>("modelled op of a step"),
    described<analyze::ModelledOps>("modelled ops"),
    described<record::ModelledOp>("modelled op"),
    described<record::ModelledStep>("modelled step"),
    described<analyze::RoofBreach>("point above a roof"),
    described<analyze::RoofPlace>("place below the roofs"),
    described<analyze::WorkCheck>("check"),
    described<record::KernelEntry>("kernel launch"),
    described<record::KernelSums>("sums of kernels"),
    described<analyze::MeasuredCase>("measured case"),
    described<analyze::MeasuredLayer>("measured layer"),
    DescribedType{"issue of a prediction", &analyze::issue_fields},
    DescribedType{"limit of a case", &analyze::limit_fields},
    DescribedType{"predicted peaks", &analyze::expected_memory_fields},
    DescribedType{"step times", &analyze::timing_fields},
    described<predict::NetworkLimit>("network limit"),
    described<predict::StepTime>("expected time"),
    described<record::SampleSummary>("sample summary"),
    described<analyze::FitResult>("fit"),
    described<analyze::FitPoint>("fit point"),
    described<analyze::FitCircumstance>("circumstance"),
    described<analyze::FitTry>("try"),
    described<analyze::PartitionResult>("partition"),
    described<predict::PartitionPlan>("partition plan"),
    described<analyze::PartitionStage>("planned stage"),
    described<analyze::PartitionDevice>("stage device"),
    DescribedType{"measured step", &analyze::measured_step_fields},
    DescribedType{"predicted step", &analyze::predicted_step_fields},
    described<analyze::Scaling>("scaling"),
    described<analyze::ScalingBasis>("basis of a prediction"),
    described<analyze::ScalingRank>("scaling rank"),
    described<analyze::ScalingRow>("scaling row"),
    described<analyze::ScalingSeries>("scaling series"),
    described<findings::Finding>("finding"),
    described<analyze::TraceCheck>("check of a trace"),
    described<analyze::ClassCheck>("check of a class"),
    described<device::ProbedDevice>("probe"),
    described<device::ProbedFigure>("probed figure"),
    described<device::ProbedLink>("probed link"),
    described<device::ProbedOps>("probed ops"),
    described<device::OpRow>("probed op"),
    described<device::PublishedRows>("published rows"),
    described<device::VectorAddition>("vector addition"),
    described<device::Origin>("origin"),
    described<device::HostCosts>("host costs"),
    described<device::HostCost>("host cost"),
    described<device::Link>("link"),
    described<predict::MemoryEstimate>("predicted memory"),
    described<trace::TraceAnalysis>("panes"),
    described<trace::TracePanes>("panes of a rule"),
    described<trace::StepCosts>("trace step"),
    described<trace::RoleTimes>("mean trace step"),
    described<trace::OverlapTable>("overlap"),
    described<trace::DeviceUse>("device use"),
    described<trace::OperatorRow>("operator"),
    described<trace::TraceKernels>("trace kernels"),
    described<trace::KernelRow>("trace kernel"),
    described<trace::CollectiveRow>("collective"),
    described<trace::MemoryCurve>("memory curve"),
    described<trace::TraceJob>("job"),
    described<trace::RankRow>("job rank"),
    described<trace::StepOverlap>("rank overlap"),
    described<trace::Synchronization>("synchronization"),
    described<trace::CollectiveOpRow>("synchronized collective"),
    described<record::CaseIdentity>("identity"),
    described<record::ClockState>("clocks"),
    described<record::CommunicationEvent>("communication"),
    described<record::CopyEvent>("copy"),
    described<record::AllocationEvent>("allocation"),
    described<record::CounterSet>("counter set"),
    described<record::Counting>("counting"),
    described<record::DeviceIdentity>("device"),
    described<record::Environment>("environment"),
    described<record::EpochResult>("epoch"),
    described<record::Evaluation>("evaluation"),
    described<record::HardwareSamples>("hardware samples"),
    described<analyze::SampledWindow>("sampled window"),
    described<record::LaunchScope>("launch scope"),
    described<record::LayerTimes>("layer times"),
    described<record::Loss>("loss of an import"),
    described<record::MemoryUse>("memory use"),
    described<record::NodeTiming>("node timing"),
    described<record::PhaseMemory>("phase memory"),
    described<record::RangeTable>("range table"),
    described<record::RankKernels>("rank kernels"),
    described<record::RankResult>("rank"),
    described<record::Record>("record"),
    described<record::Sample>("sample"),
    described<record::SampleSeries>("sample series"),
    described<record::ScaleRun>("scale run"),
    described<record::StageResult>("stage"),
    described<record::StageRun>("stage run"),
    described<record::Timing>("timing"),
    described<record::Trace>("trace"),
    described<record::TraceDevice>("trace device"),
    described<record::TrainingRecipe>("recipe"),
    described<record::TrainingRun>("training run"),
    described<training::AccuracyMilestone>("milestone"),
    described<training::EpochShares>("shares of the epochs"),
    described<training::EvaluationGroup>("group of models"),
    described<training::EvaluationSummary>("result of evaluations"),
    described<training::NamedTraining>("named run"),
    described<training::RunFigure>("figure over runs"),
    described<training::TrainingAdvice>("advice"),
    described<training::TrainingComparison>("comparison of groups"),
    described<training::TrainingGroup>("group of runs"),
    described<training::TrainingSummary>("result of training"),
    described<training::TrainingTrial>("trial"),
    described<training::TrialSummary>("result of trials"),
});

}  // namespace rooflab
