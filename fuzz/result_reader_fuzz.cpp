// Results that commands wrote as JSON, from arbitrary bytes: an Error, or a report that can be
// shown as text and as JSON, without control characters.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "rooflab/analyze/result_set.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/import/readers.hpp"
#include "rooflab/report/views.hpp"
#include "rooflab/task/results.hpp"

namespace {

using namespace rooflab;

const device::Catalog& catalog() {
  static const device::Catalog built_in = device::Catalog::built_in();
  return built_in;
}

void add_measured(analyze::ResultSet& results, record::Record record) {
  results.measured.push_back(analyze::measured_case_of(std::move(record), catalog()));
}

analyze::ResultSet results_of(std::string_view text) {
  using import::FileKind;
  analyze::ResultSet results;
  const std::string file = "fuzz.json";
  const FileKind kind = import::file_kind_of(text.substr(0, 65536), file);
  const Json json = parse_json(text, file);
  if (kind == FileKind::prediction) {
    results.predictions = analyze::predictions_from_json(json, file, catalog());
  } else if (kind == FileKind::measurement) {
    for (record::Record& each : analyze::measurements_from_json(json, file)) {
      add_measured(results, std::move(each));
    }
  } else if (kind == FileKind::training) {
    results.trainings = analyze::trainings_from_json(json, file);
  } else if (kind == FileKind::training_run) {
    results.trainings.push_back({"run-1", from_file_json<record::TrainingRun>(json, file)});
  } else if (kind == FileKind::scale_run) {
    results.scaled.push_back(from_file_json<record::ScaleRun>(json, file));
  } else if (kind == FileKind::record) {
    std::vector<analyze::Recording> recorded;
    for (analyze::Recording& each : analyze::recordings_from_json(json, file)) {
      if (each.record.kernels || each.record.trace) {
        recorded.push_back(std::move(each));
      } else if (each.record.timing) {
        add_measured(results, std::move(each.record));
      } else {
        results.watched.push_back(std::move(each));
      }
    }
    task::add_imported(results, std::move(recorded), catalog(), std::nullopt);
  }
  return results;
}

bool has_controls(std::string_view text) {
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7f) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const analyze::ResultSet results = results_of({reinterpret_cast<const char*>(data), size});
    const page::Document document = report::report_view(results, "rooflab report fuzz.json", 20,
                                                        findings::findings_of(results));
    ROOFLAB_ASSERT(!has_controls(page::render(document, page::Format::table)));
    ROOFLAB_ASSERT(!has_controls(page::render(document, page::Format::markdown)));
    (void)page::render(document, page::Format::csv);
    (void)Json::parse(page::render(document, page::Format::json));  // throws unless it is JSON
  } catch (const Error&) {
  }
  return 0;
}
