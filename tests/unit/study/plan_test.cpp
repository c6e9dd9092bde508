#include "rooflab/study/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "../base/input_error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::study {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::MatchesRegex;

const device::Catalog& catalog() {
  static const device::Catalog built_in = device::Catalog::built_in();
  return built_in;
}

Machine with_h200(std::size_t gpus = 1) {
  Machine machine{.torch_worker = true, .probe_worker = true, .counters = true, .gpus = {}};
  for (std::size_t i = 0; i < gpus; ++i) {
    machine.gpus.push_back({"cuda:" + std::to_string(i), "NVIDIA H200", "h200-sxm"});
  }
  return machine;
}

const Machine cpu_only{.torch_worker = true, .probe_worker = true, .counters = false, .gpus = {}};

std::vector<PlannedCase> plan(const std::string& cases, const Machine& machine) {
  return plan_study(read_study("title = \"t\"\n" + cases, "dir/a.toml"), machine, catalog());
}

std::vector<std::string> commands(const std::vector<PlannedCase>& plan) {
  std::vector<std::string> result;
  for (const PlannedCase& each : plan) {
    result.push_back(each.skipped.empty() ? command_of(each) : "left out: " + each.skipped);
  }
  return result;
}

std::vector<std::string> commands(const std::string& cases, const Machine& machine) {
  return commands(plan(cases, machine));
}

TEST(Plan, AProductIsInTheOrderOfTheFile) {
  EXPECT_THAT(commands("[[cases]]\nmode = \"predict\"\nmodel = [\"resnet18\", \"alexnet\"]\n"
                       "device = [\"t4\", \"V100-SXM2-16GB\"]\nbatch = [1, 8]\n",
                       cpu_only),
              ElementsAre("rooflab predict resnet18 --device t4 --batch 1",
                          "rooflab predict resnet18 --device t4 --batch 8",
                          "rooflab predict resnet18 --device v100-sxm2-16gb --batch 1",
                          "rooflab predict resnet18 --device v100-sxm2-16gb --batch 8",
                          "rooflab predict alexnet --device t4 --batch 1",
                          "rooflab predict alexnet --device t4 --batch 8",
                          "rooflab predict alexnet --device v100-sxm2-16gb --batch 1",
                          "rooflab predict alexnet --device v100-sxm2-16gb --batch 8"));
}

constexpr const char* measured = R"toml([[cases]]
name = "steps"
mode = "measure"
model = "resnet18"
device = ["t4", "h200", "here", "cpu"]
phase = "training"
options = { iterations = 3, channels-last = true }
arguments = ["--no-layers"]
)toml";

TEST(Plan, ADeviceThatIsNotHereIsPredicted) {
  const std::vector<PlannedCase> cases = plan(measured, cpu_only);
  EXPECT_THAT(
      commands(cases),
      ElementsAre(
          "rooflab predict resnet18 --device t4 --phase training --channels-last",
          "rooflab predict resnet18 --device h200-sxm --phase training --channels-last",
          "rooflab measure resnet18 --device cpu --phase training --iterations 3 --channels-last"
          " --no-layers"));
  EXPECT_EQ(cases[0].asked, Mode::measure);
  EXPECT_EQ(cases[0].mode, Mode::predict);
  EXPECT_EQ(cases[0].note, "there is no t4 here: predicted");
  EXPECT_EQ(cases[0].id, "steps-resnet18-t4-training-measure");
  EXPECT_EQ(cases[1].attributes.at("device"), "h200-sxm");
  EXPECT_EQ(cases[1].attributes.at("named"), "h200");
  EXPECT_EQ(cases[1].attributes.at("mode"), "predict");
  EXPECT_EQ(cases[1].attributes.at("precision"), "fp32");
  EXPECT_EQ(cases[1].attributes.at("batch"), "1");
}

TEST(Plan, OneThatIsHereIsMeasured) {
  EXPECT_THAT(
      commands(measured, with_h200()),
      ElementsAre(
          "rooflab predict resnet18 --device t4 --phase training --channels-last",
          "rooflab measure resnet18 --device cuda:0 --phase training --iterations 3 --channels-last"
          " --no-layers",
          "rooflab measure resnet18 --device cpu --phase training --iterations 3 --channels-last"
          " --no-layers"));
}

TEST(Plan, WithoutAWorkerNothingIsMeasured) {
  EXPECT_THAT(commands("[[cases]]\nmode = \"measure\"\nmodel = \"resnet18\"\n"
                       "device = [\"cpu\", \"h200\"]\n",
                       Machine{.gpus = with_h200().gpus}),
              ElementsAre("left out: rooflab-torch is not here",
                          "rooflab predict resnet18 --device h200-sxm"));
}

TEST(Plan, GpusOfThisMachine) {
  const std::string cases =
      "[[cases]]\nmode = \"measure\"\nmodel = \"resnet18\"\ndevice = [\"gpu\", \"cuda:1\"]\n";
  EXPECT_THAT(commands(cases, cpu_only),
              ElementsAre("left out: there is no GPU here", "left out: there is no cuda:1 here"));
  EXPECT_THAT(commands(cases, with_h200(2)),
              ElementsAre("rooflab measure resnet18 --device cuda:0",
                          "rooflab measure resnet18 --device cuda:1"));
}

TEST(Plan, CountersNeedAGpuThatCounts) {
  const std::string cases =
      "[[cases]]\nmode = \"counters\"\nmodel = \"resnet18\"\ndevice = \"h200\"\n";
  EXPECT_THAT(commands(cases, with_h200()),
              ElementsAre("rooflab measure resnet18 --device cuda:0 --counters"));
  Machine closed = with_h200();
  closed.counters = false;
  const std::vector<PlannedCase> planned = plan(cases, closed);
  EXPECT_THAT(commands(planned), ElementsAre("rooflab predict resnet18 --device h200-sxm"));
  EXPECT_EQ(planned[0].note, "hardware counters cannot be read here: predicted");
}

TEST(Plan, SeveralGpus) {
  const std::string cases =
      "[[cases]]\nmode = \"scale\"\nmodel = \"vgg16\"\ndevice = \"h200\"\ngpus = [1, 2, 4]\n"
      "options = { batch = 64, steps-only = true }\n";
  EXPECT_THAT(
      commands(cases, with_h200(2)),
      ElementsAre("rooflab scale vgg16 --devices cuda:0 --gpus 1 --batch 64 --steps-only",
                  "rooflab scale vgg16 --devices cuda:0,cuda:1 --gpus 1,2 --batch 64 --steps-only",
                  "rooflab predict vgg16 --device h200-sxm --gpus 4 --phase training --batch 64"));
}

TEST(Plan, FitAndPartition) {
  const std::string cases = R"toml([[cases]]
mode = "fit"
device = ["gtx-1080-ti", "gpu"]
options = { vary = "conv=1.." }
arguments = ["--layer", "conv=conv2d(64,64,k=3,p=1)"]
[[cases]]
mode = "partition"
model = "vgg16"
device = ["gtx-1080-ti", "gpu"]
gpus = 2
)toml";
  EXPECT_THAT(commands(cases, with_h200(2)),
              ElementsAre("rooflab fit --device gtx-1080-ti --vary conv=1.. --layer"
                          " 'conv=conv2d(64,64,k=3,p=1)'",
                          "rooflab fit --device cuda:0 --measure --vary conv=1.. --layer"
                          " 'conv=conv2d(64,64,k=3,p=1)'",
                          "rooflab partition vgg16 --devices gtx-1080-ti,gtx-1080-ti",
                          "rooflab partition vgg16 --devices cuda:0,cuda:1 --measure"));
  // With one GPU of two the cut is predicted; without the worker the fit is, too.
  const std::vector<PlannedCase> one = plan(cases, with_h200());
  EXPECT_EQ(command_of(one.at(3)), "rooflab partition vgg16 --devices h200-sxm,h200-sxm");
  EXPECT_EQ(one.at(3).note, "there are no 2 of h200-sxm here: predicted");
  EXPECT_EQ(one.at(3).attributes.at("mode"), "predict");
  Machine no_worker = with_h200();
  no_worker.torch_worker = false;
  EXPECT_EQ(plan(cases, no_worker).at(1).note, "rooflab-torch is not here: predicted");
  Machine unknown = with_h200();
  unknown.gpus[0].catalog_id.clear();
  EXPECT_EQ(plan(cases, unknown).at(3).skipped, "there are no 2 of cuda:0 here");
}

TEST(Plan, AnEvaluationTakesTheTrainedModels) {
  const std::string cases = R"toml([[cases]]
name = "runs"
mode = "train"
model = ["resnet18", "resnet34"]
device = "gpu"
options = { data = "cifar10:x" }
[[cases]]
mode = "evaluate"
of = "runs"
device = "gpu"
options = { data = "folder:y" }
)toml";
  EXPECT_THAT(
      commands(cases, with_h200()),
      ElementsAre("rooflab train resnet18 --device cuda:0 --data cifar10:x",
                  "rooflab train resnet34 --device cuda:0 --data cifar10:x",
                  "rooflab evaluate --device cuda:0 --data folder:y"
                  " runs/runs-resnet18-gpu-train-df41a732 runs/runs-resnet34-gpu-train-9cb3bc28"));
  EXPECT_THAT(commands(cases, cpu_only),
              ElementsAre("left out: there is no GPU here", "left out: there is no GPU here",
                          "left out: there is no GPU here"));
}

// What was trained with other words is another model.
TEST(Plan, RunsOfOtherWordsAreKeptApart) {
  const auto kept = [](std::string_view options) {
    const std::string cases = format(
        "[[cases]]\nname = \"runs\"\nmode = [\"train\", \"measure\"]\nmodel = \"resnet18\"\n"
        "device = \"cpu\"\noptions = {{ {} }}\n",
        options);
    const std::vector<PlannedCase> planned = plan(cases, with_h200());
    EXPECT_EQ(planned.at(1).kept, "");  // a measurement begins anew
    return planned.at(0).kept;
  };
  const std::string five = kept("epochs = 5");
  EXPECT_THAT(five, MatchesRegex("runs/runs-resnet18-cpu-train-[0-9a-f]{8}"));
  EXPECT_EQ(kept("epochs = 5"), five);
  EXPECT_NE(kept("epochs = 6"), five);
}

TEST(Plan, FilesAreRelativeToTheStudy) {
  EXPECT_THAT(commands("[[cases]]\nmode = \"import\"\nfile = [\"logs/a.csv\", \"/b.csv\"]\n"
                       "[[cases]]\nmode = \"summary\"\nmodel = \"nets/x.onnx\"\n",
                       cpu_only),
              ElementsAre("rooflab import dir/logs/a.csv", "rooflab import /b.csv",
                          "rooflab summary dir/nets/x.onnx"));
}

TEST(Plan, IdsAreDistinctFileNames) {
  const std::vector<PlannedCase> planned = plan(
      "[[cases]]\nname = \"A b/c\"\nmode = \"measure\"\ndevice = \"cpu\"\n"
      "vary = { layer = [\"relu\", \"conv2d(3,8,k=3)\", \"conv2d(3,8,k-3)\"] }\n"
      "options = { input = \"1x3x8x8\" }\n",
      cpu_only);
  ASSERT_EQ(planned.size(), 3U);
  EXPECT_EQ(planned[0].id, "a-b-c-cpu-relu-measure");
  EXPECT_EQ(planned[1].id, "a-b-c-cpu-conv2d-3-8-k-3-measure");
  EXPECT_EQ(planned[2].id, "a-b-c-cpu-conv2d-3-8-k-3-measure-2");
}

TEST(Plan, UnknownNamesHaveTheirPlace) {
  EXPECT_EQ(error_of([] {
              return plan(
                  "[[cases]]\nmode = \"predict\"\nmodel = [\"resnet18\", \"resnet19\"]\n"
                  "device = \"t4\"\n",
                  cpu_only);
            }),
            "dir/a.toml:4:22: unknown model 'resnet19'");
  EXPECT_THAT(error_of([] {
                return plan(
                    "[[cases]]\nmode = \"predict\"\nmodel = \"resnet18\"\n"
                    "device = \"t44\"\n",
                    cpu_only);
              }),
              testing::StartsWith("dir/a.toml:5:10: "));
  EXPECT_EQ(error_of([] {
              return plan(
                  "[[cases]]\nmode = \"scale\"\nmodel = \"resnet18\"\ndevice = \"cpu\"\n"
                  "gpus = \"two\"\n",
                  cpu_only);
            }),
            "dir/a.toml:6:8: gpus takes a number, not 'two'");
}

TEST(Plan, PublishedDevicesGetTheirIds) {
  Study study = read_study(
      "title = \"t\"\n[[cases]]\nmode = \"predict\"\n[[published]]\n"
      "where = { device = \"V100-SXM2-16GB\", model = \"x\" }\nvalues = { time = 1 }\n"
      "[[published]]\nwhere = { device = \"abacus\" }\nvalues = { time = 2 }\n",
      "a.toml");
  name_devices(study, catalog());
  EXPECT_EQ(study.published[0].where.at("device"), "v100-sxm2-16gb");
  EXPECT_EQ(study.published[0].where.at("named"), "V100-SXM2-16GB");
  EXPECT_EQ(study.published[1].where.at("device"), "abacus");
}

// Every study of the folder is read and planned, on a machine without GPUs and on one with two.
TEST(Plan, ThePublishedStudiesArePlanned) {
  int studies = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ROOFLAB_SOURCE_DIR "/studies")) {
    if (entry.path().extension() != ".toml") continue;
    Study study = read_study(read_file(entry.path()), entry.path());
    name_devices(study, catalog());
    for (const Machine& machine : {cpu_only, with_h200(2)}) {
      const std::vector<PlannedCase> planned = plan_study(study, machine, catalog());
      const auto runs = [](const PlannedCase& each) { return each.skipped.empty(); };
      EXPECT_TRUE(std::ranges::any_of(planned, runs)) << entry.path();
    }
    EXPECT_FALSE(study.hypotheses.empty()) << entry.path();
    ++studies;
  }
  EXPECT_EQ(studies, 10);
}

}  // namespace
}  // namespace rooflab::study
