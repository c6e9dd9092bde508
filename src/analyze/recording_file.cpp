#include "rooflab/base/schema.hpp"
#include "rooflab/analyze/result_file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/record/record_json.hpp"

namespace rooflab::analyze {

std::vector<Recording> recordings_from_json(const Json& json, const std::string& file) {
  std::vector<Recording> recordings;
  const auto imports = json.is_object() ? json.find("imports") : json.end();
  if (imports == json.end() || !imports->is_array()) {
    recordings.push_back({from_file_json<record::Record>(json, file), file});
    return recordings;
  }
  for (const Json& each : *imports) {
    const auto source = each.is_object() ? each.find("source") : each.end();
    const bool named = source != each.end() && source->is_string();
    recordings.push_back({from_file_json<record::Record>(each, file),
                          named ? format("{}: {}", file, source->get<std::string>()) : file});
  }
  return recordings;
}

}  // namespace rooflab::analyze
