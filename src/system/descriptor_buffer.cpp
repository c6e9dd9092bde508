#include "descriptor_buffer.hpp"

#include <algorithm>
#include <cerrno>

namespace rooflab {

DescriptorBuffer::DescriptorBuffer(const FileDescriptor& file) : file_(file) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

bool DescriptorBuffer::write(std::string_view bytes) {
  const std::string_view held(pbase(), static_cast<std::size_t>(pptr() - pbase()));
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  if (error_ == 0 && !(write_all(file_, held) && write_all(file_, bytes))) error_ = errno;
  return error_ == 0;
}

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type letter) {
  if (!write({})) return traits_type::eof();
  return traits_type::eq_int_type(letter, traits_type::eof())
             ? traits_type::not_eof(letter)
             : sputc(traits_type::to_char_type(letter));
}

int DescriptorBuffer::sync() { return write({}) ? 0 : -1; }

std::streamsize DescriptorBuffer::xsputn(const char* bytes, std::streamsize size) {
  if (size > epptr() - pptr()) {
    return write({bytes, static_cast<std::size_t>(size)}) ? size : 0;
  }
  std::copy_n(bytes, size, pptr());
  pbump(static_cast<int>(size));
  return size;
}

}  // namespace rooflab
