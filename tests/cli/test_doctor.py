"""``formwright doctor``: the states it tells apart, and that only the core decides about its exit code."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner, Result
from parameters import slow_except

import formwright as fw
from formwright._hosts import HOSTS, Host
from formwright.cli import doctor_checks as module
from formwright.cli.app import app

ROOT = Path(__file__).parent.parent.parent
VERSIONS = {"vLLM": "0.31.9", "SGLang": "0.6", "Ray": "2.60.0", "MLX-LM": "0.32", "Haystack": None}


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["doctor", *arguments], catch_exceptions=False)


@pytest.fixture
def hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions as above; Ray can be imported, MLX-LM raises. All other hosts are left out."""

    def imported(name: str) -> Any:
        if "ray" in name:
            print("Ray says hello")
            return ModuleType("ray")
        if "mlx" in name:
            raise OSError("libmlx.so:\n  no such file")
        return __import__(name)

    keys = [key for key, host in HOSTS.items() if host.name in VERSIONS]
    monkeypatch.setattr(module, "HOSTS", {key: HOSTS[key] for key in keys})
    monkeypatch.setattr(module, "import_module", imported)
    monkeypatch.setattr(Host, "version", lambda host: VERSIONS[host.name])


def test_the_states_of_hosts(hosts: None) -> None:
    ran = run("--json")
    assert ran.exit_code == 0
    assert "hello" in ran.stderr
    told = json.loads(ran.stdout)
    assert told["works"] is True
    found = {row["name"]: (row["state"], row["version"], row["detail"]) for row in told["checks"]}
    assert found["vLLM"] == ("too old", "0.31.9", 'known are >=0.32,<0.34: pip install "vllm>=0.32,<0.34"')
    assert found["SGLang"][:2] == ("too new", "0.6")
    assert found["Ray"] == ("works", "2.60.0", f"known are >=2.60,<3; we ran {HOSTS['ray'].run}")
    assert found["MLX-LM"] == ("fails", "0.32", "OSError: libmlx.so: no such file")
    assert found["Haystack"] == ("missing", None, 'pip install "formwright[haystack]"')


def test_a_line_for_each_check(hosts: None) -> None:
    lines = run().stdout.splitlines()
    assert [line for line in lines if line and line[0] != " "] == ["core", "models", "extras", "judged", "hosts"]
    (line,) = [line for line in lines if line.startswith("  kernel")]
    assert line.split() == ["kernel", "works", fw.__version__]
    (line,) = [line for line in lines if line.startswith("  formwright-tiny")]
    assert line.endswith("works               it wrote 7")


def test_a_missing_package_is_named(hosts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXTRAS", {"pandas": ("json", "no_such_package"), "cli": ("json.no_such_module",)})
    found = {row["name"]: row for row in json.loads(run("--json").stdout)["checks"]}
    assert found["pandas"]["state"] == "missing"
    assert found["pandas"]["detail"] == 'no no_such_package: pip install "formwright[pandas]"'
    assert found["cli"]["state"] == "fails"


def test_packages_with_another_name_than_their_module_work(hosts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opentelemetry.trace")
    pytest.importorskip("google.protobuf")
    monkeypatch.setattr(module, "EXTRAS", {"otel": module.EXTRAS["otel"], "protobuf": ("google.protobuf",)})
    found = {row["name"]: row for row in json.loads(run("--json").stdout)["checks"] if row["group"] == "extras"}
    assert [row["state"] for row in found.values()] == ["works", "works"]
    assert found["otel"]["detail"].startswith("opentelemetry-api ")


@pytest.mark.parametrize(("fails", "code"), [("_check_embedded", 0), ("_check_kernel", 1)])
def test_only_the_core_decides(hosts: None, monkeypatch: pytest.MonkeyPatch, fails: str, code: int) -> None:
    def broken() -> Any:
        raise ValueError("broken")

    monkeypatch.setattr(module, fails, broken)
    ran = run("--json")
    assert ran.exit_code == code
    told = json.loads(ran.stdout)
    assert told["works"] is (code == 0)
    assert "ValueError: broken" in [row["detail"] for row in told["checks"]]


def test_a_mask_that_is_wrong_is_noticed(hosts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FORM", {"type": "boolean"})
    ran = run()
    assert ran.exit_code == 1
    assert "expected the digits to be allowed, got b'ft'" in ran.stdout


def test_every_extra_is_looked_at() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = set(project["optional-dependencies"]) - {"test"}
    assert extras == set(module.EXTRAS) | {host.extra for host in HOSTS.values() if host.extra}
    for name in ("vllm", "sglang", "ray"):
        assert name not in sys.modules  # looking into the tables imports nothing


@pytest.mark.parametrize("option", slow_except([[]], [[], ["--json"]]))
def test_it_runs_without_the_extra_of_the_command(option: list[str]) -> None:
    code = (
        "import sys\n"
        "for name in ('click', 'rich'): sys.modules[name] = None\n"
        "from formwright.cli.main import main\n"
        "main()"
    )
    ran = subprocess.run([sys.executable, "-c", code, "doctor", *option], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0
    assert "no click" in ran.stdout
    assert "Traceback" not in ran.stderr
    other = subprocess.run([sys.executable, "-c", code, "check"], capture_output=True, text=True, timeout=60)
    assert (other.returncode, "formwright[cli]" in other.stderr) == (1, True)
