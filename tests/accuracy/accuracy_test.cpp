// How good predictions are: every row of two published tables predicted with the built-in
// calibration, which knows nothing of networks. The tables in docs/accuracy.md are this test's
// output: it fails when they differ. ROOFLAB_BLESS=1 writes them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "rooflab/analyze/calibrations.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/predict/step_time.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab {
namespace {

const std::string source_folder = ROOFLAB_SOURCE_DIR;
const std::string document = source_folder + "/docs/accuracy.md";

using Fields = std::map<std::string, std::string>;

std::vector<Fields> rows_of(const std::string& file) {
  std::vector<Fields> rows;
  std::vector<std::string> names;
  for (const std::string& line : split(read_file(file), '\n')) {
    if (line.empty()) continue;
    // The last column may be quoted and hold commas.
    std::vector<std::string> parts = split(line.substr(0, line.find('"')), ',');
    if (line.find('"') != std::string::npos) {
      parts.back() = line.substr(line.find('"') + 1, line.rfind('"') - line.find('"') - 1);
    }
    if (names.empty()) {
      names = parts;
      continue;
    }
    Fields row;
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = parts.at(i);
    rows.push_back(std::move(row));
  }
  return rows;
}

double number(const Fields& row, const std::string& name) {
  return parse_number(row.at(name)).value();
}

schedule::Schedule step_of(const std::string& network, std::int64_t batch, Phase phase,
                           Precision precision, const std::string& variant = "") {
  zoo::BuildOptions options;
  options.batch = batch;
  options.variant = variant;
  return schedule::lower(zoo::build(network, options), {.phase = phase, .precision = precision});
}

const device::Catalog& catalog() {
  static const device::Catalog all = device::Catalog::built_in();
  return all;
}

/// The calibration and the host that `rooflab predict` would choose for the device.
const analyze::CalibratedModel& model_for(const device::Device& device) {
  static const analyze::CalibrationLookup choose = analyze::lookup_in(
      std::make_shared<const analyze::KnownCalibrations>(analyze::KnownCalibrations::built_in()));
  const std::shared_ptr<const analyze::CalibratedModel> model = choose(device);
  if (!model) throw Error(ErrorKind::input, "no calibration fits " + device.name);
  return *model;  // the lookup keeps it
}

/// What makes a prediction unsure: the host, or the kind with the largest share of the deviation.
std::string reason_of(const predict::StepTime& step) {
  if (step.host_bound) {
    return format("the host, {:.2f} ms of issuing", step.host.value * 1e3);
  }
  const auto most = std::ranges::max_element(
      step.kinds, {}, [](const predict::KindShare& kind) { return kind.time_s * kind.deviation; });
  return format("`{}`, {:.0f} % of the time, each +-{:.0f} %", most->kind,
                100.0 * most->time_s / step.device.value, 100.0 * most->deviation);
}

/// A prediction beside a measurement.
struct Judged {
  double error = 0.0;  ///< predicted / measured - 1
  bool inside = false;
  std::string line;
};

struct Summary {
  double mean = 0.0;
  double median = 0.0;
  double worst = 0.0;
  double inside = 0.0;
  double bias = 0.0;
};

Summary summary_of(const std::vector<Judged>& rows) {
  std::vector<double> errors;
  Summary summary;
  for (const Judged& row : rows) {
    errors.push_back(std::abs(row.error));
    summary.bias += row.error / static_cast<double>(rows.size());
    summary.inside += row.inside ? 1.0 / static_cast<double>(rows.size()) : 0.0;
  }
  const Statistics statistics = statistics_of(errors);
  summary.mean = statistics.mean;
  summary.median = statistics.median;
  summary.worst = statistics.max;
  return summary;
}

std::string percent(double fraction) { return format("{:.1f} %", 100.0 * fraction); }
std::string signed_percent(double fraction) { return format("{:+.1f} %", 100.0 * fraction); }

std::string summary_line(const std::string& name, const Summary& summary) {
  return format("| {} | {} | {} | {} | {} | {:.0f} % |\n", name, percent(summary.mean),
                percent(summary.median), percent(summary.worst), signed_percent(summary.bias),
                100.0 * summary.inside);
}
const std::string summary_head =
    "| rows | mean error | median | worst | bias | in the 90 % interval |\n"
    "| --- | --: | --: | --: | --: | --: |\n";

void worst_first(std::vector<Judged>& rows) {
  std::ranges::stable_sort(rows, std::greater{},
                           [](const Judged& row) { return std::abs(row.error); });
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string& line : split(text, '\n')) {
    for (const std::string& word : split(line, ' ')) {
      if (!word.empty()) words.push_back(word);
    }
  }
  return words;
}

/// Equal, or numbers that differ by no more than a unit in the last place: compilers round
/// differently.
bool same_word(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto bare = [](std::string word) {
    if (word.starts_with("+")) word.erase(0, 1);
    return word;
  };
  const std::optional<double> x = parse_number(bare(a));
  const std::optional<double> y = parse_number(bare(b));
  const std::size_t point = a.find('.');
  const double unit =
      point == std::string::npos ? 1.0 : std::pow(10.0, -static_cast<double>(a.size() - point - 1));
  return x && y && std::abs(*x - *y) <= 1.01 * unit;
}

/// The document's text between `<!-- NAME -->` and `<!-- end -->` is `text`.
void expect_in_document(const std::string& name, const std::string& text) {
  std::string whole = read_file(document);
  const std::string head = format("<!-- {} -->\n", name);
  const std::size_t begin = whole.find(head);
  ASSERT_NE(begin, std::string::npos) << head;
  const std::size_t from = begin + head.size();
  const std::size_t end = whole.find("<!-- end -->", from);
  ASSERT_NE(end, std::string::npos);
  if (std::getenv("ROOFLAB_BLESS") != nullptr) {
    write_file_atomically(document, whole.replace(from, end - from, text));
    return;
  }
  const std::vector<std::string> written = words_of(whole.substr(from, end - from));
  const std::vector<std::string> computed = words_of(text);
  ASSERT_EQ(written.size(), computed.size()) << name;
  for (std::size_t i = 0; i < written.size(); ++i) {
    ASSERT_TRUE(same_word(written[i], computed[i]))
        << name << ": docs/accuracy.md has '" << written[i] << "', this test computes '"
        << computed[i] << "' (ROOFLAB_BLESS=1 writes the page)";
  }
}

// ---- the device that was probed -------------------------------------------------------------

struct MeasuredRow {
  std::string network;
  std::string configuration;
  Judged time;
  Judged memory;
};

std::vector<MeasuredRow> judge_h200() {
  const analyze::CalibratedModel& model = model_for(catalog().find("h200-sxm"));
  std::vector<MeasuredRow> judged;
  bool first_configuration = true;
  std::string first;
  for (const Fields& row : rows_of(source_folder + "/tests/data/accuracy/h200_pytorch_eager.csv")) {
    const std::string& network = row.at("model");
    const auto batch = static_cast<std::int64_t>(number(row, "batch"));
    const Phase phase = row.at("mode") == "train" ? Phase::training : Phase::inference;
    const schedule::Schedule schedule =
        step_of(network, batch, phase, precision_from_name(row.at("precision")).value(),
                network == "googlenet" ? "aux" : "");
    const predict::StepTime step =
        analyze::predicted_step(schedule, model);
    MeasuredRow result;
    result.network = network;
    result.configuration =
        format("{}, {}, batch {}", phase == Phase::training ? "training" : "inference",
               row.at("precision"), batch);
    const double measured_s = number(row, "median_ms") * 1e-3;
    result.time.error = step.time.value / measured_s - 1.0;
    result.time.inside = step.low.value <= measured_s && measured_s <= step.high.value;
    result.time.line =
        format("| {} | {} | {:.3f} | {:.3f} | {:.2f} to {:.2f} | {} | {} |\n", network,
               result.configuration, measured_s * 1e3, step.time.value * 1e3, step.low.value * 1e3,
               step.high.value * 1e3, signed_percent(result.time.error), reason_of(step));

    const predict::MemoryEstimate memory = analyze::memory_of(schedule, &model);
    // All rows were measured in one process. From the second configuration on it held two of
    // cuBLAS's workspaces, one of which an inference alone does not make: 32 MiB that are not its.
    if (first.empty()) first = result.configuration;
    first_configuration = first_configuration && result.configuration == first;
    const double kept = phase == Phase::inference && !first_configuration ? 33554432.0 : 0.0;
    const double measured = number(row, "peak_alloc_bytes") - kept;
    result.memory.error = memory.allocated_peak.as_double() / measured - 1.0;
    result.memory.line = format(
        "| {} | {} | {:.1f} | {:.1f} | {} |\n", network, result.configuration, measured / 1e6,
        memory.allocated_peak.as_double() / 1e6, signed_percent(result.memory.error));
    judged.push_back(std::move(result));
  }
  return judged;
}

TEST(Accuracy, OfTheProbedDevice) {
  const std::vector<MeasuredRow> rows = judge_h200();
  ASSERT_EQ(rows.size(), 70U);
  std::vector<Judged> times;
  std::vector<Judged> memories;
  std::map<std::string, std::vector<Judged>> by_configuration;
  std::map<std::string, std::vector<Judged>> by_network;
  for (const MeasuredRow& row : rows) {
    times.push_back(row.time);
    memories.push_back(row.memory);
    by_configuration[row.configuration].push_back(row.time);
    by_network[row.network].push_back(row.time);
  }
  const Summary all = summary_of(times);
  EXPECT_LE(all.mean, 0.12);
  EXPECT_LE(all.median, 0.08);
  EXPECT_LE(all.worst, 0.40);
  EXPECT_GE(all.inside, 0.85);
  const Summary memory = summary_of(memories);
  EXPECT_LE(memory.mean, 0.05);

  std::string text = summary_head + summary_line("all 70", all);
  for (const auto& [name, part] : by_configuration) text += summary_line(name, summary_of(part));
  for (const auto& [name, part] : by_network) text += summary_line(name, summary_of(part));
  expect_in_document("h200 summary", text);

  worst_first(times);
  text =
      "| network | case | measured ms | predicted ms | 90 % interval | error | least sure of |\n"
      "| --- | --- | --: | --: | --: | --: | --- |\n";
  for (const Judged& row : times) text += row.line;
  expect_in_document("h200 times", text);

  worst_first(memories);
  text = format("Mean error {}, median {}, worst {}. The ten worst rows:\n\n", percent(memory.mean),
                percent(memory.median), percent(memory.worst));
  text +=
      "| network | case | measured MB | predicted MB | error |\n"
      "| --- | --- | --: | --: | --: |\n";
  for (std::size_t i = 0; i < 10; ++i) text += memories[i].line;
  expect_in_document("h200 memory", text);
}

// ---- devices that were not ------------------------------------------------------------------

/// Forward and backward of a step, without loss and optimizer, as those tables measure.
double passes_s(const schedule::Schedule& schedule, const predict::StepTime& step) {
  double sum = 0.0;
  for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
    const schedule::Pass pass = schedule.ops[i].pass;
    if (pass == schedule::Pass::optimizer || pass == schedule::Pass::loss) continue;
    sum += step.ops[i].device.time_s;
  }
  return sum;
}

TEST(Accuracy, OfDevicesThatWereNotProbed) {
  std::vector<Judged> times;
  std::map<std::string, std::vector<Judged>> by_device;
  for (const Fields& row : rows_of(source_folder + "/tests/data/accuracy/devices_not_probed.csv")) {
    const device::Device target = catalog().find(row.at("device"));
    const analyze::CalibratedModel& model = model_for(target);
    const schedule::Schedule schedule =
        step_of(row.at("model"), static_cast<std::int64_t>(number(row, "batch")), Phase::training,
                Precision::fp32);
    const predict::StepTime step =
        analyze::predicted_step(schedule, model);
    const double predicted = passes_s(schedule, step);
    const double share = predicted / step.time.value;
    const double measured = number(row, "total_ms") * 1e-3;
    Judged judged;
    judged.error = predicted / measured - 1.0;
    judged.inside = step.low.value * share <= measured && measured <= step.high.value * share;
    judged.line = format(
        "| {} | {} | {} | {:.1f} | {:.1f} | {:.0f} to {:.0f} | {} | {} |\n", row.at("model"),
        target.name, row.at("batch"), measured * 1e3, predicted * 1e3, step.low.value * share * 1e3,
        step.high.value * share * 1e3, signed_percent(judged.error), row.at("source"));
    times.push_back(judged);
    by_device[target.name].push_back(judged);
  }
  const Summary all = summary_of(times);
  EXPECT_LE(all.mean, 0.30);
  EXPECT_GE(all.inside, 0.85);
  std::string text = summary_head + summary_line(format("all {}", times.size()), all);
  for (const auto& [name, part] : by_device) text += summary_line(name, summary_of(part));
  expect_in_document("carried summary", text);
  worst_first(times);
  text =
      "| network | device | batch | measured ms | predicted ms | 90 % interval | error | source |\n"
      "| --- | --- | --: | --: | --: | --: | --: | --- |\n";
  for (const Judged& row : times) text += row.line;
  expect_in_document("carried times", text);
}

}  // namespace
}  // namespace rooflab
