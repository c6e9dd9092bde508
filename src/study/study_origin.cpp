#include "rooflab/study/study_origin.hpp"

#include <string_view>

#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"
#include "study_folder.hpp"

namespace rooflab::study {
namespace {

namespace fs = std::filesystem;

constexpr int folder_schema_version = 1;
constexpr std::string_view folder_kind = "study_folder";

Json json_of(const Machine& machine) {
  Json gpus = Json::array();
  for (const LocalGpu& gpu : machine.gpus) {
    gpus.push_back({{"name", gpu.name}, {"model", gpu.model}, {"catalog_id", gpu.catalog_id}});
  }
  return {{"torch_worker", machine.torch_worker},
          {"probe_worker", machine.probe_worker},
          {"counters", machine.counters},
          {"gpus", std::move(gpus)}};
}

Machine machine_of(const JsonFields& fields) {
  Machine machine;
  machine.torch_worker = fields.flag("torch_worker");
  machine.probe_worker = fields.flag("probe_worker");
  machine.counters = fields.flag("counters");
  for (const JsonFields& gpu : fields.objects("gpus")) {
    machine.gpus.push_back({gpu.text("name"), gpu.text("model"), gpu.text("catalog_id")});
  }
  return machine;
}

}  // namespace

Json to_json(const StudyOrigin& origin) {
  Json json = {
      {"schema_version", folder_schema_version}, {"kind", folder_kind}, {"title", origin.title}};
  if (!origin.command.empty()) json["command"] = origin.command;
  if (origin.machine) json["machine"] = json_of(*origin.machine);
  return json;
}

StudyOrigin study_origin_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  fields.require_kind(folder_kind, folder_schema_version, "folder of a study");
  StudyOrigin origin;
  origin.title = fields.text("title");
  origin.command = fields.optional_text("command").value_or("");
  if (const std::optional<JsonFields> machine = fields.optional_object("machine")) {
    origin.machine = machine_of(*machine);
  }
  return origin;
}

StudyOrigin read_origin(const fs::path& folder) {
  const fs::path file = origin_file(folder);
  if (!fs::exists(file)) {
    throw Error(ErrorKind::input, format("'{}' holds no study", folder.string()),
                "rooflab study run FILE -o DIR makes such folders");
  }
  return study_origin_from_json(parse_json(read_file(file), file.string()), file.string());
}

StudyOrigin read_origin(const fs::path& folder, const std::string& title) {
  StudyOrigin origin = read_origin(folder);
  if (origin.title == title) return origin;
  throw Error(ErrorKind::input,
              format("'{}' holds another study: {}", folder.string(), origin.title),
              "-o takes a folder for each study");
}

}  // namespace rooflab::study
