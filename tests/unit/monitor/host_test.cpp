#include "monitor/host.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "monitor/host_files.hpp"

namespace rooflab::monitor {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

TEST(Host, FilesOfTheSystem) {
  EXPECT_EQ(model_name_of("processor\t: 0\nvendor_id\t: X\nmodel name\t: Intel(R) Xeon(R): 8480C\n"
                          "model name\t: other\n"),
            "Intel(R) Xeon(R): 8480C");
  EXPECT_EQ(model_name_of("processor\t: 0\nBogoMIPS\t: 243.75\n"), std::nullopt);
  EXPECT_EQ(total_bytes_of("MemTotal:       16384 kB\nMemFree: 1 kB\n"), 16'777'216);
  EXPECT_EQ(total_bytes_of("MemFree: 1 kB\n"), std::nullopt);
  EXPECT_EQ(total_bytes_of("MemTotal: much kB\n"), std::nullopt);
  EXPECT_EQ(system_name_of("ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"),
            "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(system_name_of("PRETTY_NAME=Plain\n"), "Plain");
  EXPECT_EQ(system_name_of(""), std::nullopt);
}

TEST(Host, ThisMachine) {
  record::Environment environment;
  describe_host(environment);
  EXPECT_THAT(environment.date,
              MatchesRegex("20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z"));
  EXPECT_THAT(environment.host, HasSubstr("Linux"));
  EXPECT_FALSE(environment.cpu.empty());
  EXPECT_GE(environment.logical_cpus, static_cast<int>(1));
  EXPECT_GT(environment.host_memory.value(), Bytes(64'000'000));
  EXPECT_EQ(cpu_identity().kind, "cpu");
  EXPECT_EQ(cpu_identity().name, environment.cpu);
  EXPECT_EQ(cpu_identity().memory, environment.host_memory);
}

}  // namespace
}  // namespace rooflab::monitor
