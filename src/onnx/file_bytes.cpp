#include "file_bytes.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::onnx {
namespace {

/// A page: the heads of tensors lie far apart, and larger blocks would fill more pages for each.
constexpr std::size_t block_size = 4096;

/// Where each part follows the one before it, as nodes do, twice as much is read ahead each time.
constexpr std::size_t most_ahead = 32;

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view reason,
                       std::string hint = {}) {
  throw Error(ErrorKind::input, format("cannot read the ONNX file: {}", reason), std::move(hint),
              Location{path.string(), {}, {}, {}});
}

}  // namespace

FileBytes::FileBytes(const std::filesystem::path& path) : path_(path) {
  RegularFile opened = open_regular_file(path);
  if (!opened.fault.empty()) {
    std::error_code ignored;
    fail(path, opened.fault,
         std::filesystem::is_directory(path, ignored) ? "name the .onnx file inside it" : "");
  }
  if (opened.size == 0) fail(path, "it is empty", "export the network again");
  size_ = static_cast<std::size_t>(opened.size);
  loaded_.resize((size_ + block_size - 1) / block_size);
  void* const room = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) fail(path, std::strerror(errno));
  ::madvise(room, size_, MADV_NOHUGEPAGE);  // one small read would fill a large page with zeros
  data_ = static_cast<char*>(room);
  file_ = std::move(opened.file);
}

FileBytes::~FileBytes() { ::munmap(data_, size_); }

void FileBytes::load(std::size_t begin, std::size_t end) const {
  const std::size_t first = begin / block_size;
  const std::size_t last = (end - 1) / block_size;
  const bool follows = begin <= known_end_ && known_end_ < end;
  ahead_ = follows ? std::min(2 * ahead_ + 1, most_ahead) : 0;
  const std::size_t all = std::min(last + 1 + ahead_, loaded_.size());
  for (std::size_t block = first; block < all; ++block) {
    if (loaded_[block]) continue;
    std::size_t behind = block;
    while (behind < all && !loaded_[behind]) ++behind;
    read(block * block_size, std::min(behind * block_size, size_));
    std::fill(loaded_.begin() + static_cast<std::ptrdiff_t>(block),
              loaded_.begin() + static_cast<std::ptrdiff_t>(behind), true);
    block = behind;
  }
  known_begin_ = first * block_size;
  known_end_ = std::min(all * block_size, size_);
}

void FileBytes::read(std::size_t begin, std::size_t end) const {
#ifdef MADV_POPULATE_WRITE
  // All pages at once, where the system can: a fault for each takes longer.
  if (end - begin > block_size) ::madvise(data_ + begin, end - begin, MADV_POPULATE_WRITE);
#endif
  const std::string fault =
      read_all_at(file_, static_cast<std::int64_t>(begin), std::span(data_ + begin, end - begin));
  if (fault.empty()) return;
  throw Error(ErrorKind::input, format("cannot read the ONNX file: {}", fault),
              "is it still being written? try again when it is complete",
              Location{path_.string(), {}, {}, static_cast<std::int64_t>(begin)});
}

}  // namespace rooflab::onnx
