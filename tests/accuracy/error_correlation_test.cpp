// How the errors of single ops go together: rows of the H200's calibration that share a size, left
// out together and predicted from the rest. The interval of a step rests on it
// (src/predict/step_uncertainty.cpp).

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "accuracy_page.hpp"
#include "base/format.hpp"
#include "default_prediction.hpp"
#include "predict/step_uncertainty.hpp"

namespace rooflab::accuracy {
namespace {

constexpr std::size_t fewest_rows = 30;   ///< smallest table that is used
constexpr std::size_t fewest_shared = 5;  ///< rows that share a size
constexpr double largest_error = 4.0;     ///< in deviations; a larger one counts as that

/// Sums over pairs of errors z, each over its deviation.
struct Together {
  double products = 0.0;
  double squares = 0.0;
  double expected = 0.0;  ///< sum of error_correlation()
  std::size_t pairs = 0;

  void add(double z1, double z2, double formula) {
    products += z1 * z2;
    squares += 0.5 * (z1 * z1 + z2 * z2);
    expected += formula;
    ++pairs;
  }
  [[nodiscard]] double correlation() const { return products / squares; }
  [[nodiscard]] double formula() const { return expected / static_cast<double>(pairs); }
};

struct Error {
  predict::OpShape shape;
  double z;
};

/// Errors of rows that are predicted from all others of their kind.
std::vector<Error> errors_without(const std::string& kind, const device::OpTable& table,
                                  const std::vector<std::size_t>& left_out,
                                  double multiprocessors) {
  device::OpTable rest = table;
  rest.rows.clear();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (!std::ranges::binary_search(left_out, i)) rest.rows.push_back(table.rows[i]);
  }
  const predict::OpModel model(kind, rest, multiprocessors);
  std::vector<Error> errors;
  for (const std::size_t i : left_out) {
    const device::OpRow& row = table.rows[i];
    const predict::OpModel::Estimate estimate = model.estimate(row.sizes);
    const double z = std::log(row.time_s / estimate.time_s) / estimate.deviation;
    predict::OpShape shape = predict::shape_of_kind(kind);
    shape.sizes = row.sizes;
    errors.push_back({std::move(shape), std::clamp(z, -largest_error, largest_error)});
  }
  return errors;
}

/// Everything that the page says, collected group by group.
struct Collected {
  std::array<Together, 4> by_distance;  ///< below 2, 4, 8 octaves; the rest
  Together passes;
  double squares = 0.0;
  std::size_t errors = 0;
  /// Errors of equal sizes by op, type, layout and the size that was left out.
  std::map<std::tuple<std::string, std::string, double, std::vector<double>>, std::vector<Error>>
      same;

  void add(const std::vector<Error>& group, const std::string& column, double size) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      const predict::OpShape& shape = group[i].shape;
      squares += group[i].z * group[i].z;
      ++errors;
      for (std::size_t k = 0; k < i; ++k) {
        const double distance = predict::octaves_between(shape, group[k].shape);
        if (distance == 0.0) continue;
        const std::size_t bin = distance < 2.0 ? 0 : distance < 4.0 ? 1 : distance < 8.0 ? 2 : 3;
        by_distance[bin].add(group[i].z, group[k].z,
                             predict::error_correlation(shape, group[k].shape));
      }
      auto& others =
          same[{format("{} {} {}", shape.op, shape.type, shape.layout), column, size, shape.sizes}];
      for (const Error& other : others) {
        if (other.shape.pass == shape.pass) continue;
        passes.add(group[i].z, other.z, predict::error_correlation(shape, other.shape));
      }
      others.push_back(group[i]);
    }
  }
};

Collected collect(const device::Calibration& calibration, double multiprocessors) {
  Collected all;
  for (const auto& [kind, table] : calibration.ops) {
    if (table.rows.size() < fewest_rows) continue;
    for (std::size_t j = 0; j < table.columns.size(); ++j) {
      const std::string& column = table.columns[j];
      if (column == "kernel" || column == "stride") continue;  // no network brings its own
      std::map<double, std::vector<std::size_t>> groups;
      for (std::size_t i = 0; i < table.rows.size(); ++i) {
        groups[table.rows[i].sizes[j]].push_back(i);
      }
      for (const auto& [size, rows] : groups) {
        if (rows.size() < fewest_shared || rows.size() > table.rows.size() / 2) continue;
        all.add(errors_without(kind, table, rows, multiprocessors), column, size);
      }
    }
  }
  return all;
}

TEST(Accuracy, OfErrorsTogether) {
  const analyze::CalibratedModel& model = model_for(catalog().find("h200-sxm"));
  const Collected all =
      collect(model.times.calibration(), model.times.source().sm_count.value().value);
  std::string text =
      "| pairs of ops | number | correlation of their errors | formula |\n"
      "| --- | --: | --: | --: |\n";
  const auto line = [&text](const std::string& name, const Together& pairs) {
    ASSERT_GT(pairs.pairs, 1000U) << name;
    text += format("| {} | {} | {:.2f} | {:.2f} |\n", name, pairs.pairs, pairs.correlation(),
                   pairs.formula());
    EXPECT_NEAR(pairs.correlation(), pairs.formula(), 0.1) << name;
  };
  line("one kind, below 2 octaves apart", all.by_distance[0]);
  line("one kind, 2 to 4 octaves", all.by_distance[1]);
  line("one kind, 4 to 8 octaves", all.by_distance[2]);
  line("one kind, 8 octaves and more", all.by_distance[3]);
  line("equal sizes, two passes of one op", all.passes);
  const double scale = std::sqrt(all.squares / static_cast<double>(all.errors));
  text +=
      format("\nRoot mean square of {} errors over their deviations: {:.2f}.\n", all.errors, scale);
  EXPECT_NEAR(scale, 1.2, 0.15);
  expect_in_page("error correlation", text);
}

}  // namespace
}  // namespace rooflab::accuracy
