// fork and exec by hand: only code of our own between the two can ask the kernel to end a child
// with its parent, and posix_spawn has no room for it. A request of the child's own main comes too
// late: what its libraries take to load is time in which the parent can die unnoticed.
//
// The child of a process with several threads may only make system calls until exec, so everything
// is prepared before. It reports through a pipe, which exec closes, why it could not begin.

#include "process_start.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "pipe.hpp"

namespace rooflab {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  // exec changes none of them: its type is older than const.
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

/// What the child needs, made before there is one.
struct Plan {
  const ProcessStart& start;
  std::vector<char*> words;
  std::vector<char*> variables;
  pid_t parent;
  sigset_t blocked;
  int report;
};

/// A handler of this program would swallow what arrives before exec.
void forget_handlers() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    if (::sigaction(number, nullptr, &action) != 0) continue;
    if (action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL) ::signal(number, SIG_DFL);
  }
}

/// Puts the streams at 0, 1 and 2; where a program was started with some of these closed, others
/// of its descriptors are there and have to step aside.
bool place_streams(std::array<int, 3> streams) {
  constexpr int first_other = 3;
  for (int i = 0; i < first_other; ++i) {
    int& stream = streams[static_cast<std::size_t>(i)];
    if (stream != i && stream < first_other) {
      stream = ::fcntl(stream, F_DUPFD_CLOEXEC, first_other);
      if (stream < 0) return false;
    }
  }
  for (int i = 0; i < first_other; ++i) {
    const int stream = streams[static_cast<std::size_t>(i)];
    if (stream == i) {
      ::fcntl(i, F_SETFD, 0);  // it may close with exec
    } else if (::dup2(stream, i) < 0) {
      return false;
    }
  }
  return true;
}

/// The child's part: system calls only. Returns where something failed.
void begin(const Plan& plan) {
  const ProcessStart& start = plan.start;
  if (start.ends_with_us) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return;
    if (::getppid() != plan.parent) ::_exit(0);  // it died before the request: nobody is there
  }
  forget_handlers();
  for (const int number : start.default_signals) ::signal(number, SIG_DFL);
  for (const int number : start.ignored_signals) ::signal(number, SIG_IGN);
  if (start.own_group && ::setpgid(0, 0) != 0) return;
  if (!place_streams(start.streams)) return;
  if (::sigprocmask(SIG_SETMASK, &plan.blocked, nullptr) != 0) return;
  ::execvpe(plan.words.front(), plan.words.data(), plan.variables.data());
}

[[noreturn]] void be_child(const Plan& plan) {
  // Out of the way of the streams.
  const int report = ::fcntl(plan.report, F_DUPFD_CLOEXEC, 3);
  begin(plan);
  const int error = errno;
  const ssize_t written = ::write(report, &error, sizeof error);
  ::_exit(written == sizeof error ? 127 : 126);
}

/// Why the child could not begin; 0: it did, or was killed before.
int reported(const FileDescriptor& pipe) {
  int error = 0;
  ssize_t count = 0;
  do {
    count = ::read(pipe.number(), &error, sizeof error);
  } while (count < 0 && errno == EINTR);
  return count == sizeof error ? error : 0;
}

}  // namespace

StartedProcess start_process(const ProcessStart& start) {
  Pipe report;
  // Where standard streams are closed, the pipe may have got their numbers.
  report.write_end = FileDescriptor(::fcntl(report.write_end.number(), F_DUPFD_CLOEXEC, 3));
  Plan plan = {start,      pointers_to(start.words), pointers_to(start.variables), ::getpid(),
               sigset_t(), report.write_end.number()};
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  plan.blocked = start.blocked_signals.value_or(before);
  StartedProcess child;
  child.pid = ::fork();
  if (child.pid == 0) be_child(plan);
  child.error = child.pid < 0 ? errno : 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (child.pid < 0) return child;

  report.write_end.close();
  child.error = reported(report.read_end);
  if (child.error != 0) {
    while (::waitpid(child.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    child.pid = -1;
  }
  return child;
}

}  // namespace rooflab
