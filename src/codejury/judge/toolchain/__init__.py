"""Julia and bubblewrap on this machine: found, or installed without root.

find_julia(settings)      -> JuliaInstall | None     asked for > PATH > juliaup > our cache
find_bubblewrap(settings) -> Path | None             PATH > our cache
install_julia, install_bubblewrap                    into our cache, whole or not at all
"""
