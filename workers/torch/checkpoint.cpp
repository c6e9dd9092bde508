// The files are what torch.save writes: a zip archive with a pickle of a dict and the bytes of its
// tensors. The framework's pickler tags dicts and lists with their TorchScript types unless told
// not to; untagged they are Python's own, so that torch.load takes the files with weights_only too.

#include "checkpoint.hpp"

#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <array>
#include <ostream>

#include "rooflab/base/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/fnv1a.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"

namespace rooflab::torch_worker {
namespace {

namespace fs = std::filesystem;
using c10::IValue;

constexpr int schema_version = 1;
constexpr const char* about_key = "rooflab";

// ---- the description ------------------------------------------------------------------------

Json to_json(const data::ImageTransform& images) {
  return {{"height", images.height},
          {"width", images.width},
          {"resize", images.resize},
          {"mean", images.mean},
          {"deviation", images.deviation}};
}

std::array<float, 3> read_channels(const JsonFields& fields, std::string_view key) {
  const std::vector<double> numbers = fields.numbers(key);
  if (numbers.size() != 3) fields.fail(key, "must be three numbers");
  return {static_cast<float>(numbers[0]), static_cast<float>(numbers[1]),
          static_cast<float>(numbers[2])};
}

data::ImageTransform read_images(const JsonFields& fields) {
  data::ImageTransform images;
  images.height = fields.integer("height");
  images.width = fields.integer("width");
  images.resize = fields.integer("resize");
  images.mean = read_channels(fields, "mean");
  images.deviation = read_channels(fields, "deviation");
  data::check(images);
  return images;
}

Json to_json(const TrainingPlace& place) {
  return {{"epoch", place.epoch},
          {"batch", place.batch},
          {"steps_per_epoch", place.steps_per_epoch},
          {"loss_sum", place.loss_sum},
          {"correct", place.correct},
          {"images", place.images},
          {"train_s", place.train_s},
          {"wait_s", place.wait_s},
          {"issue_s", place.issue_s},
          {"elapsed_s", place.elapsed_s}};
}

TrainingPlace read_place(const JsonFields& fields) {
  return {.epoch = fields.integer("epoch"),
          .batch = fields.integer("batch"),
          .steps_per_epoch = fields.integer("steps_per_epoch"),
          .loss_sum = fields.number("loss_sum"),
          .correct = fields.integer("correct"),
          .images = fields.integer("images"),
          .train_s = fields.number("train_s"),
          .wait_s = fields.number("wait_s"),
          .issue_s = fields.number("issue_s"),
          .elapsed_s = fields.number("elapsed_s")};
}

std::string description_of(const Checkpoint& checkpoint) {
  Json json = {{"schema_version", schema_version},
               {"kind", "checkpoint"},
               {"images", to_json(checkpoint.images)},
               {"run", file_json(checkpoint.run)}};
  if (checkpoint.place) json["place"] = to_json(*checkpoint.place);
  return json.dump();
}

void read_description(const std::string& text, const std::string& file, Checkpoint& checkpoint) {
  const Json json = parse_json(text, file);
  const JsonFields fields(json, file);
  if (fields.text("kind") != "checkpoint" || fields.integer("schema_version") != schema_version) {
    throw Error(ErrorKind::input, "this checkpoint is of another version of Rooflab", {},
                {file, {}, {}, {}});
  }
  checkpoint.images = read_images(fields.object("images"));
  checkpoint.run = from_file_json<record::TrainingRun>(fields.value("run"), file);
  if (const auto place = fields.optional_object("place")) checkpoint.place = read_place(*place);
}

// ---- the archive ----------------------------------------------------------------------------

c10::impl::GenericDict new_dict() {
  return c10::impl::GenericDict(c10::StringType::get(), c10::AnyType::get());
}

/// On the CPU, dense, with a storage of its own.
at::Tensor plain(const at::Tensor& tensor) {
  return tensor.detach().to(at::kCPU, /*non_blocking=*/false, /*copy=*/true).contiguous();
}

void write_archive(const fs::path& file, const IValue& value) {
  std::string data;
  torch::jit::Pickler pickler(
      [&data](const char* bytes, std::size_t size) { data.append(bytes, size); }, nullptr, nullptr,
      nullptr, nullptr, /*tag_aggregates=*/false);
  pickler.protocol();
  pickler.pushIValue(value);
  pickler.stop();
  write_file_atomically(file, [&](std::ostream& stream) {
    caffe2::serialize::PyTorchStreamWriter archive([&stream](const void* bytes, std::size_t size) {
      stream.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
      return stream ? size : 0;
    });
    archive.writeRecord("data.pkl", data.data(), data.size());
    std::size_t i = 0;
    for (const at::Tensor& tensor : pickler.tensorData()) {
      archive.writeRecord(format("data/{}", i++), tensor.data_ptr(), tensor.nbytes());
    }
    archive.writeEndOfFile();
  });
}

IValue read_archive(const fs::path& file) {
  const std::string content = read_file(file);
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::input, "this is not a checkpoint of Rooflab: " + why,
                "weights.pt and checkpoint.pt in the folder of a run of `rooflab train` are",
                {file.string(), {}, {}, {}});
  };
  if (!content.starts_with("PK\x03\x04")) fail("PyTorch did not save it");
  try {
    return torch::jit::pickle_load({content.begin(), content.end()});
  } catch (const c10::Error& error) {
    const std::string message = error.what_without_backtrace();
    fail("the file is damaged or cut off (" + message.substr(0, message.find('\n')) + ")");
  } catch (const std::exception& error) {
    fail(std::string("the file is damaged or cut off (") + error.what() + ")");
  }
  return {};
}

c10::impl::GenericDict dict_of(const std::map<std::string, at::Tensor>& model) {
  c10::impl::GenericDict dict = new_dict();
  for (const auto& [name, tensor] : model) dict.insert(name, tensor);
  return dict;
}

c10::impl::GenericList list_of(const std::vector<at::Tensor>& tensors) {
  c10::impl::GenericList list(c10::AnyType::get());
  for (const at::Tensor& tensor : tensors) list.emplace_back(plain(tensor));
  return list;
}

std::vector<at::Tensor> tensors_of(const IValue& list) {
  std::vector<at::Tensor> tensors;
  for (const IValue& value : list.toListRef()) {
    if (value.isTensor()) tensors.push_back(value.toTensor());
  }
  return tensors;
}

bool kept(const graph::Value& value) {
  return value.kind != graph::ValueKind::input && value.kind != graph::ValueKind::result;
}

}  // namespace

void write_checkpoint(const fs::path& file, const Checkpoint& checkpoint) {
  c10::impl::GenericDict dict = new_dict();
  dict.insert("model", dict_of(checkpoint.model));
  dict.insert("optimizer", list_of(checkpoint.optimizer));
  if (!checkpoint.scaler.empty()) dict.insert("scaler", list_of(checkpoint.scaler));
  dict.insert(about_key, description_of(checkpoint));
  write_archive(file, dict);
}

void write_weights(const fs::path& file, const Checkpoint& checkpoint) {
  Checkpoint weights = checkpoint;
  weights.place.reset();
  c10::impl::GenericDict dict = dict_of(weights.model);
  dict.insert(about_key, description_of(weights));
  write_archive(file, dict);
}

Checkpoint read_checkpoint(const fs::path& file) {
  const IValue value = read_archive(file);
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::input, "this is not a checkpoint of Rooflab: " + why,
                "weights.pt and checkpoint.pt in the folder of a run of `rooflab train` are",
                {file.string(), {}, {}, {}});
  };
  if (!value.isGenericDict()) fail("it does not contain a dict");
  Checkpoint checkpoint;
  std::optional<std::string> about;
  const auto add_tensors = [&](const c10::impl::GenericDict& dict) {
    for (const auto& entry : dict) {
      if (entry.key().isString() && entry.value().isTensor()) {
        checkpoint.model[entry.key().toStringRef()] = entry.value().toTensor();
      }
    }
  };
  const c10::impl::GenericDict dict = value.toGenericDict();
  add_tensors(dict);
  for (const auto& entry : dict) {
    if (!entry.key().isString()) continue;
    const std::string& key = entry.key().toStringRef();
    if (key == about_key && entry.value().isString()) about = entry.value().toStringRef();
    if (key == "model" && entry.value().isGenericDict()) add_tensors(entry.value().toGenericDict());
    if (!entry.value().isList()) continue;
    if (key == "optimizer") checkpoint.optimizer = tensors_of(entry.value());
    if (key == "scaler") checkpoint.scaler = tensors_of(entry.value());
  }
  if (!about) fail("it does not name its network");
  read_description(*about, file.string(), checkpoint);
  return checkpoint;
}

std::map<std::string, at::Tensor> model_of(const graph::Graph& graph,
                                           const std::vector<at::Tensor>& values) {
  std::map<std::string, at::Tensor> model;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (kept(graph.values[i])) model[graph.values[i].name] = plain(values[i]);
  }
  return model;
}

void load_model(const graph::Graph& graph, const std::vector<at::Tensor>& values,
                const std::map<std::string, at::Tensor>& model, const std::string& file) {
  const c10::NoGradGuard no_grad;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const graph::Value& value = graph.values[i];
    if (!kept(value)) continue;
    const auto found = model.find(value.name);
    const auto fail = [&](const std::string& why) {
      throw Error(ErrorKind::input,
                  format("the checkpoint is of another network: '{}' {}", value.name, why), {},
                  {file, {}, {}, {}});
    };
    if (found == model.end()) fail("is not in it");
    if (found->second.sizes() != values[i].sizes()) fail("has another shape in it");
    at::Tensor target = values[i];
    target.copy_(found->second);
  }
}

std::string fingerprint_of(const graph::Graph& graph, const std::vector<at::Tensor>& values) {
  std::uint64_t hash = fnv1a("");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const graph::ValueKind kind = graph.values[i].kind;
    if (kind != graph::ValueKind::parameter && kind != graph::ValueKind::buffer) continue;
    const at::Tensor tensor = plain(values[i]);
    hash = fnv1a({static_cast<const char*>(tensor.data_ptr()), tensor.nbytes()}, hash);
  }
  return format("{:016x}", hash);
}

}  // namespace rooflab::torch_worker
