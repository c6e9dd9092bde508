#pragma once

#include <array>
#include <span>
#include <string_view>

#include "rooflab/base/fields.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/record/scale_run.hpp"
#include "rooflab/record/stage_run.hpp"
#include "rooflab/record/training_run.hpp"

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
});

}  // namespace rooflab
