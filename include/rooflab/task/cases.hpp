#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/describe/parameter.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/layer_choice.hpp"
#include "rooflab/task/network.hpp"

namespace rooflab::task {

/// Networks or single layers times batch sizes, phases, precisions and devices.
struct CaseGrid {
  std::vector<std::string> models = {};
  std::vector<std::string> device = {};  ///< empty: devices of the user's calibrations
  DeviceFiles device_files = {};
  std::optional<PercentChoice> ppp = {};
  NetworkSettings network = {};
  LayerChoice layers = {};

  [[nodiscard]] predict::PercentOfPeak percent() const {
    return ppp ? ppp->percent : predict::PercentOfPeak{};
  }
};
const Parameters& parameters_of(For<CaseGrid>);

/// Returns the grid without repeated values in its lists, which would give equal cases.
[[nodiscard]] CaseGrid without_repeats(CaseGrid grid);

/// The devices of the grid, else `fallback`, else the devices of the user's calibrations. Throws
/// Error (usage) without any device.
[[nodiscard]] std::vector<device::Device> devices_of(
    const CaseGrid& grid, const device::Catalog& catalog, const analyze::KnownCalibrations& known,
    const Session& session, const std::vector<device::Device>& fallback = {});

/// Throws Error (usage) for impossible models or settings, and for a device among the models.
void check_networks(const CaseGrid& grid);

/// The grid of one case: a network, its lowering and a device.
[[nodiscard]] CaseGrid one_case(const CaseGrid& grid, const ListedNetwork& network,
                                const schedule::LoweringOptions& lowering,
                                const device::Device& device);

/// Analyses a step of a network on the device with that index.
using AnalyzeCase =
    std::function<analyze::CaseResult(const schedule::Schedule& schedule, std::size_t device)>;
/// Returns the expected time of a step on the device with that index; nullopt: no prediction.
using PredictStep =
    std::function<std::optional<Seconds>(const schedule::Schedule& schedule, std::size_t device)>;
/// Analyses every combination, by network, phase and precision, then device, and adds names and
/// notes. `command_of` returns the command line of one case. `predict`, if not empty, is called for
/// twice the batch and for the channels-last order of each case with a prediction. A rewritten
/// network is also analysed without its rewrite.
[[nodiscard]] std::vector<analyze::CaseResult> cases_of(
    const CaseGrid& grid, const std::vector<device::Device>& devices, const AnalyzeCase& analyze,
    const std::function<std::string(const CaseGrid& one)>& command_of,
    const PredictStep& predict = {});

/// Whether every op is counted and every figure is known.
[[nodiscard]] bool is_complete(const std::vector<analyze::CaseResult>& cases);

}  // namespace rooflab::task
