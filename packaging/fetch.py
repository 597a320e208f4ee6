#!/usr/bin/env python3
"""Fetches pinned wheels from PyPI through pip and unpacks what is wanted of them into a folder.

usage: fetch.py INTO --requirements FILE... --keep PATTERN... [--leave-out PATTERN...] [--flat] --space MEGABYTES

The folder appears whole or not at all: everything is gathered in INTO.partial and renamed at the end, with a copy of
the requirements as INTO/.complete. An interrupted start loses at most the wheel that was on its way.
"""
import argparse
import errno
import fcntl
import fnmatch
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import zipfile

PLATFORMS = [f"manylinux_2_{minor}_x86_64" for minor in range(28, 4, -1)]
PLATFORMS += ["manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64"]
PIP_OPTIONS = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--python-version", "3.11", "--no-cache-dir",
               "--no-input", "--disable-pip-version-check"]
# How pip reaches its index is the user's own; what it would choose is not.
PIP_SETTINGS_KEPT = {"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CONFIG_FILE",
                     "PIP_CERT", "PIP_CLIENT_CERT", "PIP_TRUSTED_HOST", "PIP_PROXY", "PIP_TIMEOUT",
                     "PIP_DEFAULT_TIMEOUT", "PIP_RETRIES"}
BROKEN_TRANSFER = re.compile(r"IncompleteRead|Connection broken|reset by peer|Read timed out|DECRYPTION_FAILED")
NO_NETWORK = re.compile(r"NewConnectionError|NameResolutionError|Network is unreachable|ConnectTimeout|ProxyError"
                        r"|Max retries exceeded|Could not find a version")


class Failure(Exception):
    """One sentence for the user: what is missing and what to do."""


def pins(text):
    """(requirement line, sha256) for each requirement in a requirements file."""
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            yield line, line.rsplit("sha256:", 1)[1].strip()


def wheel_with(digest, folder):
    for wheel in folder.glob("*.whl"):
        with wheel.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() == digest:
                return wheel
    return None


def pip_environment(temporary):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PIP_") or key in PIP_SETTINGS_KEPT}
    return {**kept, "PIP_REQUIRE_VIRTUALENV": "0", "TMPDIR": str(temporary)}


def run_pip(line, work):
    """One pip download; returns its error text, empty when it went well."""
    temporary = work / "tmp"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    requirement = work / "requirement.txt"
    requirement.write_text(line + "\n")
    command = [sys.executable, "-I", "-m", "pip", "download", *PIP_OPTIONS, "--dest", str(work / "wheels"),
               "--requirement", str(requirement)]
    for platform in PLATFORMS:
        command += ["--platform", platform]
    if not sys.stdout.isatty():
        command.append("--quiet")
    done = subprocess.run(command, env=pip_environment(temporary), stderr=subprocess.PIPE, text=True, errors="replace",
                          stdin=subprocess.DEVNULL)
    return "" if done.returncode == 0 else done.stderr or "pip failed"


def download(line, digest, work):
    wheel = wheel_with(digest, work / "wheels")
    if wheel:
        return wheel
    name = line.split()[0]
    print(f"Fetching {name} ...", flush=True)
    for _ in range(3):
        error = run_pip(line, work)
        if not BROKEN_TRANSFER.search(error):
            break
    wheel = wheel_with(digest, work / "wheels")
    if wheel and not error:
        return wheel
    log = work.with_suffix(".log")
    log.write_text(error)
    if "No space left" in error:
        raise OSError(errno.ENOSPC, "")
    if "DO NOT MATCH THE HASHES" in error:
        raise Failure(f"{name} as it was served is not the file that Tunebench was tested with, so it was not kept; "
                      f"check the package index that pip is set to use ({log}).")
    if "No module named pip" in error:
        raise Failure("Python has no pip; install the package python3-pip, then start again.")
    if NO_NETWORK.search(error) or BROKEN_TRANSFER.search(error):
        raise Failure(f"{name} could not be fetched because the package index does not answer; check the network "
                      f"connection, then start again: what has arrived is kept ({log}).")
    raise Failure(f"pip could not fetch {name}; see {log} for its reason, then start again.")


def unpack(wheel, arguments, tree):
    def wanted(name):
        matches = lambda patterns: any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
        return matches(arguments.keep) and not matches(arguments.leave_out)

    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            if member.is_dir() or not wanted(member.filename):
                continue
            if arguments.flat:
                member.filename = pathlib.PurePosixPath(member.filename).name
            archive.extract(member, tree)


def size_of(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def check_space(work, megabytes):
    needed = megabytes * 10**6 - size_of(work)
    free = shutil.disk_usage(work).free
    if free < needed:
        raise Failure(f"{work.parent} needs {needed / 1e9:.1f} GB of free space and has {free / 1e9:.1f} GB; "
                      "free some, or set XDG_CACHE_HOME to a folder on a larger disk.")


def gather(arguments, wanted, work):
    """Fills work/tree with all that is wanted, going on where an earlier start left off."""
    if not (work / "wanted").exists() or (work / "wanted").read_text() != wanted:
        shutil.rmtree(work, ignore_errors=True)
    for folder in ("tree", "wheels", "unpacked"):
        (work / folder).mkdir(parents=True, exist_ok=True)
    (work / "wanted").write_text(wanted)
    check_space(work, arguments.space)
    for line, digest in pins(wanted):
        mark = work / "unpacked" / digest
        if not mark.exists():
            wheel = download(line, digest, work)
            unpack(wheel, arguments, work / "tree")
            os.sync()
            mark.touch()
        for wheel in (work / "wheels").glob("*.whl"):
            wheel.unlink()


def put_in_place(work, into, wanted):
    (work / "tree" / ".complete").write_text(wanted)
    os.sync()
    if into.exists():
        shutil.rmtree(work / "old", ignore_errors=True)
        into.rename(work / "old")
    (work / "tree").rename(into)
    shutil.rmtree(work)
    work.with_suffix(".log").unlink(missing_ok=True)


def fetch(arguments):
    into = arguments.into.absolute()
    wanted = "".join(file.read_text() for file in arguments.requirements)
    into.parent.mkdir(parents=True, exist_ok=True)
    with open(into.parent / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (into / ".complete").exists() and (into / ".complete").read_text() == wanted:
            return
        work = into.with_name(into.name + ".partial")
        gather(arguments, wanted, work)
        put_in_place(work, into, wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("into", type=pathlib.Path)
    parser.add_argument("--requirements", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--keep", nargs="+", required=True)
    parser.add_argument("--leave-out", nargs="+", default=[])
    parser.add_argument("--flat", action="store_true", help="files without the folders that they lie in")
    parser.add_argument("--space", type=int, required=True, help="megabytes needed at the fullest moment")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        fetch(arguments)
    except KeyboardInterrupt:
        sys.exit(130)
    except Failure as failure:
        sys.exit(str(failure))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            sys.exit(f"The disk that holds {arguments.into.parent} is full; free about {arguments.space / 1000:.1f} GB, "
                     "or set XDG_CACHE_HOME to a folder on a larger disk, then start again.")
        sys.exit(f"{arguments.into} cannot be filled ({error.strerror}: {error.filename}); check its permissions.")


if __name__ == "__main__":
    main()
