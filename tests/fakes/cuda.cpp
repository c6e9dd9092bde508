#include "cuda.hpp"

#include <cupti.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

unsigned correlation = 0;

template <class Function>
Function* of_cupti(const char* name) {
  static void* const library = ::dlopen("libcupti.so.13", RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(library, name));
}

void tell(bool enters, unsigned cbid, const char* symbol, const void* parameters) {
  if (auto* const call = of_cupti<decltype(fake_cupti_call)>("fake_cupti_call")) {
    call(enters, cbid, symbol, parameters, correlation);
  }
}

int context = 0;
bool capturing = false;

struct Node {
  std::string symbol;
  unsigned grid = 0;
  unsigned block = 0;
};
std::vector<Node> nodes;  ///< those of the last captured graph

constexpr std::uint64_t first_of_graph = 1ULL << 32U;
constexpr std::uint64_t first_of_executable = 2ULL << 32U;

void tell_node(std::uint64_t node, std::uint64_t original) {
  if (auto* const told = of_cupti<decltype(fake_cupti_node)>("fake_cupti_node")) {
    told(node, original);
  }
}

}  // namespace

extern "C" {

void fake_cuda_init() {
  const char* const path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr) return;
  void* const library = ::dlopen(path, RTLD_NOW);
  if (library == nullptr) {
    std::fprintf(stderr, "fake driver: %s\n", ::dlerror());
    return;
  }
  reinterpret_cast<int (*)()>(::dlsym(library, "InitializeInjection"))();
  if (auto* const context_made = of_cupti<decltype(fake_cupti_context)>("fake_cupti_context")) {
    context_made();
  }
}

void fake_capture(int begins) {
  const cuStreamBeginCapture_v2_params parameters = {};
  capturing = begins != 0;
  if (capturing) nodes.clear();
  const unsigned cbid = capturing ? CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2
                                  : CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture;
  tell(true, cbid, nullptr, &parameters);
  tell(false, cbid, nullptr, &parameters);
  if (capturing) return;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    tell_node(first_of_executable + i, 0);
    tell_node(first_of_executable + i, first_of_graph + i);
  }
}

void fake_launch(const char* symbol, unsigned grid, unsigned block, int extended) {
  ++correlation;
  cuLaunchKernel_params plain = {};
  plain.gridDimX = grid;
  plain.blockDimX = block;
  plain.gridDimY = plain.gridDimZ = plain.blockDimY = plain.blockDimZ = 1;
  CUlaunchConfig config = {};
  config.gridDimX = grid;
  config.blockDimX = block;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  cuLaunchKernelEx_params ex = {};
  ex.config = &config;
  const unsigned cbid = extended != 0 ? CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx
                                      : CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
  const void* const parameters =
      extended != 0 ? static_cast<const void*>(&ex) : static_cast<const void*>(&plain);
  tell(true, cbid, symbol, parameters);
  if (capturing) {  // a node of the graph: nothing runs
    tell_node(first_of_graph + nodes.size(), 0);
    nodes.push_back({symbol, grid, block});
    tell(false, cbid, symbol, parameters);
    return;
  }
  if (auto* const run = of_cupti<decltype(fake_cupti_kernel)>("fake_cupti_kernel")) {
    run(symbol, grid, block, correlation, 0);
  }
  tell(false, cbid, symbol, parameters);
}

void fake_graph_launch() {
  ++correlation;
  static int executable = 0;
  const cuGraphLaunch_params parameters = {reinterpret_cast<CUgraphExec>(&executable), nullptr};
  tell(true, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, nullptr, &parameters);
  if (nodes.empty()) {
    fake_cupti_kernel("_Z9conv_gemmPf", 10, 128, correlation, 0);
    fake_cupti_kernel("_Z4reluPf", 20, 256, correlation, 0);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    fake_cupti_kernel(nodes[i].symbol.c_str(), nodes[i].grid, nodes[i].block, correlation,
                      first_of_executable + i);
  }
  tell(false, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, nullptr, &parameters);
}

void fake_profiler_start() {
  tell(true, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, nullptr, nullptr);
  tell(false, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, nullptr, nullptr);
}

void fake_profiler_stop() {
  tell(true, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop, nullptr, nullptr);
  tell(false, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop, nullptr, nullptr);
}

CUresult cuCtxSynchronize() {
  return capturing ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}
CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status) {
  *status = capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* current) {
  *current = reinterpret_cast<CUcontext>(&context);
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(size), "NVIDIA H200");
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice) {
  std::memset(uuid->bytes, 0x11, sizeof(uuid->bytes));
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  *bytes = 150'000'000'000;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 9;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = 0;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 132;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // extern "C"
