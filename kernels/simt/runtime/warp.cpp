#include "kernels/simt/runtime/warp.hpp"

namespace simt {
namespace {

void reset(Group& group) { group.arrived = group.unread[0] = group.unread[1] = 0; }

}  // namespace

void Warp::begin(unsigned lanes) {
  alive = ready = lanes;
  polling = 0;
  reset(whole);
  for (auto& part : parts) reset(*part);
  if (!warpgroup.empty()) warpgroup.clear();
}

Group& Warp::group(unsigned mask) {
  if (mask == 0xffffffffu) return whole;
  Group* idle = nullptr;
  for (auto& part : parts) {
    if (part->mask == mask && !part->idle()) return *part;
    if (!idle && part->idle()) idle = part.get();
  }
  if (!idle) idle = parts.emplace_back(std::make_unique<Group>()).get();
  idle->mask = mask;
  return *idle;
}

void Warp::complete(Group& group) {
  group.lanes[group.phase] = group.unread[group.phase] = group.arrived;
  ready |= group.arrived;
  group.arrived = 0;
  group.phase ^= 1;
}

unsigned Warp::complete_without_exited() {
  unsigned synced = 0;
  const auto settle = [&](Group& group, unsigned mask) {
    if (!group.arrived || group.arrived != (mask & alive)) return;
    if (group.kind == Collective::sync_warp) synced |= group.arrived;
    complete(group);
  };
  settle(whole, 0xffffffffu);
  for (auto& part : parts) settle(*part, part->mask);
  return synced;
}

}  // namespace simt
