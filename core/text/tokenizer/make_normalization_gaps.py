#!/usr/bin/env python3
"""Write normalization_gaps.inc: the characters that utf8proc decomposes or reorders and the `tokenizers` library, whose
normalisation tables are older, leaves alone.

Usage: make_normalization_gaps.py OUT_FILE
Needs: pip install tokenizers; the system's libutf8proc
"""
import ctypes
import sys

import tokenizers
from tokenizers import normalizers

STABLE, COMPAT, DECOMPOSE = 2, 4, 16
LIBRARY = ctypes.CDLL("libutf8proc.so.2")
LIBRARY.utf8proc_map.restype = ctypes.c_ssize_t
FREE = ctypes.CDLL(None).free


def ours(text, options):
    data, result = text.encode(), ctypes.c_void_p()
    size = LIBRARY.utf8proc_map(data, ctypes.c_ssize_t(len(data)), ctypes.byref(result), options)
    normal = ctypes.string_at(result.value, size).decode()
    FREE(result)
    return normal


def differs(c):
    between_marks = "a\u0315" + c + "\u0300\u0345"
    return (normalizers.NFKD().normalize_str(c) != ours(c, STABLE | COMPAT | DECOMPOSE)
            or normalizers.NFD().normalize_str(between_marks) != ours(between_marks, STABLE | DECOMPOSE))


def main():
    ranges = []
    for point in [*range(0xD800), *range(0xF900, 0x30000)]:
        if not differs(chr(point)):
            continue
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1][1] = point
        else:
            ranges.append([point, point])
    with open(sys.argv[1], "w") as out:
        out.write(f"// Written by make_normalization_gaps.py (tokenizers {tokenizers.__version__}): first, last.\n")
        out.writelines(f"{{ 0x{a:05X}, 0x{b:05X} }},\n" for a, b in ranges)


main()
