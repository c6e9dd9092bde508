#include "rooflab/task/compare.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "own_table.hpp"
#include "rooflab/analyze/comparison.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/recording/recording.hpp"

namespace rooflab::task {

const Parameters& parameters_of(For<CompareRequest>) {
  static const Parameters all = {
      parameter<&CompareRequest::a>(
          "A", "record, folder of records, or JSON of measure or predict",
          {.positional = true, .required = true, .completes = Completion::file}),
      parameter<&CompareRequest::b>(
          "B", "what to compare it with",
          {.positional = true, .required = true, .completes = Completion::file}),
      part<&CompareRequest::device_files>(),
      part<&CompareRequest::calibrations>(),
  };
  return all;
}

namespace {

/// Throws Error (input) for a recording, which has no results, and for a table.
void check_comparable(const std::string& file) {
  if (!recording::is_recording(file)) return refuse_own_table(file);
  throw Error(ErrorKind::input, "this is a recording of PyTorch's operations, without results",
              "rooflab predict FILE -o RESULT.json makes what can be compared", {file, {}, {}, {}});
}

}  // namespace

analyze::ComparisonList run(const CompareRequest& request, Session& /*session*/) {
  check_comparable(request.a);
  check_comparable(request.b);
  analyze::ComparisonList list = analyze::compare_all(analyze::read_comparands(request.a),
                                                      analyze::read_comparands(request.b));
  const device::Catalog known = request.device_files.catalog();
  const device::Catalog catalog = request.calibrations.with_probed(known);
  const analyze::CalibrationLookup calibrations = request.calibrations.lookup(known);
  for (analyze::Comparison& pair : list.pairs) {
    pair = analyze::for_the_host_at_hand(std::move(pair), catalog, calibrations);
  }
  if (!list.pairs.empty()) return list;
  const std::vector<std::string> undecided = analyze::undecided_pairs(list);
  if (!undecided.empty()) {
    throw Error(ErrorKind::input,
                format("'{}' and '{}' have cases in common, but which belong together is not clear:"
                       " {}",
                       request.a, request.b, join(undecided, "; ")),
                "give files that hold each of these cases once, for example of one device");
  }
  throw Error(ErrorKind::input,
              format("'{}' and '{}' have no case in common", request.a, request.b),
              "several cases are matched by model, batch, phase and precision; one file with one"
              " case each is always compared");
}

bool is_worse(const analyze::ComparisonList& list) {
  const bool slower = std::ranges::any_of(list.pairs, [](const analyze::Comparison& pair) {
    return pair.difference == analyze::Difference::slower;
  });
  return slower || !list.only_a.empty();
}

}  // namespace rooflab::task
