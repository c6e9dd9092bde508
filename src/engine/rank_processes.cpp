#include "rank_processes.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <random>
#include <thread>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "worker_process.hpp"

namespace rooflab::engine {
namespace {

using Clock = std::chrono::steady_clock;

bool is_free(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);  // as the store binds it
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool bound = socket >= 0 && ::bind(socket, reinterpret_cast<const sockaddr*>(&address),
                                           sizeof address) == 0;
  if (socket >= 0) ::close(socket);
  return bound;
}

/// Free now, and not among those that Linux hands to connections (32768 and up): one of these was
/// seen taken before rank 0 came to bind it.
int free_port() {
  constexpr int first = 20000;
  constexpr int last = 32767;
  constexpr int tries = 100;
  std::random_device random;
  std::uniform_int_distribution<int> ports(first, last);
  for (int i = 0; i < tries; ++i) {
    const int port = ports(random);
    if (is_free(port)) return port;
  }
  throw Error(ErrorKind::capability, "this host gives no free port for the ranks");
}

/// Time for the ranks that did not fail to find out and report which rank is gone.
constexpr std::chrono::duration<double> grace(8.0);

/// Calls come from a thread for each rank.
class Job {
 public:
  explicit Job(const RunOptions& options) : options_(options) {}

  void run(int rank, RunOptions own, std::string_view verb, const std::filesystem::path& request,
           const std::filesystem::path& result) {
    RankEnd end;
    end.rank = rank;
    own.should_stop = [this, &end] {
      if (options_.should_stop && options_.should_stop()) return true;
      end.ended_by_us = patience_is_over();
      return end.ended_by_us;
    };
    try {
      end.child = run_worker(own, verb, request, result);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      fail();
      return;
    }
    const std::lock_guard lock(mutex_);
    if (end.child.exit_status != 0 || end.child.timed_out) fail();
    ends_.push_back(std::move(end));
  }

  [[nodiscard]] std::vector<RankEnd> take() {
    if (error_) std::rethrow_exception(error_);
    return std::move(ends_);
  }

 private:
  void fail() {
    if (!failed_at_) failed_at_ = Clock::now();
  }
  bool patience_is_over() {
    const std::lock_guard lock(mutex_);
    return failed_at_ && Clock::now() - *failed_at_ >= grace;
  }

  const RunOptions& options_;
  std::mutex mutex_;
  std::optional<Clock::time_point> failed_at_;
  std::vector<RankEnd> ends_;
  std::exception_ptr error_;
};

}  // namespace

std::filesystem::path result_of_rank(const std::filesystem::path& result, int rank) {
  std::filesystem::path path = result;
  return path += format(".{}", rank);
}

std::vector<RankEnd> run_rank_processes(int ranks, std::string_view verb,
                                        const std::filesystem::path& request,
                                        const std::filesystem::path& result,
                                        const RunOptions& options) {
  const std::string port = std::to_string(free_port());
  const std::string size = std::to_string(ranks);
  Job job(options);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    RunOptions own = options;
    if (rank > 0) own.on_progress = nullptr;
    own.environment = {{"RANK", std::to_string(rank)},
                       {"LOCAL_RANK", std::to_string(rank)},
                       {"WORLD_SIZE", size},
                       {"LOCAL_WORLD_SIZE", size},
                       {"MASTER_ADDR", "127.0.0.1"},
                       {"MASTER_PORT", port},
                       {"TORCHELASTIC_USE_AGENT_STORE", "0"}};
    threads.emplace_back([&job, rank, own, verb, &request, &result] {
      job.run(rank, own, verb, request, result_of_rank(result, rank));
    });
  }
  for (std::thread& thread : threads) thread.join();
  return job.take();
}

const RankEnd* first_failure(const std::vector<RankEnd>& ends) {
  for (const RankEnd& end : ends) {
    const bool failed = end.child.exit_status != 0 || end.child.timed_out;
    if (failed && !end.ended_by_us && !end.child.stopped) return &end;
  }
  return nullptr;
}

}  // namespace rooflab::engine
