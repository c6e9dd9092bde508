#include "child_run.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace sandbox {
namespace {

using Clock = std::chrono::steady_clock;

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Joins a descriptor of the child to its stream. Only calls that are allowed after fork().
void join_stream(int descriptor, Stream stream, const char* file, int pipe_end) {
  int source = -1;
  switch (stream) {
    case Stream::closed:
      ::close(descriptor);
      return;
    case Stream::full:
      source = ::open("/dev/full", O_RDWR);
      break;
    case Stream::cut:
      source = pipe_end;
      break;
    case Stream::usual:
      source = descriptor == 0 ? ::open("/dev/null", O_RDONLY)
                               : ::open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
      break;
  }
  if (source < 0) ::_exit(126);
  if (source == descriptor) return;
  ::dup2(source, descriptor);
  ::close(source);
}

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  const std::string pid = std::to_string(::getpid());
  std::ifstream list("/proc/self/task/" + pid + "/children");
  for (pid_t child = 0; list >> child;) found.push_back(child);
  return found;
}

std::string command_line(pid_t pid) {
  std::string words = content_of("/proc/" + std::to_string(pid) + "/cmdline");
  std::ranges::replace(words, '\0', ' ');
  return words.empty() ? "process " + std::to_string(pid) : words;
}

}  // namespace

ChildRun::ChildRun(ChildRequest request) : request_(std::move(request)), start_(Clock::now()) {
  std::array<int, 2> ends = {-1, -1};
  if (request_.out == Stream::cut && ::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
  }
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (pid_ == 0) become_program(ends[1]);
  if (ends[1] >= 0) ::close(ends[1]);
  cut_pipe_ = ends[0];
}

ChildRun::~ChildRun() {
  if (cut_pipe_ >= 0) ::close(cut_pipe_);
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void ChildRun::become_program(int pipe_end) const {
  for (const auto& [name, value] : request_.environment) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<char*> words;
  for (const std::string& word : request_.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const std::string out = request_.output / "stdout";
  const std::string err = request_.output / "stderr";
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (request_.memory_limit > 0) {
    const rlimit memory{request_.memory_limit, request_.memory_limit};
    ::setrlimit(RLIMIT_AS, &memory);
  }
  if (const auto seconds = static_cast<rlim_t>(request_.processor_limit.count()); seconds > 0) {
    const rlimit processor{seconds, seconds + 1};
    ::setrlimit(RLIMIT_CPU, &processor);
  }
  if (::chdir(request_.folder.c_str()) != 0) ::_exit(126);
  join_stream(1, request_.out, out.c_str(), pipe_end);
  join_stream(2, request_.err, err.c_str(), -1);
  join_stream(0, request_.in, "", -1);  // last: a closed one would be the next that open() gives
  ::execv(words[0], words.data());
  ::_exit(127);
}

void ChildRun::watch(ChildEnd& end) {
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  if (handle < 0) throw std::runtime_error(std::string("pidfd_open: ") + std::strerror(errno));
  const auto deadline = start_ + request_.limit;
  const auto kill_time = request_.kill_after ? start_ + *request_.kill_after : deadline;
  while (true) {
    const auto until = std::min(deadline, kill_time) - Clock::now();
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(until).count();
    if (left <= 0) {
      end.killed = kill_time < deadline;
      end.timed_out = !end.killed;
      ::kill(pid_, SIGKILL);
      break;
    }
    const timespec patience{left / 1'000'000'000, left % 1'000'000'000};
    std::array<pollfd, 2> watched = {{{handle, POLLIN, 0}, {cut_pipe_, POLLIN, 0}}};
    ::ppoll(watched.data(), cut_pipe_ >= 0 ? 2 : 1, &patience, nullptr);
    if (cut_pipe_ >= 0 && watched[1].revents != 0) {
      char first = 0;
      (void)!::read(cut_pipe_, &first, 1);
      ::close(cut_pipe_);
      cut_pipe_ = -1;
    }
    if ((watched[0].revents & POLLIN) != 0) break;
  }
  ::close(handle);
}

ChildEnd ChildRun::wait() {
  ChildEnd end;
  watch(end);
  int status = 0;
  rusage usage{};
  while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  end.wall = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start_);
  end.peak_bytes = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.exit_code = end.signal != 0 ? 128 + end.signal : WEXITSTATUS(status);
  if (end.signal != SIGKILL) end.killed = false;  // it was quicker
  if (request_.out == Stream::usual) end.output = content_of(request_.output / "stdout");
  if (request_.err == Stream::usual) end.errors = content_of(request_.output / "stderr");
  return end;
}

ChildEnd run(ChildRequest request) { return ChildRun(std::move(request)).wait(); }

void adopt_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

std::vector<std::string> end_orphans(std::chrono::milliseconds patience) {
  std::vector<std::string> left;
  const auto deadline = Clock::now() + patience;
  while (true) {
    const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
    if (ended < 0) return left;
    if (ended > 0) continue;
    if (Clock::now() > deadline) {
      for (const pid_t child : children()) {
        left.push_back(command_line(child));
        ::kill(child, SIGKILL);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace sandbox
