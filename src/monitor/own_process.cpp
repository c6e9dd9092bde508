#include "own_process.hpp"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "proc_stat.hpp"

namespace rooflab::monitor {

Seconds process_age() {
  const std::optional<ProcStat> own = read_proc_stat(::getpid());
  if (!own) return {};
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const double started =
      static_cast<double>(own->start_ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return {static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 - started};
}

Bytes peak_resident() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return Bytes(static_cast<std::int64_t>(usage.ru_maxrss) * 1024);
}

}  // namespace rooflab::monitor
