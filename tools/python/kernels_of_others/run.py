"""run.py <results.json> [kernel...]: what Assay says of these kernels, of all or of those named, on this machine's GPU. What the file says
of others stays. Every kernel is checked as if nothing were known of its arithmetic, and again with what its source says of it, where that can
be read off."""

import json
import os
import sys
import time

import assay
import torch
import torch_kernels as pt
import triton
import triton_kernels as tr

# Literature: __expf as the card's ex2.approx has it, expf 1 ulp, div.full 2 ulp (PTX ISA), of which an ulp is two roundings at most.
IEEE_SILU = ("exp: expf within 1.2e-07 relative (CUDA guide: 1 ulp); one_plus: 1 fp32 rounding; divide: 1 fp32 rounding; "
             "product: 1 fp32 rounding")
FAST_SILU = ("exp: __expf within 2.98e-07 relative + 7.3e-08 |x| relative (ex2.approx); one_plus: 1 fp32 rounding; "
             "divide: 4 fp32 roundings; product: 1 fp32 rounding; multiply-adds fused or not")
WGMMA = "wgmma e4m3 (32 products a sum aligned to 13 bits, 13 fraction bits toward zero)"
SCALES = "; b_scale: 2 fp32 roundings; a_scale: 1 fp32 rounding; bias: 1 fp32 rounding; multiply-adds fused or not"
DIVIDES = "scale: rounded to fp32; quotient: rounded to fp32"

FEW = {"suite": "smoke", "cases": 10}  # where each shape is compiled anew, or many heads have to be judged

# name: contract, kernel, declared arithmetic or None, further options
KERNELS = {
    "torch_rms_norm": ("fused_add_rms_norm", pt.rms_norm, None, {}),
    "torch_compile_rms_norm": ("fused_add_rms_norm", pt.compiled_rms_norm, None, FEW),
    "transformers_llama_rms_norm": ("fused_add_rms_norm", pt.llama_rms_norm, None, {}),
    "triton_rms_norm": ("fused_add_rms_norm", tr.rms_norm, None, {}),
    "torch_silu_and_mul": ("silu_and_mul", pt.silu_and_mul, IEEE_SILU + "; silu: rounded to bf16", {}),
    "torch_silu_and_mul_fp32": ("silu_and_mul", pt.silu_and_mul_fp32, IEEE_SILU, {}),
    "torch_compile_silu_and_mul": ("silu_and_mul", pt.compiled_silu_and_mul, None, FEW),
    "triton_silu_and_mul": ("silu_and_mul", tr.silu_and_mul, FAST_SILU, {}),
    "torch_rope": ("rope_neox", pt.rope, "product: 1 fp32 rounding; sum: 1 fp32 rounding", FEW),
    "transformers_llama_rope": ("rope_neox", pt.llama_rope, None, FEW),
    "triton_rope": ("rope_neox", tr.rope, "product: 1 fp32 rounding; sum: 1 fp32 rounding; multiply-adds fused or not", FEW),
    "torch_fp8_quant_token": ("fp8_quant_token", pt.fp8_quant_token, DIVIDES, {"supports": pt.amax_takes}),
    "torch_compile_fp8_quant_token": ("fp8_quant_token", pt.compiled_fp8_quant_token, None,
                                      {**FEW, "params": {"bounded": 0}, "supports": pt.amax_takes}),
    "triton_fp8_quant_token": ("fp8_quant_token", tr.fp8_quant_token(False), None, {}),
    "triton_fp8_quant_token_ieee": ("fp8_quant_token", tr.fp8_quant_token(True), DIVIDES, {}),
    "torch_scaled_mm_fast": ("fp8_scaled_gemm", pt.scaled_mm(True), f"dot: {WGMMA}, ascending k{SCALES}", {"supports": pt.scaled_mm_takes}),
    "torch_scaled_mm": ("fp8_scaled_gemm", pt.scaled_mm(False), f"dot: {WGMMA}, added to fp32 every 128 k, ascending k{SCALES}",
                        {"supports": pt.scaled_mm_takes}),
}


def summary(report):
    cells = {c.law: {k: v for k, v in c.data.items() if k not in ("subject", "law")}
             for c in report.cells.values() if c.cases or c.data.get("skipped")}
    return {"verdict": report.verdict, "laws": cells, "notes": report.data.get("notes", [])}


def checked(name, contract, kernel, arithmetic, options):
    options = {"cases": 30, "shrink_seconds": 3.0, **options}
    try:
        report = assay.check(contract, kernel, name=name, backend="cuda", arithmetic=arithmetic, **options)
    except assay.BadInput as e:
        return {"verdict": "bad input", "why": str(e)}
    return summary(report)


def line(found):
    if "laws" not in found:
        return found["why"]
    failing = [law for law, cell in found["laws"].items() if cell["outcome"] == "FAIL"]
    return f"{found['verdict']} {' '.join(failing)}"


def main(path, only=()):
    results = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "triton": triton.__version__, "cuda": torch.version.cuda,
               "assay": assay.version(), "kernels": {}}
    try:
        import transformers
        results["transformers"] = transformers.__version__
    except ImportError:
        pass
    if os.path.exists(path):
        with open(path) as file:
            results["kernels"] = json.load(file)["kernels"]
    for name in only or KERNELS:
        contract, kernel, declared, options = KERNELS[name]
        start = time.monotonic()
        of = results["kernels"][name] = {"contract": contract, "undeclared": checked(name, contract, kernel, None, options)}
        if declared:
            of["declared"] = {"arithmetic": declared, **checked(name, contract, kernel, declared, options)}
        said = f"undeclared: {line(of['undeclared'])}; declared: {line(of['declared']) if declared else '-'}"
        print(f"{name:<32} {time.monotonic() - start:6.1f} s  {said}", flush=True)
        with open(path, "w") as file:  # after each: a run that is cut short leaves what it found
            json.dump(results, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
