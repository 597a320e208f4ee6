"""Calls tunebench-cli for the scripts beside it."""
import json, subprocess, sys


def call(cli, command, options, *more):
    """The JSON lines that it prints with these options, and what it says on the error stream where it fails."""
    sets = [part for key, value in options.items() for part in ("--set", f"{key}={value}")]
    done = subprocess.run([cli, command, "--json", *sets, *more], capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr if done.returncode else None


def must(cli, command, options, *more):
    """The JSON lines alone; where it fails, this script ends."""
    lines, problem = call(cli, command, options, *more)
    if problem is not None:
        sys.exit(f"{command} failed: {problem}\n{options}")
    return lines


def measure_machine(cli):
    """Measures the device, for plans to have times."""
    subprocess.run([cli, "doctor"], check=True, stdout=subprocess.DEVNULL)
