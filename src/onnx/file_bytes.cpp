#include "file_bytes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::onnx {
namespace {

/// A page: the heads of tensors lie far apart, and larger blocks would fill more pages for each.
constexpr std::size_t block_size = 4096;

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view reason,
                       std::string hint = {}) {
  throw Error(ErrorKind::input, format("cannot read the ONNX file: {}", reason), std::move(hint),
              Location{path.string(), {}, {}, {}});
}

/// Closes the descriptor unless it was taken.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

}  // namespace

FileBytes::FileBytes(const std::filesystem::path& path) : path_(path) {
  // Without O_NONBLOCK a named pipe would wait for a writer.
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) fail(path, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.number, &status) != 0) fail(path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(path, "it is a directory", "name the .onnx file inside it");
  if (!S_ISREG(status.st_mode)) fail(path, "it is not a regular file");
  if (status.st_size == 0) fail(path, "it is empty", "export the network again");
  size_ = static_cast<std::size_t>(status.st_size);
  loaded_.resize((size_ + block_size - 1) / block_size);
  void* const room = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) fail(path, std::strerror(errno));
  ::madvise(room, size_, MADV_NOHUGEPAGE);  // one small read would fill a large page with zeros
  data_ = static_cast<char*>(room);
  descriptor_ = std::exchange(file.number, -1);
}

FileBytes::~FileBytes() {
  ::munmap(data_, size_);
  ::close(descriptor_);
}

void FileBytes::load(std::string_view part) const {
  if (part.empty()) return;
  const auto begin = static_cast<std::size_t>(part.data() - data_);
  const std::size_t last = (begin + part.size() - 1) / block_size;
  for (std::size_t block = begin / block_size; block <= last; ++block) {
    if (loaded_[block]) continue;
    std::size_t behind = block;
    while (behind <= last && !loaded_[behind]) ++behind;
    read(block * block_size, std::min(behind * block_size, size_));
    std::fill(loaded_.begin() + static_cast<std::ptrdiff_t>(block),
              loaded_.begin() + static_cast<std::ptrdiff_t>(behind), true);
    block = behind;
  }
}

void FileBytes::read(std::size_t begin, std::size_t end) const {
  while (begin < end) {
    const ssize_t count =
        ::pread(descriptor_, data_ + begin, end - begin, static_cast<off_t>(begin));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path_, std::strerror(errno));
    if (count == 0) {
      throw Error(ErrorKind::input, "the file became shorter while it was read",
                  "wait until it is written, then try again",
                  Location{path_.string(), {}, {}, static_cast<std::int64_t>(begin)});
    }
    begin += static_cast<std::size_t>(count);
  }
}

}  // namespace rooflab::onnx
