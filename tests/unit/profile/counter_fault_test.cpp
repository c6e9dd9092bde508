#include "profile/counter_fault.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace rooflab::profile {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

// Codes of cupti_result.h.
TEST(CounterFault, PermissionSaysWhichSettingAndWhatStillWorks) {
  const CounterFault fault = explain_cupti_error(35, "cuptiRangeProfilerEnable");
  EXPECT_THAT(fault.what, HasSubstr("RmProfilingAdminOnly"));
  EXPECT_THAT(fault.what, EndsWith("(CUPTI error 35 of cuptiRangeProfilerEnable)"));
  EXPECT_THAT(fault.hint, HasSubstr("options nvidia NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_THAT(fault.hint, HasSubstr("--cap-add=SYS_ADMIN"));
  EXPECT_THAT(fault.hint, HasSubstr("timing and modelled FLOPs work"));
}

TEST(CounterFault, NamesTheOtherProfilerWhereItIsKnown) {
  const CounterFault named = explain_cupti_error(39, "cuptiSubscribe_v2", "kineto");
  EXPECT_THAT(named.what, HasSubstr(": kineto (CUPTI error 39 of cuptiSubscribe_v2)"));
  const CounterFault unnamed = explain_cupti_error(39, "cuptiSubscribe_v2");
  EXPECT_THAT(unnamed.what, Not(HasSubstr(": ")));
  EXPECT_THAT(unnamed.hint, HasSubstr("rooflab import"));
}

TEST(CounterFault, SaysWhoHoldsTheHardware) {
  const CounterFault fault = explain_cupti_error(26, "cuptiRangeProfilerStart");
  EXPECT_THAT(fault.hint, HasSubstr("dcgmi profile --pause"));
  EXPECT_THAT(fault.hint, HasSubstr("ncu"));
}

TEST(CounterFault, NamesTheConfigurationThatForbidsCounters) {
  EXPECT_THAT(explain_cupti_error(33, "c").what, HasSubstr("virtual GPU"));
  EXPECT_THAT(explain_cupti_error(40, "c").what, HasSubstr("hypervisor"));
  EXPECT_THAT(explain_cupti_error(41, "c").what, HasSubstr("confidential computing"));
  EXPECT_THAT(explain_cupti_error(42, "c").what, HasSubstr("CMP"));
  EXPECT_THAT(explain_cupti_error(43, "c").what, HasSubstr("MIG"));
  EXPECT_THAT(explain_cupti_error(44, "c").what, HasSubstr("SLI"));
  EXPECT_THAT(explain_cupti_error(45, "c").what, HasSubstr("WSL"));
  EXPECT_THAT(explain_cupti_error(46, "c").what, HasSubstr("chip"));
  EXPECT_THAT(explain_cupti_error(15, "c").what, HasSubstr("libnvperf_host.so"));
}

TEST(CounterFault, EveryCodeThatMattersHasItsOwnWords) {
  std::set<std::string> said;
  const auto codes = {1,  7,  8,  9,  14, 15, 26, 27, 33, 35, 36,
                      38, 39, 40, 41, 42, 43, 44, 45, 46, 999};
  for (const int code : codes) {
    const CounterFault fault = explain_cupti_error(code, "");
    EXPECT_FALSE(fault.hint.empty()) << code;
    EXPECT_THAT(fault.what, Not(HasSubstr("CUPTI failed (")));
    EXPECT_TRUE(said.insert(fault.what.substr(0, fault.what.find(" (CUPTI error"))).second) << code;
  }
}

TEST(CounterFault, AnythingElseKeepsItsNumber) {
  const CounterFault fault = explain_cupti_error(4711, "cuptiNew", "on device 1");
  EXPECT_EQ(fault.what, "CUPTI failed: on device 1 (CUPTI error 4711 of cuptiNew)");
  EXPECT_THAT(fault.hint, HasSubstr("cupti_result.h"));
  EXPECT_EQ(explain_cupti_error(-1, "").what, "CUPTI failed (CUPTI error -1)");
}

}  // namespace
}  // namespace rooflab::profile
