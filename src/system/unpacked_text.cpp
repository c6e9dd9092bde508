#include "unpacked_text.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view gzip_magic = "\x1f\x8b";  // RFC 1952, 2.3.1

// Traces grow 10 to 30-fold. A few kilobytes of blanks, or of one event again and again, could fill
// the memory: what grows far more is read no further, unless all of it is small.
constexpr std::uint64_t most_growth = 100;
constexpr std::uint64_t small_text = std::uint64_t{64} << 20U;

/// The path, unless more can be said of it than that it cannot be read.
const fs::path& checked(const fs::path& path, std::string_view what) {
  const auto fail = [&](std::string_view reason, std::string hint) {
    throw Error(ErrorKind::input, format("cannot read the {}: {}", what, reason), std::move(hint),
                Location{path.string(), {}, {}, {}});
  };
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) fail("it is a directory", format("name the {} inside it", what));
  if (fs::is_regular_file(status) && fs::file_size(path, ignored) == 0) {
    fail("it is empty", "record it again");
  }
  return path;
}

}  // namespace

class UnpackedText::Gunzip {
 public:
  Gunzip(ByteSource& packed, std::string& damage) : packed_(packed), damage_(damage) {
    constexpr int gzip_wrapper = 16;  // zlib.h, inflateInit2: add 16 to decode only gzip
    open_ = ::inflateInit2(&stream_, MAX_WBITS + gzip_wrapper) == Z_OK;
    if (!open_) damage_ = "zlib has no memory";
  }
  ~Gunzip() { ::inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  std::size_t read(char* into, std::size_t size) {
    constexpr std::size_t most = 1U << 30U;  // avail_out is an unsigned int
    stream_.next_out = reinterpret_cast<Bytef*>(into);
    stream_.avail_out = static_cast<uInt>(std::min(size, most));
    const uInt wanted = stream_.avail_out;
    while (open_ && stream_.avail_out == wanted) step();
    unpacked_ += wanted - stream_.avail_out;
    if (open_ && unpacked_ > small_text && unpacked_ / most_growth > packed_bytes_) {
      end(format("it grows more than {}-fold when unpacked: gunzip it to read all of it",
                 most_growth));
    }
    return wanted - stream_.avail_out;
  }

 private:
  void end(std::string_view damage) {
    damage_ = damage;
    open_ = false;
  }

  void step() {
    if (stream_.avail_in == 0) {
      stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
      stream_.avail_in = static_cast<uInt>(packed_.read(input_.data(), input_.size()));
      packed_bytes_ += stream_.avail_in;
    }
    if (stream_.avail_in == 0) return end(between_members_ ? "" : "the compressed data ends early");
    if (between_members_ && !first_member_) {
      if (*stream_.next_in == 0) {  // padding of tapes
        ++stream_.next_in;
        --stream_.avail_in;
        return;
      }
      if (*stream_.next_in != static_cast<Bytef>(gzip_magic.front())) {
        return end("other bytes follow the compressed data");
      }
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
      default: {
        const std::string_view reason = stream_.msg == nullptr ? "" : stream_.msg;
        end(reason == "incorrect data check"     ? "the checksum of the compressed data is wrong"
            : reason == "incorrect length check" ? "the length of the compressed data is wrong"
                                                 : "the compressed data is damaged");
      }
    }
  }

  ByteSource& packed_;
  std::string& damage_;
  std::vector<char> input_ = std::vector<char>(std::size_t{1} << 17U);
  z_stream stream_{};
  std::uint64_t packed_bytes_ = 0;  ///< that were read
  std::uint64_t unpacked_ = 0;      ///< bytes of text
  bool open_ = false;
  bool between_members_ = true;
  bool first_member_ = true;
};

UnpackedText::UnpackedText(const fs::path& path, const std::string& what)
    : packed_(checked(path, what), what) {
  detect();
}
UnpackedText::UnpackedText(std::string_view bytes) : packed_(bytes) { detect(); }
UnpackedText::~UnpackedText() = default;

void UnpackedText::detect() {
  std::string magic(gzip_magic.size(), '\0');
  magic.resize(packed_.read(magic.data(), magic.size()));
  packed_.rewind();
  if (magic == gzip_magic) gunzip_ = std::make_unique<Gunzip>(packed_, damage_);
}

std::size_t UnpackedText::read(char* into, std::size_t size) {
  return gunzip_ ? gunzip_->read(into, size) : packed_.read(into, size);
}

}  // namespace rooflab
