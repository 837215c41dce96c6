// Host threads that are kept from one launch to the next.
#pragma once

#include <functional>

namespace simt {

// Runs the task on an idle thread or a new one.
void on_pool_thread(std::function<void()> task);

// From now on at most `kept` threads stay idle: a launch whose blocks wait for each other may need a hundred.
void keep_pool_threads(unsigned kept);

}  // namespace simt
