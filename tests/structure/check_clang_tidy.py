#!/usr/bin/env python3
"""Runs clang-tidy on every source file of the product (tests left out: they are as many again, and their macros are
Qt's), and remembers which content it has found clean.

usage: check_clang_tidy.py BUILD_FOLDER CACHE_FOLDER [NAME-PART...]

BUILD_FOLDER holds compile_commands.json. With name parts, only files that contain one of them in their path.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

from repository import ROOT, reach

# The compiler's own: warnings, optimisation, output, sanitizers. They do not change what clang-tidy finds.
COMPILER_ONLY = re.compile(r"-W|-O|-g\d?$|-f(sanitize|no-sanitize|no-omit)|-c$|-M|-DNDEBUG|-D_GLIBCXX_ASSERTIONS")
DAYS_REMEMBERED = 60


def arguments_for_clang(command):
    """The include folders, definitions and language of a compile command; a precompiled header is g++'s alone."""
    words = iter(shlex.split(command)[1:])
    for word in words:
        if word in ("-o", "-MF", "-MT", "-MQ"):
            next(words)
        elif word == "-include":
            header = next(words)
            if not header.endswith("cmake_pch.hxx"):
                yield from (word, header)
        elif not COMPILER_ONLY.match(word):
            yield word


def own_sources(build, parts):
    """(path below ROOT, arguments) of each compiled source file of this repository."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if file.is_relative_to(ROOT) and not file.is_relative_to(build):
            path = file.relative_to(ROOT)
            if path.parts[0] != "tests" and (not parts or any(part in str(path) for part in parts)):
                yield path, list(arguments_for_clang(entry["command"]))


def fingerprint(path, arguments, common):
    """Of all that clang-tidy would see; where the repository lies does not matter."""
    digest = hashlib.sha256(common)
    digest.update("\0".join(arguments).replace(str(ROOT), ".").encode())
    for reached in sorted(reach(path)):
        digest.update(str(reached).encode() + (ROOT / reached).read_bytes())
    return digest.hexdigest()


def forget_old(cache):
    for mark in cache.iterdir():
        if mark.stat().st_mtime < time.time() - DAYS_REMEMBERED * 86400:
            mark.unlink()


def check(path, database, mark):
    run = subprocess.run(["clang-tidy", "--quiet", "-p", database, ROOT / path], capture_output=True, text=True)
    if run.returncode == 0:
        mark.touch()
        return None
    return f"{path}\n{run.stdout}" if run.stdout.strip() else f"{path}\n{run.stderr}"


def main():
    build, cache = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    cache.mkdir(parents=True, exist_ok=True)
    forget_old(cache)
    common = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    common += (ROOT / ".clang-tidy").read_bytes()
    sources = dict(own_sources(build, sys.argv[3:]))
    marks = {path: cache / fingerprint(path, arguments, common) for path, arguments in sources.items()}
    unknown = [path for path, mark in marks.items() if not mark.exists()]
    for mark in set(marks.values()) - {marks[path] for path in unknown}:
        mark.touch()
    with tempfile.TemporaryDirectory() as database:
        pathlib.Path(database, "compile_commands.json").write_text(json.dumps(
            [{"directory": str(build), "file": str(ROOT / path), "arguments": ["clang++", *arguments, "-w"]}
             for path, arguments in sources.items()]))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = pool.map(lambda path: check(path, database, marks[path]), unknown)
            complaints = 0
            for complaint in filter(None, results):
                complaints += 1
                print(complaint, flush=True)
    print(f"clang-tidy: {len(sources)} files, {len(unknown)} of them new or changed, {complaints} with findings.")
    sys.exit(complaints > 0 or not sources)


if __name__ == "__main__":
    main()
