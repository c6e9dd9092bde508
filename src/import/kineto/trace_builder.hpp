#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event_parser.hpp"
#include "loss_count.hpp"
#include "rooflab/record/record.hpp"
#include "text_window.hpp"

namespace rooflab::import::kineto {

/// Turns events into the rows of a record.
class TraceBuilder final : public EventParser::Sink {
 public:
  /// Adds rows to `record`, whose trace and kernels must be set; `window` gives the places of
  /// events.
  TraceBuilder(record::Record& record, LossCount& losses, const TextWindow& window);

  void event(EventFields& fields, std::size_t offset) override;
  void invalid_event(std::size_t offset) override;

  /// Derives facts that need the whole trace: the ops that launched kernels without this
  /// information, and the process's name. Call it once at the end.
  void finish();

  /// The earliest time of an event; nullopt without events.
  [[nodiscard]] std::optional<std::int64_t> first_ns() const { return first_ns_; }

 private:
  struct Span {
    std::int64_t start_ns = 0;
    std::int64_t duration_ns = 0;
  };
  struct Thread {
    std::string pid;
    std::string tid;
    record::NameTable::Id id = 0;
  };
  /// A message of a kernel whose op is not known yet.
  struct OpenMessage {
    std::size_t message = 0;
    std::int64_t correlation = 0;
  };

  void lose(LossKind kind);
  [[nodiscard]] std::optional<std::int64_t> start_of(const EventFields& fields);
  [[nodiscard]] std::optional<std::int64_t> duration_of(const EventFields& fields);
  [[nodiscard]] std::optional<Span> span_of(const EventFields& fields);
  /// The number of a key; `otherwise` if the key is missing; `otherwise` and a loss if its value is
  /// not such a number.
  [[nodiscard]] std::int64_t integer(const EventFields& fields, Key key, std::int64_t otherwise);
  [[nodiscard]] std::int32_t small_integer(const EventFields& fields, Key key, Key instead);
  [[nodiscard]] std::string_view text(const EventFields& fields, Key key);
  [[nodiscard]] record::Extent extent(const EventFields& fields, Key key);
  [[nodiscard]] record::NameTable::Id thread_of(const EventFields& fields);
  [[nodiscard]] record::NameTable::Id arguments_of(const EventFields& fields);

  void add_range(record::RangeKind kind, const EventFields& fields);
  void add_kernel(const EventFields& fields);
  void set_figure(record::KernelFigure figure, std::size_t row, const EventFields& fields, Key key,
                  double scale, double most);
  void add_copy(record::CopyKind kind, const EventFields& fields);
  void add_allocation(const EventFields& fields);
  void add_message(const EventFields& fields, std::string_view collective, const Span& span,
                   bool on_device);
  void name_process(const EventFields& fields);

  record::Trace& trace_;
  record::KernelTable& kernels_;
  LossCount& losses_;
  const TextWindow& window_;
  std::uint64_t offset_ = 0;  ///< offset of the current event
  std::optional<std::int64_t> first_ns_;
  std::string scratch_;
  std::string arguments_;
  std::array<Thread, 4> threads_;  ///< last threads, because events of a thread are consecutive
  std::size_t next_thread_ = 0;
  std::string host_pid_;                              ///< pid of the first op or runtime call
  std::map<std::string, std::string> process_names_;  ///< keys: pid
  std::vector<OpenMessage> open_messages_;
};

}  // namespace rooflab::import::kineto
