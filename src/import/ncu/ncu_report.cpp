#include <unistd.h>

#include <array>
#include <fstream>
#include <string>

#include "base/child_process.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/import/readers.hpp"

namespace rooflab::import {
namespace {

namespace fs = std::filesystem;

/// A file beside other temporary ones that goes with its owner.
class TemporaryFile {
 public:
  TemporaryFile() : path_(fs::temp_directory_path() / format("rooflab-ncu-{}.csv", ::getpid())) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

record::Record read_ncu_report(const fs::path& path, const ImportOptions& options) {
  const std::array<std::string, 7> arguments = {"--import", path.string(),   "--csv", "--page",
                                                "raw",      "--print-units", "base"};
  const std::optional<fs::path> ncu = find_program("ncu");
  if (!ncu) {
    throw Error(ErrorKind::capability,
                format("'{}' is a report of Nsight Compute; reading it needs ncu, which is not on"
                       " PATH",
                       path.string()),
                format("where ncu is: ncu {} > {}.csv, then rooflab import {}.csv",
                       join(arguments, " "), path.stem().string(), path.stem().string()));
  }
  const TemporaryFile table;
  std::ofstream file(table.path(), std::ios::binary);
  const ChildResult result = run_child(*ncu, arguments, {.on_output = [&](std::string_view piece) {
    file.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  }});
  file.close();
  if (!file) {
    throw Error(ErrorKind::input, format("cannot write '{}'", table.path().string()),
                "TMPDIR names a folder with more room");
  }
  if (result.exit_status != 0) {
    throw Error(ErrorKind::input,
                format("ncu cannot read it (exit {}): {}", result.exit_status, trim(result.errors)),
                "an older ncu does not read a newer one's reports", {path.string(), {}, {}, {}});
  }
  record::Record record = read_ncu_csv(table.path(), options);
  record.identity.model = path.stem().string();
  return record;
}

}  // namespace rooflab::import
