#include "stages.hpp"

#include "describe/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "system/temporary_folder.hpp"
#include "worker_process.hpp"

namespace rooflab::engine {
namespace fs = std::filesystem;

record::StageRun run_stages(const StageRequest& request, const RunOptions& options) {
  const TemporaryFolder folder("stages");
  const fs::path request_file = folder.file("request.json");
  const fs::path result_file = folder.file("result.json");
  save_file(request_file, request);
  const ChildResult child = run_worker(options, "stages", request_file, result_file);

  record::StageRun run;
  const WorkerEnd end = end_of(child);
  run.status = end.status;
  run.message = end.message;
  if (!child.stopped && !child.timed_out) {
    WorkerFile<record::StageRun> written = read_worker_file<record::StageRun>(result_file);
    if (written.value) return *std::move(written.value);
    if (!written.fault.empty()) run.message = written.fault;
  }
  run.identity = request.request.identity;
  run.environment.command = request.request.identity.command;
  run.environment.device.kind =
      request.devices.front().substr(0, request.devices.front().find(':'));
  run.cuts.assign(request.cuts.begin(), request.cuts.end());
  run.micro_batches = request.micro_batches;
  return run;
}

}  // namespace rooflab::engine
