#include "tools/python/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "fixtures/case/shown.hpp"
#include "fixtures/plugin/plugin.hpp"
#include "tools/assay/catalogue.hpp"
#include "tools/assay/plugins.hpp"
#include "tools/python/request.hpp"
#include "tools/report/fuzz.hpp"

namespace assay::tools {
namespace {

/// This library's own file: the image of a subject whose code lies elsewhere in the process.
std::string own_file() {
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(&assay_check), &info);
  return info.dli_fname ? info.dli_fname : "";
}

Subject subject_of(const assay_request& request) {
  if (request.size != sizeof request)
    throw BadInput(
        fmt::format("a request of {} bytes: this library's have {}: use its own header or package", request.size, sizeof request));
  const Plugin plugin = plugin_of(request.plugin, "in memory");
  if (plugin.subjects.size() != 1) throw BadInput(fmt::format("plug-in in memory: describes {} kernels: want 1", plugin.subjects.size()));
  Subject s = plugin.subjects.front();
  s.image = own_file(), s.plugin.clear();  // no line can bring a closure back
  return s;
}

Backend backend_of(const assay_request& request) { return plugin_of(request.plugin, "in memory").backend; }

/// Ends the call where the caller wants it.
void go_on(const assay_request& request) {
  if (request.interrupted && request.interrupted()) throw BadInput("interrupted");
}

struct Answer {
  int32_t code;
  std::string text, json;
};

Answer check(const assay_request& request) {
  Subject subject = subject_of(request);
  const BenchSettings settings{.backend = backend_of(request), .judge_all = request.judge_all == 1};
  std::string note;
  const properties::Plan plan = plan_of(request, subject, note);
  const auto start = std::chrono::steady_clock::now();
  report::Report report{
      .suite = plan.suite.name, .seed = plan.seed, .drawn_cases = request.cases, .backend = std::string(name(settings.backend))};
  report.cells = properties::check(plan, settings, [&](double, size_t, const std::string&) { go_on(request); });
  if (const Device device(settings.backend); device.unavailable().empty()) report.device = device.describe();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.notes = report::notes_on(undeclared(plan.subjects, plan.suite.cases, {}), report.cells);
  if (!note.empty()) report.notes.insert(report.notes.begin(), note);
  for (properties::Cell& cell : report.cells)
    if (request.operands) cell.again = fmt::format("assay.check(\"{}\", ..., operands=..., laws=\"{}\")", subject.contract, cell.law);
  return {report::exit_code(report.cells), report::to_text(report, false), report::to_json(report)};
}

Answer fuzz(const assay_request& request) {
  const Subject subject = subject_of(request);
  const Backend backend = backend_of(request);
  const properties::FuzzPlan plan = fuzz_plan_of(request, subject, backend);
  report::FuzzReport report{.seed = plan.seed, .backend = std::string(name(backend)), .jobs = plan.jobs, .journal = plan.journal};
  report.fuzzed = properties::fuzz(plan, {.backend = backend}, [&](int64_t, int64_t, double) { go_on(request); });
  return {report::exit_code(report.fuzzed.cells), report::to_text(report, false), report::to_json(report)};
}

/// 2 and one line instead of an exception.
template <class Function>
Answer guarded(Function function) {
  try {
    return function();
  } catch (const std::exception& e) {
    return {2, printable(e.what()), ""};
  }
}

char* copy_of(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

// ---- DLPack's managed tensor, as it was before version 1.0

struct Managed {
  assay_tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};

void drop(Managed* managed) { std::free(managed); }

}  // namespace
}  // namespace assay::tools

using namespace assay::tools;

static int32_t given(const Answer& answer, char** text, char** json) {
  *text = copy_of(answer.text);
  *json = answer.json.empty() ? nullptr : copy_of(answer.json);
  return answer.code;
}

int32_t assay_check(const assay_request* request, char** text, char** json) {
  return given(guarded([&] { return check(*request); }), text, json);
}

int32_t assay_fuzz(const assay_request* request, char** text, char** json) {
  return given(guarded([&] { return fuzz(*request); }), text, json);
}

int32_t assay_list(const char* contract, char** text) {
  const Answer answer = guarded([&] { return Answer{0, contract ? description(contract_about(contract)) : overview(), ""}; });
  *text = copy_of(answer.text);
  return answer.code;
}

void* assay_dlpack(const assay_tensor* tensor) {
  const size_t dimensions = size_t(tensor->ndim) * sizeof(int64_t);
  auto* managed = static_cast<Managed*>(std::malloc(sizeof(Managed) + 2 * dimensions));
  if (!managed) return nullptr;
  auto* shape = reinterpret_cast<int64_t*>(managed + 1);
  *managed = {.tensor = *tensor, .context = nullptr, .deleter = drop};
  managed->tensor.shape = shape, managed->tensor.strides = shape + tensor->ndim;
  std::memcpy(managed->tensor.shape, tensor->shape, dimensions);
  std::memcpy(managed->tensor.strides, tensor->strides, dimensions);
  return managed;
}

void assay_free(char* text) { std::free(text); }
const char* assay_version(void) { return ASSAY_VERSION; }
uint32_t assay_request_size(void) { return sizeof(assay_request); }
