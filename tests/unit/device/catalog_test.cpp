#include "rooflab/device/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "rooflab/base/error.hpp"

namespace rooflab::device {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string found(const Catalog& catalog, std::string_view name) {
  try {
    return catalog.find(name).id;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return std::string(error.what()) + "; " + error.hint();
  }
}

struct Lookup {
  std::string_view typed;
  std::string_view id;
};

TEST(Catalog, FindsWhatPeopleType) {
  const Catalog catalog = Catalog::built_in();
  constexpr Lookup lookups[] = {
      {"h200", "h200-sxm"},
      {"h200-sxm", "h200-sxm"},
      {"t4", "t4"},
      {"T4", "t4"},
      {"1080", "gtx-1080"},
      {"1080ti", "gtx-1080-ti"},
      {"gtx1080ti", "gtx-1080-ti"},
      {"2080ti", "rtx-2080-ti"},
      {"k40", "k40"},
      {"k80", "k80"},
      {"m60", "m60"},
      {"a100-sxm4-40gb", "a100-sxm4-40gb"},
      {"a100-sxm-40gb", "a100-sxm4-40gb"},
      {"rtx3090", "rtx-3090"},
      {"3090", "rtx-3090"},
      {"4090", "rtx-4090"},
      {"5090", "rtx-5090"},
      {"v100-sxm2-16gb", "v100-sxm2-16gb"},
      {"mi300x", "mi300x"},
      {"l4", "l4"},
      {"l40s", "l40s"},
      {"a10", "a10"},
      {"a6000", "rtx-a6000"},
      {"h100-sxm", "h100-sxm"},
      {"h100-sxm5", "h100-sxm"},
      {"h100-pcie", "h100-pcie"},
      {"titan-x-pascal", "titan-x-pascal"},
      {"titanxmaxwell", "titan-x-maxwell"},
      {"titanv", "titan-v"},
      {"p100-sxm2", "p100-sxm2-16gb"},
      {"b200", "b200"},
      {"pro6000maxq", "rtx-pro-6000-max-q"},
      {"mi250x-gcd", "mi250x-gcd"},
  };
  for (const Lookup& lookup : lookups) EXPECT_EQ(found(catalog, lookup.typed), lookup.id);
}

TEST(Catalog, FindsWhatDriversPrint) {
  const Catalog catalog = Catalog::built_in();
  constexpr Lookup lookups[] = {
      {"Tesla T4", "t4"},
      {"Tesla K80", "k80"},
      {"Tesla V100-SXM2-32GB", "v100-sxm2-32gb"},
      {"NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"},
      {"NVIDIA A100 80GB PCIe", "a100-pcie-80gb"},
      {"NVIDIA H100 80GB HBM3", "h100-sxm"},
      {"NVIDIA H100 PCIe", "h100-pcie"},
      {"NVIDIA H100 NVL", "h100-nvl"},
      {"NVIDIA H200", "h200-sxm"},
      {"NVIDIA B200", "b200"},
      {"NVIDIA GB200", "gb200"},
      {"NVIDIA B300 SXM6 AC", "b300-sxm"},
      {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-server"},
      {"Tesla P4", "p4"},
      {"Tesla P100-PCIE-16GB", "p100-pcie-16gb"},
      {"Tesla V100-PCIE-32GB", "v100-pcie-32gb"},
      {"NVIDIA A100-PCIE-40GB", "a100-pcie-40gb"},
      {"NVIDIA L40S", "l40s"},
      {"NVIDIA GeForce RTX 3090", "rtx-3090"},
      {"NVIDIA GeForce GTX TITAN X", "titan-x-maxwell"},
      {"TITAN X (Pascal)", "titan-x-pascal"},
      {"Quadro RTX 6000", "quadro-rtx-6000"},
      {"AMD Instinct MI300X", "mi300x"},
  };
  for (const Lookup& lookup : lookups) EXPECT_EQ(found(catalog, lookup.typed), lookup.id);
}

TEST(Catalog, ListsTheCandidatesOfAnAmbiguousName) {
  const Catalog catalog = Catalog::built_in();
  constexpr Lookup lookups[] = {
      {"a100", "a100-pcie-40gb, a100-pcie-80gb, a100-sxm4-40gb, a100-sxm4-80gb"},
      {"a100-80gb", "a100-pcie-80gb, a100-sxm4-80gb"},
      {"v100", "v100-pcie-16gb, v100-pcie-32gb, v100-sxm2-16gb, v100-sxm2-32gb"},
      {"h100", "h100-nvl, h100-pcie, h100-sxm"},
      {"h100-80gb", "h100-pcie, h100-sxm"},
      {"titanx", "titan-x-maxwell, titan-x-pascal"},
      {"mi250x", "mi250x-board, mi250x-gcd"},
  };
  for (const Lookup& lookup : lookups) {
    EXPECT_EQ(found(catalog, lookup.typed),
              "'" + std::string(lookup.typed) +
                  "' fits several devices; say which: " + std::string(lookup.id));
  }
}

/// Ids of what was chosen, with the note's sentence behind its device; else the error.
std::vector<std::string> chosen(const Catalog& catalog, const std::vector<std::string>& names) {
  try {
    std::vector<std::string> ids;
    for (const ChosenDevice& each : catalog.choose(names)) {
      ids.push_back(each.device.id + (each.note ? "; " + each.note->text() : ""));
    }
    return ids;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return {error.what(), error.hint()};
  }
}

TEST(Catalog, OfAFamilyPeopleMeanItsCommonestMember) {
  const Catalog catalog = Catalog::built_in();
  EXPECT_THAT(chosen(catalog, {"a100", "t4"}),
              ElementsAre("a100-sxm4-40gb; a100 is taken as a100-sxm4-40gb (others: a100-pcie-40gb,"
                          " a100-pcie-80gb, a100-sxm4-80gb)",
                          "t4"));
  EXPECT_THAT(
      chosen(catalog, {"V100", "H100", "p100", "mi250x"}),
      ElementsAre(HasSubstr("v100-sxm2-16gb; V100 is taken as"),
                  HasSubstr("h100-sxm; H100 is taken as"),
                  HasSubstr("p100-pcie-16gb; p100 is taken as"), HasSubstr("mi250x-gcd; ")));
  // A name that fits one alone is that one's, common or not.
  EXPECT_THAT(chosen(catalog, {"a100-pcie-80gb"}), ElementsAre("a100-pcie-80gb"));
}

TEST(Catalog, AllAmbiguousNamesAreToldAtOnce) {
  const Catalog catalog = Catalog::built_in();
  EXPECT_THAT(chosen(catalog, {"titanx", "t4", "a100-80gb"}),
              ElementsAre("'titanx', 'a100-80gb' each fit several devices",
                          "say which of each: titanx: titan-x-maxwell, titan-x-pascal; a100-80gb:"
                          " a100-pcie-80gb, a100-sxm4-80gb"));
  EXPECT_THAT(
      chosen(catalog, {"titanx"}),
      ElementsAre("'titanx' fits several devices", "say which: titan-x-maxwell, titan-x-pascal"));
}

TEST(Catalog, PatternsAndAll) {
  const Catalog catalog = Catalog::built_in();
  EXPECT_EQ(chosen(catalog, {"all"}), catalog.ids());
  EXPECT_THAT(chosen(catalog, {"a100*40gb"}), ElementsAre("a100-pcie-40gb", "a100-sxm4-40gb"));
  EXPECT_THAT(chosen(catalog, {"A100*", "a100-sxm4-40gb"}),
              ElementsAre("a100-pcie-40gb", "a100-pcie-80gb", "a100-sxm4-40gb", "a100-sxm4-80gb"));
  EXPECT_THAT(chosen(catalog, {"*-gcd"}), ElementsAre("mi250x-gcd"));
  EXPECT_THAT(chosen(catalog, {"z*"}), testing::Contains("unknown device 'z*'"));
}

// Every built-in reason is of a device that shares a name with others: else nobody reads it.
TEST(Catalog, CommonDevicesHaveRelatives) {
  const Catalog catalog = Catalog::built_in();
  int common = 0;
  for (const Device& device : catalog.devices()) {
    if (device.common.empty()) continue;
    ++common;
    const std::string family = device.id.substr(0, device.id.find('-'));
    EXPECT_THROW((void)catalog.find(family), Error) << family;
    EXPECT_THAT(chosen(catalog, {family}), ElementsAre(HasSubstr(device.id + "; "))) << family;
  }
  EXPECT_EQ(common, 5);
}

TEST(Catalog, SuggestsTheNearestNameOfAnUnknownOne) {
  const Catalog catalog = Catalog::built_in();
  EXPECT_EQ(found(catalog, "mi301x"),
            "unknown device 'mi301x'; did you mean 'mi300x'? (rooflab devices)");
  EXPECT_EQ(found(catalog, "a100-sxm5-40gb"),
            "unknown device 'a100-sxm5-40gb'; did you mean 'a100-sxm4-40gb'? (rooflab devices)");
  for (const std::string nothing : {"", "nvidia", "warehouse-of-cards"}) {
    EXPECT_EQ(found(catalog, nothing),
              "unknown device '" + nothing + "'; see the known devices with: rooflab devices");
  }
}

TEST(Catalog, TakesPrefixesOnlyAtTheEndOfAWord) {
  const Catalog catalog = Catalog::built_in();
  EXPECT_THAT(found(catalog, "a100-sxm4-4"), HasSubstr("unknown device"));
  EXPECT_THAT(found(catalog, "mi3"), HasSubstr("unknown device"));
  EXPECT_THAT(found(catalog, "h200-nvl"), HasSubstr("unknown device"));
}

TEST(Catalog, RefusesTwoDevicesWithOneId) {
  Device device;
  device.id = "toy";
  EXPECT_THROW(Catalog({device, device}), Error);
}

TEST(Catalog, TakesOneMoreDevice) {
  Catalog catalog = Catalog::built_in();
  const std::size_t known = catalog.ids().size();
  Device device;
  device.id = "my-cpu";
  device.name = "Some CPU";
  catalog.add(device);
  EXPECT_EQ(found(catalog, "Some CPU"), "my-cpu");
  device.id = "t4";
  device.name = "Another";
  catalog.add(device);
  EXPECT_EQ(catalog.find("t4").name, "Another");
  EXPECT_EQ(catalog.ids().size(), known + 1);
}

class CatalogFolder : public testing::Test {
 protected:
  CatalogFolder()
      : folder_(std::filesystem::path(testing::TempDir()) /
                (std::string("rooflab-devices-") +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~CatalogFolder() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& file, const std::string& id, const std::string& rest) const {
    std::ofstream(folder_ / file) << "id = \"" << id << "\"\nname = \"N\"\nvendor = \"V\"\n"
                                  << rest;
  }
  std::string failure(Catalog& catalog) const {
    try {
      catalog.add_folder(folder_);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return error.full_message() + "; " + error.hint();
    }
    return "no error";
  }

  std::filesystem::path folder_;
};

TEST_F(CatalogFolder, ReplacesKnownAndAddsNewDevices) {
  write("mine.toml", "t4", "tdp = { value = 60, unit = \"W\", source = \"S\" }\n");
  write("new.toml", "toy-9", "aliases = [\"niner\"]\n");
  write("ignored.txt", "other", "");
  Catalog catalog = Catalog::built_in();
  const std::size_t before = catalog.ids().size();
  catalog.add_folder(folder_);
  EXPECT_EQ(catalog.ids().size(), before + 1);
  EXPECT_EQ(catalog.devices().size(), before + 1);
  const Device t4 = catalog.find("t4");
  EXPECT_DOUBLE_EQ(t4.tdp.value().value, 60.0);
  EXPECT_EQ(t4.memory, std::nullopt);
  EXPECT_EQ(catalog.find("niner").id, "toy-9");
}

TEST_F(CatalogFolder, LetsAnIdWinOverAnAlias) {
  write("mine.toml", "my-card", "aliases = [\"a10\"]\n");
  Catalog catalog = Catalog::built_in();
  catalog.add_folder(folder_);
  EXPECT_EQ(catalog.find("a10").id, "a10");
  EXPECT_EQ(catalog.find("my-card").id, "my-card");
}

TEST_F(CatalogFolder, RefusesAnIdTwice) {
  write("a.toml", "toy", "");
  write("b.toml", "toy", "");
  Catalog catalog = Catalog::built_in();
  EXPECT_EQ(failure(catalog), (folder_ / "b.toml").string() +
                                  ": a second device with the id 'toy'; the first is in " +
                                  (folder_ / "a.toml").string());
  EXPECT_THROW((void)catalog.find("toy"), Error);
}

TEST_F(CatalogFolder, NamesTheFileOfAWrongUnit) {
  write("a.toml", "toy", "tdp = { value = 60, unit = \"Watt\", source = \"S\" }\n");
  Catalog catalog = Catalog::built_in();
  EXPECT_EQ(failure(catalog),
            (folder_ / "a.toml").string() +
                ":4:28: 'tdp.unit' has the wrong unit 'Watt'; units allowed here: W, kW");
}

TEST_F(CatalogFolder, RefusesAFolderWithoutDevices) {
  Catalog catalog = Catalog::built_in();
  EXPECT_THAT(failure(catalog), HasSubstr("no device files"));
  folder_ /= "absent";
  EXPECT_THAT(failure(catalog), HasSubstr("cannot read the folder"));
}

}  // namespace
}  // namespace rooflab::device
