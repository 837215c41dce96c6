#include <cuda_runtime.h>

#include "kernels/baseline/baseline.h"
#include "kernels/baseline/library.h"

// The libraries are column-major. A row-major y[m][n] = x w^T is a column-major product of n rows and m columns, whose first factor is w
// transposed and whose second is x: the only layout in which they take FP8.
namespace assay {
namespace {

struct Types {
  cudaDataType_t operand, result, scale;
  cublasComputeType_t compute;
};

constexpr Types kTypes[] = {
    {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F},
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
    {CUDA_R_8F_E4M3, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F},
    {CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I},
};

bool uses_light(int operand) { return operand == baseline_e4m3 || operand == baseline_int8; }

}  // namespace
}  // namespace assay

struct assay_baseline {
  assay_baseline_product product;
  assay::Types types;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t w = nullptr, x = nullptr, y = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
};

namespace assay {
namespace {

template <class T>
cublasStatus_t set(const Library& lib, cublasLtMatmulDesc_t operation, cublasLtMatmulDescAttributes_t attribute, T value) {
  return lib.cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof value);
}

const char* describe_operation(const Library& lib, assay_baseline& b) {
  const Types& t = b.types;
  if (const char* why = lib.outcome("cuBLASLt operation", lib.cublasLtMatmulDescCreate(&b.operation, t.compute, t.scale))) return why;
  cublasStatus_t status = set(lib, b.operation, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  if (b.product.operand == baseline_e4m3) {
    if (!status) status = set(lib, b.operation, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, b.product.scale);
    if (!status) status = set(lib, b.operation, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, b.product.scale);
    if (!status) status = set(lib, b.operation, CUBLASLT_MATMUL_DESC_FAST_ACCUM, int8_t{1});
  }
  return lib.outcome("cuBLASLt operation", status);
}

const char* describe_layouts(const Library& lib, assay_baseline& b) {
  const auto& p = b.product;
  cublasStatus_t status = lib.cublasLtMatrixLayoutCreate(&b.w, b.types.operand, uint64_t(p.k), uint64_t(p.n), p.k);
  if (!status) status = lib.cublasLtMatrixLayoutCreate(&b.x, b.types.operand, uint64_t(p.k), uint64_t(p.m), p.k);
  if (!status) status = lib.cublasLtMatrixLayoutCreate(&b.y, b.types.result, uint64_t(p.n), uint64_t(p.m), p.n);
  return lib.outcome("cuBLASLt layout", status);
}

const char* choose_algorithm(const Library& lib, assay_baseline& b) {
  cublasLtMatmulPreference_t preference = nullptr;
  if (const char* why = lib.outcome("cuBLASLt preference", lib.cublasLtMatmulPreferenceCreate(&preference))) return why;
  cublasLtMatmulHeuristicResult_t best{};
  int found = 0;
  cublasStatus_t status = lib.cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                                   &b.product.workspace_bytes, sizeof b.product.workspace_bytes);
  if (!status) status = lib.cublasLtMatmulAlgoGetHeuristic(lib.light, b.operation, b.w, b.x, b.y, b.y, preference, 1, &best, &found);
  lib.cublasLtMatmulPreferenceDestroy(preference);
  if (!status && found == 0) status = CUBLAS_STATUS_NOT_SUPPORTED;
  b.algorithm = best.algo;
  return lib.outcome("cuBLASLt has no algorithm for this shape", status);
}

const char* run_light(const Library& lib, const assay_baseline& b) {
  const auto& p = b.product;
  const float one = 1, zero = 0;
  const int32_t whole_one = 1, whole_zero = 0;
  const bool whole = p.operand == baseline_int8;
  return lib.outcome("cublasLtMatmul", lib.cublasLtMatmul(lib.light, b.operation, whole ? static_cast<const void*>(&whole_one) : &one, p.w,
                                                          b.w, p.x, b.x, whole ? static_cast<const void*>(&whole_zero) : &zero, p.y, b.y,
                                                          p.y, b.y, &b.algorithm, p.workspace, p.workspace_bytes, nullptr));
}

const char* run_full(const Library& lib, const assay_baseline& b) {
  const auto& p = b.product;
  const float one = 1, zero = 0;
  if (const char* why = lib.outcome("cublasSetWorkspace", lib.cublasSetWorkspace_v2(lib.handle, p.workspace, p.workspace_bytes)))
    return why;
  return lib.outcome("cublasGemmEx",
                     lib.cublasGemmEx_64(lib.handle, CUBLAS_OP_T, CUBLAS_OP_N, p.n, p.m, p.k, &one, p.w, b.types.operand, p.k, p.x,
                                         b.types.operand, p.k, &zero, p.y, b.types.result, p.n, b.types.compute, CUBLAS_GEMM_DEFAULT));
}

}  // namespace
}  // namespace assay

const char* baseline_open(const assay_baseline_product* product, assay_baseline** baseline) {
  using namespace assay;
  *baseline = nullptr;
  const Library& lib = Library::get();
  if (const char* why = lib.unusable()) return why;
  auto* opened = new assay_baseline{.product = *product, .types = kTypes[product->operand]};
  const char* why = nullptr;
  if (uses_light(product->operand)) {
    why = describe_operation(lib, *opened);
    if (!why) why = describe_layouts(lib, *opened);
    if (!why) why = choose_algorithm(lib, *opened);
  }
  if (why)
    baseline_close(opened);
  else
    *baseline = opened;
  return why;
}

const char* baseline_run(assay_baseline* b) {
  const assay::Library& lib = assay::Library::get();
  return assay::uses_light(b->product.operand) ? assay::run_light(lib, *b) : assay::run_full(lib, *b);
}

void baseline_close(assay_baseline* b) {
  if (!b) return;
  const assay::Library& lib = assay::Library::get();
  for (cublasLtMatrixLayout_t layout : {b->w, b->x, b->y})
    if (layout) lib.cublasLtMatrixLayoutDestroy(layout);
  if (b->operation) lib.cublasLtMatmulDescDestroy(b->operation);
  delete b;
}

const char* baseline_unusable() { return assay::Library::get().unusable(); }

const char* baseline_version() { return assay::Library::get().version(); }
