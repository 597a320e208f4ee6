#!/usr/bin/env python3
"""Write regex_stand_ins.inc: the characters whose general category differs between PCRE2 and the regular expressions
of the `tokenizers` library (Oniguruma, a newer Unicode), each with a character that both put into the latter's class.

Usage: make_regex_stand_ins.py OUT_FILE
Needs: pip install tokenizers; the system's libpcre2-8 (the oldest version that the product supports).
"""
import ctypes
import sys

import tokenizers
from tokenizers import Regex, normalizers

CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Co Cn".split()
POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
TEXT = "".join(map(chr, POINTS))
PCRE2_UTF, PCRE2_UCP = 0x00080000, 0x00020000


def oracle_members(pattern):
    return set(TEXT) - set(normalizers.Replace(Regex(pattern), "").normalize_str(TEXT))


def pcre_members(library, pattern):
    error, offset = ctypes.c_int(), ctypes.c_size_t()
    code = library.pcre2_compile_8(pattern.encode(), len(pattern), PCRE2_UTF | PCRE2_UCP, ctypes.byref(error),
                                   ctypes.byref(offset), None)
    library.pcre2_jit_compile_8(code, 1)
    data = library.pcre2_match_data_create_8(1, None)
    return {c for c in TEXT if library.pcre2_match_8(code, (b := c.encode()), len(b), 0, 0, data, None) > 0}


def categories(members):
    return {c: name for name in CATEGORIES for c in members(r"\p{%s}" % name)}


def main():
    library = ctypes.CDLL("libpcre2-8.so.0")
    for function, result, arguments in [
            ("pcre2_compile_8", "p", "pzuppp"), ("pcre2_jit_compile_8", "i", "pu"),
            ("pcre2_match_data_create_8", "p", "up"), ("pcre2_match_8", "i", "ppzzupp")]:
        types = {"p": ctypes.c_void_p, "z": ctypes.c_size_t, "u": ctypes.c_uint32, "i": ctypes.c_int}
        getattr(library, function).restype = types[result]
        getattr(library, function).argtypes = [
            ctypes.c_char_p if function in ("pcre2_compile_8", "pcre2_match_8") and i == (function == "pcre2_match_8")
            else types[a] for i, a in enumerate(arguments)]
    oracle, ours = categories(oracle_members), categories(lambda p: pcre_members(library, p))
    oracle_space, our_space = oracle_members(r"\s"), pcre_members(library, r"\s")
    han = oracle_members(r"\p{Han}")

    def kind(c):
        return oracle[c], c in oracle_space, c in han, len(c.encode())

    differing = [c for c in TEXT if oracle[c] != ours[c] or (c in oracle_space) != (c in our_space)]
    changed, stand_in = set(differing), {}
    for c in TEXT:
        if c not in changed:
            stand_in.setdefault(kind(c), c)
    ranges = []
    for c in differing:
        substitute = stand_in[kind(c)]
        if ranges and ranges[-1][1] == ord(c) - 1 and ranges[-1][2] == substitute:
            ranges[-1][1] = ord(c)
        else:
            ranges.append([ord(c), ord(c), substitute])
    with open(sys.argv[1], "w") as out:
        out.write(f"// Written by make_regex_stand_ins.py (tokenizers {tokenizers.__version__}): first, last, stand-in.\n")
        out.writelines(f"{{ 0x{a:05X}, 0x{b:05X}, 0x{ord(s):05X} }},\n" for a, b, s in ranges)


main()
