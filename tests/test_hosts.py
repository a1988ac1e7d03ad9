"""Versions of hosts: windows, what is said outside of them, and imports that fail."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from formwright._hosts import HOSTS, Host, import_host
from formwright.errors import HostMismatch, MissingDependency

ROOT = Path(__file__).parent.parent
HOST = Host("Some Host", "some-host", "0.32", "0.34", "formwright.nowhere", "fw.from_some_host(model)")


def installed(monkeypatch: pytest.MonkeyPatch, version: str | None) -> None:
    monkeypatch.setattr(Host, "version", lambda host: version)


@pytest.mark.parametrize(
    ("version", "state"),
    [
        (None, "missing"),
        ("0.31.99", "too old"),
        ("0.4", "too old"),  # by numbers, not by letters
        ("0.32", "known"),
        ("0.32.0rc1", "known"),
        ("0.33.7.post1+cu12", "known"),
        ("0.34", "too new"),
        ("0.34.0.dev3", "too new"),
        ("1", "too new"),
        ("unknown", "too old"),
    ],
)
def test_the_window(monkeypatch: pytest.MonkeyPatch, version: str | None, state: str) -> None:
    installed(monkeypatch, version)
    assert HOST.state() == state
    if state == "known":
        assert HOST.check() == version
        return
    with pytest.raises(MissingDependency if version is None else HostMismatch) as raised:
        HOST.check()
    assert raised.value.hint == 'pip install "some-host>=0.32,<0.34"'
    if isinstance(raised.value, HostMismatch):
        assert (raised.value.host, raised.value.version) == ("Some Host", version)
        assert f"Some Host {version} is {state}: known are the versions >=0.32,<0.34" in str(raised.value)


def test_a_package_that_is_not_there_has_no_version() -> None:
    assert Host("x", "no-such-package-anywhere", "1", "2", "x", "x").version() is None
    assert Host("x", "numpy", "1", "2", "x", "x").version() is not None


def test_zeros_at_the_end_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host("x", "x", "1.0", "2", "x", "x")
    for version, state in (
        ("1", "known"),
        ("1.0.0", "known"),
        ("2.0", "too new"),
        ("0.9", "too old"),
        ("10.0", "too new"),
    ):
        installed(monkeypatch, version)
        assert host.state() == state


@pytest.mark.parametrize("key", HOSTS)
def test_every_host_is_refused_outside_of_its_window(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    host = HOSTS[key]
    for version, error in ((None, MissingDependency), ("0", HostMismatch), (host.end, HostMismatch)):
        installed(monkeypatch, version)
        with pytest.raises(error) as raised, import_host(key):
            raise AssertionError("the block was entered")
        assert host.name in str(raised.value)
    installed(monkeypatch, host.first)
    with import_host(key):
        pass


def test_an_import_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, HOSTS["ray"].first)
    with pytest.raises(MissingDependency, match=r"libray\.so") as raised, import_host("ray"):
        raise ImportError("cannot open libray.so")
    assert raised.value.hint == 'pip install "formwright[ray]"'
    inner = MissingDependency("another one")
    with pytest.raises(MissingDependency) as raised, import_host("ray"):
        raise inner
    assert raised.value is inner
    with pytest.raises(KeyError), import_host("ray"):  # is no import that failed
        raise KeyError("x")


def test_extras_bring_the_known_versions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for host in HOSTS.values():
        assert host.install.startswith("pip install ")
        if host.extra is None:
            assert host.window in host.install
            continue
        brought = project["optional-dependencies"][host.extra]
        (line,) = [line for line in brought if line.replace("[data]", "").startswith(f"{host.package}>=")]
        first, _, end = line.partition(">=")[2].partition(",<")
        assert (first, end or host.end) == (host.first, host.end)


def test_the_entry_points_of_engines_are_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for group in ("vllm.general_plugins", "sglang.srt.plugins"):
        module, _, name = project["entry-points"][group]["formwright"].partition(":")
        source = ROOT / "python" / f"{module.replace('.', '/')}.py"
        assert f"\ndef {name}() -> None:" in source.read_text(encoding="utf-8")
