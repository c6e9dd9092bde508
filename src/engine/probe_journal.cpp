// A line is written whole, with its line feed, by one system call: whatever ends without a line
// feed was cut off by the death of its writer. It is cut from the file too, so that the next line
// begins where it began.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/json_fields.hpp"
#include "probe.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/text.hpp"

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

[[noreturn]] void fail(const std::string& file) {
  throw Error(ErrorKind::input, format("cannot write '{}': {}", file, std::strerror(errno)));
}

}  // namespace

ProbeJournal::ProbeJournal(const std::filesystem::path& file) : name_(file.string()) {
  std::error_code ignored;
  std::string text;
  if (std::filesystem::exists(file, ignored)) text = read_file(file);
  const std::size_t kept = text.rfind('\n') + 1;  // 0 without a line feed
  int number = 0;
  for (std::size_t begin = 0; begin < kept;) {
    const std::size_t end = text.find('\n', begin);
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    ++number;
    if (!trim(line).empty()) lines_.push_back(parse_line(line, file.string(), number));
    begin = end + 1;
  }

  constexpr int for_all_to_read = 0644;
  file_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, for_all_to_read);
  if (file_ < 0) fail(file.string());
  if (kept < text.size() && ::ftruncate(file_, static_cast<off_t>(kept)) != 0) {
    ::close(file_);
    fail(file.string());
  }
}

ProbeJournal::~ProbeJournal() {
  if (file_ >= 0) ::close(file_);
}

void ProbeJournal::append(const Json& line) {
  const std::string text = line.dump() + '\n';
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("the results file");
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace rooflab::engine
