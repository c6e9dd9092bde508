#include "study_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <system_error>
#include <thread>

#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::study {
namespace {

namespace fs = std::filesystem;

constexpr int folder_schema_version = 1;
constexpr std::string_view folder_file = "study.json";

}  // namespace

std::string title_of_folder(const fs::path& folder) {
  const fs::path file = folder / folder_file;
  if (!fs::exists(file)) {
    throw Error(ErrorKind::input, format("'{}' holds no study", folder.string()),
                "rooflab study run FILE -o DIR makes such folders");
  }
  const Json json = parse_json(read_file(file), file.string());
  const JsonFields fields(json, file.string());
  fields.require_kind("study_folder", folder_schema_version, "folder of a study");
  return fields.text("title");
}

void take_folder(const fs::path& folder, const std::string& title) {
  std::error_code status;
  fs::create_directories(folder / "cases", status);
  if (!fs::is_directory(folder / "cases")) {
    throw Error(ErrorKind::input, format("cannot make the folder '{}'", folder.string()),
                status.message());
  }
  if (!fs::exists(folder / folder_file)) {
    const Json json = {
        {"schema_version", folder_schema_version}, {"kind", "study_folder"}, {"title", title}};
    write_file_atomically(folder / folder_file, json.dump(2) + "\n");
    return;
  }
  const std::string found = title_of_folder(folder);
  if (found == title) return;
  throw Error(ErrorKind::input, format("'{}' holds another study: {}", folder.string(), found),
              "-o takes a folder for each study");
}

StudyFolder::StudyFolder(fs::path path, const std::string& title, Shard shard)
    : path_(std::move(path)) {
  take_folder(path_, title);
  const fs::path file = path_ / format(".lock-{}-of-{}", shard.index, shard.count);
  constexpr int owner_only = 0600;
  lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, owner_only);
  if (lock_ < 0) return;
  // A run that was killed while it started a case leaves the lock with that until it has begun.
  constexpr int tries = 20;
  constexpr auto pause = std::chrono::milliseconds(50);
  for (int i = 0; i < tries; ++i) {
    if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return;
    std::this_thread::sleep_for(pause);
  }
  ::close(lock_);
  throw Error(ErrorKind::input, format("'{}' is in use by another run", path_.string()),
              "wait for it, or give this one a folder of its own");
}

StudyFolder::~StudyFolder() {
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace rooflab::study
