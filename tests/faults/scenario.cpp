#include "scenario.hpp"

#include <fstream>
#include <initializer_list>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace faults {
namespace {

using Files = std::map<std::string, std::string>;

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::istringstream stream(command);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// A command that is continued by the same words and `flag`.
Scenario scenario(const std::string& name, const std::string& command, const std::string& flag) {
  Scenario result;
  result.name = name;
  result.words = words_of(command);
  result.again = words_of(command + " " + flag);
  return result;
}

Scenario resumable(const std::string& name, const std::string& command, const std::string& flag,
                   const std::string& finished) {
  Scenario result = scenario(name, command, flag);
  result.resumes = true;
  result.finished = finished;
  return result;
}

std::string source_file(const std::string& name) {
  std::ifstream file(std::string(ROOFLAB_SOURCE_DIR) + "/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

Files images(const std::string& content) {
  Files files;
  for (const char* const name : {"train/cat", "train/dog", "test/cat", "test/dog"}) {
    files[std::string("d/") + name + "/1.png"] = content;
  }
  return files;
}

constexpr char study_file[] = R"toml(title = "Reliability"

[[cases]]
name = "steps"
mode = "measure"
model = ["alexnet", "squeezenet1_1"]
device = "cpu"
batch = [1, 2]
options = { no-layers = true }

[[cases]]
name = "counts"
mode = ["summary", "predict"]
model = "alexnet"
device = "t4"

[[cases]]
name = "training"
mode = "train"
model = "resnet18"
device = "cpu"
batch = 2
options = { variant = "cifar", data = "folder:d", epochs = 3, runs = 2 }

[[hypotheses]]
check = "time(squeezenet1_1) < time(alexnet)"
)toml";

constexpr char recorded_study_file[] = R"toml(title = "Recorded"

[[cases]]
name = "recorded"
mode = ["summary", "predict"]
file = ["b4.rec.jsonl.gz", "b8.rec.jsonl.gz"]
device = "t4"
)toml";

/// Commands that read recordings, which begin anew after a kill.
std::vector<Scenario> on_recordings() {
  Files files;
  for (const char* const batch : {"4", "6", "8"}) {
    const std::string name = std::string("small-b") + batch + "-train.rec.jsonl.gz";
    files["b" + std::string(batch) + ".rec.jsonl.gz"] =
        source_file("tests/data/recordings/" + name);
  }
  std::vector<Scenario> list = {
      resumable("recording", "predict b4.rec.jsonl.gz --device t4 -o p.json -o p.html -o p.csv", "",
                ""),
      resumable("recordings",
                "summary b4.rec.jsonl.gz --batch 6 --recorded b8.rec.jsonl.gz -o s.json -o s.md",
                "", ""),
      resumable("recorded-fit",
                "fit b4.rec.jsonl.gz --recorded b6.rec.jsonl.gz,b8.rec.jsonl.gz --device t4"
                " --vary batch=1..64 -o f.json",
                "", ""),
      resumable("recorded-study", "study run recorded.toml -o out", "--again",
                "out/recorded/cases/[^.]*\\.json")};
  files["recorded.toml"] = recorded_study_file;
  for (Scenario& each : list) each.files = files;
  list.back().failed_cases = true;
  list.back().changes = R"(\.resumed|\.notes|report\.(html|md)|tables/every-case\.tex)";
  return list;
}

std::vector<Scenario> on_fake_workers() {
  std::vector<Scenario> list;
  Scenario study =
      resumable("study", "study run s.toml -o out", "--again", "out/s/cases/[^.]*\\.json");
  study.files = images("");
  study.files["s.toml"] = study_file;
  study.hang = {{"ROOFLAB_FAKE", "slow@squeezenet1_1;slow@resnet18"}};
  study.failed_cases = true;
  // Tables with the time that a case took are as wide as it; every-case.csv has the same.
  study.changes = R"(\.resumed|\.notes|report\.(html|md)|tables/every-case\.tex)";
  list.push_back(study);

  Scenario measure = resumable(
      "measure", "measure squeezenet1_1 alexnet --device cpu --batch 1,2 --no-layers -o runs",
      "--resume", "runs/.*\\.json");
  measure.hang = {{"ROOFLAB_FAKE", "slow@alexnet"}};
  list.push_back(measure);

  Scenario train = resumable("train",
                             "train resnet18 --variant cifar --data folder:d --device cpu --batch "
                             "2 --epochs 4 --runs 2 -o runs",
                             "--resume", "");
  train.files = images("");
  train.hang = {{"ROOFLAB_FAKE", "slow@resnet18"}};
  train.changes = R"(\.resumed)";
  list.push_back(train);

  list.push_back(resumable("scale",
                           "scale alexnet --device cpu,cpu --batch 8 --scaling both -o runs",
                           "--resume", "runs/.*\\.json"));
  list.push_back(resumable(
      "fit", "fit alexnet --device cuda:0 --vary batch=1..16 --measure --phase training -o tries",
      "--resume", ""));
  Scenario probe = resumable("probe",
                             "probe --device cpu --quick --python none --only "
                             "bandwidth,launch,vector_addition --save my.toml",
                             "", "");
  probe.hang = {{"ROOFLAB_FAKE", "slow@ops"}};
  list.push_back(probe);

  list.push_back(scenario("summary", "summary alexnet -o s.json -o s.html -o s.md -o s.csv", ""));
  Scenario predict =
      scenario("predict",
               "predict alexnet --device t4 --calibration c.toml --devices-dir devices"
               " --format csv -o p.json",
               "");
  predict.files["c.toml"] = source_file("fuzz/seeds/calibration_reader/toy.toml");
  predict.files["devices/t4.toml"] = source_file("fuzz/seeds/device_file/t4.toml");
  list.push_back(predict);
  Scenario import = scenario("import", "import raw.csv t.trace --format csv -o i.json", "");
  import.files["raw.csv"] = source_file("fuzz/seeds/ncu_reader/raw.csv");
  import.files["t.trace"] = source_file("fuzz/seeds/kineto_reader/training.json");
  list.push_back(import);
  Scenario onnx = scenario("onnx", "summary net.onnx --format csv -o n.json", "");
  onnx.files["net.onnx"] = source_file("fuzz/seeds/onnx_reader/taken_apart.onnx");
  list.push_back(onnx);
  Scenario report = scenario("report", "report r.json --format csv -o r.html", "");
  report.files["r.json"] = source_file("fuzz/seeds/result_reader/measure.json");
  list.push_back(report);
  list.push_back(scenario("roofline", "roofline alexnet --device t4 -o r.svg -o r.html", ""));
  for (Scenario& each : on_recordings()) list.push_back(std::move(each));
  return list;
}

std::vector<Scenario> on_real_workers() {
  std::vector<Scenario> list;
  list.push_back(
      resumable("real-measure",
                "measure --layer linear(8,8) --input 4x8 --device cpu --precision fp32,fp64 "
                "--iterations 6 --min-time 0.01"
                " --no-layers -o runs",
                "--resume", "runs/.*\\.json"));
  Scenario train =
      resumable("real-train",
                "train resnet18 --variant cifar --data folder:d --device cpu --batch 2 --epochs 2"
                " --checkpoint-every 0.001 -o runs",
                "--resume", "");
  train.files = images(source_file("fuzz/seeds/image_decoder/colour.png"));
  // How many samples a monitor takes depends on how long the run takes.
  train.changes = R"(\.resumed|\.sample_series|train\.log)";
  list.push_back(train);
  return list;
}

/// The Python package: recordings in each of its ways, what it keeps in TMPDIR, and the program
/// behind it.
std::vector<Scenario> on_python() {
  std::vector<Scenario> list;
  const std::string script = std::string(ROOFLAB_SOURCE_DIR) + "/tests/faults/record_step.py";
  for (const char* const way : {"call", "block", "save", "predict", "baseline"}) {
    Scenario each;
    each.name = std::string("python-") + way;
    each.words = {script, way};
    each.again = each.words;
    each.resumes = true;
    list.push_back(each);
  }
  list.push_back(
      resumable("python-module", "-m rooflab summary alexnet -o s.json -o s.html", "", ""));
  return list;
}

}  // namespace

std::vector<Scenario> all_scenarios(Group group) {
  std::vector<Scenario> list = group == Group::python ? on_python()
                               : group == Group::real ? on_real_workers()
                                                      : on_fake_workers();
  for (Scenario& each : list) each.group = group;
  return list;
}

}  // namespace faults
