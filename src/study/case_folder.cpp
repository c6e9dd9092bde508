// A case of a study that was killed may write for a moment longer: each folder has a different
// name, so that what comes late is lost with it.

#include "case_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::study {
namespace {

namespace fs = std::filesystem;

/// The id in `ID.part-XXXXXX`, in `ID.json.WORD.rooflab.part`, an outcome that was being written,
/// and in the names of older versions: `ID.json.WORD.part`, `ID.WORD.part.json` and
/// `ID.WORD.part.request.json`; empty: no such name.
std::string id_of_part(std::string_view name) {
  const auto cut = [&name](std::string_view end) {
    if (!name.ends_with(end)) return false;
    name.remove_suffix(end.size());
    return true;
  };
  const auto cut_word = [&name](char before) {
    const std::size_t begin = name.rfind(before);
    name = name.substr(0, begin == std::string_view::npos ? 0 : begin);
  };
  if (cut(part_ending) || cut(".part")) {
    cut_word('.');
    return cut(".json") ? std::string(name) : std::string();
  }
  if (cut(".part.json") || cut(".part.request.json")) {
    cut_word('.');
    return std::string(name);
  }
  cut_word('-');
  return cut(".part") ? std::string(name) : std::string();
}

}  // namespace

CaseFolder::CaseFolder(const fs::path& outcome) {
  std::string name = fs::path(outcome).replace_extension(".part-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorKind::system,
                format("cannot make the folder '{}': {}", name, std::strerror(errno)));
  }
  path_ = name;
}

CaseFolder::~CaseFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void remove_left_parts(const fs::path& cases, const std::set<std::string>& ids) {
  std::error_code ignored;
  const fs::directory_iterator entries(cases, ignored);
  const std::vector<fs::path> all(begin(entries), end(entries));
  for (const fs::path& path : all) {
    if (ids.contains(id_of_part(path.filename().string()))) fs::remove_all(path, ignored);
  }
}

}  // namespace rooflab::study
