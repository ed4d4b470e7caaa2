"""Julia and bubblewrap on this machine: found, or installed without root.

find_julia(settings)      -> JuliaInstall | None     asked for > PATH > juliaup > our cache
find_bubblewrap(settings) -> Path | None             PATH > our cache
install_julia, install_bubblewrap                    into our cache, whole or not at all
"""

from __future__ import annotations

from .find import Search, check_julia, choose_julia, find_bubblewrap, find_julia, forget_choice, search_julia
from .install import install_bubblewrap, install_julia
from .julia import JuliaInstall, Package

__all__ = [
    "JuliaInstall",
    "Package",
    "Search",
    "check_julia",
    "choose_julia",
    "find_bubblewrap",
    "find_julia",
    "forget_choice",
    "install_bubblewrap",
    "install_julia",
    "search_julia",
]
