// The framework describes failures in words: those that name memory or a missing kernel are
// looked for.

#include "outcome.hpp"

#include <c10/util/Exception.h>

#include <new>
#include <string>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "system/fault.hpp"
#include "tensors.hpp"

namespace rooflab::torch_worker {
namespace {

/// What a message of the framework says before call stacks and advice on its own settings.
std::string first_sentence(const std::string& message) {
  std::string line = message.substr(0, message.find('\n'));
  line = line.substr(0, line.find(" If reserved but unallocated"));
  constexpr std::size_t longest = 400;
  return line.size() <= longest ? line : line.substr(0, longest) + "...";
}

bool says_out_of_memory(const std::string& message) {
  return message.find("not enough memory") != std::string::npos ||
         message.find("can't allocate memory") != std::string::npos ||
         message.find("out of memory") != std::string::npos ||
         message.find("_STATUS_ALLOC_FAILED") != std::string::npos;  // cuBLAS and cuDNN
}

bool says_unsupported(const std::string& message) {
  return message.find("not implemented for") != std::string::npos ||
         message.find("not supported") != std::string::npos;
}

}  // namespace

void run_to_outcome(record::Record& record, const std::function<void()>& work,
                    const std::function<std::optional<Bytes>()>& held) {
  const auto out_of_memory = [&](const std::string& message) {
    record.status = record::Status::oom;
    record.message = first_sentence(message);
    if (const std::optional<Bytes> bytes = held()) {
      record.message += format(" Tensors held at most {}.", si(bytes->as_double(), "B"));
    }
  };
  try {
    work();
  } catch (const Unsupported& unsupported) {
    record.status = record::Status::unsupported;
    record.message = unsupported.what;
  } catch (const c10::OutOfMemoryError& error) {
    out_of_memory(error.what_without_backtrace());
  } catch (const c10::Error& error) {
    const std::string message = error.what_without_backtrace();
    if (says_out_of_memory(message)) {
      out_of_memory(message);
    } else {
      record.status =
          says_unsupported(message) ? record::Status::unsupported : record::Status::failed;
      record.message = first_sentence(message);
    }
  } catch (const std::bad_alloc&) {
    out_of_memory("the host's memory ran out");
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::system) throw;
    record.status = record::Status::failed;
    record.message = error.full_message();
  } catch (...) {
    record.status = record::Status::failed;
    record.message = fault_text();
  }
  if (record.status != record::Status::ok) {
    // Half a measurement does not count; the message has the memory that was held.
    record.timing.reset();
    record.layers.reset();
  }
}

}  // namespace rooflab::torch_worker
