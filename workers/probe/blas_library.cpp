#include "blas_library.hpp"

#include <dlfcn.h>

#include <array>
#include <filesystem>

#include "rooflab/base/text.hpp"

namespace rooflab::probe_worker {
namespace {

constexpr std::array libraries = {"libopenblas.so.0", "libopenblas.so", "libmkl_rt.so.2",
                                  "libcblas.so.3", "libblas.so.3"};
// CBLAS_ORDER and CBLAS_TRANSPOSE of the standard.
constexpr int row_major = 101;
constexpr int not_transposed = 111;

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

/// The file that holds the function: alternatives hide it behind a link.
std::string file_of(void* function) {
  Dl_info info{};
  if (::dladdr(function, &info) == 0 || info.dli_fname == nullptr) return "unknown";
  std::error_code ignored;
  const auto file = std::filesystem::canonical(info.dli_fname, ignored);
  return ignored ? std::string(info.dli_fname) : file.filename().string();
}

}  // namespace

std::optional<BlasLibrary> BlasLibrary::open() {
  for (const char* name : libraries) {
    void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    BlasLibrary blas;
    blas.sgemm_ = symbol<Gemm<float>>(library, "cblas_sgemm");
    blas.dgemm_ = symbol<Gemm<double>>(library, "cblas_dgemm");
    if (blas.sgemm_ == nullptr || blas.dgemm_ == nullptr) continue;
    const auto openblas_config = symbol<const char* (*)()>(library, "openblas_get_config");
    blas.tuned_ = openblas_config != nullptr || std::string_view(name).starts_with("libmkl");
    blas.version_ = openblas_config != nullptr ? std::string(trim(openblas_config()))
                                               : file_of(::dlsym(library, "cblas_sgemm"));
    return blas;
  }
  return std::nullopt;
}

std::string BlasLibrary::missing() {
  return "no BLAS with a C interface was found (Debian: libopenblas0-pthread): no matrix products "
         "on the CPU";
}

void BlasLibrary::multiply(int size, const float* a, const float* b, float* c) const {
  sgemm_(row_major, not_transposed, not_transposed, size, size, size, 1.0F, a, size, b, size, 0.0F,
         c, size);
}

void BlasLibrary::multiply(int size, const double* a, const double* b, double* c) const {
  dgemm_(row_major, not_transposed, not_transposed, size, size, size, 1.0, a, size, b, size, 0.0, c,
         size);
}

}  // namespace rooflab::probe_worker
