#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fixtures/fill/fill.hpp"
#include "properties/identify/product.hpp"

namespace assay::properties {
namespace {

void fill_codes(Tensor& t, uint64_t code) {
  for (int64_t row = 0; row < t.spec.rows(); row++)
    for (int64_t column = 0; column < t.spec.width(); column++) t.set_code(row, column, code);
}
void fill_value(Tensor& t, double value) { fill_codes(t, encode(t.spec.format, value)); }

Tensor* tensor_if_any(Tensors& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, [](const Tensor& t) { return std::string_view(t.spec.name); });
  return found == all.end() ? nullptr : &*found;
}

void plain(Tensors& all) {
  for (const char* name : {"scale", "a_scale", "b_scale"})
    if (Tensor* t = tensor_if_any(all, name)) fill_value(*t, 1);
  if (Tensor* bias = tensor_if_any(all, "bias")) fill_value(*bias, 0);
}

std::vector<std::vector<double>> rows_of_values(const Tensor& t, int64_t rows) {
  std::vector<std::vector<double>> all;
  for (int64_t row = 0; row < std::min(rows, t.spec.rows()); row++) all.push_back(t.row(row));
  return all;
}

// ---- quantised weights, read through the contract's own oracle

/// w[column][k], weight times scale: the exact results of rows of x that are one in one place.
std::vector<std::vector<double>> read_weights(const Case& c, const Tensors& operands, int64_t columns) {
  const int64_t k = c.parameters.whole("k");
  Case tall = c;
  tall.parameters.set("m", k);
  Tensors all;
  for (const TensorSpec& spec : c.definition().tensors(tall.parameters)) all.push_back(make_tensor(spec));
  for (Tensor& t : all) {
    const Tensor& given = tensor(operands, t.spec.name);
    if (given.spec == t.spec) t.bytes = given.bytes;
  }
  Tensor& x = tensor(all, "x");
  for (int64_t i = 0; i < k; i++) x.set_code(i, i, encode(x.spec.format, 1.0));
  Arithmetic exact;
  if (c.contract == "w4a16_gemv")
    exact.with("dot", Sum{});
  else
    exact.with("dot", Dot{.instruction = fp32_fma(), .chains = {{.first = 0, .end = k}}, .promotion = {.every = 8}});  // within every group
  const Step& step = c.definition().steps.front();
  const Oracle oracle = step.prepare({tall.parameters, all, all, exact});
  std::vector<std::vector<double>> w(static_cast<size_t>(columns), std::vector<double>(static_cast<size_t>(k)));
  if (oracle.sweep) {  // values alone, and sooner
    oracle.sweep(0, columns, 1 << 24, [&](const Values& v) {
      for (int64_t i = 0; i < v.rows * v.columns; i++)
        w[size_t(v.first_column + i % v.columns)][size_t(v.first_row + i / v.columns)] = v.value[size_t(i)];
    });
    return w;
  }
  std::vector<int64_t> all_columns(static_cast<size_t>(columns));
  std::iota(all_columns.begin(), all_columns.end(), int64_t{0});
  std::vector<Expected> expected(static_cast<size_t>(columns));
  for (int64_t i = 0; i < k; i++) {
    oracle.expect({&i, 1}, all_columns, expected);
    for (int64_t n = 0; n < columns; n++) w[size_t(n)][size_t(i)] = expected[size_t(n)].value;
  }
  return w;
}

/// Words all of whose codes stand for one: packings only move codes about.
void ones(const Case& c, Tensors& all) {
  fill_codes(tensor(all, "w"), c.contract == "w8a16_fp8_gemm" ? 0x38383838u : 0x99999999u);  // E4M3 1; 9 - 8
  const bool plus_one = c.contract == "gptq_gemm" && c.parameters.whole("version") == 1;     // of which 8 is stored as 7
  if (Tensor* zeros = tensor_if_any(all, "zeros")) fill_codes(*zeros, plus_one ? 0x77777777u : 0x88888888u);
}

ProductView quantised_view(const Case& c, const Tensors& operands, int64_t columns) {
  Tensors unscaled = operands, only_scales = operands;
  plain(unscaled);
  ones(c, only_scales);
  const int64_t n = std::min(columns, c.parameters.whole("n"));
  return {.a = rows_of_values(tensor(operands, "x"), INT64_MAX),
          .step = read_weights(c, unscaled, n),
          .scale = read_weights(c, only_scales, n)};
}

ProductKind quantised(const Case& c) {
  auto on = [&](const char* name) {
    const auto& all = c.parameters.all();
    return std::ranges::any_of(all, [&](const Setting& s) { return s.name == name; }) && c.parameters.whole(name) != 0;
  };
  for (const char* name : {"act_order", "perm", "g_idx"})
    if (on(name))
      throw BadInput(
          fmt::format("{}=1: the order of k is read from rows that stand in it; want {}=0, whose arithmetic is the same", name, name));
  ProductKind kind{.contract = c.contract};
  kind.operands = tensor(make_tensors(c), "x").spec.format;
  if (kind.operands == Format::fp16) kind.big = 0x1p15, kind.unit = 0x1p-24;  // the largest power of two, and the least number
  kind.scales_weights = true;
  kind.is_split =
      c.contract == "w4a16_gemm" || c.contract == "w8a16_fp8_gemm" || (c.contract == "awq_gemm" && c.parameters.whole("split_k") > 1);
  kind.make_plain = plain;
  kind.make_ones = [c](Tensors& all) { ones(c, all); };
  kind.view = [c](const Tensors& operands, int64_t columns) { return quantised_view(c, operands, columns); };
  return kind;
}

// ---- dense weights

ProductKind bf16_product(const Case& c) {
  ProductKind kind{.contract = c.contract};
  kind.is_split = c.parameters.whole("split_k") > 1;
  kind.make_plain = plain;
  kind.make_ones = [](Tensors& all) { fill_value(tensor(all, "w"), 1); };
  kind.view = [](const Tensors& t, int64_t columns) {
    return ProductView{
        .a = rows_of_values(tensor(t, "x"), INT64_MAX), .step = rows_of_values(tensor(t, "w"), columns), .scale = {}, .a_scale = {}};
  };
  return kind;
}

/// 2^8 twice and 2^-9 twice: 2^34 apart, as far as E4M3 goes.
ProductKind fp8_product(const Case& c) {
  ProductKind kind{
      .contract = c.contract, .operands = Format::e4m3fn, .x = "a", .w = "b", .big = 0x1p8, .unit = 0x1p-9, .w_carries_masks = true};
  kind.scales_sums = c.contract == "fp8_block_gemm";
  kind.make_plain = plain;
  kind.make_ones = [](Tensors& all) { fill_value(tensor(all, "b"), 1); };
  kind.view = [blocks = kind.scales_sums](const Tensors& t, int64_t columns) {
    ProductView v{
        .a = rows_of_values(tensor(t, "a"), INT64_MAX), .step = rows_of_values(tensor(t, "b"), columns), .scale = {}, .a_scale = {}};
    if (!blocks) return v;
    constexpr int64_t kBlock = 128;
    for (size_t m = 0; m < v.a.size(); m++) {
      v.a_scale.emplace_back();
      for (size_t k = 0; k < v.a[m].size(); k++) v.a_scale.back().push_back(tensor(t, "a_scale").value(int64_t(k) / kBlock, int64_t(m)));
    }
    for (size_t n = 0; n < v.step.size(); n++) {
      v.scale.emplace_back();
      for (size_t k = 0; k < v.step[n].size(); k++)
        v.scale.back().push_back(tensor(t, "b_scale").value(int64_t(n) / kBlock, int64_t(k) / kBlock));
    }
    return v;
  };
  return kind;
}

}  // namespace

ProductKind product_kind(const Case& c) {
  ProductKind kind = c.contract == "bf16_gemm" ? bf16_product(c) : c.contract.starts_with("fp8_") ? fp8_product(c) : quantised(c);
  for (const TensorSpec& spec : c.definition().tensors(c.parameters))
    if (spec.name == "y") kind.result = spec.format;
  return kind;
}

}  // namespace assay::properties
