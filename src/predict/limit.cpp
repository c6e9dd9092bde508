// The limit: the roofline model, op by op and for the network as a whole.
//
//     t(op) = max(t_compute, bytes / (bandwidth * M))
//     t_compute = matrix FLOPs / (peak of the matrix path * C)
//                 and vector FLOPs / (peak of the vector path * C),
//
// the larger of the two when tensor cores do the matrix work (they run at the same time as the
// vector lanes), their sum when both use the same lanes. C and M are PALEO's percentages, 1 for the
// bare limit. The network's limit is the sum over its ops: in eager execution each reads its
// operands from memory and writes its results back.
//
// The ideal takes the network as one op: FLOPs by path as above, and only the bytes that must enter
// or leave: input, parameters, caches and output once; of what a recorded step found in memory
// besides, the most that an op reads of it; in phase `forward` also what autograd has to keep;
// in `training` the parameters are written back and the optimizer's state is read and written, or,
// without an optimizer, the parameters' gradients are written.
//
// It is wrong when an algorithm does less arithmetic than the direct one (Winograd and FFT
// convolutions may beat it), and optimistic otherwise: no launch cost, no cache misses, clocks at
// the datasheet's boost. Sources: Williams et al., CACM 52(4), 2009 (roofline); Qi et al., ICLR
// 2017 (percent of peak).

#include "rooflab/predict/limit.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.hpp"

namespace rooflab::predict {
namespace {

using schedule::Role;
using schedule::Schedule;
using schedule::StorageId;
using schedule::TensorId;

/// Time on the arithmetic units, of FLOPs by path.
class ComputeTime {
 public:
  ComputeTime(const device::Device& device, double fraction)
      : device_(device), fraction_(fraction) {}

  void add(ArithmeticPath path, Flops flops) {
    const double seconds = flops.as_double() / (*device::peak(device_, path) * fraction_);
    (is_matrix_unit(path) ? matrix_units_ : vector_lanes_) += seconds;
  }
  [[nodiscard]] double seconds() const { return std::max(matrix_units_, vector_lanes_); }

 private:
  const device::Device& device_;
  double fraction_;
  double matrix_units_ = 0.0;
  double vector_lanes_ = 0.0;
};

class Limiter {
 public:
  Limiter(const Schedule& schedule, const device::Device& device, PercentOfPeak percent)
      : schedule_(schedule), device_(device), percent_(percent) {
    if (device.bandwidth) {
      bandwidth_ = device.bandwidth->value * percent.memory;
    } else {
      missing_.insert(format("{} has no memory bandwidth", device.name));
    }
  }

  NetworkLimit run() && {
    for (const schedule::ScheduledOp& op : schedule_.ops) add(op);
    whole_.missing.assign(missing_.begin(), missing_.end());
    choose_main_path();
    if (missing_.empty()) {
      whole_.time = Seconds{sum_};
      ideal();
    }
    return std::move(whole_);
  }

 private:
  void add(const schedule::ScheduledOp& op) {
    OpLimit limit;
    limit.cost = cost::cost_of(schedule_, op);
    if (limit.cost) {
      whole_.Work::add(*limit.cost, op.pass);
      time(limit, op);
    }
    whole_.ops.push_back(limit);
  }

  void time(OpLimit& limit, const schedule::ScheduledOp& op) {
    const cost::Cost& cost = *limit.cost;
    ComputeTime compute(device_, percent_.compute);
    bool known = bandwidth_.has_value();
    const auto use = [&](std::optional<ArithmeticPath> path, Flops flops, DType type) {
      if (flops == Flops(0)) return;
      if (!path) {
        known = false;
        missing_.insert(format("{} has no peak for {} work", device_.name, rooflab::name_of(type)));
        return;
      }
      compute.add(*path, flops);
      whole_.flops_by_path[*path] += flops;
    };
    if (cost.matrix_flops > Flops(0)) {
      limit.matrix_path = matrix_path(device_, cost.matrix_type, schedule_.precision_of(op));
    }
    use(limit.matrix_path, cost.matrix_flops, cost.matrix_type);
    use(vector_path(device_, cost.vector_type), cost.vector_flops, cost.vector_type);
    if (!known) return;
    const double memory_s = cost.bytes().as_double() / *bandwidth_;
    const double compute_s = compute.seconds();
    limit.time = Seconds{std::max(memory_s, compute_s)};
    if (limit.time->value > 0.0) {
      limit.bound = compute_s > memory_s ? Bound::compute : Bound::memory;
    }
    sum_ += limit.time->value;
  }

  /// The path that does most of the matrix work, or of all work without matrix work.
  void choose_main_path() {
    Flops most(-1);
    std::map<ArithmeticPath, Flops> matrix_flops;
    for (const OpLimit& op : whole_.ops) {
      if (op.matrix_path) matrix_flops[*op.matrix_path] += op.cost->matrix_flops;
    }
    for (const auto& [path, flops] : matrix_flops.empty() ? whole_.flops_by_path : matrix_flops) {
      if (flops > most) {
        most = flops;
        whole_.main_path = path;
      }
    }
    if (!whole_.main_path || !bandwidth_) return;
    whole_.ridge_point = *device::peak(device_, *whole_.main_path) * percent_.compute / *bandwidth_;
    whole_.bound = whole_.intensity() > *whole_.ridge_point ? Bound::compute : Bound::memory;
  }

  void ideal() {
    std::set<StorageId> moved;
    const auto move = [&](StorageId id, std::int64_t times) {
      if (moved.insert(id).second) whole_.ideal_bytes += storage(id).bytes * times;
    };
    const std::map<StorageId, Bytes> found = found_and_read();
    const bool updates =
        schedule_.phase == Phase::training && schedule_.optimizer != schedule::Optimizer::none;
    for (std::size_t i = 0; i < schedule_.storages.size(); ++i) {
      switch (schedule_.storages[i].role) {
        case Role::parameter:
        case Role::optimizer_state:
          move(static_cast<StorageId>(i), updates ? 2 : 1);
          break;
        case Role::input:
        case Role::buffer:
          move(static_cast<StorageId>(i), 1);
          break;
        case Role::cache:  // the tokens before are read, a grown copy need not be made
        case Role::activation:
          if (const auto read = found.find(static_cast<StorageId>(i)); read != found.end()) {
            whole_.ideal_bytes += read->second;
          }
          break;
        case Role::gradient:
        case Role::parameter_gradient:
          break;
      }
    }
    for (const TensorId id : schedule_.outputs) {
      const StorageId of = schedule_.tensor(id).storage;
      if (storage(of).role != Role::cache && !found.contains(of)) move(of, 1);
    }
    if (schedule_.optimizer == schedule::Optimizer::none) {
      for (const TensorId id : schedule_.parameter_gradients) move(schedule_.tensor(id).storage, 1);
    }
    if (schedule_.phase == Phase::forward) {
      for (const TensorId id : schedule_.saved) move(schedule_.tensor(id).storage, 1);
    }
    ComputeTime compute(device_, percent_.compute);
    for (const auto& [path, flops] : whole_.flops_by_path) compute.add(path, flops);
    // Gathers touch only some rows of a parameter, and side paths may be left out altogether.
    whole_.ideal_bytes = std::min(whole_.ideal_bytes, whole_.compulsory_bytes);
    const double memory_s = whole_.ideal_bytes.as_double() / *bandwidth_;
    whole_.ideal_time = Seconds{std::max(compute.seconds(), memory_s)};
  }

  [[nodiscard]] const schedule::Storage& storage(StorageId id) const {
    return schedule_.storages[static_cast<std::size_t>(id)];
  }

  /// What a recorded step found in memory and reads, and is neither a weight nor an input: the most
  /// bytes that one op reads of it (a cache may have room for tokens that are not there yet).
  [[nodiscard]] std::map<StorageId, Bytes> found_and_read() const {
    std::map<StorageId, Bytes> read;
    if (schedule_.lives.empty()) return read;
    for (const schedule::ScheduledOp& op : schedule_.ops) {
      if (std::holds_alternative<schedule::ViewWork>(op.work)) continue;
      for (const TensorId id : op.reads) {
        const schedule::Tensor& tensor = schedule_.tensor(id);
        const Role role = storage(tensor.storage).role;
        if (role != Role::cache && role != Role::activation) continue;
        if (!schedule_.lives[static_cast<std::size_t>(tensor.storage)].before) continue;
        Bytes& most = read[tensor.storage];
        most = std::max(most, std::min(tensor.distinct_bytes(), storage(tensor.storage).bytes));
      }
    }
    return read;
  }

  const Schedule& schedule_;
  const device::Device& device_;
  PercentOfPeak percent_;
  std::optional<double> bandwidth_;
  std::set<std::string> missing_;
  double sum_ = 0.0;
  NetworkLimit whole_;
};

}  // namespace

void Work::add(const cost::Cost& cost, schedule::Pass pass) {
  using schedule::Pass;
  macs += cost.macs;
  causal_macs += cost.causal_macs;
  matrix_flops += cost.matrix_flops;
  vector_flops += cost.vector_flops;
  compulsory_bytes += cost.bytes();
  if (!forward) forward.emplace();
  if (!backward) backward.emplace();
  const bool is_backward = is_gradient(pass) || pass == Pass::backward;
  if (pass != Pass::forward && !is_backward) return;
  PassWork& part = is_backward ? *backward : *forward;
  part.flops += cost.flops();
  part.matrix_flops += cost.matrix_flops;
  part.bytes += cost.bytes();
}

double Work::intensity() const {
  return compulsory_bytes > Bytes(0) ? flops().as_double() / compulsory_bytes.as_double() : 0.0;
}

NetworkLimit limit_of(const Schedule& schedule, const device::Device& device,
                      PercentOfPeak percent) {
  return Limiter(schedule, device, percent).run();
}

}  // namespace rooflab::predict
