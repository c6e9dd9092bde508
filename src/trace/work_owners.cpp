// OwnedWork and the call that launched it have the same correlation number. Every process counts
// these numbers for itself, and merged traces keep them as they are: a number that calls of several
// processes have says little alone.
//
//   1  numbers that calls of one owner have: theirs
//   2  others: the k-th part of the work with that number is of the k-th owner that has it, both in
//      the order of the file; where the parts differ in size, of the last call that began before it
//   3  a device most of whose work with numbers of one owner is that owner's: work of 2 on it, too
//   4  work without a call: the process that its table names, else the owner of its device
//
// Messages are joined with kernels and host ranges of the same start and length, in the order of
// the file. Changes of memory belong to the owner of their device.
//
// When it is wrong: ranks that all call their device 0, launch in step and were sorted by time.

#include "work_owners.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "record/nccl_kernel.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::trace {
namespace {

using record::RangeKind;

struct OwnedCall {
  std::int64_t correlation;
  std::uint32_t range;
};

/// A kernel or copy.
struct OwnedWork {
  std::int64_t correlation = 0;
  std::int64_t start_ns = 0;
  std::int32_t device = 0;
  int owner = WorkOwners::nobody;
  bool sure = false;  ///< only one owner has the number
};

class Assignment {
 public:
  Assignment(const record::Record& record, const std::vector<int>& thread_owner, int count)
      : record_(record), ranges_(record.trace->ranges), thread_owner_(thread_owner) {
    owners_.count = count;
  }

  WorkOwners run() {
    take_work();
    take_calls();
    by_number();
    by_device();
    owners_.kernels.resize(kernels());
    for (std::size_t i = 0; i < work_.size(); ++i) {
      (i < kernels() ? owners_.kernels[i] : owners_.copies.emplace_back()) = work_[i].owner;
    }
    ranges();
    messages();
    for (const record::AllocationEvent& each : record_.trace->allocations) {
      owners_.allocations.push_back(each.device < 0 ? WorkOwners::nobody : owner_of(each.device));
    }
    return std::move(owners_);
  }

 private:
  [[nodiscard]] std::size_t kernels() const {
    return record_.kernels ? record_.kernels->size() : 0;
  }

  void take_work() {
    for (std::size_t row = 0; row < kernels(); ++row) {
      const record::KernelLaunch& launch = record_.kernels->launch(row);
      work_.push_back({launch.launch, launch.start_ns.value_or(0), launch.device});
    }
    for (const record::CopyEvent& copy : record_.trace->copies) {
      work_.push_back({copy.correlation, copy.start_ns, copy.device});
    }
  }

  void take_calls() {
    for (std::uint32_t row = 0; row < ranges_.size(); ++row) {
      if (ranges_.kind[row] != RangeKind::runtime || ranges_.correlation[row] == 0) continue;
      if (thread_owner_[ranges_.thread[row]] == WorkOwners::nobody) continue;
      calls_.push_back({ranges_.correlation[row], row});
    }
    std::ranges::stable_sort(calls_, {}, &OwnedCall::correlation);
  }

  [[nodiscard]] int owner_of_call(const OwnedCall& call) const {
    return thread_owner_[ranges_.thread[call.range]];
  }

  /// Steps 1 and 2.
  void by_number() {
    std::vector<std::uint32_t> order(work_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return work_[i].correlation; });
    for (std::size_t begin = 0; begin < order.size();) {
      std::size_t end = begin;
      const std::int64_t number = work_[order[begin]].correlation;
      while (end < order.size() && work_[order[end]].correlation == number) ++end;
      if (number != 0) {
        const auto first = std::ranges::lower_bound(calls_, number, {}, &OwnedCall::correlation);
        const auto last = std::ranges::upper_bound(calls_, number, {}, &OwnedCall::correlation);
        share_out(std::span(order).subspan(begin, end - begin), std::span(first, last));
      }
      begin = end;
    }
  }

  void share_out(std::span<const std::uint32_t> work, std::span<const OwnedCall> calls) {
    std::vector<int> owners;  // in the order of the file
    for (const OwnedCall& call : calls) {
      const int owner = owner_of_call(call);
      if (std::ranges::find(owners, owner) == owners.end()) owners.push_back(owner);
    }
    if (owners.empty()) return;
    const bool even = work.size() % owners.size() == 0;
    for (std::size_t i = 0; i < work.size(); ++i) {
      OwnedWork& each = work_[work[i]];
      each.sure = owners.size() == 1;
      each.owner = owners[even ? i / (work.size() / owners.size()) : 0];
      if (even || each.sure) continue;
      std::int64_t latest = 0;
      bool found = false;
      for (const OwnedCall& call : calls) {
        const std::int64_t start = ranges_.start_ns[call.range];
        if (start > each.start_ns || (found && start < latest)) continue;
        latest = start;
        found = true;
        each.owner = owner_of_call(call);
      }
    }
  }

  /// Steps 3 and 4.
  void by_device() {
    std::map<std::int32_t, std::map<int, std::int64_t>> sure;
    std::map<std::int32_t, std::map<int, std::int64_t>> all;
    for (const OwnedWork& each : work_) {
      if (each.owner == WorkOwners::nobody) continue;
      ++all[each.device][each.owner];
      if (each.sure) ++sure[each.device][each.owner];
    }
    constexpr double nearly_all = 0.9;
    for (const auto& [device, votes] : all) {
      const auto& counted = sure.contains(device) ? sure[device] : votes;
      std::int64_t sum = 0;
      for (const auto& [owner, count] : counted) sum += count;
      const auto most =
          std::ranges::max_element(counted, {}, [](auto& each) { return each.second; });
      if (static_cast<double>(most->second) >= nearly_all * static_cast<double>(sum)) {
        owner_of_device_[device] = most->first;
      }
    }
    for (std::size_t i = 0; i < work_.size(); ++i) {
      OwnedWork& each = work_[i];
      if (each.sure) continue;
      if (const int named = i < kernels() && each.owner == WorkOwners::nobody ? named_owner(i)
                                                                              : WorkOwners::nobody;
          named != WorkOwners::nobody) {
        each.owner = named;
      } else if (const int owner = owner_of(each.device); owner != WorkOwners::nobody) {
        each.owner = owner;
      }
    }
  }

  [[nodiscard]] int owner_of(std::int32_t device) const {
    const auto found = owner_of_device_.find(device);
    return found != owner_of_device_.end() ? found->second : WorkOwners::nobody;
  }

  /// The owner that the kernel table names, where it is a whole process.
  int named_owner(std::size_t row) {
    const record::NameTable& labels = record_.kernels->processes;
    if (labels.size() < 2) return WorkOwners::nobody;
    const auto [known, is_new] =
        named_.try_emplace(record_.kernels->launch(row).process, WorkOwners::nobody);
    if (!is_new) return known->second;
    std::set<int> found;
    for (std::size_t thread = 0; thread < ranges_.threads.size(); ++thread) {
      const auto id = static_cast<record::NameTable::Id>(thread);
      if (names_process(record_.kernels->process(row), process_of_thread(ranges_.threads[id]))) {
        found.insert(thread_owner_[thread]);
      }
    }
    if (found.size() == 1) known->second = *found.begin();
    return known->second;
  }

  void ranges() {
    owners_.ranges.assign(ranges_.size(), WorkOwners::nobody);
    for (std::size_t row = 0; row < ranges_.size(); ++row) {
      const record::NameTable::Id thread = ranges_.thread[row];
      if (is_of_host(ranges_.kind[row]) || ranges_.kind[row] == RangeKind::overhead) {
        owners_.ranges[row] = thread_owner_[thread];
        continue;
      }
      // On the device: `0/7` is its number and a stream.
      const std::string_view label = process_of_thread(ranges_.threads[thread]);
      int device = -1;
      std::from_chars(label.data(), label.data() + label.size(), device);
      owners_.ranges[row] = owner_of(device);
    }
  }

  void messages() {
    using Place = std::tuple<bool, std::int64_t, std::int64_t>;
    std::map<Place, std::vector<int>> places;  // owners of what is there, in the order of the file
    for (const record::CommunicationEvent& each : record_.trace->communications) {
      places[{each.on_device, each.start_ns, each.duration_ns}];
    }
    if (places.empty()) return;
    const auto add = [&](const Place& place, int owner) {
      if (const auto found = places.find(place); found != places.end()) {
        found->second.push_back(owner);
      }
    };
    for (std::size_t row = 0; row < kernels(); ++row) {
      if (!record::is_nccl_kernel(record_.kernels->name(row))) continue;
      const auto start = record_.kernels->launch(row).start_ns;
      const auto time_s = record_.kernels->at(record::KernelFigure::time_s, row);
      if (start && time_s) add({true, *start, std::llround(*time_s * 1e9)}, owners_.kernels[row]);
    }
    for (std::size_t row = 0; row < ranges_.size(); ++row) {
      if (is_of_host(ranges_.kind[row])) {
        add({false, ranges_.start_ns[row], ranges_.duration_ns[row]}, owners_.ranges[row]);
      }
    }
    std::map<Place, std::size_t> used;
    for (const record::CommunicationEvent& each : record_.trace->communications) {
      const Place place{each.on_device, each.start_ns, each.duration_ns};
      const std::vector<int>& here = places[place];
      const std::size_t at = used[place]++;
      owners_.messages.push_back(here.empty() ? WorkOwners::nobody
                                              : here[std::min(at, here.size() - 1)]);
    }
  }

  const record::Record& record_;
  const record::RangeTable& ranges_;
  const std::vector<int>& thread_owner_;
  std::vector<OwnedWork> work_;  ///< kernels, then copies
  std::vector<OwnedCall> calls_;
  std::map<std::int32_t, int> owner_of_device_;
  std::map<record::NameTable::Id, int> named_;
  WorkOwners owners_;
};

}  // namespace

bool is_of_host(RangeKind kind) {
  return kind == RangeKind::op || kind == RangeKind::annotation || kind == RangeKind::runtime;
}

std::vector<std::int64_t> WorkOwners::work_of_owners() const {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(count));
  for (const std::vector<int>* const all : {&kernels, &copies}) {
    for (const int owner : *all) {
      if (owner != nobody) ++counts[static_cast<std::size_t>(owner)];
    }
  }
  return counts;
}

WorkOwners work_owners(const record::Record& record, const std::vector<int>& thread_owner,
                       int count) {
  return Assignment(record, thread_owner, count).run();
}

std::string_view process_of_thread(std::string_view label) {
  return label.substr(0, label.find('/'));
}

bool names_process(std::string_view label, std::string_view process) {
  const std::size_t open = label.rfind('(');
  if (open == std::string_view::npos) return false;
  const std::string_view rest = label.substr(open + 1);
  return rest.substr(0, rest.find_first_of(" )")) == process;
}

}  // namespace rooflab::trace
