#include "describe/json_fields.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/system/file.hpp"
#include "worker_probe.hpp"

namespace rooflab::engine {
namespace {

Json parse_line(std::string_view line, const std::string& file, int number) {
  try {
    Json json = parse_json(line, file);
    if (json.is_object()) return json;
  } catch (const Error& error) {  // which counts lines from this one
    throw Error(error.kind(), error.what(), "remove the file to measure everything anew",
                {file, number, error.location().column, {}});
  }
  throw Error(ErrorKind::input, "a line of results must be a JSON object",
              "remove the file to measure everything anew", {file, number, {}, {}});
}

}  // namespace

ProbeJournal::ProbeJournal(const std::filesystem::path& file) : file_(file) {
  const std::string text = read_file(file);
  const std::string name = file.string();
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    ++number;
    if (!trim(line).empty()) lines_.push_back(parse_line(line, name, number));
    begin = end + 1;
  }
}

void ProbeJournal::append(const Json& line) { file_.append(line.dump()); }

}  // namespace rooflab::engine
