#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

/// NVIDIA's CUPTI, loaded when it is needed. It is not linked, so the program starts without it.
namespace rooflab::profile {

struct CuptiFunctions;  // in src/profile/cupti, by CUPTI's own headers

/// A call of CUPTI that failed. counter_fault.hpp has advice for users.
class CuptiError : public std::runtime_error {
 public:
  CuptiError(int code, const std::string& call)
      : std::runtime_error(call + ": error " + std::to_string(code)), code_(code), call_(call) {}

  [[nodiscard]] int code() const { return code_; }  ///< CUptiResult; see cupti_result.h
  [[nodiscard]] const std::string& call() const { return call_; }

 private:
  int code_;
  std::string call_;
};

/// libcupti.so and the library of metrics that it loads (libnvperf_host.so, from its folder).
class CuptiLibrary {
 public:
  /// Searches, in this order: a library that the process has already loaded (two copies in one
  /// process conflict), `wished`, the loader's path, usual places of the CUDA toolkit. nullptr: not
  /// found, or older than 12.6 (then `why` is a sentence).
  [[nodiscard]] static std::shared_ptr<const CuptiLibrary> open(
      const std::optional<std::filesystem::path>& wished, std::string& why);

  CuptiLibrary(void* handle, std::filesystem::path path);
  ~CuptiLibrary();
  CuptiLibrary(const CuptiLibrary&) = delete;
  CuptiLibrary& operator=(const CuptiLibrary&) = delete;

  [[nodiscard]] const CuptiFunctions& functions() const { return *functions_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string version() const;  ///< `13.0`, version of the API by cuptiGetVersion

 private:
  std::unique_ptr<CuptiFunctions> functions_;
  std::filesystem::path path_;
};

}  // namespace rooflab::profile
