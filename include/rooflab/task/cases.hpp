#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/base/parameter.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/layer_choice.hpp"
#include "rooflab/task/network.hpp"

namespace rooflab::task {

/// Networks or single layers times batch sizes, phases, precisions and devices.
struct CaseGrid {
  std::vector<std::string> models;
  std::vector<std::string> device;  ///< empty: those of the user's calibrations
  DeviceFiles device_files;
  std::optional<PercentChoice> ppp;
  NetworkSettings network;
  LayerChoice layers;

  [[nodiscard]] predict::PercentOfPeak percent() const {
    return ppp ? ppp->percent : predict::PercentOfPeak{};
  }
};
const Parameters& parameters_of(For<CaseGrid>);

/// The same grid where each value of a list counts once: what is computed is the same each time.
[[nodiscard]] CaseGrid without_repeats(CaseGrid grid);

/// The devices named; else `fallback`, else those of the user's calibrations. Throws Error (usage)
/// without any.
[[nodiscard]] std::vector<device::Device> devices_of(
    const CaseGrid& grid, const device::Catalog& catalog, const analyze::KnownCalibrations& known,
    const Session& session, const std::vector<device::Device>& fallback = {});

/// Throws Error (usage) for models or settings that cannot be, also where a device stands among the
/// models.
void check_networks(const CaseGrid& grid);

/// The grid of one case: of this network, lowering and device.
[[nodiscard]] CaseGrid one_case(const CaseGrid& grid, const ListedNetwork& network,
                                const schedule::LoweringOptions& lowering,
                                const device::Device& device);

/// Analyses a step of a network on the device of that index.
using AnalyzeCase =
    std::function<analyze::CaseResult(const schedule::Schedule& schedule, std::size_t device)>;
/// The expected time of a step on the device of that index; nullopt: nothing is predicted there.
using PredictStep =
    std::function<std::optional<Seconds>(const schedule::Schedule& schedule, std::size_t device)>;
/// Every combination, by network, phase and precision, then device, with names and notes.
/// `command_of` gives the command line of one case. `predict`, where it is not empty, is asked
/// about twice the batch and the channels-last order of each case that has a prediction. A
/// rewritten network is analysed as it is, too.
[[nodiscard]] std::vector<analyze::CaseResult> cases_of(
    const CaseGrid& grid, const std::vector<device::Device>& devices, const AnalyzeCase& analyze,
    const std::function<std::string(const CaseGrid& one)>& command_of,
    const PredictStep& predict = {});

/// Every op counted, every figure known.
[[nodiscard]] bool is_complete(const std::vector<analyze::CaseResult>& cases);

}  // namespace rooflab::task
