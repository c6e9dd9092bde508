#include "study/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "../base/input_error.hpp"
#include "base/format.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::study {
namespace {

using testing::ElementsAre;
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

TEST(Plan, TheBoundOfCasesIsTheStudys) {
  const std::string group = "[[cases]]\nmode = \"summary\"\nmodel = \"alexnet\"\nbatch = [1";
  std::string batches;
  for (int batch = 2; batch <= 20'000; ++batch) batches += "," + std::to_string(batch);
  EXPECT_EQ(error_of([&] { return plan(group + "]\n" + group + batches + "]\n", cpu_only); }),
            "dir/a.toml:6:1: the study has more than 20000 cases");
}

constexpr const char* measured_on_four = R"toml([[cases]]
name = "steps"
mode = "measure"
model = "resnet18"
device = ["t4", "h200", "here", "cpu"]
phase = "training"
options = { iterations = 3, channels-last = true }
arguments = ["--no-layers"]
)toml";

TEST(Plan, ADeviceThatIsNotHereIsPredicted) {
  const std::vector<PlannedCase> cases = plan(measured_on_four, cpu_only);
  EXPECT_THAT(
      commands(cases),
      ElementsAre(
          "rooflab predict resnet18 --device t4 --phase training --channels-last",
          "rooflab predict resnet18 --device h200-sxm --phase training --channels-last",
          "rooflab measure resnet18 --device cpu --phase training --iterations 3 --channels-last"
          " --no-layers"));
  EXPECT_EQ(cases[0].asked, Mode::measure);
  EXPECT_EQ(cases[0].mode, Mode::predict);
  EXPECT_EQ(cases[0].note, "t4 is not here: predicted");
  EXPECT_EQ(cases[0].id, "steps-resnet18-t4-training-measure");
  EXPECT_EQ(cases[1].attributes.at("device"), "h200-sxm");
  EXPECT_EQ(cases[1].attributes.at("named"), "h200");
  EXPECT_EQ(cases[1].attributes.at("mode"), "predict");
  EXPECT_EQ(cases[1].attributes.at("precision"), "fp32");
  EXPECT_EQ(cases[1].attributes.at("batch"), "1");
}

TEST(Plan, OneThatIsHereIsMeasured) {
  EXPECT_THAT(
      commands(measured_on_four, with_h200()),
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
              ElementsAre("left out: no GPU is here", "left out: cuda:1 is not here"));
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
      ElementsAre("rooflab scale vgg16 --device cuda:0 --gpus 1 --batch 64 --steps-only",
                  "rooflab scale vgg16 --device cuda:0,cuda:1 --gpus 1,2 --batch 64 --steps-only",
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
                          "rooflab partition vgg16 --device gtx-1080-ti,gtx-1080-ti",
                          "rooflab partition vgg16 --device cuda:0,cuda:1 --measure"));
  // With one GPU of two the cut is predicted; without the worker the fit is, too.
  const std::vector<PlannedCase> one = plan(cases, with_h200());
  EXPECT_EQ(command_of(one.at(3)), "rooflab partition vgg16 --device h200-sxm,h200-sxm");
  EXPECT_EQ(one.at(3).note, "fewer than 2 of h200-sxm are here: predicted");
  EXPECT_EQ(one.at(3).attributes.at("mode"), "predict");
  Machine no_worker = with_h200();
  no_worker.torch_worker = false;
  EXPECT_EQ(plan(cases, no_worker).at(1).note, "rooflab-torch is not here: predicted");
  Machine unknown = with_h200();
  unknown.gpus[0].catalog_id.clear();
  EXPECT_EQ(plan(cases, unknown).at(3).skipped, "fewer than 2 of cuda:0 are here");
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
      ElementsAre("rooflab train resnet18 --device cuda:0 --batch 128 --data cifar10:x",
                  "rooflab train resnet34 --device cuda:0 --batch 128 --data cifar10:x",
                  "rooflab evaluate --device cuda:0 --data folder:y"
                  " runs/runs-resnet18-gpu-train-e8580d7f runs/runs-resnet34-gpu-train-1f2f9ab9"));
  EXPECT_THAT(commands(cases, cpu_only),
              ElementsAre("left out: no GPU is here", "left out: no GPU is here",
                          "left out: no GPU is here"));
}

// What was trained with other words is another model.
TEST(Plan, RunsOfOtherWordsAreKeptApart) {
  const auto kept = [](std::string_view options) {
    const std::string cases = format(
        "[[cases]]\nname = \"runs\"\nmode = \"train\"\nmodel = \"resnet18\"\n"
        "device = \"cpu\"\noptions = {{ {} }}\n"
        "[[cases]]\nmode = \"measure\"\nmodel = \"resnet18\"\ndevice = \"cpu\"\n",
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

std::vector<PlannedCase> plan_in(const TemporaryFolder& folder, const std::string& cases,
                                 const Machine& machine) {
  return plan_study(read_study("title = \"t\"\n" + cases, folder.file("a.toml")), machine,
                    catalog());
}

TEST(Plan, FilesAreRelativeToTheStudy) {
  const TemporaryFolder folder("study-test");
  const std::string there = folder.file("").string();
  for (const char* const name : {"logs/a.csv", "b.csv", "nets/x.onnx"}) {
    std::filesystem::create_directories(folder.file(name).parent_path());
    write_file_atomically(folder.file(name), name);
  }
  const std::vector<PlannedCase> planned =
      plan_in(folder,
              format("[[cases]]\nmode = \"import\"\nfile = [\"logs/a.csv\", \"{}b.csv\"]\n"
                     "[[cases]]\nmode = \"summary\"\nmodel = \"nets/x.onnx\"\n"
                     "[[cases]]\nmode = \"measure\"\nfile = \"nets/x.onnx\"\ndevice = \"t4\"\n",
                     there),
              cpu_only);
  EXPECT_THAT(
      commands(planned),
      ElementsAre("rooflab import " + there + "logs/a.csv", "rooflab import " + there + "b.csv",
                  "rooflab summary " + there + "nets/x.onnx",
                  "rooflab predict " + there + "nets/x.onnx --device t4"));
  EXPECT_EQ(planned[2].attributes.at("model"), "x");
  EXPECT_EQ(planned[3].attributes.at("model"), "x");
  EXPECT_FALSE(planned[2].attributes.contains("precision"));  // the file has its own
  EXPECT_FALSE(planned[3].attributes.contains("batch"));
  EXPECT_FALSE(planned[0].attributes.contains("model"));
}

TEST(Plan, AFileOfOtherContentIsAnotherCase) {
  const TemporaryFolder folder("study-test");
  const auto input = [&folder](std::string_view content) {
    write_file_atomically(folder.file("a.csv"), content);
    std::vector<PlannedCase> planned =
        plan_in(folder, "[[cases]]\nmode = \"import\"\nfile = \"a.csv\"\n", cpu_only);
    identify_inputs(planned);
    return planned.at(0).input;
  };
  EXPECT_EQ(input("one"), input("one"));
  EXPECT_NE(input("one"), input("two"));
  EXPECT_EQ(plan(measured_on_four, cpu_only).at(0).input, "");
  EXPECT_THAT(error_of([&] {
                return plan_in(folder, "[[cases]]\nmode = \"import\"\nfile = \"c.csv\"\n",
                               cpu_only);
              }),
              testing::MatchesRegex(".*a.toml:4:8: cannot read '.*c.csv': No such file.*"));
}

// What is predicted instead must be what was asked for.
TEST(Plan, WhatCannotBePredictedIsLeftOut) {
  EXPECT_THAT(commands("[[cases]]\nmode = \"measure\"\nmodel = \"vgg16\"\ndevice = \"t4\"\n"
                       "batch = 4\nvary = { rewrite = [\"swap-relu-maxpool\"] }\n"
                       "options = { iterations = 3 }\n",
                       cpu_only),
              ElementsAre("rooflab predict vgg16 --device t4 --batch 4 --rewrite"
                          " swap-relu-maxpool"));
  // How fast it learns changes no step: two cases of one prediction.
  const std::vector<PlannedCase> rates = plan(
      "[[cases]]\nmode = \"train\"\nmodel = \"resnet18\"\ndevice = \"t4\"\n"
      "vary = { lr = [0.1, 0.2] }\noptions = { data = \"cifar10:x\" }\n",
      cpu_only);
  EXPECT_THAT(commands(rates),
              ElementsAre("rooflab predict resnet18 --device t4 --phase training --batch 128",
                          "rooflab predict resnet18 --device t4 --phase training --batch 128"));
  EXPECT_EQ(rates[1].attributes.at("lr"), "0.2");
}

TEST(Plan, BatchesOfTrainingAreThoseOfTheCommands) {
  const std::string cases =
      "[[cases]]\nmode = [\"train\", \"scale\"]\nmodel = \"resnet18\"\ndevice = \"t4\"\n";
  EXPECT_THAT(commands(cases, cpu_only),
              ElementsAre("rooflab predict resnet18 --device t4 --phase training --batch 128",
                          "rooflab predict resnet18 --device t4 --phase training --batch 64"));
  EXPECT_THAT(commands(cases + "options = { batch = 8 }\n", cpu_only),
              ElementsAre("rooflab predict resnet18 --device t4 --phase training --batch 8"));
}

TEST(Plan, GroupsKeepTheirCases) {
  const std::vector<PlannedCase> planned = plan(
      "[[cases]]\nname = \"a\"\nmode = \"predict\"\nmodel = \"resnet18\"\ndevice = \"t4\"\n"
      "[[cases]]\nname = \"b\"\nmode = [\"measure\", \"predict\"]\nmodel = \"resnet18\"\n"
      "device = \"t4\"\n",
      cpu_only);
  ASSERT_EQ(planned.size(), 2U);
  EXPECT_EQ(planned[0].words, planned[1].words);
  EXPECT_EQ(planned[1].attributes.at("group"), "b");
}

TEST(Plan, FlagsWithoutAValueVary) {
  const std::vector<PlannedCase> planned = plan(
      "[[cases]]\nmode = \"predict\"\nmodel = \"resnet18\"\ndevice = \"t4\"\n"
      "vary = { channels-last = [true, false] }\n",
      cpu_only);
  EXPECT_THAT(commands(planned), ElementsAre("rooflab predict resnet18 --device t4 --channels-last",
                                             "rooflab predict resnet18 --device t4"));
  EXPECT_EQ(planned[0].attributes.at("channels-last"), "yes");
  EXPECT_EQ(planned[1].attributes.at("channels-last"), "no");
  EXPECT_EQ(planned[1].id, "cases1-resnet18-t4-no-channels-last-predict");
}

TEST(Plan, DependsOnTheMachineUnlessAllIsSaidByName) {
  const auto cases = [](const std::string& modes, const std::string& device) {
    return format("[[cases]]\nmode = [{}]\nmodel = \"resnet18\"\ndevice = \"{}\"\n", modes, device);
  };
  const std::string named = cases(R"("predict", "summary")", "h200");
  EXPECT_FALSE(depends_on_machine(plan(named, Machine())));
  EXPECT_EQ(commands(named, Machine()), commands(named, with_h200()));
  for (const char* const device : {"gpu", "here", "cpu", "cuda:1"}) {
    EXPECT_TRUE(depends_on_machine(plan(cases(R"("predict")", device), Machine()))) << device;
  }
  for (const char* const mode : {R"("measure")", R"("fit")", R"("predict", "scale")"}) {
    EXPECT_TRUE(depends_on_machine(plan(cases(mode, "h200"), Machine()))) << mode;
  }
}

TEST(Plan, OfNoDevice) {
  EXPECT_THAT(commands("[[cases]]\nmode = [\"summary\", \"predict\"]\nmodel = \"resnet18\"\n"
                       "device = [\"t4\", \"h200\"]\n",
                       cpu_only),
              ElementsAre("rooflab summary resnet18", "rooflab predict resnet18 --device t4",
                          "rooflab predict resnet18 --device h200-sxm"));
}

TEST(Plan, ALayerHasTheBatchOfItsInputAndIsPredictedElsewhere) {
  const std::vector<PlannedCase> planned = plan(
      "[[cases]]\nmode = \"measure\"\ndevice = \"t4\"\n"
      "options = { layer = \"relu\", input = \"256x3x224x224\" }\n",
      cpu_only);
  ASSERT_EQ(planned.size(), 1U);
  EXPECT_EQ(planned[0].attributes.at("batch"), "256");
  EXPECT_EQ(planned[0].mode, Mode::predict);
  EXPECT_EQ(command_of(planned[0]),
            "rooflab predict --device t4 --layer relu --input 256x3x224x224");
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

TEST(Plan, IdsAreShortAndHaveLetters) {
  const auto id = [](const std::string& group) {
    return plan("[[cases]]\nname = \"" + group + "\"\nmode = \"summary\"\nmodel = \"resnet18\"\n",
                cpu_only)
        .at(0)
        .id;
  };
  EXPECT_THAT(id(std::string(300, 'n')), MatchesRegex("n{150}-[0-9a-f]{8}"));
  EXPECT_THAT(id("日本語"), MatchesRegex("[0-9a-f]{8}-resnet18-summary"));
  EXPECT_THAT(id(".."), MatchesRegex("[0-9a-f]{8}-resnet18-summary"));
  EXPECT_EQ(id("..v1.5."), "v1.5-resnet18-summary");
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

TEST(Plan, ValuesThatCannotBeHaveTheirPlace) {
  const auto fault = [](const std::string& mode, const std::string& rest) {
    return error_of([&] {
      return plan("[[cases]]\nmode = \"" + mode + "\"\nmodel = \"resnet18\"\n" + rest, cpu_only);
    });
  };
  EXPECT_EQ(fault("predict", "device = \"t4\"\nbatch = [1, 0]\n"),
            "dir/a.toml:6:13: --batch takes a whole number of 1 or more, not '0'");
  EXPECT_EQ(fault("predict", "device = \"t4\"\nprecision = \"fp23\"\n"),
            "dir/a.toml:6:13: unknown --precision value 'fp23'");
  EXPECT_EQ(fault("summary", "options = { phase = \"trainning\" }\n"),
            "dir/a.toml:5:13: unknown --phase value 'trainning'");
  EXPECT_EQ(fault("predict", ""), "dir/a.toml:2:1: 'device' is missing: predict needs one");
  EXPECT_EQ(fault("measure", "device = \"cpu\"\ngpus = 2\n"),
            "dir/a.toml:6:8: measure takes no number of GPUs");
  EXPECT_EQ(fault("summary", "file = \"x.onnx\"\n"),
            "dir/a.toml:5:8: a case has a model or a file, not both");
  std::string batches;
  for (int i = 1; i <= 200; ++i) batches += std::to_string(i) + ",";
  const std::string many =
      "device = \"t4\"\nbatch = [" + batches + "]\nvary = { image-size = [" + batches + "] }\n";
  EXPECT_EQ(fault("predict", many), "dir/a.toml:2:1: the study has more than 20000 cases");
}

TEST(Plan, DevicesOfPublishedRowsAreNamedOneByOne) {
  Study study = read_study(
      "title = \"t\"\n[[cases]]\nmode = \"summary\"\nmodel = \"resnet18\"\n"
      "[[tables]]\nwhere = { device = \"1080ti, Tesla T4,cuda:0\" }\nvalues = \"time\"\n",
      "a.toml");
  name_devices(study, catalog());
  EXPECT_EQ(study.tables[0].where.at("device"), "gtx-1080-ti,t4,cuda:0");
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
