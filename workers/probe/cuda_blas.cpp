#include "cuda_blas.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::probe_worker {
namespace {

template <class Function>
bool load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

void* open_library() {
  const std::string file = format("libcublasLt.so.{}", CUBLAS_VER_MAJOR);
  for (const char* folder : {"", "/usr/local/cuda/lib64/"}) {
    void* library = ::dlopen((folder + file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) return library;
  }
  return nullptr;
}

/// One and zero as the type of alpha and beta.
struct Scales {
  alignas(8) std::array<unsigned char, 8> one{};
  alignas(8) std::array<unsigned char, 8> zero{};
};

template <class Number>
Scales scales_as(Number one) {
  Scales scales;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&one);
  std::copy(bytes, bytes + sizeof one, scales.one.begin());
  return scales;
}

Scales scales_of(cudaDataType_t type) {
  constexpr std::uint16_t half_one = 0x3C00;  // IEEE 754 binary16
  if (type == CUDA_R_64F) return scales_as(1.0);
  if (type == CUDA_R_16F) return scales_as(half_one);
  if (type == CUDA_R_32I) return scales_as(std::int32_t{1});
  return scales_as(1.0F);
}

}  // namespace

const CublasLt* CublasLt::open() {
  static const CublasLt* const opened = []() -> const CublasLt* {
    void* library = open_library();
    if (library == nullptr) return nullptr;
    static CublasLt table;
    const bool complete =
        load(library, "cublasLtCreate", table.create) &&
        load(library, "cublasLtGetVersion", table.get_version) &&
        load(library, "cublasLtGetStatusString", table.status_string) &&
        load(library, "cublasLtMatmul", table.matmul) &&
        load(library, "cublasLtMatmulDescCreate", table.desc_create) &&
        load(library, "cublasLtMatmulDescDestroy", table.desc_destroy) &&
        load(library, "cublasLtMatmulDescSetAttribute", table.desc_set) &&
        load(library, "cublasLtMatrixLayoutCreate", table.layout_create) &&
        load(library, "cublasLtMatrixLayoutDestroy", table.layout_destroy) &&
        load(library, "cublasLtMatmulPreferenceCreate", table.preference_create) &&
        load(library, "cublasLtMatmulPreferenceDestroy", table.preference_destroy) &&
        load(library, "cublasLtMatmulPreferenceSetAttribute", table.preference_set) &&
        load(library, "cublasLtMatmulAlgoGetHeuristic", table.heuristic);
    return complete ? &table : nullptr;
  }();
  return opened;
}

std::string CublasLt::missing() {
  return format(
      "libcublasLt.so.{} was not found: no matrix products on the GPU; LD_LIBRARY_PATH "
      "can name its folder",
      CUBLAS_VER_MAJOR);
}

std::string CublasLt::version() const {
  const std::size_t number = get_version();  // 130100: 13.1.0; before 12.0 the same, 5 digits
  return format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

void CublasLt::check(cublasStatus_t status, const std::string& what) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(ErrorKind::capability, format("{}: {}", what, status_string(status)));
}

Product::Product(const CublasLt& library, cublasLtHandle_t handle, const ProductForm& form,
                 std::size_t workspace_bytes, int most_algorithms)
    : library_(library), handle_(handle), form_(form) {
  cublasLtMatmulPreference_t preference = nullptr;
  try {
    library.check(library.desc_create(&description_, form.compute, form.scale), "a product");
    const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
      library.check(library.desc_set(description_, attribute, &value, sizeof value), "a product");
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA, form.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, form.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (form.fast_accumulation) set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{1});

    const auto extent = static_cast<std::uint64_t>(form.size);
    const auto stride = static_cast<std::int64_t>(form.size);
    library.check(library.layout_create(&operand_, form.input, extent, extent, stride), "a matrix");
    library.check(library.layout_create(&result_, form.output, extent, extent, stride), "a matrix");
    library.check(library.preference_create(&preference), "a preference");
    library.check(library.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                         &workspace_bytes, sizeof workspace_bytes),
                  "a preference");

    algorithms_.resize(static_cast<std::size_t>(most_algorithms));
    int found = 0;
    library.check(library.heuristic(handle, description_, operand_, operand_, result_, result_,
                                    preference, most_algorithms, algorithms_.data(), &found),
                  "no algorithm");
    algorithms_.resize(static_cast<std::size_t>(found));
    std::erase_if(algorithms_, [](const auto& it) { return it.state != CUBLAS_STATUS_SUCCESS; });
    if (algorithms_.empty()) throw Error(ErrorKind::capability, "no algorithm");
  } catch (...) {
    if (preference != nullptr) library.preference_destroy(preference);
    release();
    throw;
  }
  library.preference_destroy(preference);
}

Product::~Product() { release(); }

void Product::release() {
  if (result_ != nullptr) library_.layout_destroy(result_);
  if (operand_ != nullptr) library_.layout_destroy(operand_);
  if (description_ != nullptr) library_.desc_destroy(description_);
}

void Product::launch(std::size_t algorithm, const ProductOperands& operands) const {
  const Scales scales = scales_of(form_.scale);
  library_.check(
      library_.matmul(handle_, description_, scales.one.data(), operands.a, operand_, operands.b,
                      operand_, scales.zero.data(), operands.d, result_, operands.d, result_,
                      &algorithms_[algorithm].algo, operands.workspace->as<void>(),
                      operands.workspace->bytes(), nullptr),
      "a product");
}

}  // namespace rooflab::probe_worker
