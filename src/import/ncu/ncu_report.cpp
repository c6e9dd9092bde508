#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "ncu_reader.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/import/readers.hpp"
#include "system/child_process.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::import {
namespace {

namespace fs = std::filesystem;

/// Writes down what ncu prints; a full disk is the user's to mend.
void append(const FileDescriptor& table, std::string_view piece) {
  if (write_all(table, piece)) return;
  const char* const reason = std::strerror(errno);
  throw Error(
      ErrorKind::system,
      format("cannot write the table of ncu in '{}': {}", temporary_place().string(), reason),
      "set TMPDIR to a folder with more room");
}

}  // namespace

record::Record read_ncu_report(const fs::path& path, const ImportOptions& options) {
  const std::array<std::string, 7> arguments = {"--import", path.string(),   "--csv", "--page",
                                                "raw",      "--print-units", "base"};
  const std::optional<fs::path> ncu = find_program("ncu");
  if (!ncu) {
    const std::string csv = path.stem().string() + ".csv";
    throw Error(ErrorKind::capability,
                format("'{}' is a report of Nsight Compute; reading it needs ncu, which is not on"
                       " PATH",
                       path.string()),
                format("where ncu is: ncu {} > {}, then {}",
                       shell_line({arguments.begin(), arguments.end()}), shell_line({csv}),
                       shell_line({"rooflab", "import", csv})));
  }
  // The table may be large. Without a name it cannot outlive the program, whatever ends it.
  FileDescriptor table = unnamed_file();
  const ChildResult result = run_child(
      *ncu, arguments, {.on_output = [&](std::string_view piece) { append(table, piece); }});
  if (result.exit_status != 0) {
    throw Error(ErrorKind::input,
                format("ncu cannot read it (exit {}): {}", result.exit_status, trim(result.errors)),
                "an older ncu does not read a newer one's reports", {path.string(), {}, {}, {}});
  }
  ByteSource source(std::move(table), path, "table of ncu");
  return ncu::read_log(source, path.string(), options);
}

}  // namespace rooflab::import
