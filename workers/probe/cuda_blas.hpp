#pragma once

#include <cublasLt.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cuda_memory.hpp"

namespace rooflab::probe_worker {

/// The used functions of cuBLASLt from the library of this machine. It is opened at run time, so
/// that the worker also starts where it is missing.
struct CublasLt {
  decltype(&cublasLtCreate) create = nullptr;
  decltype(&cublasLtGetVersion) get_version = nullptr;
  decltype(&cublasLtGetStatusString) status_string = nullptr;
  decltype(&cublasLtMatmul) matmul = nullptr;
  decltype(&cublasLtMatmulDescCreate) desc_create = nullptr;
  decltype(&cublasLtMatmulDescDestroy) desc_destroy = nullptr;
  decltype(&cublasLtMatmulDescSetAttribute) desc_set = nullptr;
  decltype(&cublasLtMatrixLayoutCreate) layout_create = nullptr;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create = nullptr;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy = nullptr;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set = nullptr;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic = nullptr;

  /// Opens the library; nullptr without one of the version that this was built with.
  [[nodiscard]] static const CublasLt* open();
  [[nodiscard]] static std::string missing();  ///< a sentence on why open() returns nullptr

  [[nodiscard]] std::string version() const;  ///< `13.1.0`
  /// Throws Error (capability) with `what` for a failed call.
  void check(cublasStatus_t status, const std::string& what) const;
};

/// One product of square matrices, in column-major order: D = op(A) op(B).
struct ProductForm {
  cublasComputeType_t compute;
  cudaDataType_t scale;   ///< type of alpha and beta
  cudaDataType_t input;   ///< type of A and B
  cudaDataType_t output;  ///< type of D
  bool transpose_a = false;
  bool transpose_b = false;
  bool fast_accumulation = false;  ///< for fp8: partial sums are kept in the tensor cores
  int size = 0;
};

/// Memory of a product's operands.
struct ProductOperands {
  const void* a;
  const void* b;
  void* d;
  const DeviceMemory* workspace;
};

/// A product with the algorithms that cuBLASLt recommends.
class Product {
 public:
  /// Prepares a product. Throws Error (capability) when the library or the device does not support
  /// it.
  Product(const CublasLt& library, cublasLtHandle_t handle, const ProductForm& form,
          std::size_t workspace_bytes, int most_algorithms);
  ~Product();
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  [[nodiscard]] const ProductForm& form() const { return form_; }
  [[nodiscard]] std::size_t algorithms() const { return algorithms_.size(); }
  void launch(std::size_t algorithm, const ProductOperands& operands) const;

 private:
  void release();

  const CublasLt& library_;
  cublasLtHandle_t handle_;
  ProductForm form_;
  cublasLtMatmulDesc_t description_ = nullptr;
  cublasLtMatrixLayout_t operand_ = nullptr;  // of A and B: they are square
  cublasLtMatrixLayout_t result_ = nullptr;
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms_;
};

}  // namespace rooflab::probe_worker
