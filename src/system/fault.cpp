#include "fault.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <typeinfo>

#include "base/format.hpp"
#include "path_status.hpp"

namespace rooflab {
namespace {

std::string type_of_exception() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "no exception";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : type->name();
}

}  // namespace

std::string fault_text() {
  constexpr std::string_view text = "this is a fault of Rooflab";
  if (std::current_exception() == nullptr) return format("{}: it ended itself", text);
  try {
    throw;
  } catch (const std::exception& error) {
    return format("{}: {} ({})", text, error.what(), type_of_exception());
  } catch (...) {
    return format("{}: {} was thrown", text, type_of_exception());
  }
}

Error error_at_hand(const std::string& hint_of_fault) {
  if (std::current_exception() == nullptr) return {ErrorKind::input, fault_text(), hint_of_fault};
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {ErrorKind::input, "out of memory",
            "the input describes more than this machine can hold"};
  } catch (const std::filesystem::filesystem_error& error) {
    return unusable(error.path1(), error.code());
  } catch (...) {
    return {ErrorKind::input, fault_text(), hint_of_fault};
  }
}

}  // namespace rooflab
