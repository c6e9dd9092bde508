#include "byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"

namespace rooflab::import::kineto {
namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b";  // RFC 1952, 2.3.1

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}

  std::size_t read(char* into, std::size_t size) override {
    const std::size_t count = bytes_.copy(into, size, position_);
    position_ += count;
    return count;
  }
  [[nodiscard]] double done() const override {
    return bytes_.empty() ? 1.0
                          : static_cast<double>(position_) / static_cast<double>(bytes_.size());
  }

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
};

class FileSource final : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path) : path_(path) {
    // Without O_NONBLOCK a named pipe would wait for a writer.
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file_ < 0) fail(std::strerror(errno));
    try {
      check();
    } catch (...) {
      ::close(file_);
      throw;
    }
  }
  ~FileSource() override { ::close(file_); }

  std::size_t read(char* into, std::size_t size) override {
    ssize_t count = 0;
    do {
      count = ::read(file_, into, size);
    } while (count < 0 && errno == EINTR);
    if (count < 0) fail(std::strerror(errno));
    position_ += static_cast<std::size_t>(count);
    return static_cast<std::size_t>(count);
  }
  [[nodiscard]] double done() const override {
    return std::min(1.0, static_cast<double>(position_) / static_cast<double>(size_));
  }

 private:
  void check() {
    struct stat status {};
    if (::fstat(file_, &status) != 0) fail(std::strerror(errno));
    if (S_ISDIR(status.st_mode)) fail("it is a directory", "name the trace inside it");
    if (!S_ISREG(status.st_mode)) fail("it is not a regular file");
    if (status.st_size == 0) fail("it is empty", "record it again");
    size_ = static_cast<std::size_t>(status.st_size);
    ::posix_fadvise(file_, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  [[noreturn]] void fail(std::string_view reason, std::string hint = {}) const {
    throw Error(ErrorKind::input, format("cannot read the trace: {}", reason), std::move(hint),
                Location{path_.string(), {}, {}, {}});
  }

  std::filesystem::path path_;
  int file_ = -1;
  std::size_t size_ = 1;
  std::size_t position_ = 0;
};

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> packed) : packed_(std::move(packed)) {
    constexpr int gzip_wrapper = 16;  // zlib.h, inflateInit2: add 16 to decode only gzip
    open_ = ::inflateInit2(&stream_, MAX_WBITS + gzip_wrapper) == Z_OK;
    if (!open_) damage_ = "zlib has no memory";
  }
  ~GzipSource() override { ::inflateEnd(&stream_); }

  std::size_t read(char* into, std::size_t size) override {
    constexpr std::size_t most = 1U << 30U;  // avail_out is an unsigned int
    stream_.next_out = reinterpret_cast<Bytef*>(into);
    stream_.avail_out = static_cast<uInt>(std::min(size, most));
    const uInt wanted = stream_.avail_out;
    while (open_ && stream_.avail_out == wanted) step();
    return wanted - stream_.avail_out;
  }
  [[nodiscard]] double done() const override { return packed_->done(); }

 private:
  void step() {
    if (stream_.avail_in == 0) {
      stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
      stream_.avail_in = static_cast<uInt>(packed_->read(input_.data(), input_.size()));
    }
    if (stream_.avail_in == 0) {
      if (!between_members_) damage_ = "the compressed data ends early";
      open_ = false;
      return;
    }
    if (between_members_ && !first_member_ && *stream_.next_in == 0) {  // padding of tapes
      ++stream_.next_in;
      --stream_.avail_in;
      return;
    }
    between_members_ = false;
    switch (::inflate(&stream_, Z_NO_FLUSH)) {
      case Z_OK:
      case Z_BUF_ERROR:
        break;
      case Z_STREAM_END:
        ::inflateReset(&stream_);
        between_members_ = true;
        first_member_ = false;
        break;
      default:
        damage_ = "the compressed data is damaged";
        open_ = false;
    }
  }

  std::unique_ptr<ByteSource> packed_;
  std::vector<char> input_ = std::vector<char>(std::size_t{1} << 17U);
  z_stream stream_{};
  bool open_ = false;
  bool between_members_ = true;
  bool first_member_ = true;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::filesystem::path& path) {
  std::string magic(gzip_magic.size(), '\0');
  magic.resize(FileSource(path).read(magic.data(), magic.size()));
  auto file = std::make_unique<FileSource>(path);
  if (magic == gzip_magic) return std::make_unique<GzipSource>(std::move(file));
  return file;
}

std::unique_ptr<ByteSource> open_bytes(std::string_view bytes) {
  auto memory = std::make_unique<MemorySource>(bytes);
  if (bytes.starts_with(gzip_magic)) return std::make_unique<GzipSource>(std::move(memory));
  return memory;
}

}  // namespace rooflab::import::kineto
