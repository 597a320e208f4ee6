#!/usr/bin/env python3
"""packaging/setup.sh and run.sh on machines that lack something: one sentence that says what and what to do.

The scripts run in a copy, with stand-ins for the tools that would change the machine, so nothing is installed or fetched.
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PACKAGING = pathlib.Path(__file__).resolve().parents[2] / "packaging"
TOOLS = "bash cat cmp comm cp cut df dirname env grep ldconfig mkdir paste sed sort tail uname".split()
EVERY_PACKAGE = "sed -n 's/^[^#].*/installed &/p' {lists}"


class Scripts(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.packaging = self.folder / "repository" / "packaging"
        shutil.copytree(PACKAGING, self.packaging)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            found = shutil.which(tool, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
            (self.bin / tool).symlink_to(found)
        self.stand_in("id", "echo 1000")
        self.stand_in("apt-get", "exit 100")
        self.have_all_packages()
        self.cache = self.folder / "cache" / "tunebench"

    def stand_in(self, name, body):
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def have_all_packages(self):
        lists = " ".join(str(path) for path in sorted(self.packaging.glob("debian-packages*.txt")))
        self.stand_in("dpkg-query", EVERY_PACKAGE.format(lists=lists))

    def have_all_downloads(self):
        for kind, requirements in (("libtorch", "libtorch-cpu.txt"), ("arrow", "arrow.txt"),
                                   ("models", "demo-model.txt")):
            (self.cache / kind).mkdir(parents=True)
            shutil.copy(self.packaging / requirements, self.cache / kind / ".complete")

    def run_script(self, script, *arguments, **settings):
        environment = {"PATH": str(self.bin), "HOME": str(self.folder), "XDG_CACHE_HOME": str(self.cache.parent),
                       **settings}
        return subprocess.run([self.packaging / script, *arguments], env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True)

    def refused(self, run, *words):
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(run.stderr.strip().count("\n"), 0, run.stderr)
        for word in words:
            self.assertIn(word, run.stderr)

    def test_nothing_to_do(self):
        self.have_all_downloads()
        run = self.run_script("setup.sh", "--with-tests")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))

    def test_unknown_argument(self):
        self.refused(self.run_script("setup.sh", "--with-test"), "usage")

    def test_no_display(self):
        self.refused(self.run_script("run.sh"), "--headless", "DISPLAY")

    def test_another_distribution(self):
        (self.bin / "apt-get").unlink()
        self.refused(self.run_script("setup.sh"), "debian-packages.txt", "TUNEBENCH_NO_PACKAGES=1")

    def test_another_distribution_with_everything_in_place(self):
        (self.bin / "apt-get").unlink()
        self.have_all_downloads()
        self.assertEqual(self.run_script("setup.sh", TUNEBENCH_NO_PACKAGES="1").returncode, 0)

    def test_neither_root_nor_sudo(self):
        self.stand_in("dpkg-query", "exit 1")
        self.refused(self.run_script("setup.sh"), "as root", "apt-get install", "qt6-base-dev")

    def test_sudo_refused(self):
        self.stand_in("dpkg-query", "exit 1")
        self.stand_in("sudo", "exit 1")
        self.refused(self.run_script("setup.sh"), "sudo was refused", "apt-get install")

    def test_no_network_for_packages(self):
        self.stand_in("dpkg-query", "exit 1")
        self.stand_in("sudo", 'case "$1" in -n) shift ;; esac\nexec "$@"')
        self.stand_in("true", "exit 0")
        self.stand_in("apt-get", "echo 'Temporary failure resolving' >&2; exit 100")
        self.refused(self.run_script("setup.sh"), "check the network connection")

    def test_no_space_for_packages(self):
        self.stand_in("dpkg-query", "exit 1")
        self.stand_in("id", "echo 0")
        self.stand_in("apt-get", "echo \"E: You don't have enough free space in /var/cache/apt\" >&2; exit 100")
        self.refused(self.run_script("setup.sh"), "not enough free space")

    def test_another_machine(self):
        self.stand_in("uname", "echo Linux aarch64")
        self.refused(self.run_script("setup.sh"), "TUNEBENCH_LIBTORCH")

    def test_own_libtorch_that_is_none(self):
        self.refused(self.run_script("setup.sh", TUNEBENCH_LIBTORCH=str(self.folder)), "is no LibTorch folder", "unset")

    def test_own_arrow_that_is_none(self):
        self.have_all_downloads()
        self.refused(self.run_script("setup.sh", TUNEBENCH_ARROW=str(self.folder)), "no folder of Arrow", "unset")

    def test_no_compiler(self):
        self.have_all_downloads()
        self.refused(self.run_script("run.sh", "--headless"), "no C++ compiler", "g++")

    def test_no_space_for_the_build(self):
        self.have_all_downloads()
        self.stand_in("c++", "exit 0")
        self.stand_in("df", "echo Avail; echo 50")
        self.refused(self.run_script("run.sh", "--headless"), "2000 MB", "50 MB")


if __name__ == "__main__":
    unittest.main()
