#include "monitor/process_sensor.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "../record/equal_fields.hpp"

namespace rooflab::monitor {
namespace {

/// A forked child that says when it is done with `work` and then waits to be killed.
class Child {
 public:
  template <class Work>
  explicit Child(Work work) {
    EXPECT_EQ(::pipe(ends_.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nothing is left over, whatever happens to the test
      work();
      (void)!::write(ends_[1], "x", 1);
      while (true) ::pause();
    }
    char letter = 0;
    EXPECT_EQ(::read(ends_[0], &letter, 1), 1);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    end();
    ::close(ends_[0]);
    ::close(ends_[1]);
  }

  [[nodiscard]] pid_t pid() const { return pid_; }

  void become_zombie() const {
    ::kill(pid_, SIGKILL);
    siginfo_t info;
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }

  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  std::array<int, 2> ends_{};
  pid_t pid_ = 0;
};

void burn(double seconds) {
  double used = 0.0;
  while (used < seconds) {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    used = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
  }
}

TEST(ProcessSensor, ABurningChildThenAZombieThenNothing) {
  Child child([] { burn(0.2); });
  const auto sensor = process_sensor(child.pid(), false);
  EXPECT_EQ(sensor->device(), "cpu");
  EXPECT_EQ(sensor->name(), "rooflab_unit_mo");
  record::Sample sample = sensor->read();
  EXPECT_GE(sample.task_clock_s.value(), 0.17);  // ticks of 10 ms, user and system apart
  EXPECT_LE(sample.task_clock_s.value(), 0.35);
  EXPECT_GT(sample.resident_bytes.value(), 100'000);

  child.become_zombie();
  sample = sensor->read();
  EXPECT_GE(sample.task_clock_s.value(), 0.17);
  EXPECT_FALSE(sample.resident_bytes.has_value());

  child.end();
  EXPECT_EQ(sensor->read(), record::Sample{});
}

TEST(ProcessSensor, GrandchildrenCountWithChildrenOnly) {
  Child child([] {
    Child([] { burn(0.2); }).end();
    static const Child alive([] { burn(0.2); });  // the process never leaves this function's caller
  });
  const record::Sample alone = process_sensor(child.pid(), false)->read();
  const record::Sample tree = process_sensor(child.pid(), true)->read();
  EXPECT_LT(alone.task_clock_s.value(), 0.1);
  EXPECT_GE(tree.task_clock_s.value(), 0.36);  // 0.2 ended and waited for, 0.2 alive
  EXPECT_LE(tree.task_clock_s.value(), 0.7);
  EXPECT_GT(tree.resident_bytes.value(), alone.resident_bytes.value());
}

TEST(ProcessSensor, NoSuchProcess) {
  Child child([] {});
  const pid_t pid = child.pid();
  child.end();
  for (const bool with_children : {false, true}) {
    EXPECT_EQ(process_sensor(pid, with_children)->read(), record::Sample{});
  }
}

}  // namespace
}  // namespace rooflab::monitor
