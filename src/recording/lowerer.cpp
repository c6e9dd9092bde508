// A recording as a schedule.
//
// A recording is a list of ops with their memory, as a schedule is, so nothing is planned here:
// each recorded op becomes the entries that it runs on the device, in order. An entry's node
// describes the op (a convolution with its strides and the types of its operands), so that cost,
// kinds of a calibration and classes of issue cost follow by the rules of networks. The schedule's
// graph is a list of such descriptions; it is not a network that could run.
//
// The device is the one that most results lie on; tensors elsewhere (data on the host) are left
// out, and an op without a tensor on the device is the host's. An op that reads from the device
// into the host's memory makes the host wait.
//
// Rows of tables: an op belongs to its module. A module that calls no other module is one row under
// its name; ops of other modules have a row each under the module's name and their own.
//
// In the backward pass the product of a linear layer's gradient is found by the module and its
// three extents, else it is a product of two tensors. Products that read a parameter, or a cast of
// one, are linear layers.
//
// Streams count in a step that exchanges tensors with other processes: what runs on another stream
// than the default one there (FSDP's copies and collectives) is `beside`. In other recordings all
// entries follow each other.
//
// Memory: a storage is there from the op that it was made for until the op before its `free` line;
// what was not freed outlives the step. So checkpointing, accumulation and frozen parameters need
// no rule.

#include "lowerer.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "layout_span.hpp"

namespace rooflab::recording {
namespace {

using graph::NodeId;
using graph::ValueId;
using graph::ValueKind;
using schedule::Role;
using schedule::StorageId;

constexpr std::string_view outside = "(outside modules)";

std::string_view device_type(std::string_view device) { return device.substr(0, device.find(':')); }

constexpr std::size_t at(std::int32_t id) { return static_cast<std::size_t>(id); }

/// Calls `visit` with each tensor of an op's operands.
template <class Visit>
void each_tensor(const std::vector<Operand>& operands, Visit visit) {
  for (const Operand& operand : operands) {
    if (const auto* one = std::get_if<TensorId>(&operand)) {
      if (*one >= 0) visit(*one);
      continue;
    }
    for (const TensorId id : std::get<std::vector<TensorId>>(operand)) {
      if (id >= 0) visit(id);
    }
  }
}

}  // namespace

Lowerer::Lowerer(const Recording& recording) : recording_(recording) {
  schedule_.phase = recording.phase();
  schedule_.precision = recording.precision();
  schedule_.tf32_convolutions = recording.tf32_convolutions;
  schedule_.graph.name = recording.name;
  schedule_.graph.samples = recording.batch;
  schedule_.context = recording.context;
  schedule_.optimizer = recording.optimizer();
  exchanges_ = std::ranges::any_of(recording.ops, [](const Op& op) { return op.ranks > 1; });
  storages_.assign(recording.storages.size(), -1);
  tensors_.assign(recording.tensors.size(), no_tensor);
}

LoweredOps Lowerer::run() && {
  find_device();
  find_leaves();
  create_storages();
  create_parameters();
  bool in_optimizer = false;
  for (const Op& op : recording_.ops) {
    const bool optimizer = recording_.place_of(op).part == Part::optimizer;
    if (optimizer && !in_optimizer) ++optimizer_group_;
    in_optimizer = optimizer;
    first_op_.push_back(schedule_.ops.size());
    lower(op);
    wrapped_ += op.wrapped;
    if (first_op_.back() < schedule_.ops.size()) {
      schedule_.ops[first_op_.back()].wrapped = std::exchange(wrapped_, 0);
    }
    if (exchanges_ && recording_.place_of(op).stream != 0) {
      for (std::size_t i = first_op_.back(); i < schedule_.ops.size(); ++i) {
        schedule_.ops[i].beside = true;
      }
    }
  }
  std::vector<std::size_t> first = first_op_;
  first.push_back(schedule_.ops.size());
  add_gaps();
  set_lives();
  set_results();
  return {std::move(schedule_), std::move(first)};
}

void Lowerer::find_device() {
  std::map<std::string, std::size_t, std::less<>> results;
  for (const Op& op : recording_.ops) {
    each_tensor(op.out, [&](TensorId id) {
      ++results[std::string(device_type(recording_.storage_of(id).device))];
    });
  }
  for (const Storage& storage : recording_.storages) {
    ++results[std::string(device_type(storage.device))];
  }
  std::size_t most = 0;
  for (const auto& [device, count] : results) {
    // The host's part may be large with a GPU, or with tensors without data.
    const std::size_t weight = device == "cpu" ? count : count * 1000;
    if (weight > most) {
      most = weight;
      device_ = device;
    }
  }
}

void Lowerer::find_leaves() {
  is_leaf_.assign(recording_.modules.size(), true);
  std::map<std::pair<std::int32_t, std::string>, std::size_t> by_name;
  for (std::size_t i = 0; i < recording_.modules.size(); ++i) {
    const Module& module = recording_.modules[i];
    if (module.root != recording_.modules.front().root) several_roots_ = true;
    by_name[{module.root, module.name}] = i;
  }
  for (const Module& module : recording_.modules) {
    std::string name = module.name;
    while (!name.empty()) {
      const std::size_t dot = name.rfind('.');
      name = dot == std::string::npos ? "" : name.substr(0, dot);
      const auto above = by_name.find({module.root, name});
      if (above != by_name.end()) is_leaf_[above->second] = false;
    }
  }
}

void Lowerer::create_storages() {
  for (std::size_t i = 0; i < recording_.storages.size(); ++i) {
    if (!on_device(static_cast<std::int32_t>(i))) continue;
    const Storage& of = recording_.storages[i];
    storages_[i] = static_cast<StorageId>(schedule_.storages.size());
    schedule_.storages.push_back({of.bytes, of.role.value_or(Role::activation)});
    weights_.emplace_back();
  }
}

void Lowerer::create_parameters() {
  // A tensor that fills its storage is the parameter. A storage without such a tensor has several
  // (the flat weights of a recurrent layer) or a part of it is one: the tensors that no op makes.
  for (std::size_t i = 0; i < recording_.tensors.size(); ++i) {
    const Storage& storage = recording_.storages[at(recording_.tensors[i].storage)];
    const Layout& layout = recording_.layout_of(static_cast<TensorId>(i));
    if (Bytes(layout.type.bytes()) != storage.bytes) continue;
    const STensor id = parameter_tensor(i);
    if (id == no_tensor) continue;
    std::optional<ValueId>& known = weights_[at(tensor(id).storage)];
    if (known) continue;
    const ValueId value = create_parameter(id, storage, storage.name);
    if (storage.role == Role::parameter) known = value;
    values_[at(id)] = value;
  }
  std::vector<bool> made(recording_.tensors.size(), false);
  for (const Op& op : recording_.ops) {
    each_tensor(op.out, [&](TensorId id) { made[at(id)] = true; });
  }
  std::map<StorageId, ValueId> shared;  // the first parameter stands for its neighbours in products
  std::map<std::int32_t, std::vector<std::pair<std::int64_t, std::int64_t>>> taken;  // elements
  for (std::size_t i = 0; i < recording_.tensors.size(); ++i) {
    const Tensor& recorded = recording_.tensors[i];
    const Storage& storage = recording_.storages[at(recorded.storage)];
    if (made[i] || storage.role != Role::parameter) continue;
    const STensor id = parameter_tensor(i);
    if (id == no_tensor || weights_[at(tensor(id).storage)]) continue;
    const std::int64_t begin = recorded.offset;
    const std::int64_t end =
        checked_add(begin, span_of(recording_.layout_of(static_cast<TensorId>(i))));
    auto& others = taken[recorded.storage];
    if (std::ranges::any_of(
            others, [&](const auto& other) { return begin < other.second && other.first < end; })) {
      continue;
    }
    others.emplace_back(begin, end);
    const bool first = others.size() == 1 && !storage.name.empty();
    values_[at(id)] = create_parameter(
        id, storage, first ? storage.name : format("{} from {}", storage.name, begin));
    shared.emplace(tensor(id).storage, values_[at(id)]);
  }
  for (const auto& [storage, value] : shared) weights_[at(storage)] = value;
}

STensor Lowerer::parameter_tensor(std::size_t recorded) {
  const std::optional<Role> role =
      recording_.storages[at(recording_.tensors[recorded].storage)].role;
  if (role != Role::parameter && role != Role::buffer) return no_tensor;
  return tensor_of(static_cast<TensorId>(recorded));
}

ValueId Lowerer::create_parameter(STensor id, const Storage& storage, const std::string& name) {
  const ValueId value = described(tensor(id).type);
  graph::Value& created = schedule_.graph.value(value);
  created.kind = storage.role == Role::parameter ? ValueKind::parameter : ValueKind::buffer;
  created.name = name.empty() ? format("parameter{}", value) : name;
  return value;
}

bool Lowerer::on_device(std::int32_t storage) const {
  return device_type(recording_.storages[at(storage)].device) == device_;
}

STensor Lowerer::tensor_of(TensorId id) {
  if (id < 0) return no_tensor;
  const Tensor& recorded = recording_.tensors[at(id)];
  if (!on_device(recorded.storage)) return no_tensor;
  STensor& known = tensors_[at(id)];
  if (known != no_tensor) return known;
  const StorageId storage = storages_[at(recorded.storage)];
  const Layout& layout = recording_.layout_of(id);
  known = static_cast<STensor>(schedule_.tensors.size());
  schedule_.tensors.push_back({layout.type, layout.strides, storage});
  values_.push_back(-1);
  return known;
}

STensor Lowerer::view_of(STensor base, graph::TensorType type) {
  const auto id = static_cast<STensor>(schedule_.tensors.size());
  schedule::Strides strides = schedule::contiguous_strides(type.shape);
  schedule_.tensors.push_back({std::move(type), std::move(strides), tensor(base).storage});
  values_.push_back(-1);
  return id;
}

ValueId Lowerer::value(STensor id) {
  if (id == no_tensor) throw Misfit{};
  ValueId& known = values_[at(id)];
  if (known < 0) {
    const ValueId added = described(tensor(id).type);
    if (schedule_.storage_of(id).role == Role::input) {
      schedule_.graph.value(added).kind = ValueKind::input;
      schedule_.graph.inputs.push_back(added);
    }
    known = added;
  }
  return known;
}

ValueId Lowerer::described(graph::TensorType type) {
  const auto id = static_cast<ValueId>(schedule_.graph.values.size());
  schedule_.graph.values.push_back({format("t{}", id), ValueKind::result, std::move(type), -1, {}});
  return id;
}

std::optional<ValueId> Lowerer::weight(STensor id) const {
  return id == no_tensor ? std::nullopt : weights_[at(tensor(id).storage)];
}

void Lowerer::carry_weight(STensor from, STensor to) {
  std::optional<ValueId>& known = weights_[at(tensor(to).storage)];
  if (!known) known = weight(from);
}

NodeId Lowerer::node(const OpView& view, graph::Op op, std::vector<ValueId> inputs,
                     std::vector<ValueId> outputs) {
  const auto id = static_cast<NodeId>(schedule_.graph.nodes.size());
  graph::Node node;
  node.name = node_name(view, graph::name_of(op));
  node.op = std::move(op);
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  if (!operands_fit(schedule_.graph, node)) throw Misfit{};
  for (const ValueId output : node.outputs) schedule_.graph.value(output).producer = id;
  if (view.place().part == Part::forward && !node.outputs.empty()) {
    forward_nodes_[{view.place().module, node.op.index()}].push_back(id);
  }
  schedule_.graph.nodes.push_back(std::move(node));
  return id;
}

std::string Lowerer::node_name(const OpView& view, std::string_view op) const {
  const Place& place = view.place();
  if (place.part == Part::optimizer) return "(optimizer)";
  if (place.module < 0) return std::string(outside);
  const Module& module = recording_.modules[at(place.module)];
  std::string name;
  if (several_roots_) name = recording_.modules[at(module.root)].class_name;
  if (!module.name.empty()) name += (name.empty() ? "" : ".") + module.name;
  if (is_leaf_[at(place.module)] && !name.empty()) return name;
  return name.empty() ? std::string(op) : format("{}.{}", name, op);
}

schedule::ScheduledOp& Lowerer::emit(schedule::Work work, NodeId node, Pass pass,
                                     std::vector<STensor> reads, std::vector<STensor> writes) {
  schedule::ScheduledOp op;
  op.work = work;
  op.pass = pass;
  op.node = node;
  op.reads = std::move(reads);
  op.writes = std::move(writes);
  schedule_.ops.push_back(std::move(op));
  return schedule_.ops.back();
}

std::optional<NodeId> Lowerer::find_forward(const OpView& view, const graph::Op& op,
                                            const graph::Shape& result) const {
  const auto nodes = forward_nodes_.find({view.place().module, op.index()});
  if (nodes == forward_nodes_.end()) return std::nullopt;
  for (std::size_t i = nodes->second.size(); i-- > 0;) {
    const graph::Node& node = schedule_.graph.nodes[at(nodes->second[i])];
    if (node.op == op && type_of(node.outputs.front()).shape == result) return nodes->second[i];
  }
  return std::nullopt;
}

void Lowerer::remember_linear(const OpView& view, NodeId node, std::int64_t rows, std::int64_t in,
                              std::int64_t out) {
  linears_.remember(view.place().module, {rows, in, out}, node);
}

std::optional<NodeId> Lowerer::find_linear(const OpView& view, std::int64_t rows, std::int64_t in,
                                           std::int64_t out) const {
  return linears_.find(view.place().module, {rows, in, out});
}

void Lowerer::add_gaps() {
  for (const Gap& gap : recording_.gaps) {
    graph::Node node;
    node.name = std::string(outside);
    graph::Opaque unseen{gap.kind, gap.name.empty() ? gap.kind : gap.name, {}, {}};
    unseen.bounded = false;
    node.op = std::move(unseen);
    const auto id = static_cast<NodeId>(schedule_.graph.nodes.size());
    schedule_.graph.nodes.push_back(node);
    emit(schedule::NodeWork{}, id, Pass::forward, {}, {});
  }
}

void Lowerer::set_lives() {
  const std::size_t end = schedule_.ops.size();
  const std::size_t last = end == 0 ? 0 : end - 1;
  schedule_.lives.assign(schedule_.storages.size(), {});
  for (std::size_t i = 0; i < storages_.size(); ++i) {
    if (storages_[i] < 0) continue;
    schedule::StorageLife& life = schedule_.lives[at(storages_[i])];
    const std::size_t born = recording_.born[i];
    life.before = recording_.storages[i].before;
    life.first = born < first_op_.size() ? std::min(first_op_[born], last) : last;
    if (life.before) life.first = 0;
    life.last = end;
  }
  for (const Free& free : recording_.frees) {
    const StorageId storage = storages_[at(free.storage)];
    if (storage < 0) continue;
    const std::size_t next = free.op < first_op_.size() ? first_op_[free.op] : end;
    schedule::StorageLife& life = schedule_.lives[at(storage)];
    life.last = std::max(life.first, next == 0 ? 0 : next - 1);
  }
}

void Lowerer::set_results() {
  const auto first_backward = std::ranges::find_if(schedule_.ops, [](const auto& op) {
    return schedule::is_gradient(op.pass) || op.pass == Pass::backward;
  });
  schedule_.forward_end = static_cast<std::size_t>(first_backward - schedule_.ops.begin());
  for (const TensorId id : recording_.outputs) {
    const STensor output = tensor_of(id);
    if (output != no_tensor) schedule_.outputs.push_back(output);
  }
  std::vector<bool> seen(schedule_.storages.size(), false);
  for (std::size_t i = 0; i < schedule_.tensors.size(); ++i) {
    const auto id = static_cast<STensor>(i);
    const std::size_t storage = at(schedule_.tensors[i].storage);
    if (storage >= schedule_.lives.size() || seen[storage]) continue;
    seen[storage] = true;
    const schedule::StorageLife& life = schedule_.lives[storage];
    const Role role = schedule_.storages[storage].role;
    if (role == Role::parameter_gradient && !(life.before && life.last < schedule_.ops.size())) {
      schedule_.parameter_gradients.push_back(id);
    }
    const bool kept = life.first < schedule_.forward_end && life.last >= schedule_.forward_end;
    if (role == Role::activation && !life.before && kept) schedule_.saved.push_back(id);
  }
}

LoweredOps lower_by_op(const Recording& recording) { return Lowerer(recording).run(); }

schedule::Schedule lower(const Recording& recording) { return lower_by_op(recording).schedule; }

}  // namespace rooflab::recording
