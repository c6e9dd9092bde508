#include "utc_time.hpp"

#include <chrono>

#include "base/format.hpp"

namespace rooflab {

std::string utc_time(std::int64_t unix_s) {
  namespace chrono = std::chrono;
  const chrono::sys_seconds time{chrono::seconds(unix_s)};
  const chrono::sys_days day = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss clock(time - day);
  return format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace rooflab
