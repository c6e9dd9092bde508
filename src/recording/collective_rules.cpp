// Messages to the other processes of a step (torch.distributed), and the copies around them.
//
// A collective is a separate entry: how devices exchange, how many take part, and the bytes of the
// message, the larger of what this device gives and gets (Collective). It runs at the same time as
// other work, unless the program started it without `async_op` on the stream of its kernels:
// PyTorch then runs it on that stream. Schemas of c10d do not say which arguments are overwritten;
// the rows do.
//
// What is gathered from the pieces of a parameter is that parameter: products with it are linear
// layers. The copies of FSDP move each byte once, as a copy does.
//
// Gathering at one device and sending from one take as long as for all: that device's link is the
// bottleneck. A reduction to one device counts as a broadcast, the same messages the other way.
// Sources: PyTorch 2.11, torch/csrc/distributed/c10d/Ops.cpp and ProcessGroupNCCL.cpp (asyncOp),
// torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py.

#include <algorithm>
#include <array>

#include "rules.hpp"

namespace rooflab::recording {
namespace {

/// Which argument of an operator is overwritten.
enum class Target : std::uint8_t {
  operand,  ///< the first, which is read too
  first,    ///< the first, which is only written
  result,   ///< none: there is a new tensor
};

struct CollectiveRow {
  std::string_view name;
  Collective collective;
  Target target = Target::result;
};

// clang-format off
constexpr std::array collective_rows = {
    CollectiveRow{"c10d.allreduce", Collective::all_reduce, Target::operand},
    CollectiveRow{"c10d.allreduce_coalesced", Collective::all_reduce, Target::operand},
    CollectiveRow{"c10d.broadcast", Collective::broadcast, Target::operand},
    CollectiveRow{"c10d.reduce", Collective::broadcast, Target::operand},
    CollectiveRow{"c10d.allgather", Collective::all_gather, Target::first},
    CollectiveRow{"c10d._allgather_base", Collective::all_gather, Target::first},
    CollectiveRow{"c10d.allgather_coalesced", Collective::all_gather, Target::first},
    CollectiveRow{"c10d.allgather_into_tensor_coalesced", Collective::all_gather, Target::first},
    CollectiveRow{"c10d.gather", Collective::all_gather, Target::first},
    CollectiveRow{"c10d.gather_into_tensor", Collective::all_gather, Target::first},
    CollectiveRow{"c10d.reduce_scatter", Collective::reduce_scatter, Target::first},
    CollectiveRow{"c10d._reduce_scatter_base", Collective::reduce_scatter, Target::first},
    CollectiveRow{"c10d.reduce_scatter_tensor_coalesced", Collective::reduce_scatter, Target::first},
    CollectiveRow{"c10d.scatter", Collective::all_gather, Target::first},
    CollectiveRow{"c10d.alltoall", Collective::all_to_all, Target::first},
    CollectiveRow{"c10d.alltoall_base", Collective::all_to_all, Target::first},
    CollectiveRow{"c10d.send", Collective::copy, Target::operand},
    CollectiveRow{"c10d.recv", Collective::copy, Target::operand},
    CollectiveRow{"c10d.recv_any_source", Collective::copy, Target::operand},
    CollectiveRow{"_c10d_functional.all_reduce", Collective::all_reduce},
    CollectiveRow{"_c10d_functional.all_reduce_coalesced", Collective::all_reduce},
    CollectiveRow{"_c10d_functional.all_gather_into_tensor", Collective::all_gather},
    CollectiveRow{"_c10d_functional.all_gather_into_tensor_out", Collective::all_gather},
    CollectiveRow{"_c10d_functional.all_gather_into_tensor_coalesced", Collective::all_gather},
    CollectiveRow{"_c10d_functional.reduce_scatter_tensor", Collective::reduce_scatter},
    CollectiveRow{"_c10d_functional.reduce_scatter_tensor_out", Collective::reduce_scatter},
    CollectiveRow{"_c10d_functional.reduce_scatter_tensor_coalesced", Collective::reduce_scatter},
    CollectiveRow{"_c10d_functional.all_to_all_single", Collective::all_to_all},
    CollectiveRow{"_c10d_functional.broadcast", Collective::broadcast},
    CollectiveRow{"_c10d_functional.isend", Collective::copy, Target::operand},
    CollectiveRow{"_c10d_functional.irecv", Collective::copy, Target::operand},
    // PyTorch 2.0 to 2.2
    CollectiveRow{"c10d_functional.all_reduce", Collective::all_reduce},
    CollectiveRow{"c10d_functional.all_gather_into_tensor", Collective::all_gather},
    CollectiveRow{"c10d_functional.reduce_scatter_tensor", Collective::reduce_scatter},
    CollectiveRow{"c10d_functional.all_to_all_single", Collective::all_to_all},
    CollectiveRow{"c10d_functional.broadcast", Collective::broadcast},
};
// clang-format on

/// The tensors of an argument, whether it is one or a list.
std::vector<STensor> tensors_at(const OpView& view, std::size_t place) {
  const STensor one = view.in(place);
  return one == no_tensor ? view.list(place) : std::vector<STensor>{one};
}

Bytes bytes_of(const Lowerer& l, const std::vector<STensor>& tensors) {
  Bytes sum;
  for (const STensor id : tensors) sum += Bytes(l.tensor(id).type.bytes());
  return sum;
}

void carry_weights(Lowerer& l, const std::vector<STensor>& from, const std::vector<STensor>& to) {
  const auto parameter =
      std::ranges::find_if(from, [&](STensor id) { return l.weight(id).has_value(); });
  if (parameter == from.end()) return;
  for (const STensor id : to) l.carry_weight(*parameter, id);
}

/// How many devices take part; 0: it is not known.
std::int64_t ranks_of(const OpView& view, const CollectiveRow& row) {
  if (row.collective == Collective::copy) return 2;
  return view.op().ranks > 0 ? view.op().ranks : view.integer("group_size", 0);
}

bool exchange(const OpView& view) {
  Lowerer& l = view.lowerer();
  const auto row = std::ranges::find(collective_rows, view.name(), &CollectiveRow::name);
  const std::int64_t ranks = ranks_of(view, *row);
  std::vector<STensor> reads;
  std::vector<STensor> writes =
      row->target == Target::result ? view.all_out() : tensors_at(view, 0);
  if (row->target == Target::operand) {
    reads = writes;
  } else {
    const std::size_t begin = row->target == Target::first ? 1 : 0;
    for (std::size_t i = begin; i < view.arity(); ++i) {
      const std::vector<STensor> more = tensors_at(view, i);
      reads.insert(reads.end(), more.begin(), more.end());
    }
  }
  if (ranks < 1 || (reads.empty() && writes.empty())) return false;
  if (writes.empty()) writes = reads;
  if (row->collective == Collective::all_gather) carry_weights(l, reads, writes);
  const Bytes bytes = std::max(bytes_of(l, reads), bytes_of(l, writes));
  schedule::ScheduledOp& entry =
      emit_known(view, rooflab::name_of(row->collective), 0, "copy", graph::OpClass::copy,
                 std::move(reads), std::move(writes));
  entry.work = schedule::CollectiveWork{row->collective, static_cast<std::int32_t>(ranks), bytes};
  entry.beside = view.flag("async_op", true);
  return true;
}

/// Pieces of parameters, copied side by side to be sent.
bool gather_copy(const OpView& view) {
  const std::vector<STensor> pieces = view.list(0);
  const STensor sent = view.out(0);
  if (pieces.empty() || sent == no_tensor) return false;
  carry_weights(view.lowerer(), pieces, {sent});
  emit_known(view, "all_gather_copy_in", 0, "copy", graph::OpClass::copy, pieces, {sent});
  return true;
}

/// The pieces that came, copied to where each parameter is whole.
bool split_copy(const OpView& view) {
  const std::vector<STensor> whole = view.list(1);
  const STensor came = view.in(0);
  if (whole.empty() || came == no_tensor) return false;
  carry_weights(view.lowerer(), {came}, whole);
  emit_known(view, "split_with_sizes_copy", 0, "copy", graph::OpClass::copy, {came}, whole);
  return true;
}

bool plain_copy(const OpView& view) {
  const std::vector<STensor> writes = view.written();
  std::vector<STensor> reads = view.all_in();
  for (const STensor id : writes) std::erase(reads, id);
  if (reads.empty() || writes.empty()) return false;
  emit_known(view, "copy", 0, "copy", graph::OpClass::copy, std::move(reads), writes);
  return true;
}

/// All wait for all. On a GPU the host waits too.
bool barrier(const OpView& view) {
  const std::vector<STensor> all = view.all_in();
  if (all.empty() || view.op().ranks < 1) return false;
  schedule::ScheduledOp& entry =
      emit_known(view, "all_reduce", 0, "copy", graph::OpClass::copy, all, all);
  entry.work = schedule::CollectiveWork{Collective::all_reduce, view.op().ranks,
                                        bytes_of(view.lowerer(), all)};
  entry.host_reads = true;
  return true;
}

template <std::size_t... places>
constexpr auto rows_of_collectives(std::index_sequence<places...>) {
  return std::array{NamedRule{collective_rows[places].name, exchange}...,
                    NamedRule{"c10d.barrier", barrier},
                    NamedRule{"fsdp.all_gather_copy_in", gather_copy},
                    NamedRule{"fsdp.split_with_sizes_copy", split_copy},
                    NamedRule{"fsdp.chunk_cat", plain_copy},
                    NamedRule{"fsdp.copy", plain_copy}};
}
constexpr auto collective_table =
    rows_of_collectives(std::make_index_sequence<collective_rows.size()>{});

}  // namespace

std::span<const NamedRule> collective_rules() { return collective_table; }

bool writes_unsaid(std::string_view name) {
  return std::ranges::any_of(collective_table,
                             [&](const NamedRule& rule) { return rule.name == name; });
}

}  // namespace rooflab::recording
