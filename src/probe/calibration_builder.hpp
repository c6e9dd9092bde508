#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/worker_probe.hpp"
#include "op_grid.hpp"

namespace rooflab::probe {

/// Adds the measured single ops to the calibration's tables: each under the kind and sizes that the
/// schedule gives it, so that measuring and predicting name ops alike. `device` decides which
/// arithmetic path a product takes. Items without a result, and missing figures of a result, add
/// nothing. A shape that already has a row becomes the median of the two. `results[i].item` is an
/// index into `items`.
void add_op_rows(device::Calibration& calibration, std::span<const engine::ProbeItem> items,
                 std::span<const engine::ProbeResult> results, const device::Device& device);

/// Items whose ops have no row in the calibration yet: a further probe should measure these.
[[nodiscard]] std::vector<engine::ProbeItem> not_measured_yet(
    std::vector<engine::ProbeItem> items, const device::Calibration& calibration,
    const device::Device& device);

/// Adds the issue costs of a framework. Existing costs of the same framework are kept if they
/// are lower: other work of the machine can only add time.
void add_host_costs(device::Calibration& calibration, device::HostCosts costs);

/// Fits every table that has rows (several at a time); tables of fewer than `least_rows` rows are
/// dropped with a note. `progress` receives the fraction done, from several threads in turn.
void fit_tables(device::Calibration& calibration, double multiprocessors,
                const std::function<void(double)>& progress = {});

}  // namespace rooflab::probe
