"""What a script needs that is not there is an error with the commands that the script's own text names."""

import importlib.util
import os
import subprocess
import sys


def packages(text, *names, python=None):
    """Want packages, of this Python or of another; text is the script's own."""
    missing = [n for n in names if not (importlib.util.find_spec(n) if python is None else has(python, n))]
    if missing:
        end(text, f"{'package' if len(missing) == 1 else 'packages'} {', '.join(missing)}" +
            (f" of {python}" if python else ""))


def has(python, package):
    """Whether a Python has a package; one that is not there has none."""
    try:
        return subprocess.run([python, "-c", f"import {package}"], capture_output=True).returncode == 0
    except OSError:
        return False


def program(text, path):
    """Want a program, such as bin/zoo."""
    if not os.access(path, os.X_OK):
        end(text, f"program {path}")


def end(text, what):
    commands = "\n".join(line for line in text.splitlines() if line.startswith("    "))
    sys.exit(f"{sys.argv[0]} lacks the {what}; these commands bring what it needs, and run it:\n\n{commands}")
