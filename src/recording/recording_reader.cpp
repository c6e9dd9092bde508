#include "recording_reader.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/format.hpp"
#include "contradiction.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::recording {
namespace {

constexpr std::int64_t version = 1;

struct Complex {
  std::string_view name;
  DType part;
};
constexpr std::array complex_types = {Complex{"c128", DType::f64}, Complex{"c64", DType::f32},
                                      Complex{"c32", DType::f16}};

}  // namespace

void RecordingReader::line(std::string_view text) {
  values_.next_line();
  if (trim(text).empty()) return;
  if (ended_) values_.fail("a line follows the line 'end'");
  if (begun_ && compact_.read(text, values_.line())) return;
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::Fault& fault) {
    if (fault.problem == Json::Fault::Problem::key_twice) {
      values_.fail(format("the key '{}' is there twice", fault.what()),
                   "the recording contradicts itself: record it again");
    }
    values_.fail(values_.line() == 1 ? "this is not a recording: its first line is not JSON"
                                     : "this line is not JSON");
  }
  if (!json.is_object() || json.empty()) values_.fail("a line must be an object with a key");
  text_ = text;
  read(json.keys().front(), json);
}

Recording RecordingReader::finish() && {
  if (values_.line() == 0 || !begun_) {
    values_.fail("this is not a recording: it is empty", "record it again");
  }
  if (!ended_) {
    values_.fail("the recording ends early: its last line is missing",
                 "the program was stopped while it recorded: record it again");
  }
  return std::move(recording_.made);
}

void RecordingReader::damaged(const std::string& damage) {
  values_.next_line();
  values_.fail(damage, "record it again");
}

void RecordingReader::read(const std::string& key, const Json& json) {
  using Rule = void (RecordingReader::*)(const Json&);
  static const std::unordered_map<std::string, Rule> rules = {
      {"op", &RecordingReader::op},
      {"tensor", &RecordingReader::tensor},
      {"at", &RecordingReader::at},
      {"storage", &RecordingReader::storage},
      {"free", &RecordingReader::freed},
      {"layout", &RecordingReader::layout},
      {"module", &RecordingReader::module},
      {"role", &RecordingReader::roles},
      {"optimizer", &RecordingReader::optimizer},
      {"output", &RecordingReader::output},
      {"gap", &RecordingReader::gap},
      {"assumed", &RecordingReader::assumed},
      {"end", &RecordingReader::end},
  };
  if (!begun_) {
    if (key != magic) {
      values_.fail("this is not a recording", "rooflab.record() of Python writes one");
    }
    return begin(json);
  }
  const auto rule = rules.find(key);
  if (rule == rules.end()) values_.fail(format("unknown kind of line '{}'", key));
  (this->*rule->second)(json);
}

void RecordingReader::begin(const Json& json) {
  const std::int64_t of_file = values_.integer(json.front(), std::string(magic));
  if (of_file > version) {
    values_.fail(format("the recording has version {} of the format, this program reads {}",
                        of_file, version),
                 "a newer rooflab reads it");
  }
  if (of_file < 1) values_.fail("the version of the format must be 1 or more");
  begun_ = true;
  recording_.made.name = values_.text_or(json, "name", "");
  recording_.made.framework = values_.text_or(json, "framework", "");
  const Json* const batch = json.find("batch");
  if (batch != json.end() && !batch->is_null()) {
    recording_.made.batch = values_.integer(*batch, "batch");
    if (*recording_.made.batch < 1) values_.fail("'batch' must be 1 or more");
  }
  const Json* const context = json.find("context");
  if (context != json.end() && !context->is_null()) {
    recording_.made.context = values_.integer(*context, "context");
    if (*recording_.made.context < 0) values_.fail("'context' must be 0 or more");
  }
  recording_.made.grad = values_.flag(json, "grad", true);
  recording_.made.values = values_.flag(json, "values", true);
  const Json* const tf32 = json.find("tf32");
  if (tf32 != json.end() && tf32->is_object()) {
    recording_.made.tf32_products = values_.flag(*tf32, "matmul", false);
    recording_.made.tf32_convolutions = values_.flag(*tf32, "cudnn", true);
  }
  recording_.made.places.emplace_back();
}

void RecordingReader::module(const Json& json) {
  values_.expect_next(json.front(), recording_.made.modules.size(), "module");
  Module module;
  module.name = values_.text_or(json, "name", "");
  module.class_name = values_.text_or(json, "class", "");
  const Json* const root = json.find("root");
  const std::size_t known = recording_.made.modules.size() + 1;
  module.root = root == json.end() ? static_cast<std::int32_t>(known - 1)
                                   : values_.number_of(*root, known, "root");
  recording_.made.modules.push_back(std::move(module));
}

void RecordingReader::layout(const Json& json) {
  Layout layout;
  const std::string type = values_.text(json.front(), "layout");
  std::vector<std::int64_t> extents = values_.integers(values_.member(json, "shape"), "shape");
  for (const std::int64_t extent : extents) {
    if (extent < 0 || extent > most_extent) values_.fail("an extent of 'shape' is out of range");
  }
  const Json* const strides = json.find("strides");
  std::optional<std::vector<std::int64_t>> given;
  if (strides != json.end() && !strides->is_null()) {
    given = values_.integers(*strides, "strides");
    if (given->size() != extents.size()) values_.fail("'strides' and 'shape' differ in length");
    for (const std::int64_t stride : *given) {
      if (stride < 0 || stride > most_extent) values_.fail("a stride is out of range");
    }
  }
  const auto complex = std::ranges::find(complex_types, type, &Complex::name);
  const bool is_complex = complex != complex_types.end();
  if (is_complex) {
    layout.type.dtype = complex->part;
    extents.push_back(2);
    if (given) {
      for (std::int64_t& stride : *given) stride *= 2;
      given->push_back(1);
    }
  } else if (const std::optional<DType> dtype = from_name<DType>(type)) {
    layout.type.dtype = *dtype;
  } else {
    values_.fail(format("unknown element type '{}'", type));
  }
  layout.type.shape = graph::Shape(std::move(extents));
  values_.in_range([&] { (void)layout.type.bytes(); });
  layout.strides = given ? std::move(*given) : schedule::contiguous_strides(layout.type.shape);
  recording_.add(std::move(layout), is_complex);
}

void RecordingReader::storage(const Json& json) {
  ++recording_.storage_lines;
  const std::int64_t id = values_.integer(json.front(), "storage");
  const auto known = static_cast<std::int64_t>(recording_.made.storages.size());
  if (id < 0 || id > known) values_.fail(format("storage {} is not the next one ({})", id, known));
  const std::int64_t bytes = values_.integer(values_.member(json, "bytes"), "bytes");
  if (bytes < 0 || bytes > most_extent) values_.fail("'bytes' is out of range");
  if (id < known) {  // resized: what it was is freed, what it is takes the larger of the two
    Storage& resized = recording_.made.storages[static_cast<std::size_t>(id)];
    resized.bytes = std::max(resized.bytes, Bytes(bytes));
    return;
  }
  Storage storage;
  storage.bytes = Bytes(bytes);
  storage.device = values_.text_or(json, "device", "");
  storage.name = values_.text_or(json, "name", "");
  storage.before = values_.flag(json, "before", false);
  const Json* const role = json.find("role");
  if (role != json.end() && !role->is_null()) storage.role = role_from(values_.text(*role, "role"));
  recording_.add(std::move(storage));
}

void RecordingReader::tensor(const Json& json) {
  values_.expect_next(json.front(), recording_.made.tensors.size(), "tensor");
  Tensor tensor;
  tensor.layout =
      values_.number_of(values_.member(json, "layout"), recording_.made.layouts.size(), "layout");
  tensor.storage = values_.number_of(values_.member(json, "storage"),
                                     recording_.made.storages.size(), "storage");
  const Json* const offset = json.find("offset");
  if (offset != json.end()) tensor.offset = values_.integer(*offset, "offset");
  if (tensor.offset < 0 || tensor.offset > most_extent) values_.fail("'offset' is out of range");
  recording_.add(tensor);
}

void RecordingReader::at(const Json& json) {
  Place place;
  const std::string part = values_.text(json.front(), "at");
  const std::optional<Part> known = from_name<Part>(part);
  if (!known) values_.fail(format("unknown pass '{}'", part));
  place.part = *known;
  const Json* const module = json.find("module");
  if (module != json.end() && !module->is_null()) {
    place.module = values_.number_of(*module, recording_.made.modules.size(), "module");
  }
  place.recomputed = values_.flag(json, "recomputed", false);
  const Json* const autocast = json.find("autocast");
  if (autocast != json.end() && !autocast->is_null()) {
    place.autocast = from_name<DType>(values_.text(*autocast, "autocast"));
    if (!place.autocast) values_.fail("unknown type in 'autocast'");
  }
  const Json* const stream = json.find("stream");
  if (stream != json.end() && !stream->is_null()) {
    const std::int64_t number = values_.integer(*stream, "stream");
    if (number < 0 || number > most_streams) values_.fail("'stream' is out of range");
    place.stream = static_cast<std::int32_t>(number);
  }
  compact_.remember(text_, place);
  recording_.go_to(place);
}

void RecordingReader::op(const Json& json) {
  Op op;
  op.name = recording_.number_of_op(values_.text(json.front(), "op"));
  const Json* const call = json.find("call");
  if (call != json.end()) {
    op.call = values_.integer(*call, "call");
    if (op.call < 0) values_.fail("'call' is out of range");
  }
  op.in = operands(json, "in");
  op.out = operands(json, "out");
  const Json* const arguments = json.find("args");
  if (arguments != json.end()) {
    if (!arguments->is_object()) values_.fail("'args' must be an object");
    op.arguments = *arguments;
  }
  const Json* const writes = json.find("writes");
  if (writes != json.end()) {
    for (const std::int64_t place : values_.integers(*writes, "writes")) {
      if (place < 0 || static_cast<std::size_t>(place) >= op.in.size()) {
        values_.fail(format("'writes' names argument {}, the op has {}", place, op.in.size()));
      }
      op.writes.push_back(static_cast<std::int32_t>(place));
    }
  }
  op.ranks = count_of(json, "ranks", most_ranks);
  op.wrapped = count_of(json, "wrapped", most_wrapped);
  compact_.remember(text_, op);
  recording_.add(std::move(op), values_.line());
}

std::int32_t RecordingReader::count_of(const Json& json, const char* key, std::int64_t most) const {
  const Json* const given = json.find(key);
  if (given == json.end()) return 0;
  const std::int64_t count = values_.integer(*given, key);
  if (count < 1 || count > most) values_.fail(format("'{}' is out of range", key));
  return static_cast<std::int32_t>(count);
}

void RecordingReader::freed(const Json& json) {
  if (!json.front().is_array()) values_.fail("'free' must be a list");
  ++recording_.free_lines;
  for (const Json& each : json.front()) {
    const std::int32_t id = values_.number_of(each, recording_.made.storages.size(), "storage");
    if (recording_.is_freed(id)) values_.fail(format("storage {} is freed twice", id));
    recording_.add_free(id);
  }
}

void RecordingReader::roles(const Json& json) {
  const schedule::Role role = role_from(values_.text(json.front(), "role"));
  const Json& storages = values_.member(json, "storages");
  if (!storages.is_array()) values_.fail("'storages' must be a list");
  for (const Json& pair : storages) {
    if (!pair.is_array() || pair.size() != 2)
      values_.fail("'storages' must be pairs of number and name");
    const std::int32_t id = values_.number_of(pair[0], recording_.made.storages.size(), "storage");
    Storage& storage = recording_.made.storages[static_cast<std::size_t>(id)];
    if (storage.role == schedule::Role::parameter || storage.role == schedule::Role::buffer) {
      continue;
    }
    storage.role = role;
    if (pair[1].is_string()) storage.name = pair[1].text();
  }
}

void RecordingReader::optimizer(const Json& json) {
  Optimizer optimizer{values_.text(json.front(), "optimizer"), {}};
  const Json* const options = json.find("options");
  if (options != json.end() && options->is_object()) {
    for (const auto& [key, value] : options->items()) {
      if (value.is_number()) optimizer.options[key] = value.get<double>();
      if (value.is_boolean()) optimizer.options[key] = value.get<bool>() ? 1.0 : 0.0;
    }
  }
  recording_.made.optimizers.push_back(std::move(optimizer));
}

void RecordingReader::output(const Json& json) {
  if (!json.front().is_array()) values_.fail("'output' must be a list");
  for (const Json& each : json.front()) {
    recording_.made.outputs.push_back(
        values_.number_of(each, recording_.made.tensors.size(), "tensor"));
  }
}

void RecordingReader::gap(const Json& json) {
  recording_.made.gaps.push_back({values_.text(json.front(), "gap"),
                                  values_.text_or(json, "name", ""), values_.count_of(json)});
}

void RecordingReader::assumed(const Json& json) {
  recording_.made.assumptions.push_back({values_.text(json.front(), "assumed"),
                                         values_.text_or(json, "where", ""),
                                         values_.count_of(json)});
}

void RecordingReader::end(const Json& json) {
  if (json.front() != Json(true)) {
    values_.fail("'end' must be true", "the recording contradicts itself: record it again");
  }
  const auto check = [&](const char* key, std::size_t seen) {
    const Json* const said = json.find(key);
    if (said == json.end()) return;
    if (values_.integer(*said, key) == static_cast<std::int64_t>(seen)) return;
    values_.fail(format("the line 'end' says {}: {}, but there are {}", key,
                        values_.integer(*said, key), seen),
                 "lines of the recording are missing: record it again");
  };
  check("ops", recording_.made.ops.size());
  check("storages", recording_.storage_lines);
  check("frees", recording_.free_lines);
  if (const auto against = contradiction_in(recording_.made)) {
    values_.fail(*against, "the recording contradicts itself: record it again");
  }
  ended_ = true;
}

std::vector<Operand> RecordingReader::operands(const Json& json, const char* key) {
  std::vector<Operand> all;
  const Json* const list = json.find(key);
  if (list == json.end()) return all;
  if (!list->is_array()) values_.fail(format("'{}' must be a list", key));
  all.reserve(list->size());
  for (const Json& each : *list) {
    if (each.is_array()) {
      std::vector<TensorId> tensors;
      add_operands(each, tensors);
      all.emplace_back(std::move(tensors));
    } else {
      all.emplace_back(one_operand(each));
    }
  }
  return all;
}

void RecordingReader::add_operands(const Json& list, std::vector<TensorId>& tensors) {
  for (const Json& each : list) {
    if (each.is_array()) {
      add_operands(each, tensors);
    } else {
      tensors.push_back(one_operand(each));
    }
  }
}

TensorId RecordingReader::one_operand(const Json& json) {
  if (json.is_null()) return absent;
  if (json.is_object()) return python_number;
  return values_.number_of(json, recording_.made.tensors.size(), "tensor");
}

schedule::Role RecordingReader::role_from(const std::string& word) const {
  using enum schedule::Role;
  if (word == "parameter") return parameter;
  if (word == "buffer") return buffer;
  if (word == "input") return input;
  if (word == "gradient") return parameter_gradient;
  if (word == "optimizer") return optimizer_state;
  if (word == "cache") return schedule::Role::cache;
  values_.fail(format("unknown role '{}'", word));
}

}  // namespace rooflab::recording
