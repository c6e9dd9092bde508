#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "published_ops.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::probe {

/// Reduces rows to one per shape with its median time, ordered by a hash of the shape: any first
/// part is a fair sample that is equal on every machine.
[[nodiscard]] std::vector<PublishedRow> one_row_a_shape(std::vector<PublishedRow> rows);

/// Removes and returns rows that are far from the curve of the other rows of the kind
/// (row_selection.cpp). `floor_s`: time of the smallest op of the kind, if known.
std::vector<PublishedRow> take_outliers(std::string_view kind, std::vector<PublishedRow>& rows,
                                        double multiprocessors, std::optional<double> floor_s);

/// Puts as few rows as needed into the table and fits it; fills in the two errors of `published`,
/// which must be set.
void fit_thinned(std::string_view kind, device::OpTable& table,
                 const std::vector<PublishedRow>& rows, double multiprocessors,
                 std::optional<double> floor_s);

}  // namespace rooflab::probe
