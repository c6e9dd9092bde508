// Workspaces of the probed device's convolutions, each from the rows that are left when a tenth of
// its kind is taken out: how far the expected figure is off, and how often the largest plausible
// one is too small.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "accuracy_page.hpp"
#include "base/format.hpp"
#include "default_prediction.hpp"
#include "judged.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::accuracy {
namespace {

constexpr std::size_t folds = 10;
constexpr double small = 4e6;       // bytes; below it a workspace does not decide
constexpr double tolerance = 0.05;  // of a workspace that is called covered

struct LeftOut {
  std::size_t rows = 0;
  std::size_t large = 0;      ///< rows whose workspace is above `small`
  std::size_t uncovered = 0;  ///< those where the largest plausible one is too small
  double bytes = 0.0;
  double off = 0.0;       ///< sum of |expected - observed|
  double relative = 0.0;  ///< sum of the errors of operands, result and workspace together
};

LeftOut left_out(const std::string& kind, const device::OpTable& table, double multiprocessors) {
  LeftOut result;
  predict::OpShape shape = predict::shape_of_kind(kind);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    device::OpTable rest = table;
    rest.rows.clear();
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      if (i % folds != fold) rest.rows.push_back(table.rows[i]);
    }
    const predict::OpModel model(kind, rest, multiprocessors);
    for (std::size_t i = fold; i < table.rows.size(); i += folds) {
      const device::OpRow& row = table.rows[i];
      if (!row.workspace_bytes) continue;
      shape.sizes = row.sizes;
      const double alive = predict::work_of(shape).bytes;
      const predict::Workspace workspace = model.workspace(row.sizes).value();
      const double expected = workspace.expected(alive);
      const double observed = *row.workspace_bytes;
      ++result.rows;
      result.bytes += observed;
      result.off += std::abs(expected - observed);
      result.relative += std::abs(expected - observed) / (alive + observed);
      if (observed <= small) continue;
      ++result.large;
      if (workspace.most < (1.0 - tolerance) * observed) ++result.uncovered;
    }
  }
  return result;
}

TEST(Accuracy, OfLeftOutWorkspaces) {
  const device::Device& h200 = catalog().find("h200-sxm");
  const device::Calibration& calibration = model_for(h200).times.calibration();
  std::string text =
      "| kind | rows | GB | off, of all bytes | mean error with operands | above 4 MB | not "
      "covered "
      "|\n"
      "| --- | --: | --: | --: | --: | --: | --: |\n";
  LeftOut all;
  for (const auto& [kind, table] : calibration.ops) {
    if (!kind.starts_with("conv2d.") && !kind.starts_with("conv2d_grouped.")) continue;
    const LeftOut one = left_out(kind, table, h200.sm_count.value().value);
    if (one.bytes == 0.0) continue;
    text += format("| `{}` | {} | {:.1f} | {} | {} | {} | {} |\n", kind, one.rows, one.bytes * 1e-9,
                   percent(one.off / one.bytes),
                   percent(one.relative / static_cast<double>(one.rows)), one.large, one.uncovered);
    all.rows += one.rows;
    all.large += one.large;
    all.uncovered += one.uncovered;
    all.bytes += one.bytes;
    all.off += one.off;
    all.relative += one.relative;
  }
  text += format("| all | {} | {:.1f} | {} | {} | {} | {} |\n", all.rows, all.bytes * 1e-9,
                 percent(all.off / all.bytes),
                 percent(all.relative / static_cast<double>(all.rows)), all.large, all.uncovered);
  EXPECT_LE(static_cast<double>(all.uncovered), 0.06 * static_cast<double>(all.large));
  EXPECT_LE(all.relative, 0.10 * static_cast<double>(all.rows));
  expect_in_page("left out workspaces", text);
}

}  // namespace
}  // namespace rooflab::accuracy
