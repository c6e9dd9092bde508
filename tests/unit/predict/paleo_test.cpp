#include "predict/paleo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "rooflab/base/error.hpp"
#include "rooflab/device/catalog.hpp"

namespace rooflab::predict {
namespace {

using testing::HasSubstr;

template <class Range>
auto keyed(const Range& range, std::string_view key) {
  const auto found = std::ranges::find_if(range, [&](const auto& each) { return each.key == key; });
  EXPECT_NE(found, range.end()) << key;
  return *found;
}

struct Published {
  std::string_view name, device, link;
  double compute, communication;
};

// scripts/exp_case_*.sh and exp_layers.sh of github.com/TalwalkarLab/paleo.
TEST(Paleo, ThePercentagesOfItsScripts) {
  const Published published[] = {
      {"paleo-alexnet-scaling", "K80", "ethernet20", 0.62, 1.0},
      {"paleo-firecaffe", "K20X", "infiniband", 0.21, 0.56},
      {"paleo-hybrid", "K20", "pcie2", 0.46, 0.75},
      {"paleo-inception", "K40", "ethernet", 0.62, 0.72},
      {"paleo-mxnet", "K80", "ethernet20", 0.49, 0.72},
      {"paleo-layers", "TITAN_X", "", 0.62, 1.0},
  };
  ASSERT_EQ(paleo_presets().size(), std::size(published));
  for (const Published& each : published) {
    const PaleoPreset& preset = paleo_preset(each.name);
    EXPECT_EQ(preset.name, each.name);
    EXPECT_EQ(preset.device, each.device) << each.name;
    EXPECT_EQ(preset.link, each.link) << each.name;
    EXPECT_DOUBLE_EQ(preset.percent.compute, each.compute) << each.name;
    EXPECT_DOUBLE_EQ(preset.communication, each.communication) << each.name;
    EXPECT_FALSE(preset.imitates.empty()) << each.name;
  }
}

// The second percentage is the link's: FireCaffe's 0.56 must not slow the memory.
TEST(Paleo, CommunicationIsNotMemory) {
  for (const PaleoPreset& preset : paleo_presets()) {
    EXPECT_DOUBLE_EQ(preset.percent.memory, 1.0) << preset.name;
  }
}

TEST(Paleo, DevicesAndLinksOfThePresetsAreThere) {
  const std::vector<std::string> ids = device::Catalog::built_in().ids();
  for (const PaleoPreset& preset : paleo_presets()) {
    EXPECT_GT(keyed(paleo_devices(), preset.device).flops_per_s, 0.0);
    if (preset.link.empty()) continue;
    EXPECT_GT(keyed(paleo_links(), preset.link).bytes_per_s, 0.0);
  }
  for (const PaleoDevice& each : paleo_devices()) {
    if (each.catalog_id.empty()) continue;
    EXPECT_THAT(ids, testing::Contains(std::string(each.catalog_id)));
  }
}

// paleo/device.py: K80 5600 GFLOP/s and 480 GB/s; Ethernet of 20 Gbit/s, PCIe 2.0 of 8 GB/s.
TEST(Paleo, FiguresOfItsDevicesAndLinks) {
  EXPECT_DOUBLE_EQ(keyed(paleo_devices(), "K80").flops_per_s, 5.6e12);
  EXPECT_DOUBLE_EQ(keyed(paleo_devices(), "K80").bytes_per_s, 480e9);
  EXPECT_DOUBLE_EQ(keyed(paleo_devices(), "K20X").flops_per_s, 3.935e12);
  EXPECT_DOUBLE_EQ(keyed(paleo_devices(), "TITAN_X").bytes_per_s, 336.5e9);
  EXPECT_DOUBLE_EQ(keyed(paleo_links(), "ethernet20").bytes_per_s, 2.5e9);
  EXPECT_DOUBLE_EQ(keyed(paleo_links(), "pcie2").bytes_per_s, 8e9);
  EXPECT_DOUBLE_EQ(keyed(paleo_links(), "infiniband").bytes_per_s, 8.75e9);
  EXPECT_EQ(paleo_devices().size(), 8U);
  EXPECT_EQ(paleo_links().size(), 6U);
}

// The catalog has the same memories; its peaks are at the boost clock: 15 x 192 lanes x 2 FLOP x
// 875 MHz = 5.04 TFLOP/s of a K40 against 4.29 at 745 MHz.
TEST(Paleo, TheCatalogHasTheSameMemoriesAndHigherPeaks) {
  const device::Catalog catalog = device::Catalog::built_in();
  for (const PaleoDevice& each : paleo_devices()) {
    if (each.catalog_id.empty()) continue;
    const device::Device known = catalog.find(each.catalog_id);
    EXPECT_DOUBLE_EQ(known.bandwidth->value, each.bytes_per_s) << each.key;
    EXPECT_GT(*device::peak(known, ArithmeticPath::fp32_vector), each.flops_per_s) << each.key;
  }
}

TEST(Paleo, NamesAreFound) {
  EXPECT_EQ(paleo_preset("PALEO-MXNet").name, "paleo-mxnet");
  EXPECT_TRUE(names_paleo_preset("paleo-x"));
  EXPECT_TRUE(names_paleo_preset(" Paleo"));
  EXPECT_FALSE(names_paleo_preset("0.62"));
  EXPECT_FALSE(names_paleo_preset("62%"));
}

TEST(Paleo, AnUnknownNameSaysWhatThereIs) {
  try {
    (void)paleo_preset("paleo-mxnte");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(), "unknown percent of peak 'paleo-mxnte'");
    EXPECT_EQ(error.hint(), "did you mean 'paleo-mxnet'?");
  }
  try {
    (void)paleo_preset("paleo");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.hint(), HasSubstr("paleo-firecaffe, paleo-hybrid"));
  }
}

}  // namespace
}  // namespace rooflab::predict
