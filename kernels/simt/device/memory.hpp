// Loads and stores with cache hints, which have no meaning here.
#pragma once

#include "kernels/simt/device/keywords.hpp"

template <class T>
T __ldg(const T* address) {
  return *address;
}
template <class T>
T __ldcg(const T* address) {
  return *address;
}
template <class T>
T __ldca(const T* address) {
  return *address;
}
template <class T>
T __ldcs(const T* address) {
  return *address;
}
template <class T>
T __ldlu(const T* address) {
  return *address;
}
template <class T>
T __ldcv(const T* address) {
  return *address;
}
template <class T>
void __stcg(T* address, T value) {
  *address = value;
}
template <class T>
void __stcs(T* address, T value) {
  *address = value;
}
template <class T>
void __stwb(T* address, T value) {
  *address = value;
}
template <class T>
void __stwt(T* address, T value) {
  *address = value;
}
