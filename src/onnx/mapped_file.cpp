#include "mapped_file.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/file_descriptor.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::onnx {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view reason,
                       std::string hint = {}) {
  throw Error(ErrorKind::input, format("cannot read the ONNX file: {}", reason), std::move(hint),
              Location{path.string(), {}, {}, {}});
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  const RegularFile opened = open_regular_file(path);
  if (!opened.fault.empty()) {
    std::error_code ignored;
    fail(path, opened.fault,
         std::filesystem::is_directory(path, ignored) ? "name the .onnx file inside it" : "");
  }
  if (opened.size == 0) fail(path, "it is empty", "export the network again");
  size_ = static_cast<std::size_t>(opened.size);
  void* mapping = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, opened.file.number(), 0);
  if (mapping == MAP_FAILED) fail(path, std::strerror(errno));
  data_ = static_cast<const char*>(mapping);
  ::madvise(mapping, size_, MADV_RANDOM);
}

MappedFile::~MappedFile() { ::munmap(const_cast<char*>(data_), size_); }

}  // namespace rooflab::onnx
