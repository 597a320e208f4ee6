#!/usr/bin/env python3
"""packaging/fetch.py: folders appear whole or not at all, and nothing is fetched twice."""
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

FETCH = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "fetch.py"
FILES = {"tuning/lib/libtuning.so": b"library", "tuning/python.py": b"left out", "tuning/lib/libpython.so": b"left out"}


def make_wheel(folder, name, version="1.0", files=FILES):
    """A wheel that pip accepts; returns its line in a requirements file."""
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    metadata = {"METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
                "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
        for path, content in metadata.items():
            archive.writestr(f"{info}/{path}", content)
        archive.writestr(f"{info}/RECORD", "")
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


class Fetch(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.index = self.folder / "index"
        self.index.mkdir()
        self.into = self.folder / "cache" / "tuning"
        self.requirements = self.folder / "requirements.txt"

    def fetch(self, *options, space="1", **settings):
        environment = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.index), **settings}
        return subprocess.run([sys.executable, FETCH, self.into, "--requirements", self.requirements, "--space", space,
                               "--keep", "*/lib/*.so", "--leave-out", "*/libpython.so", *options],
                              env=environment, capture_output=True, text=True)

    def refused(self, run, *words):
        self.assertEqual(run.returncode, 1)
        self.assertEqual(run.stderr.strip().count("\n"), 0, run.stderr)
        for word in words:
            self.assertIn(word, run.stderr)
        self.assertFalse(self.into.exists())

    def content(self):
        return {str(path.relative_to(self.into)) for path in self.into.rglob("*") if path.is_file()}

    def test_keeps_what_is_wanted(self):
        self.requirements.write_text("# a comment\n" + make_wheel(self.index, "tuning"))
        self.assertEqual(self.fetch().returncode, 0)
        self.assertEqual(self.content(), {"tuning/lib/libtuning.so", ".complete"})
        self.assertEqual((self.into / ".complete").read_text(), self.requirements.read_text())
        self.assertFalse(self.into.with_name("tuning.partial").exists())

    def test_flat(self):
        self.requirements.write_text(make_wheel(self.index, "tuning"))
        self.assertEqual(self.fetch("--flat").returncode, 0)
        self.assertEqual(self.content(), {"libtuning.so", ".complete"})

    def test_nothing_is_fetched_twice(self):
        first = make_wheel(self.index, "tuning")
        second = make_wheel(self.index, "bench", files={"bench/lib/libbench.so": b"library"})
        self.requirements.write_text(first + second)
        (self.index / "bench-1.0-py3-none-any.whl").rename(self.folder / "bench-1.0-py3-none-any.whl")
        self.refused(self.fetch(), "bench==1.0", "network")
        (self.index / "tuning-1.0-py3-none-any.whl").unlink()
        (self.folder / "bench-1.0-py3-none-any.whl").rename(self.index / "bench-1.0-py3-none-any.whl")
        self.assertEqual(self.fetch().returncode, 0)
        self.assertIn("tuning/lib/libtuning.so", self.content())
        (self.index / "bench-1.0-py3-none-any.whl").unlink()
        self.assertEqual(self.fetch().returncode, 0)

    def test_a_new_version_replaces_the_old_one_whole(self):
        self.requirements.write_text(make_wheel(self.index, "tuning"))
        self.assertEqual(self.fetch().returncode, 0)
        self.requirements.write_text(make_wheel(self.index, "tuning", "2.0", {"tuning/lib/libother.so": b"library"}))
        self.assertEqual(self.fetch().returncode, 0)
        self.assertEqual(self.content(), {"tuning/lib/libother.so", ".complete"})

    def test_a_cut_wheel_of_an_earlier_start_is_not_believed(self):
        self.requirements.write_text(make_wheel(self.index, "tuning"))
        wheels = self.into.with_name("tuning.partial") / "wheels"
        wheels.mkdir(parents=True)
        (wheels.parent / "wanted").write_text(self.requirements.read_text())
        whole = (self.index / "tuning-1.0-py3-none-any.whl").read_bytes()
        (wheels / "tuning-1.0-py3-none-any.whl").write_bytes(whole[:100])
        self.assertEqual(self.fetch().returncode, 0)
        self.assertIn("tuning/lib/libtuning.so", self.content())

    def test_another_file_than_the_pinned_one_is_refused(self):
        self.requirements.write_text(make_wheel(self.index, "tuning"))
        make_wheel(self.index, "tuning", files={"tuning/lib/libtuning.so": b"another"})
        self.refused(self.fetch(), "tuning==1.0", "package index")

    def test_no_space(self):
        self.requirements.write_text(make_wheel(self.index, "tuning"))
        self.refused(self.fetch(space=str(10**9)), "free space", "XDG_CACHE_HOME")

    def test_no_permission(self):
        self.requirements.write_text(make_wheel(self.index, "tuning"))
        self.into.parent.write_text("a file where a folder should be")
        self.refused(self.fetch(), "cannot be filled")

    def test_settings_of_the_users_pip_do_not_matter(self):
        self.requirements.write_text(make_wheel(self.index, "tuning"))
        constraint = self.folder / "constraint.txt"
        constraint.write_text("tuning==3.0\n")
        run = self.fetch(PIP_REQUIRE_VIRTUALENV="1", PIP_CONSTRAINT=str(constraint), PIP_NO_BINARY=":all:",
                         PIP_PLATFORM="win32", PIP_DEST=str(self.folder), PIP_USER="1", PYTHONPATH=str(self.folder))
        self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()
