// The files are what torch.save writes: a zip archive with a pickle of a dict and the bytes of its
// tensors. The framework's pickler tags dicts and lists with their TorchScript types unless told
// not to; untagged they are Python's own, so that torch.load takes the files with weights_only too.

#include "checkpoint.hpp"

#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <ostream>

#include "base/fnv1a.hpp"
#include "base/format.hpp"
#include "describe/field_table.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::data {

std::span<const Field> fields_of(For<ImageTransform>) {
  static constexpr Field fields[] = {
      field<&ImageTransform::height>("height"),
      field<&ImageTransform::width>("width"),
      field<&ImageTransform::resize>("resize"),
      field<&ImageTransform::mean>("channel_means"),
      field<&ImageTransform::deviation>("channel_deviations"),
  };
  return fields;
}

}  // namespace rooflab::data

namespace rooflab::torch_worker {
namespace {

namespace fs = std::filesystem;
using c10::IValue;

constexpr const char* about_key = "rooflab";

// ---- the description ------------------------------------------------------------------------

/// The text in the files.
struct Description {
  data::ImageTransform images;
  record::TrainingRun run;
  std::optional<TrainingPlace> place;
};

const data::ImageTransform& images_of(const Description& about) { return about.images; }
void read_images(Description& about, const JsonValue& from) {
  codec::decode(about.images, from);
  data::check(about.images);
}

std::span<const Field> fields_of(For<Description>) {
  static constexpr Field fields[] = {
      field<&images_of, &read_images>("image_transform").required(),
      field<&Description::run>("run"),
      field<&Description::place>("place").sparse(),
  };
  return fields;
}

FileKind file_kind_of(For<Description>) {
  return {"checkpoint", "checkpoint", "`rooflab train -o DIR` writes them: DIR/run-1/weights.pt"};
}

std::string description_of(const Checkpoint& checkpoint) {
  return file_json(Description{checkpoint.images, checkpoint.run, checkpoint.place}).dump();
}

void read_description(const std::string& text, const std::string& file, Checkpoint& checkpoint) {
  auto about = from_file_json<Description>(parse_json(text, file), file);
  checkpoint.images = about.images;
  checkpoint.run = std::move(about.run);
  checkpoint.place = about.place;
}

// ---- the archive ----------------------------------------------------------------------------

c10::impl::GenericDict new_dict() {
  return c10::impl::GenericDict(c10::StringType::get(), c10::AnyType::get());
}

/// On the CPU, dense, with a separate storage.
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
    // A writer that is told of a failure throws, and once more from its destructor, which ends the
    // process. The stream keeps the failure for its owner.
    caffe2::serialize::PyTorchStreamWriter archive([&stream](const void* bytes, std::size_t size) {
      stream.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
      return size;
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
  constexpr std::size_t largest = std::size_t{1} << 40U;  // the memory is the limit
  const std::string content = read_file(file, largest);
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

std::span<const Field> fields_of(For<TrainingPlace>) {
  static constexpr Field fields[] = {
      field<&TrainingPlace::epoch>("epoch"),
      field<&TrainingPlace::batch>("batches_done"),
      field<&TrainingPlace::steps_per_epoch>("steps_per_epoch"),
      field<&TrainingPlace::loss_sum>("loss_sum"),
      field<&TrainingPlace::correct>("correct_images"),
      field<&TrainingPlace::images>("images"),
      field<&TrainingPlace::train_s>("train_s"),
      field<&TrainingPlace::wait_s>("wait_s"),
      field<&TrainingPlace::issue_s>("issue_s"),
      field<&TrainingPlace::elapsed_s>("elapsed_s"),
  };
  return fields;
}

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
