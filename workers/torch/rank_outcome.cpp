// What a rank keeps while it measures, and how it ends: well, or by its own or another rank's
// fault.

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <mutex>

#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "rank_measurement.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::torch_worker {
namespace {

using record::RankResult;
using record::ScaleRun;
using record::Status;

std::string dumped(const Json& json) { return json.dump(); }

}  // namespace

void RankMeasurement::keep(const std::vector<double>& times) {
  std::string text;
  {
    const std::lock_guard lock(mutex_);
    own_.steps_s.insert(own_.steps_s.end(), times.begin(), times.end());
    text = dumped(to_json(own_));
  }
  write_part(text);
  job_->tell("part", text);
}

void RankMeasurement::write_part(const std::string& text) const {
  std::filesystem::path part = result_;
  write_file_atomically(part += ".part", text);
}

ScaleRun RankMeasurement::whole(Status status, const std::string& message) const {
  ScaleRun run;
  run.identity = request_.request.identity;
  run.identity.device = request_.devices.front();
  run.ranks_wanted = place_.size;
  if (group_) run.backend = group_->backend();
  run.status = status;
  run.message = message;
  run.environment = record_.environment;
  run.bucket_bytes = bucket_bytes_;
  run.warnings = record_.warnings;
  return run;
}

void RankMeasurement::finish() {
  const std::string text = dumped(to_json(own_));
  write_part(text);
  job_->tell("done", text);
  if (job_->first()) {
    ScaleRun run = whole(Status::ok, {});
    run.ranks = {own_};
    const std::vector<std::string> others = job_->collect("done");
    for (std::size_t i = 1; i < others.size(); ++i) {
      run.ranks.push_back(from_json<record::RankResult>(parse_json(others[i], "rank"), "rank"));
    }
    save_file(result_, run);
  }
  job_->leave();
}

void RankMeasurement::give_up(Status status, const std::string& why, bool own_fault) {
  static std::once_flag once;
  std::call_once(once, [&] {
    if (own_fault && job_) job_->tell_failure(why, std::string(name_of(status)));
    RankResult own;
    {
      const std::lock_guard lock(mutex_);
      own = own_;
    }
    own.message = why;
    try {
      write_part(dumped(to_json(own)));
      if (place_.rank == 0) write_broken(status, own_fault ? "rank 0: " + why : why, own);
    } catch (const std::exception& error) {
      std::cerr << "rooflab-torch: " << error.what() << '\n';
    }
    std::cerr << why << std::endl;
    if (job_ && place_.rank == 0 && place_.size > 1) {
      ::usleep(3'000'000);  // the store answers the others' questions for so long
    }
    std::_Exit(1);
  });
}

void RankMeasurement::write_broken(Status status, const std::string& why,
                                   const RankResult& own) const {
  ScaleRun run = whole(status, place_.size == 1 ? own.message : why);
  run.ranks = {own};
  if (job_) {
    for (const std::string& name : job_->told("outcome")) {
      if (const auto outcome = from_name<record::Status>(name)) run.status = *outcome;
    }
    const std::vector<std::string> parts = job_->told("part");
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (parts[i].empty()) continue;
      run.ranks.push_back(from_json<record::RankResult>(parse_json(parts[i], "rank"), "rank"));
    }
  }
  save_file(result_, run);
}

}  // namespace rooflab::torch_worker
