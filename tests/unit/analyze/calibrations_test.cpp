#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../base/note_matchers.hpp"
#include "../base/thrown_error.hpp"
#include "networks.hpp"
#include "notes/analyze_notes.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "toy_calibration.hpp"

namespace rooflab::analyze {
namespace {

using testing::ElementsAre;

/// The toy calibration with these issuers' costs, of a separate device or of the H200.
KnownCalibrations toy_with(const std::vector<std::string>& issuers,
                           const std::string& device = "h200-sxm") {
  device::Calibration calibration = toy_calibration();
  calibration.device = device;
  calibration.hosts.clear();
  for (const std::string& issuer : issuers) calibration.hosts.emplace_back().issuer = issuer;
  KnownCalibrations known;
  known.add(std::move(calibration), device::Catalog::built_in());
  return known;
}

std::string issuer_of(const KnownCalibrations& known, const std::string& device,
                      const IssuerChoice& issuer = {}) {
  const std::optional<CalibratedModel> model = known.model_for(device_named(device), issuer);
  if (!model) return "no calibration";
  return model->host == nullptr ? "no host" : model->host->issuer;
}

// ---- which calibration ----------------------------------------------------------------------

TEST(Calibrations, ADevicesOwnElseTheNearestOfItsMaker) {
  const KnownCalibrations known = KnownCalibrations::built_in();
  const std::optional<CalibratedModel> own = known.model_for(device_named("h200-sxm"));
  ASSERT_TRUE(own);
  EXPECT_EQ(own->relation, Relation::own);
  EXPECT_FALSE(own->times.carried());
  const std::optional<CalibratedModel> hopper = known.model_for(device_named("h100-pcie"));
  ASSERT_TRUE(hopper);
  EXPECT_EQ(hopper->relation, Relation::same_architecture);
  EXPECT_EQ(hopper->times.source().id, "h100-sxm");
  const std::optional<CalibratedModel> ada = known.model_for(device_named("rtx-4090"));
  ASSERT_TRUE(ada);
  EXPECT_EQ(ada->relation, Relation::relative);
  EXPECT_EQ(ada->times.target().id, "rtx-4090");
  // Another maker's has no near relative; it is carried from afar.
  EXPECT_EQ(known.model_for(device_named("mi300x"))->relation, Relation::relative);
}

TEST(Calibrations, TheFirstOfTwoForOneDeviceIsUsed) {
  KnownCalibrations known = toy_with({});
  known.add_built_in(device::Catalog::built_in());
  ASSERT_GT(known.all.size(), 1U);
  EXPECT_EQ(known.of(device_named("h200-sxm"))->id, "toy");
  EXPECT_EQ(known.model_for(device_named("h200-sxm"))->times.calibration().id, "toy");
  EXPECT_EQ(known.of(device_named("rtx-4090")), nullptr);
}

/// The toy calibration as one of `device` that is read when it is needed.
device::LazyCalibration unread(const std::string& device) {
  device::Calibration calibration = toy_calibration();
  calibration.id = calibration.device = device;
  device::CalibrationEntry entry = device::entry_of(calibration);
  return {std::move(entry), [calibration] { return calibration; }};
}

TEST(Calibrations, OnlyThoseThatAPredictionNeedsAreRead) {
  const device::Catalog catalog = device::Catalog::built_in();
  KnownCalibrations known;
  for (const char* const device : {"a100-sxm4-40gb", "h200-sxm", "t4"}) {
    EXPECT_EQ(known.add(unread(device), catalog), device);
  }
  const auto are_read = [&known] {
    std::vector<bool> read;
    for (const device::LazyCalibration& each : known.all) read.push_back(each.is_read());
    return read;
  };
  EXPECT_THAT(are_read(), ElementsAre(false, false, false));
  EXPECT_EQ(known.of(device_named("h100-sxm")), nullptr);
  // A relative is chosen before it is read.
  const CalibratedModel hopper = *known.model_for(device_named("h100-sxm"), {.name = "none"});
  EXPECT_EQ(hopper.times.source().id, "h200-sxm");
  EXPECT_THAT(are_read(), ElementsAre(false, false, false));
  EXPECT_EQ(hopper.times.calibration().id, "h200-sxm");
  EXPECT_THAT(are_read(), ElementsAre(false, true, false));
  EXPECT_EQ(known.of(device_named("t4"))->id, "t4");
  EXPECT_THAT(are_read(), ElementsAre(false, true, true));
}

TEST(Calibrations, WhatNoFileDescribesIsWhatWasMeasured) {
  device::Calibration calibration = toy_calibration();
  calibration.id = "t4";  // the name of a device that it is not
  calibration.device = "";
  calibration.environment["multiprocessors"] = "12";
  calibration.figures.push_back({"dram.read", "B/s", 4e10, 4e10, 4e10, 1, ""});
  KnownCalibrations known;
  known.add(std::move(calibration), device::Catalog::built_in());
  ASSERT_EQ(known.uncatalogued.size(), 1U);
  const device::Device probed = known.uncatalogued.front();
  EXPECT_EQ(probed.id, "probed-t4");
  EXPECT_EQ(probed.name, "Toy");
  EXPECT_EQ(probed.sm_count->value, 12.0);
  EXPECT_EQ(probed.bandwidth->value, 4e10);
  // Without a maker it is a relative of none.
  EXPECT_EQ(known.model_for(probed)->relation, Relation::own);
  EXPECT_FALSE(known.model_for(device_named("h200-sxm")));
}

TEST(Calibrations, DevicesOfFilesAreKnownInTheirOrder) {
  const std::string file = std::string(ROOFLAB_SOURCE_DIR) + "/tests/data/cli/toy_h200.toml";
  KnownCalibrations known;
  known.add_file(file, device::Catalog::built_in());
  known.add_built_in(device::Catalog::built_in());
  EXPECT_THAT(known.given, ElementsAre("h200-sxm"));
  EXPECT_TRUE(known.uncatalogued.empty());
  EXPECT_EQ(known.all.front().entry().id, "toy-h200");
  EXPECT_THROW(known.add_file("/nowhere.toml", device::Catalog::built_in()), Error);
}

// ---- whose host -----------------------------------------------------------------------------

TEST(Calibrations, TheUsualIssuerElsePyTorchElseAny) {
  const KnownCalibrations both = toy_with({"rooflab", "pytorch"});
  EXPECT_EQ(issuer_of(both, "h200-sxm"), "pytorch");
  EXPECT_EQ(issuer_of(both, "h200-sxm", {.usual = "rooflab"}), "rooflab");
  EXPECT_EQ(issuer_of(toy_with({"other", "pytorch"}), "h200-sxm", {.usual = "rooflab"}), "pytorch");
  EXPECT_EQ(issuer_of(toy_with({"other"}), "h200-sxm"), "other");
  const std::optional<CalibratedModel> none = toy_with({}).model_for(device_named("h200-sxm"));
  EXPECT_EQ(none->host, nullptr);
  EXPECT_EQ(none->note, Note{says.host_left_out});
}

TEST(Calibrations, ANamedIssuerIsTakenOrMissed) {
  const KnownCalibrations both = toy_with({"rooflab", "pytorch"});
  EXPECT_EQ(issuer_of(both, "h200-sxm", {.name = "rooflab"}), "rooflab");
  EXPECT_EQ(issuer_of(both, "h200-sxm", {.name = "none"}), "no host");
  EXPECT_EQ(issuer_of(both, "t4", {.name = "pytorch"}), "pytorch");
  try {
    (void)both.model_for(device_named("h200-sxm"), {.name = "jax"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no calibration has issue costs of jax");
    EXPECT_EQ(error.hint(), "there are those of rooflab, pytorch");
  }
}

// Issue costs belong to the CPU of the machine that was probed: of two such machines one takes
// up to twice as long as the other in nine of ten cases, exp(1.645 x 0.42) = 2.
TEST(Calibrations, AnotherDeviceHasTheSameHostAndIsLessSureOfIt) {
  const KnownCalibrations known = toy_with({"pytorch"});
  const std::optional<CalibratedModel> plain = known.model_for(device_named("t4"));
  ASSERT_NE(plain->host, nullptr);
  EXPECT_EQ(plain->host->issuer, "pytorch");
  EXPECT_NEAR(std::exp(1.645 * plain->host_deviation), 2.0, 0.01);
  EXPECT_EQ(plain->note, (Note{says.host_of_other_machine, {"Toy", NoteValue()}}));
  EXPECT_EQ(known.model_for(device_named("h200-sxm"))->host_deviation, 0.0);
  EXPECT_EQ(known.model_for(device_named("t4"), {.advice = "ask for them"})->note,
            (Note{says.host_of_other_machine, {"Toy", "ask for them"}}));
}

// A graph has no host of any machine, and so no note of one.
TEST(Calibrations, AGraphHasNoIssuer) {
  const std::optional<CalibratedModel> model =
      toy_with({"pytorch"}).model_for(device_named("t4"), {.name = "graph"});
  ASSERT_TRUE(model->graph);
  EXPECT_EQ(model->host, nullptr);
  EXPECT_EQ(model->note, std::nullopt);
  EXPECT_EQ(model->host_deviation, 0.0);
  const KnownCalibrations known = toy_with({"pytorch"}, "");
  const Error error = thrown_error(ErrorKind::usage, [&] {
    (void)known.model_for(known.uncatalogued.front(), {.name = "graph", .advice = "or none"});
  });
  EXPECT_STREQ(error.what(), "Toy replays no CUDA graphs");
  EXPECT_EQ(error.hint(), "or none");
}

// A device without multiprocessors is a CPU: it runs an op on the thread that issues it.
TEST(Calibrations, ACpuHasNoHostBesides) {
  const KnownCalibrations known = toy_with({"pytorch"}, "");
  const std::optional<CalibratedModel> cpu = known.model_for(known.uncatalogued.front());
  EXPECT_EQ(cpu->host, nullptr);
  EXPECT_FALSE(cpu->note);
  EXPECT_TRUE(cpu->without_host);
}

TEST(Calibrations, ALookupMakesAModelOnce) {
  const CalibrationLookup lookup =
      lookup_in(std::make_shared<const KnownCalibrations>(toy_with({"rooflab", "pytorch"})),
                {.usual = "rooflab"});
  const auto first = lookup(device_named("h200-sxm"));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->host->issuer, "rooflab");
  EXPECT_EQ(lookup(device_named("h200-sxm")), first);
  EXPECT_EQ(lookup_in(std::make_shared<const KnownCalibrations>())(device_named("t4")), nullptr);
}

}  // namespace
}  // namespace rooflab::analyze
