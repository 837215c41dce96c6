// Passes on what a bench reports of a long judgement within one of many cases.
#pragma once
#include <mutex>
#include <string>

#include "properties/check.hpp"

namespace assay::properties {

class Within {
 public:
  explicit Within(const Progress& progress) : progress(progress) {}

  /// Case number `done` of so many begins.
  void begins(size_t number, size_t all, std::string line) {
    if (!progress) return;
    const std::lock_guard alone(lock);
    done = number, total = all, what = std::move(line);
    progress(double(done), total, what);
  }
  void operator()(double share) {
    const std::lock_guard alone(lock);
    if (progress) progress(double(done) + share, total, what);
  }

 private:
  const Progress& progress;
  std::mutex lock;
  size_t done = 0, total = 0;
  std::string what;
};

}  // namespace assay::properties
