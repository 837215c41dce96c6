#include "properties/crew/tasks.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

namespace assay::properties {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

Tasks::Tasks(int jobs, Limits limits, double seconds, std::function<Work()> make, Reading reading)
    : crew(jobs, limits, std::move(make)), limit(seconds), reading(std::move(reading)), started(now()) {}

void Tasks::remember(const std::string& path, const std::string& command, const std::string& owner) {
  journal.open(path, command, owner);
  if (const std::string& last = journal.last(); !last.empty()) before = std::strtod(last.c_str(), nullptr);
}

double Tasks::seconds() const { return now() - started; }

uint64_t Tasks::submit(const std::string& text, bool urgently, const std::string& key) {
  const uint64_t number = count++;
  const std::string& name = key.empty() ? text : key;
  if (const std::string* found = journal.find(name)) {  // behind the seconds at which it was written
    answers[number] = found->substr(std::min(found->find('\t'), found->size() - 1) + 1);
    from_journal += !urgently;
    return number;
  }
  waiting[number] = {text, name};
  (urgently ? urgent : order).push_back(number);
  return number;
}

/// Hands out what there are processes for and waits for one of them. False if there is nothing to wait for.
bool Tasks::pump() {
  while (crew.has_room() && !(urgent.empty() && (order.empty() || out_of_time()))) {
    std::deque<uint64_t>& from = urgent.empty() ? order : urgent;
    crew.start(from.front(), waiting.at(from.front()).text);
    from.pop_front();
  }
  if (!crew.is_busy()) return false;
  const Reply reply = crew.wait();
  Waiting& task = waiting.at(reply.task);
  Outcome outcome = reading(task.text, reply);
  task.given += (task.given.empty() || outcome.text.empty() ? "" : "\t") + outcome.text;
  if (!outcome.rest.empty()) {
    task.text = std::move(outcome.rest);
    urgent.push_front(reply.task);
    return true;
  }
  journal.add(task.key, fmt::format("{:.3f}\t{}", before + seconds(), task.given));
  answers[reply.task] = std::move(task.given);
  waiting.erase(reply.task);
  return true;
}

std::optional<std::string> Tasks::take(uint64_t task) {
  while (!answers.contains(task))
    if (!pump()) return {};
  std::string answer = std::move(answers.at(task));
  answers.erase(task);
  return answer;
}

}  // namespace assay::properties
