#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "published_ops.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::probe {

/// One row for each shape, the median of its times, in an order that a hash of the shape gives: any
/// first part of it is a fair sample, the same on every machine.
[[nodiscard]] std::vector<PublishedRow> one_row_a_shape(std::vector<PublishedRow> rows);

/// Takes rows out that lie far from what the others of the kind say (row_selection.cpp); returns
/// them. `floor_s` is what an op of the kind takes however small, where that is known.
std::vector<PublishedRow> take_outliers(std::string_view kind, std::vector<PublishedRow>& rows,
                                        double multiprocessors, std::optional<double> floor_s);

/// Puts as few of the rows as needed into the table and fits it; fills in the two errors of
/// `published`, which must be there.
void fit_thinned(std::string_view kind, device::OpTable& table,
                 const std::vector<PublishedRow>& rows, double multiprocessors,
                 std::optional<double> floor_s);

}  // namespace rooflab::probe
