// A description of published single ops and its table, from arbitrary bytes with a line of three
// dashes between them: an Error, or rows whose sizes and times are numbers above zero.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "base/csv.hpp"
#include "probe/op_description.hpp"
#include "probe/published_ops.hpp"
#include "rooflab/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooflab;
  static const std::vector<std::string> kinds = {"relu.forward.f32", "conv2d.forward.fp32.nchw",
                                                 "linear.forward.fp32"};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view border = "\n---\n";
  const std::size_t end = text.find(border);
  if (end == std::string_view::npos) return 0;
  try {
    const probe::OpDescription description =
        probe::read_op_description(text.substr(0, end), "fuzz.toml", kinds);
    const CsvTable table = parse_csv(text.substr(end + border.size()), "fuzz.csv");
    for (const auto& [device, ops] : probe::read_published_ops(description, table).ops) {
      for (const auto& [kind, rows] : ops) {
        for (const probe::PublishedRow& row : rows) {
          ROOFLAB_ASSERT(row.time_s > 0.0 && std::isfinite(row.time_s));
          for (const double each : row.sizes) ROOFLAB_ASSERT(std::isfinite(each));
        }
      }
    }
  } catch (const Error&) {
  }
  return 0;
}
