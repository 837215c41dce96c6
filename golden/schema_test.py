#!/usr/bin/env python3
"""Holds golden files against golden/SCHEMA.md as a foreign reader sees them: with h5py, or with h5dump where that is all there is.

    schema_test.py <records folder> <assay>

Exits with 3 where there is neither.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TEXTS = {"/": {"subject", "suite", "backend", "card", "toolkit", "date"}, "case": {"case", "arithmetic"}, "tensor": {"holds", "format"}}
NUMBERS = {"/": {"multiply_adds", "compute_capability", "multiprocessors", "driver", "runtime"}, "case": {"operands"},
           "tensor": {"rows", "columns", "tile_rows", "tile_columns"}}
SINCE = {"/": {"tool"}, "case": {"verdict"}}
REFERENCE = {"judged", "nearest", "single_legal", "reference_elements", "reference_hash", "worst_share", "worst_term", "worst_row",
             "worst_column"}
MASK = (1 << 64) - 1


def mixed(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def hash_of(codes):
    return sum(mixed(int(c) ^ mixed((i + 1) * 0x9E3779B97F4A7C15 & MASK)) for i, c in enumerate(codes)) & MASK


def require(condition, what):
    if not condition:
        sys.exit(f"schema_test.py: {what}")


def check_attributes(attributes, kind, where, fresh):
    wanted = TEXTS[kind] | NUMBERS[kind]
    extra = SINCE.get(kind, REFERENCE)
    require(wanted <= attributes, f"{where} lacks {wanted - attributes}")
    require(attributes <= wanted | extra, f"{where} has {attributes - wanted - extra}, which the schema does not name")
    require(not fresh or extra <= attributes, f"{where} lacks {extra - attributes}")


def check_with_h5py(path, fresh):
    import h5py
    matched = 0
    with h5py.File(path, "r") as file:
        require(file.userblock_size == 512, f"{path}: user block")
        check_attributes(set(file.attrs), "/", f"{path} /", fresh)
        for number, case in file.items():
            check_attributes(set(case.attrs), "case", f"{path} /{number}", fresh)
            for name, output in case.items():
                where, a = f"{path} /{number}/{name}", output.attrs
                check_attributes(set(a), "tensor", where, fresh)
                rows, columns, tile = int(a["rows"]), int(a["columns"]), (int(a["tile_rows"]), int(a["tile_columns"]))
                holds = a["holds"].decode() if isinstance(a["holds"], bytes) else a["holds"]
                require(holds == ("tile hashes" if tile[0] else "codes"), f"{where}: holds {holds}")
                shape = (-(-rows // tile[0]), -(-columns // tile[1])) if tile[0] else (rows, columns)
                require(output.shape == shape, f"{where}: shape {output.shape}, want {shape}")
                if output.size:
                    require(output.fletcher32 and output.compression == "gzip" and output.shuffle and output.chunks, f"{where}: filters")
                if "judged" in a and holds == "codes" and a["nearest"] == a["reference_elements"] == rows * columns:
                    codes = [0 if c == 0x8000 else c for c in output[:].ravel()]  # bf16 and fp16 alone are looked at
                    matched += hash_of(codes) == a["reference_hash"]
    return matched


def check_with_h5dump(path, fresh):
    text = subprocess.run(["h5dump", "-A", str(path)], check=True, capture_output=True, text=True).stdout
    names = set(re.findall(r'ATTRIBUTE "(\w+)"', text))
    wanted = set().union(*TEXTS.values(), *NUMBERS.values())
    extra = set().union(REFERENCE, *SINCE.values())
    require(wanted <= names and names <= wanted | extra, f"{path}: attributes {names ^ wanted}")
    require(not fresh or extra <= names, f"{path} lacks {extra - names}")
    return 1


def check_that_nothing_outside_is_read(assay, folder):
    import h5py
    import numpy

    def refused(name, why):
        asked = subprocess.run([assay, "check", "silu_and_mul", "--tensors", f"{folder}/{name}"], capture_output=True, text=True, timeout=60)
        require(asked.returncode == 2 and asked.stderr.count("\n") == 1 and why in asked.stderr, f"{name}: {asked.returncode} {asked.stderr}")

    os.mkfifo(f"{folder}/pipe.h5")
    refused("pipe.h5", "is no file that can be read")
    pathlib.Path(folder, "raw.bin").write_bytes(bytes(64))
    with h5py.File(f"{folder}/elsewhere.h5", "w") as file:
        file["gate_up"] = numpy.zeros((2, 16), numpy.float16)
    with h5py.File(f"{folder}/link.h5", "w") as file:
        file["gate_up"] = h5py.ExternalLink(f"{folder}/elsewhere.h5", "/gate_up")
    with h5py.File(f"{folder}/storage.h5", "w") as file:
        file.create_dataset("gate_up", (2, 16), numpy.float16, external=[(f"{folder}/raw.bin", 0, 64)])
    refused("storage.h5", "its elements lie in another file")
    refused("link.h5", "link.h5")


def main():
    records, assay = sys.argv[1:]
    try:
        import h5py  # noqa: F401
        check = check_with_h5py
    except ImportError:
        check = check_with_h5dump
        if not shutil.which("h5dump"):
            print("schema_test.py: neither h5py nor h5dump is here")
            sys.exit(3)
    standing = sorted(pathlib.Path(records).rglob("*.h5"))
    require(standing, f"{records} holds no golden files")
    for path in standing:
        check(path, fresh=False)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([assay, "golden", "record", "silu_and_mul", "convert", "--suite", "smoke", "--out", folder], check=True,
                       stdout=subprocess.DEVNULL)
        fresh = sorted(pathlib.Path(folder).rglob("*.h5"))
        if check is check_with_h5py:
            os.mkdir(f"{folder}/of_others")
            check_that_nothing_outside_is_read(assay, f"{folder}/of_others")
        matched = sum(check(path, fresh=True) for path in fresh)
    require(fresh and matched, "no output is the rounded exact value everywhere with the reference's hash")
    print(f"{len(standing)} files and {len(fresh)} just recorded are as the schema says ({check.__name__})")


main()
