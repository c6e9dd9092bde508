#include "sampling.hpp"

#include <utility>

#include "profile/launch_watch.hpp"
#include "profile/pm_sampler.hpp"

namespace rooflab::inject {
namespace {

constexpr std::chrono::milliseconds take_every{100};

/// Room for samples of twice that time, as threads do not wake on time.
std::size_t samples_between(std::int64_t interval_ns) {
  constexpr std::chrono::nanoseconds span = 2 * take_every;
  constexpr std::size_t least = 16;
  return least + static_cast<std::size_t>(span.count() / interval_ns);
}

}  // namespace

std::unique_ptr<profile::SamplingThread> sampling_of(
    const std::shared_ptr<const profile::CuptiLibrary>& cupti, int device,
    const profile::ProfileRequest& request, ProfileFile& file) {
  profile::SamplingOrder order;
  order.interval_ns = request.interval_ns;
  order.take_every = take_every;
  order.source = [cupti, device, interval_ns = request.interval_ns] {
    return std::make_unique<profile::PmSampler>(cupti, device, interval_ns,
                                                samples_between(interval_ns));
  };
  order.meter = [uuid = file.uuid_of(device)] { return profile::GpmMeter::open(uuid); };
  order.failed = [cupti, &file](const profile::CuptiError& error) {
    const profile::CounterFault fault = profile::fault_of(*cupti, error);
    file.lines().warning("nothing more is sampled: " + fault.what, fault.hint);
  };
  order.ready = [&file](const profile::SampleSource& source) {
    file.chip(source.device(), source.chip());
  };
  return std::make_unique<profile::SamplingThread>(std::move(order), file.lines());
}

void open_sampling(profile::SamplingThread* sampling, const profile::ProfileRequest& request) {
  if (sampling == nullptr) return;
  const bool inside_driver = request.window.kind == profile::ProfileWindow::Kind::all;
  using Wait = profile::SamplingThread::Wait;
  sampling->open(inside_driver ? Wait::no : Wait::until_done);
}

void close_sampling(profile::SamplingThread* sampling, const profile::CudaDriver& driver) {
  if (sampling == nullptr) return;
  driver.synchronize();
  sampling->close();
}

}  // namespace rooflab::inject
