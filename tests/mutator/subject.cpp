#include "subject.hpp"

namespace mutator {
namespace {

using Commands = std::vector<std::string>;

const Commands read_results = {"report @ --format json",        "report @ -o out.html",
                               "compare @ @ --format json",     "compare sound.json @",
                               "roofline @ -o out.html",        "import @ --format json",
                               "monitor --from @ --format json"};

Subject results(const std::string& name, const std::string& made_by) {
  return {
      name, {made_by, "predict alexnet --device t4 -o sound.json"}, {}, "r\\.json", read_results};
}

}  // namespace

std::vector<Subject> all_subjects() {
  std::vector<Subject> list = {
      results("summary", "summary alexnet -o r.json"),
      results("predict", "predict alexnet --device t4,a100-sxm4-40gb --phase training -o r.json"),
      results("measure", "measure alexnet --device cpu --batch 1,2 --phase training -o r.json"),
      results("counted", "measure alexnet --device cuda --batch 2 --counters -o r.json"),
      results("train",
              "train resnet18 --variant cifar --data folder:d --device cpu --batch 2 --epochs 3"
              " --runs 2 -o runs -o r.json"),
      results("scale", "scale alexnet --device cpu,cpu --batch 8 -o r.json"),
      results("fit", "fit alexnet --device h200-sxm --phase training -o r.json"),
      results("partition",
              "partition alexnet --device t4,t4 --batch 8 --link pcie3 --phase training -o r.json"),
      results("compare", "compare p.json p.json -o r.json"),
      results("import", "import raw.csv t.json -o r.json"),
  };
  for (Subject& each : list) {
    for (const char* const name : {"train/cat", "train/dog", "test/cat", "test/dog"}) {
      if (each.name == "train") each.files[std::string("d/") + name + "/1.png"] = "";
    }
    if (each.name == "compare") {
      each.made_by.insert(each.made_by.begin(), "predict alexnet --device t4 -o p.json");
    }
    if (each.name == "import") {
      each.files["raw.csv"] = "fuzz/seeds/ncu_reader/raw.csv";
      each.files["t.json"] = "fuzz/seeds/kineto_reader/training.json";
    }
  }

  list.push_back(
      {"record",
       {"measure alexnet --device cuda --batch 2 --counters -o runs"},
       {},
       "runs/.*\\.json",
       {"report @ --format json", "compare @ @", "monitor --from @", "import @ --format json",
        "measure alexnet --device cuda --batch 2 --counters -o runs --resume --format json"}});
  Subject training = list[4];
  training.name = "training-run";
  training.made_by.resize(1);
  training.damaged = "runs/run-1/run\\.json";
  training.commands = {"train --report runs --format json", "train --report runs -o out.html",
                       "report @ --format json",
                       "train resnet18 --variant cifar --data folder:d --device cpu --batch 2"
                       " --epochs 4 --runs 2 -o runs --resume --format json",
                       "evaluate runs --data folder:d --format json"};
  list.push_back(training);
  list.push_back({"scale-run",
                  {"scale alexnet --device cpu,cpu --batch 8 -o runs"},
                  {},
                  "runs/.*\\.json",
                  {"report @ --format json", "report runs -o out.html",
                   "scale alexnet --device cpu,cpu --batch 8 -o runs --resume --format json"}});
  list.push_back(
      {"fit-tries",
       {"fit alexnet --device cuda:0 --vary batch=1..8 --measure --phase training -o tries"},
       {},
       "tries/.*",
       {"fit alexnet --device cuda:0 --vary batch=1..8 --measure --phase training -o tries"
        " --resume --format json"}});
  list.push_back({"recording",
                  {},
                  {{"r.rec.jsonl", "fuzz/seeds/recording_reader/training.jsonl"},
                   {"r8.rec.jsonl.gz", "tests/data/recordings/small-b8-train.rec.jsonl.gz"}},
                  "r\\.rec\\.jsonl",
                  {"summary @ --format json", "predict @ --device t4 --format json",
                   "predict @ --device t4 --gpus 1,2 --format json",
                   "predict @ --recorded r8.rec.jsonl.gz --batch 6 --device t4 --format json",
                   "predict r8.rec.jsonl.gz --recorded @ --batch 6 --device t4 --format json",
                   "fit @ --recorded r8.rec.jsonl.gz --device t4 --vary batch=1..64 --format json",
                   "roofline @ --device t4 -o out.html", "report @", "import @"}});
  list.push_back({"study",
                  {},
                  {{"s.toml", "fuzz/seeds/study_reader/whole.toml"}},
                  ".*\\.toml",
                  {"study check @", "study plan @ --format json"}});
  list.push_back({"study-folder",
                  {"study run s.toml -o out"},
                  {{"s.toml", "fuzz/seeds/study_reader/small.toml"}},
                  "out/s/(cases/.*|study)\\.json",
                  {"study page s.toml -o out", "study run s.toml -o out", "report @ --format json",
                   "study merge s.toml out/s -o merged"}});
  list.push_back({"request",
                  {},
                  {{"request.json", "fuzz/seeds/own_file/request.json"}},
                  "request\\.json",
                  {"task @ out.json"}});
  // The worker dies after some ops: their journal stays, and little has to be fitted.
  const std::map<std::string, std::string> few_ops = {{"ROOFLAB_FAKE", "kill@ops"}};
  list.push_back(
      {"calibration",
       {"probe --device cpu --quick --python none --only bandwidth,launch,ops --save cpu.toml"},
       {{"toy.toml", "fuzz/seeds/calibration_reader/toy.toml"},
        {"published.toml", "fuzz/seeds/calibration_reader/published.toml"}},
       ".*\\.toml",
       {"predict alexnet --calibration @ --device cpu --format json",
        "predict alexnet --calibration @ --device h200-sxm --phase training --format json",
        "roofline alexnet --calibration @ --measured --device cpu -o out.html",
        "probe --refit @ --format json"},
       few_ops});
  list.push_back(
      {"probe-journal",
       {"probe --device cpu --quick --python none --only launch,ops --save p.toml"},
       {},
       "p\\.toml\\..*",
       {"probe --device cpu --quick --python none --only launch,ops --save p.toml --format json"},
       few_ops});
  list.push_back(
      {"published-ops",
       {},
       {{"ops.toml", "tests/data/probe/ops.toml"}, {"tables/ops.csv", "tests/data/probe/ops.csv"}},
       ".*",
       {"probe --from ops.toml --tables tables --device t4 --format json"}});
  list.push_back({"device",
                  {},
                  {{"devices/t4.toml", "fuzz/seeds/device_file/t4.toml"}},
                  "devices/.*",
                  {"devices --devices-dir devices --format json",
                   "predict alexnet --device t4 --devices-dir devices --format json"}});
  list.push_back({"onnx",
                  {},
                  {{"taken_apart.onnx", "fuzz/seeds/onnx_reader/taken_apart.onnx"},
                   {"recurrent.onnx", "fuzz/seeds/onnx_reader/recurrent.onnx"},
                   {"symbolic_dims.onnx", "fuzz/seeds/onnx_reader/symbolic_dims.onnx"},
                   {"hostile_names.onnx", "fuzz/seeds/onnx_reader/hostile_names.onnx"}},
                  ".*\\.onnx",
                  {"summary @ --format json", "predict @ --device t4 --format json",
                   "partition @ --device t4,t4 --batch 2 --link pcie3 --format json"}});
  list.push_back({"log",
                  {},
                  {{"run.out", "fuzz/seeds/ncu_reader/text-2021.out"},
                   {"raw.csv", "fuzz/seeds/ncu_reader/raw.csv"},
                   {"details.csv", "fuzz/seeds/ncu_reader/details.csv"},
                   {"training.json", "fuzz/seeds/kineto_reader/training.json"},
                   {"training.json.gz", "fuzz/seeds/kineto_reader/training.json.gz"},
                   {"gpu_trace.csv", "fuzz/seeds/nsys_csv_reader/gpu_trace.csv"},
                   {"nvprof.csv", "fuzz/seeds/nvprof_reader/gpu_trace.csv"},
                   {"summary.csv", "fuzz/seeds/nvprof_reader/summary.csv"},
                   {"step.jsonl", "fuzz/seeds/profile_reader/step.jsonl"},
                   {"trace.jsonl", "fuzz/seeds/profile_reader/trace.jsonl"}},
                  ".*",
                  {"import @ --format json", "import @ --per kernel --strict",
                   "import @ -o out.html", "report @ --format json"}});
  list.push_back(
      {"worker",
       {},
       {{"workers/rooflab-torch", "tests/data/worker/worker.sh"},
        {"workers/record", "fuzz/seeds/record_reader/full.json"}},
       "workers/(describe|record)",
       {"doctor", "devices --detect --format json", "measure alexnet --device cpu --format json"},
       {},
       {{"workers/describe", "describe"}}});
  return list;
}

}  // namespace mutator
