#include "pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab {

Pipe::Pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw Error(ErrorKind::capability,
                format("no pipe: {}", std::generic_category().message(errno)));
  }
  read_end = FileDescriptor(ends[0]);
  write_end = FileDescriptor(ends[1]);
}

}  // namespace rooflab
