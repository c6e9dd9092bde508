// The functions of NCCL that send something, found before NCCL's own where this library is
// preloaded and NCCL is a shared library: they note the message and go on to NCCL's. A program that
// finds them in a handle of NCCL (JAX) or has NCCL inside is not heard. Signatures by nccl.h; they
// have not changed since NCCL 2.0 (ncclAlltoAll: 2.28).

#include "nccl_calls.hpp"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace rooflab::inject {
namespace {

constexpr std::size_t most_waiting = 256;  // calls without a kernel, into a graph for one
thread_local std::vector<profile::ProfileMessage> waiting;

/// ncclDataType_t in its order, as PyTorch names them.
constexpr std::array<std::string_view, 12> types = {
    "Char", "Byte",  "Int",    "UInt",     "Long",          "ULong",
    "Half", "Float", "Double", "BFloat16", "Float8_e4m3fn", "Float8_e5m2"};

/// NCCL's function of that name; nullptr: no NCCL is loaded.
template <class Function>
Function* in_nccl(const char* name) {
  void* found = ::dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    void* const library = ::dlopen("libnccl.so.2", RTLD_LAZY | RTLD_NOLOAD);
    if (library != nullptr) found = ::dlsym(library, name);
  }
  return reinterpret_cast<Function*>(found);
}

int ranks_of(void* communicator) {
  static auto* const count = in_nccl<int(void*, int*)>("ncclCommCount");
  int ranks = 0;
  return count != nullptr && count(communicator, &ranks) == 0 ? ranks : 0;
}

/// `shares`: the message is one element of `count` for each rank.
void note(Collective collective, std::size_t count, int type, void* communicator, bool shares) {
  if (waiting.size() >= most_waiting) return;
  try {
    profile::ProfileMessage message;
    message.collective = collective;
    message.ranks = ranks_of(communicator);
    message.elements = static_cast<std::int64_t>(count) * (shares ? message.ranks : 1);
    const auto number = static_cast<std::size_t>(type);
    message.type = number < types.size() ? types.at(number) : "";
    waiting.push_back(message);
  } catch (const std::exception&) {  // memory: the program comes first
  }
}

constexpr int system_error = 2;  // ncclSystemError

template <class... Arguments>
int go_on(const char* name, Arguments... arguments) {
  auto* const function = in_nccl<int(Arguments...)>(name);
  return function == nullptr ? system_error : function(arguments...);
}

}  // namespace

std::vector<profile::ProfileMessage> take_nccl_messages() { return std::exchange(waiting, {}); }

}  // namespace rooflab::inject

// NOLINTBEGIN(readability-identifier-naming): the names are NCCL's
extern "C" {

using rooflab::Collective;
using rooflab::inject::go_on;
using rooflab::inject::note;

[[gnu::visibility("default")]] int ncclAllReduce(const void* from, void* to, std::size_t count,
                                                 int type, int op, void* communicator,
                                                 void* stream) {
  note(Collective::all_reduce, count, type, communicator, false);
  return go_on("ncclAllReduce", from, to, count, type, op, communicator, stream);
}

[[gnu::visibility("default")]] int ncclReduceScatter(const void* from, void* to, std::size_t count,
                                                     int type, int op, void* communicator,
                                                     void* stream) {
  note(Collective::reduce_scatter, count, type, communicator, true);
  return go_on("ncclReduceScatter", from, to, count, type, op, communicator, stream);
}

[[gnu::visibility("default")]] int ncclAllGather(const void* from, void* to, std::size_t count,
                                                 int type, void* communicator, void* stream) {
  note(Collective::all_gather, count, type, communicator, true);
  return go_on("ncclAllGather", from, to, count, type, communicator, stream);
}

[[gnu::visibility("default")]] int ncclAlltoAll(const void* from, void* to, std::size_t count,
                                                int type, void* communicator, void* stream) {
  note(Collective::all_to_all, count, type, communicator, true);
  return go_on("ncclAlltoAll", from, to, count, type, communicator, stream);
}

[[gnu::visibility("default")]] int ncclBroadcast(const void* from, void* to, std::size_t count,
                                                 int type, int root, void* communicator,
                                                 void* stream) {
  note(Collective::broadcast, count, type, communicator, false);
  return go_on("ncclBroadcast", from, to, count, type, root, communicator, stream);
}

[[gnu::visibility("default")]] int ncclReduce(const void* from, void* to, std::size_t count,
                                              int type, int op, int root, void* communicator,
                                              void* stream) {
  note(Collective::broadcast, count, type, communicator, false);  // the other way round
  return go_on("ncclReduce", from, to, count, type, op, root, communicator, stream);
}

[[gnu::visibility("default")]] int ncclSend(const void* from, std::size_t count, int type, int peer,
                                            void* communicator, void* stream) {
  note(Collective::copy, count, type, communicator, false);
  return go_on("ncclSend", from, count, type, peer, communicator, stream);
}

[[gnu::visibility("default")]] int ncclRecv(void* to, std::size_t count, int type, int peer,
                                            void* communicator, void* stream) {
  note(Collective::copy, count, type, communicator, false);
  return go_on("ncclRecv", to, count, type, peer, communicator, stream);
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
