// The reader of docs/formats/recording.md: line by line, each checked against those before it.

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <unordered_map>

#include "base/unpacked_text.hpp"
#include "compact_line.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/recording/recording.hpp"

namespace rooflab::recording {
namespace {

constexpr std::string_view magic = "rooflab_recording";
constexpr std::int64_t version = 1;
constexpr std::int64_t most_extent = std::int64_t{1} << 48;
constexpr std::int64_t most_streams = 1'000'000;
constexpr std::int64_t most_ranks = 1'000'000;
constexpr std::int64_t most_wrapped = 1'000'000;
constexpr std::size_t most_line = std::size_t{64} << 20U;

struct Complex {
  std::string_view name;
  DType part;
};
constexpr std::array complex_types = {Complex{"c128", DType::f64}, Complex{"c64", DType::f32},
                                      Complex{"c32", DType::f16}};

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};
template <class Value>
using ByText = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

/// Turns lines into a recording.
class Reader {
 public:
  explicit Reader(std::string file) { recording_.file = std::move(file); }

  void line(std::string_view text) {
    ++line_;
    if (trim(text).empty()) return;
    if (ended_) fail("a line follows the line 'end'");
    if (begun_ && compact(text)) return;
    Json json;
    try {
      json = Json::parse(text);
    } catch (const Json::Fault&) {
      fail(line_ == 1 ? "this is not a recording: its first line is not JSON"
                      : "this line is not JSON");
    }
    if (!json.is_object() || json.empty()) fail("a line must be an object with a key");
    text_ = text;
    read(json.keys().front(), json);
  }

  Recording finish() && {
    if (line_ == 0 || !begun_) fail("this is not a recording: it is empty", "record it again");
    if (!ended_) {
      fail("the recording ends early: its last line is missing",
           "the program was stopped while it recorded: record it again");
    }
    return std::move(recording_);
  }

  /// What is wrong with the next line, as bytes.
  [[noreturn]] void damaged(const std::string& damage) {
    ++line_;
    fail(damage, "record it again");
  }

 private:
  using Rule = void (Reader::*)(const Json&);

  [[noreturn]] void fail(const std::string& message, std::string hint = {}) const {
    throw Error(ErrorKind::input, message, std::move(hint),
                Location{recording_.file, std::max(line_, 1), {}, {}});
  }

  void read(const std::string& key, const Json& json) {
    static const std::unordered_map<std::string, Rule> rules = {
        {"op", &Reader::op},
        {"tensor", &Reader::tensor},
        {"at", &Reader::at},
        {"storage", &Reader::storage},
        {"free", &Reader::freed},
        {"layout", &Reader::layout},
        {"module", &Reader::module},
        {"role", &Reader::roles},
        {"optimizer", &Reader::optimizer},
        {"output", &Reader::output},
        {"gap", &Reader::gap},
        {"assumed", &Reader::assumed},
        {"end", &Reader::end},
    };
    if (!begun_) {
      if (key != magic) fail("this is not a recording", "rooflab.record() of Python writes one");
      return begin(json);
    }
    const auto rule = rules.find(key);
    if (rule == rules.end()) fail(format("unknown kind of line '{}'", key));
    (this->*rule->second)(json);
  }

  // ---- lines in the form that the recorder gives them; false: another form, or something is wrong
  bool compact(std::string_view text) {
    CompactLine line(text);
    if (line.take("{\"op\":\"")) return compact_op(line);
    if (line.take("{\"tensor\":")) return compact_tensor(line);
    if (line.take("{\"storage\":")) return compact_storage(line);
    if (line.take("{\"free\":[")) return compact_free(line);
    if (!text.starts_with("{\"at\":")) return false;
    const auto known = known_places_.find(text);
    if (known == known_places_.end()) return false;
    go_to(known->second);
    return true;
  }

  bool compact_tensor(CompactLine line) {
    std::int64_t id = 0;
    std::int64_t layout = 0;
    std::int64_t storage = 0;
    std::int64_t offset = 0;
    if (!line.take(id) || !line.take(",\"layout\":") || !line.take(layout)) return false;
    if (!line.take(",\"storage\":") || !line.take(storage)) return false;
    if (line.take(",\"offset\":") && !line.take(offset)) return false;
    const bool known = line.take("}") && line.done() &&
                       id == static_cast<std::int64_t>(recording_.tensors.size()) &&
                       layout < static_cast<std::int64_t>(recording_.layouts.size()) &&
                       storage < static_cast<std::int64_t>(recording_.storages.size()) &&
                       offset <= most_extent;
    if (known)
      add_tensor({static_cast<std::int32_t>(layout), static_cast<std::int32_t>(storage), offset});
    return known;
  }

  /// A storage that is born now and has no role.
  bool compact_storage(CompactLine line) {
    std::int64_t id = 0;
    std::int64_t bytes = 0;
    std::string_view device;
    if (!line.take(id) || !line.take(",\"bytes\":") || !line.take(bytes)) return false;
    if (!line.take(",\"device\":\"") || !line.take_text(device) || !line.take("}")) return false;
    const bool next = line.done() && bytes <= most_extent &&
                      id == static_cast<std::int64_t>(recording_.storages.size());
    if (!next) return false;
    ++storage_lines_;
    Storage storage;
    storage.bytes = Bytes(bytes);
    storage.device = device;
    add_storage(std::move(storage));
    return true;
  }

  bool compact_free(CompactLine line) {
    std::vector<std::int32_t> freed;
    do {
      std::int64_t id = 0;
      if (!line.take(id) || id >= static_cast<std::int64_t>(recording_.storages.size()))
        return false;
      freed.push_back(static_cast<std::int32_t>(id));
      if (freed_[static_cast<std::size_t>(id)]) return false;
    } while (line.take(","));
    std::vector<std::int32_t> sorted = freed;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) return false;
    if (!line.take("]}") || !line.done()) return false;
    ++free_lines_;
    for (const std::int32_t id : freed) add_free(id);
    return true;
  }

  bool compact_op(CompactLine line) {
    Op op;
    std::string_view name;
    if (!line.take_text(name) || !line.take(",\"in\":[") || !take_operands(line, op.in))
      return false;
    if (!line.take(",\"out\":[") || !take_operands(line, op.out)) return false;
    if (line.rest() != "}") {  // arguments repeat from layer to layer
      const auto known = known_endings_.find(line.rest());
      if (known == known_endings_.end()) return false;
      const Op& like = recording_.ops[known->second];
      if (like.in.size() > op.in.size()) return false;
      op.arguments = like.arguments;
      op.writes = like.writes;
      op.ranks = like.ranks;
      op.wrapped = like.wrapped;
    }
    op.name = number_of_op(name);
    add_op(std::move(op));
    return true;
  }

  /// Up to the bracket that closes the list.
  bool take_operands(CompactLine& line, std::vector<Operand>& all) const {
    if (line.take("]")) return true;
    do {
      if (line.take("[")) {
        std::vector<TensorId> list;
        if (!line.take("]")) {
          do {
            list.emplace_back();
            if (!take_operand(line, list.back())) return false;
          } while (line.take(","));
          if (!line.take("]")) return false;
        }
        all.emplace_back(std::move(list));
      } else {
        TensorId one = absent;
        if (!take_operand(line, one)) return false;
        all.emplace_back(one);
      }
    } while (line.take(","));
    return line.take("]");
  }

  bool take_operand(CompactLine& line, TensorId& operand) const {
    if (line.take("null")) {
      operand = absent;
      return true;
    }
    std::int64_t id = 0;
    if (!line.take(id) || id >= static_cast<std::int64_t>(recording_.tensors.size())) return false;
    operand = static_cast<TensorId>(id);
    return true;
  }

  // ---- lines
  void begin(const Json& json) {
    const std::int64_t of_file = integer(json.front(), std::string(magic));
    if (of_file > version) {
      fail(format("the recording has version {} of the format, this program reads {}", of_file,
                  version),
           "a newer rooflab reads it");
    }
    if (of_file < 1) fail("the version of the format must be 1 or more");
    begun_ = true;
    recording_.name = text_or(json, "name", "");
    recording_.framework = text_or(json, "framework", "");
    const Json* const batch = json.find("batch");
    if (batch != json.end() && !batch->is_null()) {
      recording_.batch = integer(*batch, "batch");
      if (*recording_.batch < 1) fail("'batch' must be 1 or more");
    }
    recording_.grad = flag(json, "grad", true);
    recording_.values = flag(json, "values", true);
    const Json* const tf32 = json.find("tf32");
    if (tf32 != json.end() && tf32->is_object()) {
      recording_.tf32_products = flag(*tf32, "matmul", false);
      recording_.tf32_convolutions = flag(*tf32, "cudnn", true);
    }
    recording_.places.emplace_back();
  }

  void module(const Json& json) {
    expect_next(json.front(), recording_.modules.size(), "module");
    Module module;
    module.name = text_or(json, "name", "");
    module.class_name = text_or(json, "class", "");
    const Json* const root = json.find("root");
    const std::size_t known = recording_.modules.size() + 1;
    module.root =
        root == json.end() ? static_cast<std::int32_t>(known - 1) : number_of(*root, known, "root");
    recording_.modules.push_back(std::move(module));
  }

  void layout(const Json& json) {
    Layout layout;
    const std::string type = text(json.front(), "layout");
    std::vector<std::int64_t> extents = integers(member(json, "shape"), "shape");
    for (const std::int64_t extent : extents) {
      if (extent < 0 || extent > most_extent) fail("an extent of 'shape' is out of range");
    }
    const Json* const strides = json.find("strides");
    std::optional<std::vector<std::int64_t>> given;
    if (strides != json.end() && !strides->is_null()) {
      given = integers(*strides, "strides");
      if (given->size() != extents.size()) fail("'strides' and 'shape' differ in length");
      for (const std::int64_t stride : *given) {
        if (stride < 0 || stride > most_extent) fail("a stride is out of range");
      }
    }
    const auto complex = std::ranges::find(complex_types, type, &Complex::name);
    complex_.push_back(complex != complex_types.end());
    if (complex_.back()) {
      layout.type.dtype = complex->part;
      extents.push_back(2);
      if (given) {
        for (std::int64_t& stride : *given) stride *= 2;
        given->push_back(1);
      }
    } else if (const std::optional<DType> dtype = from_name<DType>(type)) {
      layout.type.dtype = *dtype;
    } else {
      fail(format("unknown element type '{}'", type));
    }
    layout.type.shape = graph::Shape(std::move(extents));
    in_range([&] { (void)layout.type.bytes(); });
    layout.strides = given ? std::move(*given) : schedule::contiguous_strides(layout.type.shape);
    recording_.layouts.push_back(std::move(layout));
  }

  void storage(const Json& json) {
    ++storage_lines_;
    const std::int64_t id = integer(json.front(), "storage");
    const auto known = static_cast<std::int64_t>(recording_.storages.size());
    if (id < 0 || id > known) fail(format("storage {} is not the next one ({})", id, known));
    const std::int64_t bytes = integer(member(json, "bytes"), "bytes");
    if (bytes < 0 || bytes > most_extent) fail("'bytes' is out of range");
    if (id < known) {  // resized: what it was is freed, what it is takes the larger of the two
      Storage& resized = recording_.storages[static_cast<std::size_t>(id)];
      resized.bytes = std::max(resized.bytes, Bytes(bytes));
      return;
    }
    Storage storage;
    storage.bytes = Bytes(bytes);
    storage.device = text_or(json, "device", "");
    storage.name = text_or(json, "name", "");
    storage.before = flag(json, "before", false);
    const Json* const role = json.find("role");
    if (role != json.end() && !role->is_null()) storage.role = role_from(text(*role, "role"));
    add_storage(std::move(storage));
  }

  void add_storage(Storage storage) {
    recording_.storages.push_back(std::move(storage));
    recording_.born.push_back(recording_.ops.size());
    freed_.push_back(false);
  }

  void tensor(const Json& json) {
    expect_next(json.front(), recording_.tensors.size(), "tensor");
    Tensor tensor;
    tensor.layout = number_of(member(json, "layout"), recording_.layouts.size(), "layout");
    tensor.storage = number_of(member(json, "storage"), recording_.storages.size(), "storage");
    const Json* const offset = json.find("offset");
    if (offset != json.end()) tensor.offset = integer(*offset, "offset");
    if (tensor.offset < 0 || tensor.offset > most_extent) fail("'offset' is out of range");
    add_tensor(tensor);
  }

  void add_tensor(Tensor tensor) {
    if (complex_[static_cast<std::size_t>(tensor.layout)]) tensor.offset *= 2;
    recording_.tensors.push_back(tensor);
  }

  void at(const Json& json) {
    Place place;
    const std::string part = text(json.front(), "at");
    const std::optional<Part> known = from_name<Part>(part);
    if (!known) fail(format("unknown pass '{}'", part));
    place.part = *known;
    const Json* const module = json.find("module");
    if (module != json.end() && !module->is_null()) {
      place.module = number_of(*module, recording_.modules.size(), "module");
    }
    place.recomputed = flag(json, "recomputed", false);
    const Json* const autocast = json.find("autocast");
    if (autocast != json.end() && !autocast->is_null()) {
      place.autocast = from_name<DType>(text(*autocast, "autocast"));
      if (!place.autocast) fail("unknown type in 'autocast'");
    }
    const Json* const stream = json.find("stream");
    if (stream != json.end() && !stream->is_null()) {
      const std::int64_t number = integer(*stream, "stream");
      if (number < 0 || number > most_streams) fail("'stream' is out of range");
      place.stream = static_cast<std::int32_t>(number);
    }
    known_places_.emplace(text_, place);
    go_to(place);
  }

  void go_to(const Place& place) {
    if (recording_.places.back() != place) recording_.places.push_back(place);
  }

  void op(const Json& json) {
    Op op;
    op.name = number_of_op(text(json.front(), "op"));
    op.in = operands(json, "in");
    op.out = operands(json, "out");
    const Json* const arguments = json.find("args");
    if (arguments != json.end()) {
      if (!arguments->is_object()) fail("'args' must be an object");
      op.arguments = *arguments;
    }
    const Json* const writes = json.find("writes");
    if (writes != json.end()) {
      for (const std::int64_t place : integers(*writes, "writes")) {
        if (place < 0 || static_cast<std::size_t>(place) >= op.in.size()) {
          fail(format("'writes' names argument {}, the op has {}", place, op.in.size()));
        }
        op.writes.push_back(static_cast<std::int32_t>(place));
      }
    }
    op.ranks = count_of(json, "ranks", most_ranks);
    op.wrapped = count_of(json, "wrapped", most_wrapped);
    remember_ending(op);
    add_op(std::move(op));
  }

  /// A number of at least 1; 0 where it is left out.
  [[nodiscard]] std::int32_t count_of(const Json& json, const char* key, std::int64_t most) const {
    const Json* const given = json.find(key);
    if (given == json.end()) return 0;
    const std::int64_t count = integer(*given, key);
    if (count < 1 || count > most) fail(format("'{}' is out of range", key));
    return static_cast<std::int32_t>(count);
  }

  void add_op(Op op) {
    op.place = static_cast<std::int32_t>(recording_.places.size()) - 1;
    op.line = line_;
    recording_.ops.push_back(std::move(op));
  }

  std::int32_t number_of_op(std::string_view name) {
    const auto known = op_names_.find(name);
    if (known != op_names_.end()) return static_cast<std::int32_t>(known->second);
    op_names_.emplace(name, recording_.op_names.size());
    recording_.op_names.emplace_back(name);
    return static_cast<std::int32_t>(recording_.op_names.size()) - 1;
  }

  /// What follows the operands of a compact line, for the next ops with the same.
  void remember_ending(const Op& op) {
    CompactLine line(text_);
    std::string_view name;
    Op same;
    if (!line.take("{\"op\":\"") || !line.take_text(name) || !line.take(",\"in\":[")) return;
    if (!take_operands(line, same.in) || !line.take(",\"out\":[")) return;
    if (!take_operands(line, same.out) || same.in != op.in || same.out != op.out) return;
    known_endings_.emplace(line.rest(), recording_.ops.size());
  }

  void freed(const Json& json) {
    if (!json.front().is_array()) fail("'free' must be a list");
    ++free_lines_;
    for (const Json& each : json.front()) {
      const std::int32_t id = number_of(each, recording_.storages.size(), "storage");
      if (freed_[static_cast<std::size_t>(id)]) fail(format("storage {} is freed twice", id));
      add_free(id);
    }
  }

  void add_free(std::int32_t id) {
    freed_[static_cast<std::size_t>(id)] = true;
    recording_.frees.push_back({recording_.ops.size(), id});
  }

  void roles(const Json& json) {
    const schedule::Role role = role_from(text(json.front(), "role"));
    const Json& storages = member(json, "storages");
    if (!storages.is_array()) fail("'storages' must be a list");
    for (const Json& pair : storages) {
      if (!pair.is_array() || pair.size() != 2) fail("'storages' must be pairs of number and name");
      const std::int32_t id = number_of(pair[0], recording_.storages.size(), "storage");
      Storage& storage = recording_.storages[static_cast<std::size_t>(id)];
      if (storage.role == schedule::Role::parameter || storage.role == schedule::Role::buffer) {
        continue;
      }
      storage.role = role;
      if (pair[1].is_string()) storage.name = pair[1].text();
    }
  }

  void optimizer(const Json& json) {
    Optimizer optimizer{text(json.front(), "optimizer"), {}};
    const Json* const options = json.find("options");
    if (options != json.end() && options->is_object()) {
      for (const auto& [key, value] : options->items()) {
        if (value.is_number()) optimizer.options[key] = value.get<double>();
        if (value.is_boolean()) optimizer.options[key] = value.get<bool>() ? 1.0 : 0.0;
      }
    }
    recording_.optimizers.push_back(std::move(optimizer));
  }

  void output(const Json& json) {
    if (!json.front().is_array()) fail("'output' must be a list");
    for (const Json& each : json.front()) {
      recording_.outputs.push_back(number_of(each, recording_.tensors.size(), "tensor"));
    }
  }

  void gap(const Json& json) {
    recording_.gaps.push_back(
        {text(json.front(), "gap"), text_or(json, "name", ""), count_of(json)});
  }

  void assumed(const Json& json) {
    recording_.assumptions.push_back(
        {text(json.front(), "assumed"), text_or(json, "where", ""), count_of(json)});
  }

  void end(const Json& json) {
    const auto check = [&](const char* key, std::size_t seen) {
      const Json* const said = json.find(key);
      if (said == json.end()) return;
      if (integer(*said, key) == static_cast<std::int64_t>(seen)) return;
      fail(format("the line 'end' says {}: {}, but there are {}", key, integer(*said, key), seen),
           "lines of the recording are missing: record it again");
    };
    check("ops", recording_.ops.size());
    check("storages", storage_lines_);
    check("frees", free_lines_);
    ended_ = true;
  }

  // ---- values
  std::vector<Operand> operands(const Json& json, const char* key) {
    std::vector<Operand> all;
    const Json* const list = json.find(key);
    if (list == json.end()) return all;
    if (!list->is_array()) fail(format("'{}' must be a list", key));
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

  /// Lists within a list are one list.
  void add_operands(const Json& list, std::vector<TensorId>& tensors) {
    for (const Json& each : list) {
      if (each.is_array()) {
        add_operands(each, tensors);
      } else {
        tensors.push_back(one_operand(each));
      }
    }
  }

  TensorId one_operand(const Json& json) {
    if (json.is_null()) return absent;
    if (json.is_object()) return number;
    return number_of(json, recording_.tensors.size(), "tensor");
  }

  schedule::Role role_from(const std::string& word) const {
    using enum schedule::Role;
    if (word == "parameter") return parameter;
    if (word == "buffer") return buffer;
    if (word == "input") return input;
    if (word == "gradient") return parameter_gradient;
    if (word == "optimizer") return optimizer_state;
    fail(format("unknown role '{}'", word));
  }

  const Json& member(const Json& json, const char* key) const {
    const Json* const found = json.find(key);
    if (found == json.end()) fail(format("'{}' is missing", key));
    return *found;
  }
  std::int64_t integer(const Json& json, std::string_view what) const {
    if (!json.is_number_integer()) fail(format("'{}' must be a whole number", what));
    return json.get<std::int64_t>();
  }
  std::vector<std::int64_t> integers(const Json& json, std::string_view what) const {
    if (!json.is_array()) fail(format("'{}' must be a list", what));
    std::vector<std::int64_t> all;
    all.reserve(json.size());
    for (const Json& each : json) all.push_back(integer(each, what));
    return all;
  }
  const std::string& text(const Json& json, std::string_view what) const {
    if (!json.is_string()) fail(format("'{}' must be a text", what));
    return json.text();
  }
  std::string text_or(const Json& json, const char* key, std::string otherwise) const {
    const Json* const found = json.find(key);
    return found == json.end() || found->is_null() ? otherwise : text(*found, key);
  }
  bool flag(const Json& json, const char* key, bool otherwise) const {
    const Json* const found = json.find(key);
    if (found == json.end() || found->is_null()) return otherwise;
    if (!found->is_boolean()) fail(format("'{}' must be true or false", key));
    return found->get<bool>();
  }
  std::int64_t count_of(const Json& json) const {
    const Json* const found = json.find("count");
    const std::int64_t count = found == json.end() ? 1 : integer(*found, "count");
    if (count < 0) fail("'count' must not be negative");
    return count;
  }
  /// A number below `count`.
  std::int32_t number_of(const Json& json, std::size_t count, std::string_view what) const {
    const std::int64_t id = integer(json, what);
    if (id < 0 || id >= static_cast<std::int64_t>(count)) {
      fail(format("{} {} was not named before", what, id));
    }
    return static_cast<std::int32_t>(id);
  }
  void expect_next(const Json& json, std::size_t next, std::string_view what) const {
    const std::int64_t id = integer(json, what);
    if (id != static_cast<std::int64_t>(next)) {
      fail(format("{} {} is not the next one ({})", what, id, next));
    }
  }
  template <class Work>
  void in_range(Work work) const {
    try {
      work();
    } catch (const Error& error) {
      fail(error.what());
    }
  }

  Recording recording_;
  ByText<std::size_t> op_names_;
  ByText<Place> known_places_;  ///< keys: whole lines
  /// Ops by what follows the operands in their lines.
  ByText<std::size_t> known_endings_;
  std::string_view text_;      ///< the line that is read
  std::vector<bool> freed_;    ///< index: storage
  std::vector<bool> complex_;  ///< index: layout; its innermost extent is the parts of a number
  std::size_t storage_lines_ = 0;
  std::size_t free_lines_ = 0;
  int line_ = 0;
  bool begun_ = false;
  bool ended_ = false;
};

Recording read_all(UnpackedText& source, const std::string& file) {
  Reader reader(file);
  std::string text;
  std::vector<char> piece(std::size_t{1} << 18U);
  while (const std::size_t count = source.read(piece.data(), piece.size())) {
    std::size_t begin = 0;
    std::size_t end = text.size();  // what was there has no line end
    text.append(piece.data(), count);
    while ((end = text.find('\n', end)) != std::string::npos) {
      reader.line(std::string_view(text).substr(begin, end - begin));
      begin = ++end;
    }
    text.erase(0, begin);
    if (text.size() > most_line) reader.damaged("a line is longer than 64 MiB");
  }
  if (!source.damage().empty()) reader.damaged(source.damage());
  if (!text.empty()) reader.line(text);
  return std::move(reader).finish();
}

}  // namespace

bool is_recording(const std::filesystem::path& file) {
  try {
    UnpackedText source(file, "recording");
    std::string head(64, '\0');
    head.resize(source.read(head.data(), head.size()));
    return head.find(format("{{\"{}\"", magic)) == 0;
  } catch (const Error&) {
    return false;
  }
}

Recording read_recording(const std::filesystem::path& file) {
  UnpackedText source(file, "recording");
  return read_all(source, file.string());
}

Recording parse_recording(std::string_view text, const std::string& file) {
  UnpackedText source(text);
  return read_all(source, file);
}

}  // namespace rooflab::recording
