// Bandwidths against the standards' own arithmetic, and which link a device has.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "rooflab/base/error.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/device/device.hpp"

namespace rooflab::device {
namespace {

using testing::HasSubstr;

TEST(Links, AreSortedNamedAndSourced) {
  std::set<std::string> ids;
  double last = 0.0;
  for (const Link& link : links()) {
    EXPECT_TRUE(ids.insert(link.id).second) << link.id;
    EXPECT_GE(link.bandwidth, last) << link.id;
    EXPECT_GT(link.latency_s, 0.0) << link.id;
    EXPECT_LT(link.latency_s, 1e-4) << link.id;
    EXPECT_FALSE(link.name.empty() || link.source.empty() || link.latency_source.empty());
    EXPECT_EQ(link.multiprocessors.has_value(), !link.multiprocessors_source.empty()) << link.id;
    last = link.bandwidth;
  }
  EXPECT_GE(links().size(), 20U);
}

// 10 Gb/s are 1.25 GB/s; PCIe 4.0: 16 lanes of 16 GT/s, 128 of 130 bits are data; InfiniBand FDR: 4
// lanes of 14.0625 Gb/s, 64 of 66.
TEST(Links, FiguresOfTheStandards) {
  EXPECT_DOUBLE_EQ(link_from_name("10gbe").bandwidth, 1.25e9);
  EXPECT_NEAR(link_from_name("pcie4").bandwidth, 16.0 * 16e9 * 128.0 / 130.0 / 8.0, 1e6);
  EXPECT_NEAR(link_from_name("ib-fdr").bandwidth, 4.0 * 14.0625e9 * 64.0 / 66.0 / 8.0, 1e6);
  EXPECT_DOUBLE_EQ(link_from_name(" NVLink4 ").bandwidth, 450e9);
}

TEST(Links, UnknownNamesAreUsageErrors) {
  try {
    (void)link_from_name("nvlink44");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.hint(), HasSubstr("nvlink4"));
  }
  try {
    (void)link_from_name("carrier-pigeon");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.hint(), HasSubstr("pcie3"));
  }
}

TEST(LinkOf, TakesTheDevicesOwnFigure) {
  const Catalog catalog = Catalog::built_in();
  const std::optional<Link> h200 = link_of(catalog.find("h200-sxm"));
  ASSERT_TRUE(h200);
  EXPECT_EQ(h200->id, "nvlink4");
  EXPECT_DOUBLE_EQ(h200->bandwidth, link_from_name("nvlink4").bandwidth);
  // The bridge of the PCIe board has 600 GB/s in both directions together.
  const std::optional<Link> pcie_board = link_of(catalog.find("h100-pcie"));
  ASSERT_TRUE(pcie_board);
  EXPECT_EQ(pcie_board->id, "nvlink4");
  EXPECT_DOUBLE_EQ(pcie_board->bandwidth, 300e9);
  EXPECT_DOUBLE_EQ(pcie_board->latency_s, h200->latency_s);
  EXPECT_TRUE(have_one_link(catalog.find("h100-pcie"), catalog.find("h100-nvl")));
  EXPECT_FALSE(have_one_link(catalog.find("h100-pcie"), catalog.find("h200-sxm")));  // 450e9 there
  EXPECT_FALSE(have_one_link(catalog.find("h100-pcie"), Device()));
  EXPECT_FALSE(have_one_link(Device(), Device()));
}

TEST(LinkOf, PcieWhereThereIsNoOther) {
  const Catalog catalog = Catalog::built_in();
  const std::optional<Link> t4 = link_of(catalog.find("t4"));
  ASSERT_TRUE(t4);
  EXPECT_EQ(t4->id, "pcie3");
  EXPECT_DOUBLE_EQ(t4->bandwidth, link_from_name("pcie3").bandwidth);
  Device device;
  EXPECT_FALSE(link_of(device));
  device.pcie = Fact{.value = "3.0 x8"};
  EXPECT_NEAR(link_of(device)->bandwidth, link_from_name("pcie3").bandwidth / 2.0, 1.0);
  device.pcie = Fact{.value = "9.0 x16"};
  EXPECT_FALSE(link_of(device));
}

TEST(LinkOf, EveryBuiltInDeviceHasOne) {
  for (const Device& device : Catalog::built_in().devices()) {
    EXPECT_TRUE(link_of(device)) << device.id;
  }
}

}  // namespace
}  // namespace rooflab::device
