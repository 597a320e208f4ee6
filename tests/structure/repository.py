"""The files of the source tree, for the checks beside this one."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def files(*suffixes, folders=()):
    """Paths relative to ROOT of the files that git knows or would add, with one of the suffixes (all, when none)."""
    listing = subprocess.run(["git", "-c", "safe.directory=*", "-C", ROOT, "ls-files", "-z", "--cached", "--others",
                              "--exclude-standard", "--", *folders], check=True, capture_output=True, text=True)
    paths = (pathlib.Path(name) for name in sorted(set(listing.stdout.split("\0"))) if name)
    return [path for path in paths if (not suffixes or path.suffix in suffixes) and (ROOT / path).is_file()]


def includes(path):
    """(bracket, name) of each #include in a file: '<' for the system's, '"' for ours."""
    return INCLUDE.findall((ROOT / path).read_text())


def own_includes(path):
    """The files of this repository that a file includes itself."""
    for bracket, name in includes(path):
        for candidate in (pathlib.Path(name), path.parent / name):
            if bracket == '"' and (ROOT / candidate).is_file():
                yield candidate
                break


def reach(path, seen=None):
    """A file and all files of this repository that it includes, directly or through others."""
    seen = set() if seen is None else seen
    if path not in seen:
        seen.add(path)
        for included in own_includes(path):
            reach(included, seen)
    return seen
