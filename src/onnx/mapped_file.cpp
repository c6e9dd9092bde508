#include "mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::onnx {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view reason,
                       std::string hint = {}) {
  throw Error(ErrorKind::input, format("cannot read the ONNX file: {}", reason), std::move(hint),
              Location{path.string(), {}, {}, {}});
}

/// Closes the descriptor on every way out; the mapping outlives it.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Without O_NONBLOCK a named pipe would wait for a writer.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) fail(path, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.number, &status) != 0) fail(path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(path, "it is a directory", "name the .onnx file inside it");
  if (!S_ISREG(status.st_mode)) fail(path, "it is not a regular file");
  if (status.st_size == 0) fail(path, "it is empty", "export the network again");
  size_ = static_cast<std::size_t>(status.st_size);
  void* mapping = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (mapping == MAP_FAILED) fail(path, std::strerror(errno));
  data_ = static_cast<const char*>(mapping);
  ::madvise(mapping, size_, MADV_RANDOM);
}

MappedFile::~MappedFile() { ::munmap(const_cast<char*>(data_), size_); }

}  // namespace rooflab::onnx
