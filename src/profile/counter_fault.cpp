// What CUPTI's result codes mean to a user of counters. Codes are those of
// cupti_result.h; what helps is from NVIDIA's page on ERR_NVGPUCTRPERM, the special configurations
// of CUPTI's documentation (MIG, vGPU) and dcgmi's manual.

#include "counter_fault.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"

namespace rooflab::profile {
namespace {

struct Explanation {
  int code;
  std::string_view what;
  std::string_view hint;
};

constexpr std::string_view times_still_work = "timing and modelled FLOPs work without counters";

constexpr auto explanations = std::to_array<Explanation>({
    {1,
     "CUPTI did not accept a parameter; for metrics: one of the names does not exist on this GPU",
     "metric names differ from chip to chip; leave out those that you named yourself"},
    {2, "CUPTI does not know the device",
     "check CUDA_VISIBLE_DEVICES, and that the driver is not older than the CUDA toolkit"},
    {3, "the CUDA context was gone before its counters could be read",
     "counters end with the context: count before the program resets the device"},
    {7, "CUPTI refuses this order of calls, mostly because another profiling session is open",
     "run without the program's own profiler (torch.profiler, nsys, ncu) in the same process"},
    {8, "there was not enough memory for the counters",
     "free memory on the GPU or the host, or count fewer launches at a time"},
    {9, "the counter hardware reports an error",
     "see the kernel log for messages of the driver (dmesg, NVRM: Xid) and start the GPU anew"},
    {11, "this CUPTI does not have the call", "use the CUPTI of CUDA 12.6 or later"},
    {12, "CUPTI has no room for more ranges or metrics", "count fewer launches at a time"},
    {14, "another session on the counters of this process is in the way",
     "end the program's own profiler (torch.profiler, CUPTI, PAPI) before counters are read"},
    {15, "CUPTI could not start: no driver answers, or libnvperf_host.so is not with libcupti.so",
     "rooflab doctor says which CUPTI is found; nvidia-smi whether the driver answers"},
    {17, "a metric of this name does not exist on this GPU",
     "metric names differ from chip to chip; leave out those that you named yourself"},
    {23, "CUPTI is switched off because of another profiler", "run without the other profiler"},
    {26, "another program holds the counters of this GPU",
     "DCGM (dcgm-exporter) holds them until `dcgmi profile --pause`, and takes them back with "
     "`--resume`; or an ncu, nsys or other CUPTI program is running on this GPU"},
    {27, "this GPU or system does not support counters for this use",
     "counters need Turing (compute capability 7.5) or later, a driver as new as CUPTI, and no "
     "MPS"},
    {33, "counters are not supported on this virtual GPU",
     "the whole GPU, passed through to the machine, has them"},
    {35, "the driver lets administrators alone read counters (RmProfilingAdminOnly: 1)",
     "once, as root: `options nvidia NVreg_RestrictProfilingToAdminUsers=0` in "
     "/etc/modprobe.d/nvidia-profiling.conf, then reload the driver or reboot; or run as root; a "
     "container needs --cap-add=SYS_ADMIN"},
    {36, "CUPTI's older event interface is in use in this process",
     "run without the program's own use of CUPTI events (PAPI, older profilers)"},
    {38, "CUPTI's older event interface was asked for, which this GPU no longer has",
     "run without the program's own use of CUPTI events (PAPI, older profilers)"},
    {39, "another profiler is subscribed to CUPTI in this process, which admits one",
     "run without torch.profiler, nsys, ncu, compute-sanitizer or cuda-gdb; a trace or log of "
     "theirs can be read with `rooflab import`"},
    {40, "the hypervisor does not let this virtual GPU's counters be read",
     "whoever runs the host can allow it for the vGPU (plugin parameter enable_profiling=1)"},
    {41, "confidential computing is on, in which counters cannot be read",
     "count on a GPU of the same kind outside confidential computing"},
    {42, "mining GPUs (CMP) have no counters for profilers", "count on another GPU"},
    {43, "counters cannot be read on this MIG instance",
     "a compute instance as large as its GPU instance can have them, and so has the whole GPU "
     "(`nvidia-smi -i GPU -mig 0`, as root while nothing runs, ends MIG)"},
    {44, "counters cannot be read while GPUs are joined by SLI", "turn SLI off"},
    {45, "counters cannot be read under WSL as it is set up",
     "run under Linux itself; or as administrator on Windows allow all users to access the GPU "
     "performance counters (NVIDIA Control Panel, Developer)"},
    {46, "this CUPTI does not know the chip", "use the CUPTI of a newer CUDA toolkit"},
    {999, "CUPTI failed without a reason",
     "try without other profilers; see the kernel log for messages of the driver (dmesg)"},
});

/// After these the rest of a run still tells something.
constexpr bool times_remain(int code) {
  return code == 26 || code == 27 || code == 33 || code == 35 || (code >= 40 && code <= 46);
}

}  // namespace

CounterFault explain_cupti_error(int code, std::string_view call, std::string_view detail) {
  const auto* const known = std::ranges::find(explanations, code, &Explanation::code);
  const bool explained = known != explanations.end();
  CounterFault fault;
  fault.what = explained ? known->what : "CUPTI failed";
  if (!detail.empty()) fault.what += format(": {}", detail);
  fault.what += call.empty() ? format(" (CUPTI error {})", code)
                             : format(" (CUPTI error {} of {})", code, call);
  fault.hint = explained ? std::string(known->hint)
                         : format("cupti_result.h of the CUDA toolkit lists the codes; {}",
                                  times_still_work);
  if (times_remain(code)) fault.hint += format("; {}", times_still_work);
  return fault;
}

}  // namespace rooflab::profile
