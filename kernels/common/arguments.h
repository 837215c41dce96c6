// Host-side argument checks that every kernel of this folder makes before it launches anything.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace assay {

inline constexpr int64_t kMaxGridX = 2147483647;  // CUDA C++ Programming Guide, compute capabilities: grid.x <= 2^31 - 1

inline bool is_aligned(const void* pointer, size_t bytes) { return reinterpret_cast<uintptr_t>(pointer) % bytes == 0; }

// A pointer that will be dereferenced as T: not null and on T's own boundary.
template <class T>
bool is_usable(const T* pointer) {
  return pointer != nullptr && is_aligned(pointer, alignof(T));
}

// Whether `rows` rows of `width` elements of T, `stride` elements apart (stride >= width), span a number of bytes that int64_t can hold.
template <class T>
bool span_fits(int64_t rows, int64_t stride, int64_t width) {
  if (rows == 0) return true;
  int64_t elements = 0;
  int64_t bytes = 0;
  return !__builtin_mul_overflow(rows - 1, stride, &elements) && !__builtin_add_overflow(elements, width, &elements) &&
         !__builtin_mul_overflow(elements, static_cast<int64_t>(sizeof(T)), &bytes);
}

// Without a + b - 1, which overflows near 2^63. a >= 0, b > 0.
inline int64_t ceil_divide(int64_t a, int64_t b) { return a / b + (a % b != 0); }

}  // namespace assay
