#include "monitor/proc_stat.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace rooflab::monitor {
namespace {

// proc(5): 1 pid, 2 (comm), 3 state, 4 ppid, 14 utime, 15 stime, 16 cutime, 17 cstime, 22
// starttime.
constexpr std::string_view rest =
    " S 41 43 43 0 -1 4194304 9 8 7 6 250 17 1000 33 20 0 4 0 987654 1000000 300 184467";

TEST(ProcStat, FieldsByNumber) {
  const std::optional<ProcStat> stat = parse_proc_stat("42 (python3)" + std::string(rest));
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->parent, 41);
  EXPECT_EQ(stat->name, "python3");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->task_ticks, 267);
  EXPECT_EQ(stat->waited_child_ticks, 1033);
  EXPECT_EQ(stat->start_ticks, 987654);
}

TEST(ProcStat, NamesMayHoldAnything) {
  for (const std::string name : {"a) R 1 2 3", "((x))", "", "two words"}) {
    const std::optional<ProcStat> stat = parse_proc_stat("42 (" + name + ")" + std::string(rest));
    ASSERT_TRUE(stat.has_value()) << name;
    EXPECT_EQ(stat->name, name);
    EXPECT_EQ(stat->parent, 41);
    EXPECT_EQ(stat->task_ticks, 267);
  }
}

TEST(ProcStat, WhatIsNoneOrCutShort) {
  EXPECT_FALSE(parse_proc_stat("").has_value());
  EXPECT_FALSE(parse_proc_stat("42 (x)").has_value());
  EXPECT_FALSE(parse_proc_stat("42 (x) S 1 2 3").has_value());
  EXPECT_FALSE(parse_proc_stat(")(").has_value());
  EXPECT_FALSE(read_proc_stat(0).has_value());
}

TEST(ProcStat, ThisProcess) {
  const std::optional<ProcStat> stat = read_proc_stat(::getpid());
  ASSERT_TRUE(stat.has_value());
  EXPECT_EQ(stat->parent, ::getppid());
  EXPECT_EQ(stat->name, "rooflab_unit_mo");  // 15 letters of rooflab_unit_monitor
}

}  // namespace
}  // namespace rooflab::monitor
