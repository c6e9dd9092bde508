// A table of ours has a header of keys: small letters, digits and underscores, most of them of the
// vocabulary (figure_table.hpp). Nsight's tools write titles with capitals and units in brackets.

#include "own_table.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/describe/figure.hpp"
#include "system/byte_source.hpp"
#include "system/path_status.hpp"

namespace rooflab::task {
namespace {

constexpr std::size_t head_bytes = 4096;
constexpr std::size_t least_columns = 3;

bool is_key(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

}  // namespace

bool is_own_table(const std::filesystem::path& file) {
  if (!is_file(file)) return false;
  const std::string head = ByteSource(file, {}).take(head_bytes);
  const std::size_t end = head.find('\n');
  if (end == std::string::npos) return false;
  const std::vector<std::string> keys = split(trim(std::string_view(head).substr(0, end)), ',');
  if (keys.size() < least_columns || !std::ranges::all_of(keys, is_key)) return false;
  const auto known =
      std::ranges::count_if(keys, [](const auto& key) { return find_figure(key) != nullptr; });
  return 2 * static_cast<std::size_t>(known) > keys.size();
}

void refuse_own_table(const std::filesystem::path& file) {
  if (!is_own_table(file)) return;
  throw Error(ErrorKind::input, "this is a table that Rooflab wrote, without the whole result",
              "give the JSON of the same result: the same command with -o RESULT.json",
              {file.string(), {}, {}, {}});
}

}  // namespace rooflab::task
