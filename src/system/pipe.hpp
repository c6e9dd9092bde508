#pragma once

#include "file_descriptor.hpp"

namespace rooflab {

/// A pipe that programs started from here do not inherit.
struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;

  /// Opens a pipe. Throws Error (capability).
  Pipe();
};

}  // namespace rooflab
