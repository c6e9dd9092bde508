// librooflab_fault.so, loaded by LD_PRELOAD: counts the calls by which a program and its children
// reach files below chosen folders, and lets the N-th fail as the system might, or kills the
// program before it. fault_protocol.hpp names the variables that steer it.
//
// C++ streams and std::filesystem reach the system through the C library's names (fopen, read,
// write, writev, fstat, openat, ...), and this library replaces those. The C library's own streams
// write past it; Rooflab uses them only for its standard streams. A call that a fault hits does
// nothing, but for close(), which closes.

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "fault_protocol.hpp"

namespace {

constexpr int longest = 4096;

faults::Counter* counter = nullptr;
const char* paths = nullptr;
const char* log_file = nullptr;
const char* program = "";
long fault_call = 0;
int fault_error = 0;
bool fault_kills = false;
bool fault_stays = false;
long root = 0;
long later = 0;

/// Whether one of the entries of a list with colons fits.
template <class Fits>
bool any_of(const char* list, Fits fits) {
  while (list != nullptr && *list != 0) {
    const char* const end = strchrnul(list, ':');
    if (fits(list, static_cast<size_t>(end - list))) return true;
    list = *end == 0 ? end : end + 1;
  }
  return false;
}

__attribute__((constructor)) void begin() {
  const char* const ahead = getenv(faults::later_variable);
  if (ahead != nullptr) later = atol(ahead);
  static char name[longest];
  const long length = syscall(SYS_readlink, "/proc/self/exe", name, longest - 1);
  if (length <= 0) return;
  const char* const slash = strrchr(name, '/');
  program = slash == nullptr ? name : slash + 1;
  const bool meant = any_of(getenv(faults::programs_variable), [](const char* entry, size_t size) {
    return strlen(program) == size && strncmp(program, entry, size) == 0;
  });
  const char* const file = getenv(faults::counter_variable);
  if (!meant || file == nullptr) return;
  if (const char* const given = getenv(faults::root_variable)) {
    root = atol(given);
  } else {
    root = getpid();
    char text[24];
    snprintf(text, sizeof text, "%ld", root);
    setenv(faults::root_variable, text, 1);
  }
  if (const char* const fault = getenv(faults::fault_variable)) {
    char* end = nullptr;
    fault_call = strtol(fault, &end, 10);
    if (*end == ':') ++end;
    fault_kills = strcmp(end, "kill") == 0;
    fault_error = static_cast<int>(strtol(end, &end, 10));
    fault_stays = *end == '+';
  }
  log_file = getenv(faults::log_variable);
  const long descriptor = syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return;
  void* const shared = mmap(nullptr, sizeof(faults::Counter), PROT_READ | PROT_WRITE, MAP_SHARED,
                            static_cast<int>(descriptor), 0);
  syscall(SYS_close, descriptor);
  if (shared == MAP_FAILED) return;
  paths = getenv(faults::paths_variable);
  counter = static_cast<faults::Counter*>(shared);
}

void write_log(long call, const char* kind, const char* path, bool hit) {
  if (log_file == nullptr) return;
  const long file = syscall(SYS_openat, AT_FDCWD, log_file, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (file < 0) return;
  char line[longest + 200];
  const int length =
      snprintf(line, sizeof line, "%ld\t%s\t%s\t%s\t%d\n", call, kind, program, path, hit ? 1 : 0);
  syscall(SYS_write, file, line, static_cast<size_t>(length));
  syscall(SYS_close, file);
}

bool can_fail(const char* kind, int error) {
  for (const faults::CallKind& known : faults::call_kinds) {
    if (strcmp(known.name, kind) != 0) continue;
    for (const int each : known.errors) {
      if (each == error) return true;
    }
  }
  return false;
}

bool watched(const char* path) {
  return any_of(paths, [&](const char* folder, size_t size) {
    return strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == 0);
  });
}

/// Counts a call; the error to answer it with, or 0.
int fault_of(const char* kind, const char* path) {
  if (counter == nullptr || !watched(path)) return 0;
  const long call = __atomic_add_fetch(&counter->calls, 1, __ATOMIC_SEQ_CST);
  if (fault_call == 0) write_log(call, kind, path, false);
  // Processes that run at once change the order of calls: the fault takes the next that can fail.
  if (fault_call == 0 || call < fault_call) return 0;
  if (!fault_kills && !can_fail(kind, fault_error)) return 0;
  const long faults_before = __atomic_fetch_add(&counter->faults, 1, __ATOMIC_SEQ_CST);
  if (faults_before > 0 && !fault_stays) return 0;
  write_log(call, kind, path, true);
  if (fault_kills) {
    kill(static_cast<pid_t>(root), SIGKILL);
    return 0;
  }
  return fault_error;
}

/// The path of an open descriptor.
const char* path_of(int descriptor, char* into) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const long length = syscall(SYS_readlink, link, into, longest - 1);
  into[length < 0 ? 0 : length] = 0;
  return into;
}

/// A fault of a call on a path, which may be relative to a folder.
int path_fault(const char* kind, int folder, const char* path) {
  if (counter == nullptr || path == nullptr) return 0;
  if (path[0] == '/') return fault_of(kind, path);
  char place[longest];
  if (folder == AT_FDCWD) {
    if (syscall(SYS_getcwd, place, longest) < 0) return 0;
  } else {
    path_of(folder, place);
  }
  char whole[2 * longest];
  snprintf(whole, sizeof whole, path[0] == 0 ? "%s" : "%s/%s", place, path);
  return fault_of(kind, whole);
}

int descriptor_fault(const char* kind, int descriptor) {
  if (counter == nullptr) return 0;
  char path[longest];
  return fault_of(kind, path_of(descriptor, path));
}

const char* open_kind(int flags) {
  if ((flags & O_DIRECTORY) != 0) return "list";  // by which a folder is listed, or removed
  return (flags & (O_CREAT | O_WRONLY | O_RDWR | O_TRUNC)) != 0 ? "open-write" : "open-read";
}

bool takes_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

}  // namespace

// The function of the same name that comes after ours.
#define REAL(name) \
  static decltype(&name) const real = reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name))
#define FAIL_IF(fault, value)         \
  do {                                \
    if (const int answer = (fault)) { \
      errno = answer;                 \
      return value;                   \
    }                                 \
  } while (false)

extern "C" {

#define OPEN(name)                                                    \
  int name(const char* path, int flags, ...) {                        \
    REAL(name);                                                       \
    va_list more;                                                     \
    va_start(more, flags);                                            \
    const mode_t mode = takes_mode(flags) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                     \
    FAIL_IF(path_fault(open_kind(flags), AT_FDCWD, path), -1);        \
    return real(path, flags, mode);                                   \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                  \
  int name(int folder, const char* path, int flags, ...) {            \
    REAL(name);                                                       \
    va_list more;                                                     \
    va_start(more, flags);                                            \
    const mode_t mode = takes_mode(flags) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                     \
    FAIL_IF(path_fault(open_kind(flags), folder, path), -1);          \
    return real(folder, path, flags, mode);                           \
  }
OPENAT(openat)
OPENAT(openat64)

#define CREAT(name)                                        \
  int name(const char* path, mode_t mode) {                \
    REAL(name);                                            \
    FAIL_IF(path_fault("open-write", AT_FDCWD, path), -1); \
    return real(path, mode);                               \
  }
CREAT(creat)
CREAT(creat64)

#define FOPEN(name)                                                                   \
  FILE* name(const char* path, const char* mode) {                                    \
    REAL(name);                                                                       \
    const bool reads = mode[0] == 'r' && strchr(mode, '+') == nullptr;                \
    FAIL_IF(path_fault(reads ? "open-read" : "open-write", AT_FDCWD, path), nullptr); \
    return real(path, mode);                                                          \
  }
FOPEN(fopen)
FOPEN(fopen64)

int fclose(FILE* file) {
  REAL(fclose);
  const int error = descriptor_fault("close", fileno(file));
  const int result = real(file);
  FAIL_IF(error, EOF);
  return result;
}

int close(int descriptor) {
  REAL(close);
  const int error = descriptor_fault("close", descriptor);
  const int result = real(descriptor);
  FAIL_IF(error, -1);
  return result;
}

// A call whose first parameter is a descriptor.
#define ON_DESCRIPTOR(kind, type, name, parameters, values) \
  type name parameters {                                    \
    REAL(name);                                             \
    FAIL_IF(descriptor_fault(kind, descriptor), -1);        \
    return real values;                                     \
  }
ON_DESCRIPTOR("read", ssize_t, read, (int descriptor, void* to, size_t size),
              (descriptor, to, size))
ON_DESCRIPTOR("read", ssize_t, pread, (int descriptor, void* to, size_t size, off_t at),
              (descriptor, to, size, at))
ON_DESCRIPTOR("read", ssize_t, pread64, (int descriptor, void* to, size_t size, off64_t at),
              (descriptor, to, size, at))
ON_DESCRIPTOR("read", ssize_t, readv, (int descriptor, const iovec* parts, int count),
              (descriptor, parts, count))
ON_DESCRIPTOR("write", ssize_t, write, (int descriptor, const void* from, size_t size),
              (descriptor, from, size))
ON_DESCRIPTOR("write", ssize_t, pwrite, (int descriptor, const void* from, size_t size, off_t at),
              (descriptor, from, size, at))
ON_DESCRIPTOR("write", ssize_t, pwrite64,
              (int descriptor, const void* from, size_t size, off64_t at),
              (descriptor, from, size, at))
ON_DESCRIPTOR("write", ssize_t, writev, (int descriptor, const iovec* parts, int count),
              (descriptor, parts, count))
ON_DESCRIPTOR("write", ssize_t, sendfile, (int descriptor, int from, off_t* at, size_t size),
              (descriptor, from, at, size))
ON_DESCRIPTOR("write", ssize_t, sendfile64, (int descriptor, int from, off64_t* at, size_t size),
              (descriptor, from, at, size))
ON_DESCRIPTOR("sync", int, fsync, (int descriptor), (descriptor))
ON_DESCRIPTOR("sync", int, fdatasync, (int descriptor), (descriptor))
ON_DESCRIPTOR("truncate", int, ftruncate, (int descriptor, off_t size), (descriptor, size))
ON_DESCRIPTOR("truncate", int, ftruncate64, (int descriptor, off64_t size), (descriptor, size))
ON_DESCRIPTOR("lock", int, flock, (int descriptor, int operation), (descriptor, operation))
ON_DESCRIPTOR("lock", int, lockf, (int descriptor, int command, off_t size),
              (descriptor, command, size))
ON_DESCRIPTOR("stat", int, fstat, (int descriptor, struct stat* into), (descriptor, into))
ON_DESCRIPTOR("stat", int, fstat64, (int descriptor, struct stat64* into), (descriptor, into))
ON_DESCRIPTOR("mode", int, fchmod, (int descriptor, mode_t mode), (descriptor, mode))

ssize_t copy_file_range(int from, off64_t* from_at, int descriptor, off64_t* at, size_t size,
                        unsigned flags) {
  REAL(copy_file_range);
  FAIL_IF(descriptor_fault("write", descriptor), -1);
  return real(from, from_at, descriptor, at, size, flags);
}

// These return the error.
int posix_fallocate(int descriptor, off_t at, off_t size) {
  REAL(posix_fallocate);
  if (const int error = descriptor_fault("truncate", descriptor)) return error;
  return real(descriptor, at, size);
}

// A call whose first parameter is a path.
#define ON_PATH(kind, name, parameters, values)    \
  int name parameters {                            \
    REAL(name);                                    \
    FAIL_IF(path_fault(kind, AT_FDCWD, path), -1); \
    return real values;                            \
  }
ON_PATH("rename", rename, (const char* path, const char* to), (path, to))
ON_PATH("mkdir", mkdir, (const char* path, mode_t mode), (path, mode))
ON_PATH("remove", unlink, (const char* path), (path))
ON_PATH("remove", rmdir, (const char* path), (path))
ON_PATH("remove", remove, (const char* path), (path))
ON_PATH("mkstemp", mkstemp, (char* path), (path))
ON_PATH("mkstemp", mkstemp64, (char* path), (path))
ON_PATH("mkstemp", mkostemp, (char* path, int flags), (path, flags))
ON_PATH("mkstemp", mkostemp64, (char* path, int flags), (path, flags))
ON_PATH("mkstemp", mkstemps, (char* path, int suffix), (path, suffix))
ON_PATH("truncate", truncate, (const char* path, off_t size), (path, size))
ON_PATH("truncate", truncate64, (const char* path, off64_t size), (path, size))
ON_PATH("stat", stat, (const char* path, struct stat* into), (path, into))
ON_PATH("stat", stat64, (const char* path, struct stat64* into), (path, into))
ON_PATH("stat", lstat, (const char* path, struct stat* into), (path, into))
ON_PATH("stat", lstat64, (const char* path, struct stat64* into), (path, into))
ON_PATH("stat", access, (const char* path, int mode), (path, mode))
ON_PATH("stat", statvfs, (const char* path, struct statvfs* into), (path, into))
ON_PATH("mode", chmod, (const char* path, mode_t mode), (path, mode))

char* mkdtemp(char* path) {
  REAL(mkdtemp);
  FAIL_IF(path_fault("mkdtemp", AT_FDCWD, path), nullptr);
  return real(path);
}

int symlink(const char* target, const char* path) {
  REAL(symlink);
  FAIL_IF(path_fault("link", AT_FDCWD, path), -1);
  return real(target, path);
}

int link(const char* target, const char* path) {
  REAL(link);
  FAIL_IF(path_fault("link", AT_FDCWD, path), -1);
  return real(target, path);
}

DIR* opendir(const char* path) {
  REAL(opendir);
  FAIL_IF(path_fault("list", AT_FDCWD, path), nullptr);
  return real(path);
}

dirent* readdir(DIR* folder) {
  REAL(readdir);
  FAIL_IF(descriptor_fault("list", dirfd(folder)), nullptr);
  return real(folder);
}

dirent64* readdir64(DIR* folder) {
  REAL(readdir64);
  FAIL_IF(descriptor_fault("list", dirfd(folder)), nullptr);
  return real(folder);
}

// A call on a path below an open folder.
#define ON_FOLDER(kind, name, parameters, values) \
  int name parameters {                           \
    REAL(name);                                   \
    FAIL_IF(path_fault(kind, folder, path), -1);  \
    return real values;                           \
  }
ON_FOLDER("rename", renameat, (int folder, const char* path, int to_folder, const char* to),
          (folder, path, to_folder, to))
ON_FOLDER("rename", renameat2,
          (int folder, const char* path, int to_folder, const char* to, unsigned flags),
          (folder, path, to_folder, to, flags))
ON_FOLDER("mkdir", mkdirat, (int folder, const char* path, mode_t mode), (folder, path, mode))
ON_FOLDER("remove", unlinkat, (int folder, const char* path, int flags), (folder, path, flags))
ON_FOLDER("stat", fstatat, (int folder, const char* path, struct stat* into, int flags),
          (folder, path, into, flags))
ON_FOLDER("stat", fstatat64, (int folder, const char* path, struct stat64* into, int flags),
          (folder, path, into, flags))
ON_FOLDER("stat", faccessat, (int folder, const char* path, int mode, int flags),
          (folder, path, mode, flags))
ON_FOLDER("mode", utimensat, (int folder, const char* path, const timespec times[2], int flags),
          (folder, path, times, flags))

int statx(int folder, const char* __restrict path, int flags, unsigned mask,
          struct statx* __restrict into) {
  REAL(statx);
  FAIL_IF(path_fault("stat", folder, path), -1);
  return real(folder, path, flags, mask, into);
}

void* mmap(void* address, size_t size, int protection, int flags, int descriptor, off_t at) {
  REAL(mmap);
  if (descriptor >= 0) FAIL_IF(descriptor_fault("map", descriptor), MAP_FAILED);
  return real(address, size, protection, flags, descriptor, at);
}

void* mmap64(void* address, size_t size, int protection, int flags, int descriptor, off64_t at) {
  REAL(mmap64);
  if (descriptor >= 0) FAIL_IF(descriptor_fault("map", descriptor), MAP_FAILED);
  return real(address, size, protection, flags, descriptor, at);
}

// Undisturbed runs under another date show which figures of a result are dates.
int clock_gettime(clockid_t clock, timespec* into) {
  REAL(clock_gettime);
  const int result = real(clock, into);
  if (clock == CLOCK_REALTIME && result == 0) into->tv_sec += later;
  return result;
}

time_t time(time_t* into) {
  REAL(time);
  const time_t now = real(nullptr) + later;
  if (into != nullptr) *into = now;
  return now;
}

}  // extern "C"
