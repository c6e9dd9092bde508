#pragma once

// What the harness and the library that it loads into the program (fault_library.cpp) agree on.
// The library uses neither the C++ runtime nor memory from the heap.

#include <cerrno>

namespace faults {

/// Environment of the program under test.
inline constexpr char paths_variable[] = "ROOFLAB_FAULT_PATHS";  ///< folders to watch, by colons
inline constexpr char counter_variable[] = "ROOFLAB_FAULT_COUNTER";  ///< file with a Counter
inline constexpr char log_variable[] = "ROOFLAB_FAULT_LOG";          ///< file of the calls' lines
/// `12:28`: call 12 fails with errno 28; `12:28+`: so does each later one that can;
/// `12:kill`: the program is killed before call 12.
inline constexpr char fault_variable[] = "ROOFLAB_FAULT";
inline constexpr char programs_variable[] = "ROOFLAB_FAULT_PROGRAMS";  ///< names, by colons
inline constexpr char root_variable[] = "ROOFLAB_FAULT_ROOT";          ///< set by the library
inline constexpr char later_variable[] = "ROOFLAB_FAULT_LATER";  ///< seconds that its date is ahead

/// Shared by all processes of one run.
struct Counter {
  long calls;
  long faults;
};

/// A kind of call and the errors that the system may answer it with; 0 ends the list.
struct CallKind {
  const char* name;
  int errors[5];
};

/// EINTR stands for a call that is interrupted before it has done anything.
inline constexpr CallKind call_kinds[] = {
    {"open-read", {EACCES, EIO, EMFILE, 0}},
    {"open-write", {ENOSPC, EACCES, EIO, EROFS, 0}},
    {"read", {EIO, ESTALE, 0}},
    {"write", {ENOSPC, EIO, EDQUOT, 0}},
    {"close", {EIO, ENOSPC, 0}},
    {"sync", {EIO, ENOSPC, 0}},
    {"rename", {EACCES, EIO, ENOSPC, 0}},
    {"mkdir", {ENOSPC, EACCES, EIO, 0}},
    {"remove", {EACCES, EIO, 0}},
    {"mkstemp", {ENOSPC, EACCES, EIO, 0}},
    {"mkdtemp", {ENOSPC, EACCES, EIO, 0}},
    {"truncate", {EIO, ENOSPC, 0}},
    {"lock", {ENOLCK, EIO, 0}},
    {"stat", {EIO, EACCES, 0}},
    {"list", {EIO, EACCES, 0}},
    {"map", {ENOMEM, 0}},
    {"link", {ENOSPC, EACCES, 0}},
    {"mode", {EPERM, EIO, 0}},
};

}  // namespace faults
