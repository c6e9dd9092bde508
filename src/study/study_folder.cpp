#include "study_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <system_error>
#include <thread>

#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/schema.hpp"

namespace rooflab::study {
namespace {

namespace fs = std::filesystem;

fs::path made_folder(fs::path path, const std::string& title) {
  make_folder(path, title);
  return path;
}

}  // namespace

fs::path origin_file(const fs::path& folder) { return folder / "study.json"; }

void make_folder(const fs::path& folder, const std::string& title) {
  std::error_code status;
  fs::create_directories(folder / "cases", status);
  if (!fs::is_directory(folder / "cases")) {
    throw Error(ErrorKind::input, format("cannot make the folder '{}'", folder.string()),
                status.message());
  }
  if (fs::exists(origin_file(folder))) (void)read_origin(folder, title);
}

void record_origin(const fs::path& folder, const StudyOrigin& origin) {
  StudyOrigin now = origin;
  if (fs::exists(origin_file(folder))) {
    const StudyOrigin found = read_origin(folder, origin.title);
    if (!now.machine) now.machine = found.machine;
    if (now.command.empty()) now.command = found.command;
    if (now == found) return;
  }
  write_file_atomically(origin_file(folder), file_json(now).dump(2) + "\n");
}

ShardLock::ShardLock(const fs::path& folder, Shard shard) {
  const fs::path file = folder / format(".lock-{}-of-{}", shard.index, shard.count);
  constexpr int owner_only = 0600;
  file_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, owner_only);
  if (file_ < 0) return;
  // A run that was killed while it started a case leaves the lock with that until it has begun.
  constexpr int tries = 20;
  constexpr auto pause = std::chrono::milliseconds(50);
  for (int i = 0; i < tries; ++i) {
    if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    std::this_thread::sleep_for(pause);
  }
  ::close(file_);
  throw Error(ErrorKind::input, format("'{}' is in use by another run", folder.string()),
              "wait for it, or give this one a folder of its own");
}

ShardLock::~ShardLock() {
  if (file_ >= 0) ::close(file_);
}

StudyFolder::StudyFolder(fs::path path, const StudyOrigin& origin, Shard shard)
    : path_(made_folder(std::move(path), origin.title)), lock_(path_, shard) {
  record_origin(path_, origin);
}

}  // namespace rooflab::study
