#include "record/record_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "../base/input_error.hpp"
#include "../base/note_matchers.hpp"
#include "../describe/schema_check.hpp"
#include "describe/json_schema.hpp"
#include "describe/schema.hpp"
#include "equal_fields.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::record {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// Every field differs from its default and from its neighbours.
Record full_record() {
  Record record;
  record.identity = {"resnet18",
                     "cuda:1",
                     64,
                     Phase::training,
                     Precision::amp,
                     "adam",
                     "cifar",
                     "swap-relu-maxpool",
                     "folder:/data",
                     true,
                     "rooflab-ort",
                     "rooflab measure resnet18",
                     "graph net\n"};
  record.status = Status::interrupted;
  record.message = "stopped \"here\"\nby the user";
  Environment& environment = record.environment;
  environment.date = "2026-11-21T14:00:00Z";
  environment.command = "rooflab measure";
  environment.rooflab = "0.1.0";
  environment.host = "Linux 6.1";
  environment.cpu = "A CPU";
  environment.logical_cpus = 16;
  environment.threads = 8;
  environment.host_memory = Bytes(137'438'953'472);
  environment.device = {"cuda", 1,   "NVIDIA H200", "GPU-1", Bytes(150'000'000'000),
                        "9.0",  132, "580"};
  environment.libraries = {{"cudnn", "9.19.0"}, {"libtorch", "2.11.0"}};
  environment.tf32_convolution = true;
  environment.tf32_matmul = false;
  environment.cudnn_benchmark = true;
  environment.clocks_before = ClockState{1.98e9, 3.2e9, 41.0, std::vector<std::string>{"idle"}};
  environment.clocks_after = ClockState{1.5e9, {}, 60.5, std::vector<std::string>{}};
  record.timing =
      Timing{{0.1, 0.2, 1.0 / 3.0}, 2.5,  0.75,  12, false, "device events", {0.01, 0.02, 0.03},
             {0.001, 0.002, 0.003}, 0.05, 0.0625};
  record.memory = MemoryUse{
      Bytes(1),
      Bytes(2),
      Bytes(3),
      Bytes(4),
      Bytes(5),
      Bytes(6),
      Bytes(7),
      {{"forward", Bytes(8), Bytes(9), Bytes(10)}, {"backward", Bytes(11), Bytes(12), Bytes(13)}}};
  record.energy_j = 12.5;
  record.layers = LayerTimes{
      {{"conv1", "conv2d", 1e-4, 2e-4, 3e-4, -4096}, {"(loss)", "cross_entropy", 1e-5, {}, {}, {}}},
      20,
      0.5,
      0.625,
      0.875,
      0.25};
  Sample sample;
  sample.time_s = 0.125;
  sample.core_utilization = 0.5;
  sample.memory_utilization = 0.25;
  sample.memory_used_bytes = 12'345'678'901;
  sample.power_w = 350.5;
  sample.energy_j = 1e6;
  sample.sm_clock_hz = 1.98e9;
  sample.memory_clock_hz = 3.2e9;
  sample.temperature_c = 55.0;
  sample.throttle_reasons = {"sw_power_cap", "hw_thermal"};
  sample.task_clock_s = 3.5;
  sample.resident_bytes = 4096;
  Sample bare;
  bare.time_s = 0.25;
  record.samples = {{"cuda:1", "NVIDIA H200", {sample, bare}}, {"cpu", "", {}}};
  KernelTable& kernels = record.kernels.emplace();
  kernels.add({.name = kernels.names.intern("gemm<img>"),
               .process = kernels.processes.intern("python3 (7)"),
               .launch = 3,
               .device = 1,
               .stream = 7,
               .grid = {4, 2, 1},
               .block = {128, 1, 1},
               .start_ns = -5,
               .external_id = 11});
  kernels.set(KernelFigure::time_s, 0, 1.5e-6);
  kernels.set(KernelFigure::fadd, 0, 0);
  kernels.set(KernelFigure::fmul, 0, 0);
  kernels.set(KernelFigure::ffma, 0, 1);
  kernels.set(KernelFigure::hadd, 0, 0);
  kernels.set(KernelFigure::hmul, 0, 0);
  kernels.set(KernelFigure::hfma, 0, 3);
  kernels.set(KernelFigure::tensor_tf32, 0, 6'472'859'648);
  kernels.set(KernelFigure::dram_read_bytes, 0, 1000);
  kernels.set(KernelFigure::dram_write_bytes, 0, 24);
  kernels.add({.name = kernels.names.intern("bare")});
  Counting& counting = record.counting.emplace();
  counting.chip = "GH100";
  counting.launches_per_step = 237;
  counting.steps_s = {0.004, 0.0041};
  counting.arming_s = 0.25;
  counting.wall_s = 0.75;
  counting.sets = {
      {{"dram__bytes_read.sum", "dram__bytes_write.sum"}, false, 1, 0.125, 0.0625, 1, 0},
      {{"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"}, true, 3, 0.25, 0.5, 235, 2}};
  KernelTable& step = counting.step.emplace();
  step.add({.name = step.names.intern("(step)"), .process = step.processes.intern("")});
  step.set(KernelFigure::time_s, 0, 0.0042);
  step.set(KernelFigure::dram_read_bytes, 0, 98'800'000);
  step.set(KernelFigure::dram_write_bytes, 0, 95'400'000);
  step.set(KernelFigure::l2_bytes, 0, 512'000'000);
  step.set(KernelFigure::sm_busy, 0, 0.875);
  counting.peaks = {{"dram__bytes.sum", 1536.0},
                    {"sm__ops_path_tensor_src_tf32_dst_fp32.sum", 270'336.0}};
  counting.scopes = {{"conv1", "conv2d", "forward"}, {"(loss)", "cross_entropy", "loss"}};
  Trace& trace = record.trace.emplace();
  trace.profiler = "a profiler";
  trace.base_ns = 1'790'857'026'000'000'000;
  trace.rank = 1;
  trace.world_size = 4;
  trace.backend = "nccl";
  trace.python_ranges = 12;
  trace.devices = {{0, "NVIDIA H200", 150'109'880'320, "9.0", 132, 2048}, {1, "", {}, {}, {}, {}}};
  RangeTable& ranges = trace.ranges;
  ranges.names.intern("aten::mm");
  ranges.threads.intern("7/8");
  ranges.arguments.intern("");
  ranges.arguments.intern("[[2,3],[3,4]]\n[\"float\",\"float\"]");
  ranges.kind = {RangeKind::op, RangeKind::runtime};
  ranges.name = {0, 0};
  ranges.thread = {0, 0};
  ranges.argument = {1, 0};
  ranges.start_ns = {4'396'074'161'514'793, 1};
  ranges.duration_ns = {77'230, 0};
  ranges.external_id = {513, 0};
  ranges.correlation = {0, 10'084};
  ranges.sequence = {287, -1};
  trace.copy_names.intern("Memcpy HtoD");
  trace.copies = {{CopyKind::memset, 0, 1, 7, 10, 20, 4096, 5}};
  trace.allocations = {{100, -1, -512, 1024, 2048}};
  trace.communications = {{"allreduce", 1, 2, 3, 4, "float", 5, true, 6}};
  record.lost = {{"rows that end early", 2, "line 17"}};
  record.broken_data = {"a.jpg: cut short"};
  record.warnings = {sentence("the clock fell"), sentence("too few steps")};
  return record;
}

/// What reading says after `change` was done to a good record's JSON.
template <class Change>
std::string error_after(Change change) {
  Json json = file_json(full_record());
  change(json);
  return error_of([&] { return from_file_json<Record>(json, "a.json"); });
}

TEST(Status, HaveNames) {
  EXPECT_EQ(name_of(Status::ok), "ok");
  EXPECT_EQ(name_of(Status::oom), "oom");
  EXPECT_EQ(name_of(Status::unsupported), "unsupported");
  EXPECT_EQ(name_of(Status::failed), "failed");
  EXPECT_EQ(name_of(Status::crashed), "crashed");
  EXPECT_EQ(name_of(Status::interrupted), "interrupted");
  EXPECT_EQ(from_name<Status>("ok"), Status::ok);
  EXPECT_EQ(from_name<Status>("interrupted"), Status::interrupted);
  EXPECT_EQ(from_name<Status>("OK"), std::nullopt);
  EXPECT_EQ(from_name<Status>(""), std::nullopt);
}

TEST(RecordJson, ReadsBackAFullRecord) {
  const Record record = full_record();
  const Record read = from_file_json<Record>(file_json(record), "a.json");
  EXPECT_EQ(read.identity, record.identity);  // by part, to see which one differs
  EXPECT_EQ(read.environment, record.environment);
  EXPECT_EQ(read.timing, record.timing);
  EXPECT_EQ(read.memory, record.memory);
  EXPECT_EQ(read.layers, record.layers);
  EXPECT_EQ(read.samples, record.samples);
  EXPECT_EQ(read.counting, record.counting);
  EXPECT_EQ(read.trace, record.trace);
  EXPECT_EQ(read.lost, record.lost);
  EXPECT_EQ(read, record);
}

// Bytes of a name that are not UTF-8 are replaced in the text.
TEST(RecordJson, PieceByPieceItIsTheSameText) {
  Record record = full_record();
  record.kernels->add({.name = record.kernels->names.intern("gemm\xff")});
  std::ostringstream stream;
  write_json(stream, record, {{"command", "import"}});
  Json json = Json::parse(stream.str());
  EXPECT_EQ(json.keys().front(), "command");
  json.erase("command");
  const std::string whole = file_json(record).dump();
  EXPECT_EQ(json, Json::parse(whole));
  EXPECT_EQ(json["kernels"][2]["name"], "gemm\ufffd");
  std::ostringstream bare;
  write_json(bare, Record());
  EXPECT_EQ(Json::parse(bare.str()), file_json(Record()));
}

// What rules between several keys refuse, a schema cannot say.
TEST(RecordJson, ItsSchemaSaysWhatIsRead) {
  const Json schema = json_schema(file_kind_of(For<Record>{}), fields_of(For<Record>{}));
  const Json whole = file_json(full_record());
  EXPECT_TRUE(satisfies(whole, schema));
  EXPECT_TRUE(satisfies(file_json(Record()), schema));
  int refused = 0;
  for (const ChangedJson& changed : changed_members(whole)) {
    bool reads = true;
    std::string why;
    try {
      (void)from_file_json<Record>(changed.json, "a.json");
    } catch (const Error& error) {
      reads = false;
      why = error.what();
    }
    if (!reads) ++refused;
    if (why.find(" columns of ") != std::string::npos) continue;
    if (why.find(" the number of a name ") != std::string::npos) continue;
    EXPECT_EQ(satisfies(changed.json, schema), reads) << changed.what << ": " << why;
  }
  EXPECT_GT(refused, 300);
}

TEST(RecordJson, AKernelSaysWhatFollowsFromItsCounters) {
  const Json json = to_json(full_record())["kernels"];
  EXPECT_EQ(json[0]["dram_bytes"], 1024);
  EXPECT_EQ(json[0]["fp16_flop"], 0);
  EXPECT_EQ(json[0]["fp16_move_flop"], 12);
  EXPECT_EQ(json[0]["tensor_flop"], 6'472'859'648);
  EXPECT_EQ(json[0]["fp32_flop"], 2);
  EXPECT_EQ(json[0]["flop"], 6'472'859'650);
  EXPECT_EQ(json[0]["intensity_flop_per_byte"], 6'472'859'650.0 / 1024.0);
  EXPECT_EQ(json[0]["raw_counters"]["hfma"], 3);
  EXPECT_EQ(json[0]["grid"], Json::parse("[4, 2, 1]"));
  EXPECT_FALSE(json[0].contains("fp64_flop"));
  EXPECT_FALSE(json[1].contains("time_s"));
  EXPECT_FALSE(json[1].contains("flop"));
  EXPECT_TRUE(json[1]["raw_counters"].empty());
  // A trace's kernels have times and nothing that work would follow from.
  KernelTable traced;
  traced.add({.name = traced.names.intern("k"), .start_ns = 5});
  traced.set(KernelFigure::time_s, 0, 1e-6);
  EXPECT_FALSE(kernel_json(traced, 0, true).contains("flop"));
  EXPECT_EQ(kernel_json(traced, 0, true)["time_s"], 1e-6);
}

TEST(RecordJson, ARowOfSeveralLaunchesSaysSo) {
  KernelTable kernels;
  const std::size_t row = kernels.add({.name = kernels.names.intern("k")});
  kernels.set(KernelFigure::time_s, row, 6e-3);
  kernels.set_summed(row, {4, 0.5e-3, 2e-3});
  const Json json = kernel_json(kernels, row, true);
  EXPECT_EQ(json.at("summed_launches").dump(),
            R"({"launches":4,"shortest_s":0.0005,"longest_s":0.002})");
}

TEST(RecordJson, RowsOfARangeThatNameNothingAreRefused) {
  EXPECT_THAT(error_after([](Json& json) { json["trace"]["ranges"]["rows"][0][1] = 9; }),
              HasSubstr("'trace.ranges.rows[0]' holds the number of a name that is not there"));
  EXPECT_THAT(error_after([](Json& json) { json["trace"]["ranges"]["rows"][0] = "x"; }),
              HasSubstr("'trace.ranges.rows[0]' must have 9 entries"));
  EXPECT_THAT(error_after([](Json& json) {
                json["kernels"][0]["grid"] = {1, 2};
              }),
              HasSubstr("'kernels[0].grid' must have 3 entries"));
}

TEST(RecordJson, ReadsBackAnEmptyRecord) {
  const Record record;
  EXPECT_EQ(from_file_json<Record>(file_json(record), "a.json"), record);
}

// Reader and writer could agree on a wrong key: the figures at theirs, as docs/formats/record.md
// names them.
TEST(RecordJson, HasTheKeysOfTheFormat) {
  const Json json = file_json(full_record());
  EXPECT_EQ(json["schema_version"], 3);
  EXPECT_EQ(json["kind"], "record");
  EXPECT_EQ(json["identity"]["phase"], "training");
  EXPECT_EQ(json["identity"]["precision"], "amp");
  EXPECT_EQ(json["identity"]["channels_last"], true);
  EXPECT_EQ(json["status"], "interrupted");
  EXPECT_EQ(json["environment"]["device_properties"]["memory_bytes"], 150'000'000'000);
  EXPECT_EQ(json["environment"]["libraries"]["cudnn"], "9.19.0");
  EXPECT_EQ(json["environment"]["clocks_before"]["sm_clock_hz"], 1.98e9);
  EXPECT_EQ(json["environment"]["clocks_after"]["temperature_c"], 60.5);
  EXPECT_EQ(json["timing"]["setup_s"], 2.5);
  EXPECT_EQ(json["timing"]["first_call_s"], 0.75);
  EXPECT_EQ(json["timing"]["data_s"][2], 0.03);
  EXPECT_EQ(json["timing"]["copy_s"][0], 0.001);
  EXPECT_EQ(json["timing"]["issue_s"], 0.05);
  EXPECT_EQ(json["timing"]["device_s"], 0.0625);
  EXPECT_EQ(json["memory"]["allocated_peak_bytes"], 1);
  EXPECT_EQ(json["memory"]["reserved_peak_bytes"], 2);
  EXPECT_EQ(json["memory"]["device_used_bytes"], 3);
  EXPECT_EQ(json["memory"]["context_bytes"], 4);
  EXPECT_EQ(json["memory"]["saved_activation_bytes"], 5);
  EXPECT_EQ(json["memory"]["persistent_bytes"], 6);
  EXPECT_EQ(json["memory"]["resident_peak_bytes"], 7);
  EXPECT_EQ(json["memory"]["phases"][1]["peak_bytes"], 12);
  EXPECT_EQ(json["layers"]["nodes"][0]["allocated_delta_bytes"], -4096);
  EXPECT_EQ(json["layers"]["synchronized_sum_s"], 0.875);
  EXPECT_EQ(json["sample_series"][0]["samples"][0]["power_w"], 350.5);
}

TEST(RecordJson, CountingHasTheKeysOfTheFormat) {
  const Json json = file_json(full_record())["counting"];
  EXPECT_EQ(json["chip"], "GH100");
  EXPECT_EQ(json["launches_per_step"], 237);
  EXPECT_EQ(json["steps_s"][1], 0.0041);
  EXPECT_EQ(json["arming_s"], 0.25);
  EXPECT_EQ(json["wall_s"], 0.75);
  EXPECT_EQ(json["sets"][0]["metrics"][1], "dram__bytes_write.sum");
  EXPECT_EQ(json["sets"][0]["per_kernel"], false);
  EXPECT_EQ(json["sets"][0]["passes"], 1);
  EXPECT_EQ(json["sets"][0]["arming_s"], 0.125);
  EXPECT_EQ(json["sets"][1]["passes"], 3);
  EXPECT_EQ(json["sets"][1]["wall_s"], 0.5);
  EXPECT_EQ(json["sets"][1]["counted_launches"], 235);
  EXPECT_EQ(json["sets"][1]["dropped"], 2);
  EXPECT_EQ(json["step"]["name"], "(step)");
  EXPECT_EQ(json["step"]["dram_bytes"], 194'200'000);
  EXPECT_EQ(json["step"]["raw_counters"]["sm_busy_share"], 0.875);
  EXPECT_EQ(json["peaks"]["dram__bytes.sum"], 1536.0);
  EXPECT_EQ(json["scopes"][1]["node"], "(loss)");
  EXPECT_EQ(json["scopes"][1]["op"], "cross_entropy");
  EXPECT_EQ(json["scopes"][1]["pass"], "loss");
}

TEST(RecordJson, CountingIsAbsentWhereNothingWasCounted) {
  EXPECT_FALSE(file_json(Record()).contains("counting"));
  Record record;
  record.counting.emplace();  // a chip that could not count anything
  EXPECT_TRUE(file_json(record)["counting"]["step"].is_null());
  EXPECT_EQ(from_file_json<Record>(file_json(record), "a.json"), record);
  EXPECT_EQ(error_after([](Json& json) { json["counting"]["sets"][1].erase("dropped"); }),
            "a.json: 'counting.sets[1].dropped' is missing");
  EXPECT_EQ(error_after([](Json& json) { json["counting"]["peaks"]["dram__bytes.sum"] = "much"; }),
            "a.json: 'counting.peaks.dram__bytes.sum' must be a number");
}

TEST(RecordJson, AbsentFiguresAreNullAndNoneOfASampleIsThere) {
  const Json json = file_json(Record());
  EXPECT_TRUE(json["timing"].is_null());
  EXPECT_TRUE(json["memory"].is_null());
  EXPECT_TRUE(json["step_energy_j"].is_null());
  EXPECT_TRUE(json["layers"].is_null());
  EXPECT_TRUE(json["environment"]["threads"].is_null());
  EXPECT_TRUE(json["environment"]["device_properties"]["memory_bytes"].is_null());
  const Json bare = file_json(full_record())["sample_series"][0]["samples"][1];
  EXPECT_EQ(bare, Json::parse(R"({"time_s": 0.25})"));
}

TEST(RecordJson, AnotherSchemaVersionIsRefused) {
  EXPECT_EQ(error_after([](Json& json) { json["schema_version"] = 4; }),
            "a.json: this record has schema version 4, this Rooflab reads 3");
  EXPECT_EQ(error_after([](Json& json) { json.erase("schema_version"); }),
            "a.json: 'schema_version' is missing");
}

TEST(RecordJson, AnotherKindOfFileIsRefused) {
  EXPECT_EQ(error_after([](Json& json) { json["kind"] = "case"; }),
            "a.json: this is not a record of Rooflab");
  EXPECT_EQ(error_after([](Json& json) { json.erase("kind"); }),
            "a.json: this is not a record of Rooflab");
  EXPECT_EQ(error_after([](Json& json) { json = Json::array(); }),
            "a.json: the file must hold a JSON object");
}

TEST(RecordJson, AbsentKeysAreNamed) {
  EXPECT_EQ(error_after([](Json& json) { json.erase("identity"); }),
            "a.json: 'identity' is missing");
  EXPECT_EQ(error_after([](Json& json) { json["identity"].erase("batch"); }),
            "a.json: 'identity.batch' is missing");
  EXPECT_EQ(error_after([](Json& json) { json["environment"]["device_properties"].erase("kind"); }),
            "a.json: 'environment.device_properties.kind' is missing");
  EXPECT_EQ(error_after([](Json& json) { json["timing"].erase("steps_s"); }),
            "a.json: 'timing.steps_s' is missing");
  EXPECT_EQ(error_after([](Json& json) { json["memory"]["phases"][1].erase("peak_bytes"); }),
            "a.json: 'memory.phases[1].peak_bytes' is missing");
  EXPECT_EQ(error_after([](Json& json) { json.erase("status"); }), "a.json: 'status' is missing");
}

TEST(RecordJson, WrongTypesAreNamed) {
  EXPECT_EQ(error_after([](Json& json) { json["identity"]["batch"] = "64"; }),
            "a.json: 'identity.batch' must be a whole number");
  EXPECT_EQ(error_after([](Json& json) { json["identity"]["phase"] = "backward"; }),
            "a.json: 'identity.phase' must be one of inference, forward, training");
  EXPECT_EQ(error_after([](Json& json) { json["identity"]["precision"] = "int4"; }),
            "a.json: 'identity.precision' must be one of fp64, fp32, tf32, fp16, bf16, amp, "
            "amp-fp16, amp-bf16, fp8, int8, mixed");
  EXPECT_EQ(error_after([](Json& json) { json["status"] = "fine"; }),
            "a.json: 'status' must be one of ok, oom, unsupported, failed, crashed, interrupted");
  EXPECT_EQ(error_after([](Json& json) { json["timing"]["steps_s"][1] = "fast"; }),
            "a.json: 'timing.steps_s[1]' must be a number");
  EXPECT_EQ(error_after([](Json& json) { json["timing"] = 1.0; }),
            "a.json: 'timing' must be an object");
  EXPECT_EQ(error_after([](Json& json) { json["environment"]["libraries"]["cudnn"] = 9; }),
            "a.json: 'environment.libraries.cudnn' must be a text");
  EXPECT_EQ(error_after([](Json& json) { json["memory"]["saved_activation_bytes"] = 0.5; }),
            "a.json: 'memory.saved_activation_bytes' must be a whole number");
  EXPECT_EQ(
      error_after([](Json& json) { json["sample_series"][0]["samples"][1]["time_s"] = "now"; }),
      "a.json: 'sample_series[0].samples[1].time_s' must be a number");
  EXPECT_EQ(error_after([](Json& json) { json["warnings"] = "one"; }),
            "a.json: 'warnings' must be a list");
}

TEST(RecordJson, AnIdentityAlone) {
  const CaseIdentity identity = full_record().identity;
  EXPECT_EQ(from_json<CaseIdentity>(to_json(identity), "a.json"), identity);
  Json json = to_json(identity);
  json["batch"] = "many";
  EXPECT_EQ(error_of([&] { return from_json<CaseIdentity>(json, "a.json"); }),
            "a.json: 'batch' must be a whole number");
}

TEST(RecordJson, ADeviceAlone) {
  const DeviceIdentity device = full_record().environment.device;
  EXPECT_EQ(from_json<DeviceIdentity>(to_json(device), "a.json"), device);
  const DeviceIdentity bare{"cpu", 0, "A CPU", "", {}, {}, {}, {}};
  EXPECT_EQ(from_json<DeviceIdentity>(to_json(bare), "a.json"), bare);
}

/// A separate folder for each test, gone afterwards.
class RecordFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "test-of-record-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    file_ = folder_ / "a.json";
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  fs::path folder_;
  fs::path file_;
};

TEST_F(RecordFile, ReadsBackWhatWasWritten) {
  write_record(file_, full_record());
  EXPECT_EQ(load_file<Record>(file_), full_record());
  EXPECT_THAT(entries(), ElementsAre("a.json"));
}

// Whoever has the old file open goes on reading the old record: the new one is another file.
TEST_F(RecordFile, IsReplacedAsAWhole) {
  write_record(file_, full_record());
  const std::string before = read_file(file_);
  std::ifstream reader(file_, std::ios::binary);
  ASSERT_EQ(reader.get(), '{');
  write_record(file_, Record());
  const std::string rest((std::istreambuf_iterator<char>(reader)),
                         std::istreambuf_iterator<char>());
  EXPECT_EQ("{" + rest, before);
  EXPECT_EQ(load_file<Record>(file_), Record());
  EXPECT_THAT(entries(), ElementsAre("a.json"));
}

TEST_F(RecordFile, ThatIsMissingOrCutShortIsAnError) {
  EXPECT_THAT(error_of([&] { return load_file<Record>(file_); }), HasSubstr("No such file"));
  write_record(file_, full_record());
  const std::string whole = read_file(file_);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 3}) {
    write_file_atomically(file_, whole.substr(0, length));
    const std::string error = error_of([&] { return load_file<Record>(file_); });
    EXPECT_THAT(error, StartsWith(file_.string() + ":")) << length << " bytes";
    EXPECT_THAT(error, HasSubstr("this is not valid JSON")) << length << " bytes";
  }
}

// A file's name may hold any bytes, JSON only UTF-8: U+FFFD stands for those that are not.
TEST_F(RecordFile, MayNameFilesThatAreNoUtf8) {
  Record record;
  record.message = "caf\xe9.jpg";
  record.broken_data = {
      "gr\xc3\xbc\xc3\x9f"
      "e.jpg: \xff\xfe"};
  write_record(file_, record);
  const Record read = load_file<Record>(file_);
  EXPECT_EQ(read.message, "caf\xef\xbf\xbd.jpg");
  EXPECT_THAT(read.broken_data, ElementsAre("gr\xc3\xbc\xc3\x9f"
                                            "e.jpg: \xef\xbf\xbd\xef\xbf\xbd"));
}

}  // namespace
}  // namespace rooflab::record
