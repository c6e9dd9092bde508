// The library's entry points, each called by eight threads at once: readers, counting, prediction,
// pages, requests. Under ThreadSanitizer a report fails the test.

#include <mutex>
#include <set>
#include <string>

#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/predictor.hpp"
#include "rooflab/describe/described.hpp"
#include "rooflab/findings/findings.hpp"
#include "rooflab/import/readers.hpp"
#include "rooflab/report/views.hpp"
#include "rooflab/system/file.hpp"
#include "rooflab/task/compare.hpp"
#include "rooflab/task/fit.hpp"
#include "rooflab/task/import.hpp"
#include "rooflab/task/partition.hpp"
#include "rooflab/task/predict.hpp"
#include "rooflab/zoo/zoo.hpp"
#include "together.hpp"

namespace rooflab {
namespace {

const std::string data = std::string(ROOFLAB_SOURCE_DIR) + "/tests/data/";

/// Every thread's text by `work` is the same one.
void expect_one_text(const std::function<std::string()>& work) {
  std::mutex mutex;
  std::set<std::string> texts;
  together([&](int) {
    std::string text = work();
    const std::scoped_lock lock(mutex);
    texts.insert(std::move(text));
  });
  ASSERT_EQ(texts.size(), 1);
  EXPECT_FALSE(texts.begin()->empty());
}

TEST(EntryPoints, Networks) {
  expect_one_text([] {
    std::string text;
    for (const zoo::ModelInfo& model : zoo::models()) text += model.name;
    return text + to_text(zoo::build("resnet50", {.batch = 2}));
  });
}

TEST(EntryPoints, OnnxFiles) {
  const std::string bytes = read_file(data + "onnx/tv-resnet18-dynamo.onnx");
  expect_one_text([&] {
    return to_text(onnx::read_onnx_bytes(bytes, "resnet18.onnx", {.batch = 2}).graph) +
           to_text(onnx::read_onnx(data + "onnx/hf-gpt2-dynamo.onnx").graph);
  });
}

TEST(EntryPoints, Recordings) {
  expect_one_text([] {
    const auto step = recording::read_recording(data + "recordings/small-b4-train.rec.jsonl.gz");
    return to_json(analyze::Predictor::built_in().predict(step, "h200")).dump();
  });
}

TEST(EntryPoints, FilesOfProfilers) {
  const device::Catalog catalog = device::Catalog::built_in();
  expect_one_text([&] {
    std::string text;
    for (const char* const file : {"kineto/shapes.pt.trace.json", "ncu/zero_copy.csv",
                                   "nsys/gpu_trace.csv", "nvprof/gpu_trace.csv"}) {
      const std::string path = data + "import/" + file;
      const auto imported = analyze::imported_case_of(import::read(path), path, catalog);
      const auto found = findings::findings_of(imported);
      text +=
          render(report::import_view({&imported, 1}, std::nullopt, {}, found), page::Format::table);
    }
    return text;
  });
}

TEST(EntryPoints, DevicesAndCalibrations) {
  expect_one_text([] {
    std::string text;
    for (const device::Device& device : device::Catalog::built_in().devices()) text += device.name;
    for (const device::LazyCalibration& each : device::built_in_calibrations()) {
      text += each.read()->device_name;
    }
    for (const device::Link& link : device::links()) text += link.name;
    return text;
  });
}

TEST(EntryPoints, PagesInEveryFormat) {
  const analyze::CaseResult step = analyze::predict_case(zoo::build("alexnet", {.batch = 4}), "t4");
  expect_one_text([&] {
    const page::Document document = report::predict_view({&step, 1});
    std::string text = page::render_html(document, "");
    for (const page::Format format :
         {page::Format::table, page::Format::markdown, page::Format::csv}) {
      text += render(document, format);
    }
    return text;
  });
}

TEST(EntryPoints, Requests) {
  expect_one_text([] {
    task::Session session;
    task::PredictRequest predict;
    predict.grid.models = {"resnet18"};
    predict.grid.device = {"a100-sxm4-40gb", "t4"};
    std::string text;
    for (const auto& each : run(predict, session).cases) text += to_json(each).dump();
    task::FitRequest fit;
    fit.network.model = "alexnet";
    fit.target.device = {"t4"};
    text += to_json(run(fit, session).result).dump();
    task::ImportRequest import;
    import.files = {data + "import/nvprof/summary.csv"};
    text += run(import, session).recorded.imported.front().title;
    return text;
  });
}

}  // namespace
}  // namespace rooflab
