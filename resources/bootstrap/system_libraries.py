"""The shared libraries that Qt and OpenGL take from the system: which are missing, and how to get them."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable

from .report import SetupError, say

# Debian's package -> the file it must bring, for systems that have other package names.
LIBRARIES = {
    "libgl1": "libGL.so.1",
    "libegl1": "libEGL.so.1",
    "libgl1-mesa-dri": "",  # the software renderer, a driver that nothing links
    "libglib2.0-0": "libglib-2.0.so.0",
    "libfontconfig1": "libfontconfig.so.1",
    "libfreetype6": "libfreetype.so.6",
    "libxkbcommon0": "libxkbcommon.so.0",
    "libdbus-1-3": "libdbus-1.so.3",
    "libgssapi-krb5-2": "libgssapi_krb5.so.2",  # QtNetwork links it
    "libx11-xcb1": "libX11-xcb.so.1",
    "libxcb-cursor0": "libxcb-cursor.so.0",
    "libxkbcommon-x11-0": "libxkbcommon-x11.so.0",
    "libxcb-icccm4": "libxcb-icccm.so.4",
    "libxcb-image0": "libxcb-image.so.0",
    "libxcb-keysyms1": "libxcb-keysyms.so.1",
    "libxcb-render-util0": "libxcb-render-util.so.0",
    "libxcb-shape0": "libxcb-shape.so.0",
    "libxcb-shm0": "libxcb-shm.so.0",
    "libxcb-sync1": "libxcb-sync.so.1",
    "libxcb-randr0": "libxcb-randr.so.0",
    "libxcb-xfixes0": "libxcb-xfixes.so.0",
    "libxcb-xkb1": "libxcb-xkb.so.1",
}
SKIP_VARIABLE = "BELVEDERE_SKIP_SYSTEM_LIBRARIES"
STATUS_FORMAT = "${Package}\t${Architecture}\t${db:Status-Status}\t${Provides}\n"
APT_OPTIONS = ["-o", "DPkg::Lock::Timeout=120", "-o", "Dpkg::Use-Pty=0"]


def missing_packages(status: str, wanted: Iterable[str]) -> list[str]:
    """Find the packages that are neither installed nor provided by one that is.

    Args:
        status: lines of dpkg-query in ``STATUS_FORMAT``.
        wanted: names of Debian packages.

    Returns:
        The missing ones, in the order of ``wanted``.
    """
    rows = [line.split("\t") for line in status.splitlines() if line.count("\t") == 3]
    native = {arch for name, arch, _, _ in rows if name == "dpkg"} | {"all"}
    present = set()
    for name, arch, state, provides in rows:
        if state == "installed" and arch in native:
            present.add(name)
            present.update(part.split()[0].split(":")[0] for part in provides.split(",") if part.strip())
    return [name for name in wanted if not {name, f"{name}t64"} & present]


def installable_names(missing: Iterable[str], policy: str) -> tuple[list[str], list[str]]:
    """Give each missing package the name under which apt has it.

    Newer releases renamed some libraries to ``...t64`` when their time type grew to 64 bits.

    Args:
        missing: names of Debian packages.
        policy: what ``apt-cache policy`` printed for them and their ``t64`` forms.

    Returns:
        The names to install, and those of ``missing`` that apt does not know under either name.
    """
    candidates = re.findall(r"^(\S+):\n(?:  .*\n)*?  Candidate: (.+)$", policy, re.MULTILINE)
    known = {name for name, candidate in candidates if candidate != "(none)"}
    names: list[str] = []
    unknown: list[str] = []
    for name in missing:
        found = next((form for form in (name, f"{name}t64") if form in known), None)
        (names if found else unknown).append(found or name)
    return names, unknown


def sudo_line(names: Iterable[str], update: bool = False) -> str:
    """Spell the one command that installs the named packages; ``update`` where apt's lists are still empty."""
    return ("sudo apt-get update && " if update else "") + "sudo apt-get install -y --no-install-recommends " + " ".join(names)


def unloadable(sonames: Iterable[str]) -> list[str]:
    """Name the shared libraries that the dynamic loader does not find."""
    absent = []
    for soname in filter(None, sonames):
        try:
            ctypes.CDLL(soname)
        except OSError:
            absent.append(soname)
    return absent


def is_debian() -> bool:
    """Tell whether packages come from dpkg and apt here (Debian, Ubuntu and their kin)."""
    return sys.platform.startswith("linux") and all(map(shutil.which, ("dpkg-query", "apt-get", "apt-cache")))


def ensure(also: list[str]) -> None:
    """Make the system libraries present, or say what a person has to do for it.

    Args:
        also: further Debian packages that this machine needs.

    Raises:
        SetupError: packages are missing, and this user may not install them or apt-get failed.
    """
    if os.environ.get(SKIP_VARIABLE):
        say(f"System libraries are not checked: {SKIP_VARIABLE} is set.")
    elif is_debian():
        _ensure_debian([*LIBRARIES, *also])
    elif sys.platform.startswith("linux"):
        absent = unloadable(LIBRARIES.values())
        if absent:
            say(f"If the window or the pictures fail, install what brings: {', '.join(absent)}")
    else:
        say("System libraries are not checked here: Qt brings its own; OpenGL must come from the system's driver.")


def _ensure_debian(wanted: list[str]) -> None:
    missing = missing_packages(_read("dpkg-query", "-W", "-f", STATUS_FORMAT), wanted)
    if not missing:
        return
    names, unknown = _resolve(missing)
    if os.geteuid() == 0:
        if unknown:
            _update()
            names, unknown = _resolve(missing)
    elif names or not _has_lists():
        line = sudo_line(names) if _has_lists() else sudo_line(missing, update=True)
        raise SetupError(f"System packages are missing. Install them, then call make again:\n  {line}")
    if unknown:
        say(f"apt knows no package {', '.join(unknown)}; going on without.")
    if names:
        _install(names)


def _install(names: list[str]) -> None:
    say(f"Installing {len(names)} system packages: {' '.join(names)}")
    command = ["install", "-y", "-q", "--no-install-recommends", *names]
    problem = _apt(*command)
    if problem:  # the lists may be older than the archive
        _update()
        problem = _apt(*command)
    if problem:
        raise SetupError(f"apt-get could not install the system packages: {problem}")


def _update() -> None:
    problem = _apt("update", "-o", "APT::Update::Error-Mode=any")  # else a dead network counts as success
    if not _has_lists():
        raise SetupError(f"apt-get could not fetch its lists of packages: {problem or 'it gave no reason'}")


def _resolve(missing: list[str]) -> tuple[list[str], list[str]]:
    forms = [form for name in missing for form in (name, f"{name}t64")]
    return installable_names(missing, _read("apt-cache", "policy", *forms))


def _has_lists() -> bool:
    """Tell whether apt has fetched its lists of packages: a fresh container has none."""
    return bool(_read("apt-cache", "madison", "dpkg").strip())


def _read(*command: str) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, env=_environment())
    return done.stdout.decode(errors="replace")


def _apt(*arguments: str) -> str:
    """Run apt-get and return its complaint, empty if it succeeded."""
    command = ["apt-get", *APT_OPTIONS, *arguments]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        env=_environment(),
    )
    if done.returncode == 0:
        return ""
    lines = [line for line in done.stdout.decode(errors="replace").splitlines() if line.strip()]
    errors = [line[3:] for line in lines if line.startswith("E: ")]
    return (errors or lines[-1:] or [f"exit code {done.returncode}"])[0]


def _environment() -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
