"""What Codejury takes from the environment."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codejury.errors import InputError
from codejury.settings import Settings, bare_environment, load_settings

HOME = {"HOME": "/h"}


def test_where_nothing_is_set_everything_has_a_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert load_settings(HOME) == Settings(
        julia="",
        sandbox="",
        cache=Path("/var/cache/codejury"),
        path=os.defpath,
        juliaup=Path("/h/.julia/juliaup"),
        julia_environment=HOME,
        download_environment={},
        api_keys=(),
        runtime=None,
        warm_minutes=10.0,
        ray_address="",
        is_root=True,
    )


def test_every_variable_has_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    julia = {"JULIA_DEPOT_PATH": "/d", "JULIA_PKG_SERVER": "p", "LD_LIBRARY_PATH": "/l", **HOME}
    downloads = {"JULIA_PKG_SERVER": "p", "SSL_CERT_FILE": "/c", "HTTPS_PROXY": "a", "no_proxy": "b"}
    others = {
        "CODEJURY_JULIA": "julia-1.9",
        "CODEJURY_SANDBOX": "mine",
        "CODEJURY_CACHE": "/somewhere",
        "CODEJURY_WARM_MINUTES": "0.5",
        "JULIAUP_DEPOT_PATH": "/up",
        "XDG_RUNTIME_DIR": "/run/user/1000",
        "RAY_ADDRESS": "head:6379",
        "PATH": "/bin",
        "GROQ_API_KEY": "secret",
        "OPENAI_API_KEY": "",
        "EDITOR": "vi",
    }
    assert load_settings(julia | downloads | others) == Settings(
        julia="julia-1.9",
        sandbox="mine",
        cache=Path("/somewhere"),
        path="/bin",
        juliaup=Path("/up/juliaup"),
        julia_environment=julia,
        download_environment=downloads,
        api_keys=("GROQ_API_KEY",),
        runtime=Path("/run/user/1000"),
        warm_minutes=0.5,
        ray_address="head:6379",
        is_root=False,
    )


def test_without_another_environment_it_is_that_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEJURY_JULIA", "julia-1.9")
    assert load_settings().julia == "julia-1.9"
    assert bare_environment()["PATH"] == os.environ["PATH"]
    assert "CODEJURY_JULIA" not in bare_environment()


def test_a_cache_may_be_named_from_here_or_from_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_settings({"CODEJURY_CACHE": "mine"}).cache == tmp_path / "mine"
    assert load_settings({"CODEJURY_CACHE": "~/mine"}).cache == Path.home() / "mine"


def test_a_user_who_is_not_root_has_a_cache_in_the_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("XDG_CACHE_HOME", "/h/.cache")
    assert load_settings(HOME).cache == Path("/h/.cache/codejury")


@pytest.mark.parametrize(("text", "minutes"), [("", 10.0), ("0", 0.0), ("0.25", 0.25)])
def test_minutes_without_use_are_a_number(text: str, minutes: float) -> None:
    assert load_settings({"CODEJURY_WARM_MINUTES": text}).warm_minutes == minutes


@pytest.mark.parametrize("text", ["ten", "-1", "inf", "nan"])
def test_other_minutes_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=f"CODEJURY_WARM_MINUTES: '{text}' is not a number of minutes"):
        load_settings({"CODEJURY_WARM_MINUTES": text})


def test_a_process_that_lives_on_gets_no_key() -> None:
    environment = {"HOME": "/h", "PYTHONPATH": "/p", "OPENAI_API_KEY": "secret", "EDITOR": "vi"}
    assert bare_environment(environment) == {"HOME": "/h", "PYTHONPATH": "/p"}


def test_settings_of_ones_own_are_those_of_no_root_with_a_judge_that_stays_warm() -> None:
    settings = Settings(cache=Path("/c"), juliaup=Path("/j"), julia_environment={})
    assert (settings.is_root, settings.warm_minutes) == (False, 10.0)
