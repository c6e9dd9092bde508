#include "rooflab/system/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ostream>
#include <random>

#include "base/format.hpp"
#include "byte_source.hpp"
#include "descriptor_buffer.hpp"
#include "file_lock.hpp"
#include "machine_tag.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab {
namespace {

namespace fs = std::filesystem;

/// What the user's umask leaves of it is what any new file has.
constexpr mode_t for_all = 0666;

[[noreturn]] void throw_unwritten(const fs::path& path, std::string_view reason) {
  throw Error(ErrorKind::system, format("cannot write '{}': {}", path.string(), reason));
}

/// Whether the name stands for what is open already, such as /dev/stdout and /dev/fd/1. Renaming
/// would replace the system's link, and opening it anew would begin before what was written.
bool names_open_file(const fs::path& path) {
  std::error_code ignored;
  const auto in_proc = [](const fs::path& place) { return place.string().starts_with("/proc/"); };
  return fs::is_symlink(path, ignored) &&
         (in_proc(fs::read_symlink(path, ignored)) ||
          in_proc(fs::canonical(fs::absolute(path, ignored).parent_path(), ignored)));
}

/// The descriptor of this process that the name means: 1 of /dev/stdout and /dev/fd/1.
std::optional<int> own_descriptor(const fs::path& path) {
  std::error_code ignored;
  fs::path place = fs::read_symlink(path, ignored);
  if (ignored || !place.string().starts_with("/proc/")) place = fs::absolute(path, ignored);
  if (fs::canonical(place.parent_path(), ignored) != fs::canonical("/proc/self/fd", ignored)) {
    return std::nullopt;
  }
  const auto number = parse_integer(place.filename().string());
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

/// What is open already is written at its position: opened anew it would begin elsewhere, and the
/// next writer over it.
FileDescriptor open_in_place(const fs::path& path) {
  if (const std::optional<int> own = own_descriptor(path)) {
    return FileDescriptor(::fcntl(*own, F_DUPFD_CLOEXEC, 3));
  }
  return FileDescriptor(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
}

/// A character device or pipe cannot be replaced by renaming.
bool is_written_in_place(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return names_open_file(path) || (fs::exists(status) && !fs::is_regular_file(status));
}

/// Removes what a writer left that was killed; false: it is not one, or lives.
bool remove_abandoned(const fs::path& part) {
  const FileDescriptor file(
      ::open(part.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  return file && ::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode) &&
         lock_now(file) && is_name_of(part, file) && ::unlink(part.c_str()) == 0;
}

/// A new file next to its target; what has not taken the target's name goes with its owner. It is
/// made only where nothing lies, not even a link. Its name is the same for each writer of this
/// machine, so that a writer finds what one before it left when it was killed. The lock tells that
/// one from a file of a writer at work; in that case the new name is random.
class NewNeighbour {
 public:
  explicit NewNeighbour(const fs::path& target) {
    constexpr std::size_t most_letters = 200;  // a name has room for 255
    const std::string name = target.filename().string().substr(0, most_letters);
    const auto named = [&](std::string_view tag) {
      return target.parent_path() / format("{}.{}{}", name, tag, part_ending);
    };
    path_ = named(machine_tag());
    int reason = make();
    if (reason == EEXIST && remove_abandoned(path_)) reason = make();
    std::random_device random;
    constexpr int tries = 100;
    for (int i = 0; i < tries && reason == EEXIST; ++i) {
      path_ = named(format("{:08x}", random()));
      reason = make();
    }
    if (reason != 0) throw_unwritten(target, std::strerror(reason));
  }
  NewNeighbour(const NewNeighbour&) = delete;
  NewNeighbour& operator=(const NewNeighbour&) = delete;
  ~NewNeighbour() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  void take_name_of(const fs::path& target) {
    std::error_code status;
    fs::rename(path_, target, status);
    if (status) throw_unwritten(target, status.message());
    path_.clear();
  }

  FileDescriptor file;

 private:
  /// Why not, as `errno`; 0: it is made. EEXIST: another writer has the name, or has just taken our
  /// file for abandoned.
  int make() {
    FileDescriptor made(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, for_all));
    if (!made) return errno;
    FileDescriptor lock(::fcntl(made.number(), F_DUPFD_CLOEXEC, 0));
    if (!lock) return errno;
    if (!lock_now(made) && errno == EWOULDBLOCK) return EEXIST;
    if (!is_name_of(path_, made)) return errno == ENOENT ? EEXIST : errno;
    file = std::move(made);
    lock_ = std::move(lock);
    return 0;
  }

  fs::path path_;
  FileDescriptor
      lock_;  ///< the same file, until it has its name: closing shows whether it is written
};

/// Writes and closes; `path` names the file in errors.
void write_and_close(FileDescriptor& file, const fs::path& path,
                     const std::function<void(std::ostream& stream)>& write) {
  DescriptorBuffer buffer(file);
  std::ostream stream(&buffer);
  try {
    write(stream);
    stream.flush();
  } catch (...) {
    // A writer that gives up because of the disk does not know the reason.
    if (buffer.error() == 0) throw;
  }
  if (buffer.error() != 0) throw_unwritten(path, std::strerror(buffer.error()));
  if (!stream) throw_unwritten(path, "its content is incomplete");
  if (!file.close()) throw_unwritten(path, std::strerror(errno));
}

}  // namespace

std::string read_file(const fs::path& path, std::size_t limit) {
  ByteSource source(path, {});
  const auto fail_too_large = [&] {
    source.fail(format("it is larger than the limit of {} MiB", limit >> 20U));
  };
  if (source.expected() > limit) fail_too_large();
  std::string content = source.take(limit + 1);
  if (content.size() > limit) fail_too_large();
  return content;
}

std::optional<std::string> read_file_if_possible(const fs::path& path) {
  try {
    return read_file(path);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  write_file_atomically(path, [&](std::ostream& stream) {
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  });
}

void write_file_atomically(const fs::path& path,
                           const std::function<void(std::ostream& stream)>& write) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw_unwritten(path, "it is a directory");
  if (is_written_in_place(path)) {
    FileDescriptor file = open_in_place(path);
    if (!file) throw_unwritten(path, std::strerror(errno));
    return write_and_close(file, path, write);
  }
  NewNeighbour neighbour(path);
  write_and_close(neighbour.file, path, write);
  neighbour.take_name_of(path);
}

void check_writable(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) throw_unwritten(path, "it is a directory");
  if (is_written_in_place(path)) {
    const bool can_be = own_descriptor(path) || ::access(path.c_str(), W_OK) == 0;
    if (!can_be) throw_unwritten(path, std::strerror(errno));
    return;
  }
  NewNeighbour neighbour(path);
  write_and_close(neighbour.file, path, [](std::ostream& stream) { stream << "part"; });
}

}  // namespace rooflab
