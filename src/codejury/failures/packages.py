"""Names that are not defined: of a package that is not there, of a forgotten import, of an old Julia."""

from __future__ import annotations

import re
from typing import Final

# Some exports of packages that answers often import. An undefined name is blamed on one of these packages
# only if it is listed; on a package that is not in the table, always: often no such package exists at all.
_EXPORTS: Final = {
    "DataFrames": "DataFrame DataFrameRow nrow ncol groupby combine select select! transform transform!"
    " subset names rename rename! describe dropmissing innerjoin leftjoin outerjoin stack unstack ByRow",
    "CSV": "CSV",
    "DataStructures": "OrderedDict DefaultDict Deque Queue Stack enqueue! dequeue! counter Accumulator"
    " SortedDict SortedSet OrderedSet PriorityQueue heappush! heappop! CircularBuffer MutableLinkedList",
    "OrderedCollections": "OrderedDict OrderedSet LittleDict",
    "TimeZones": "ZonedDateTime TimeZone FixedTimeZone astimezone localzone @tz_str now",
    "Unitful": "@u_str uconvert ustrip Quantity unit upreferred",
    "StatsBase": "countmap mode sample Weights corspearman geomean zscore counts fit Histogram",
    "Threads": "@spawn @threads nthreads threadid Atomic atomic_add! SpinLock",
    "ThreadsX": "ThreadsX",
    "JSON": "JSON",
    "Regex": "",
    "Revise": "",
}
_OF_BASE: Final = frozenset({"Threads", "Regex"})
"""No packages, though often imported like some: they are there without."""
_STANDARD_LIBRARY: Final = {
    "Statistics": "mean mean! median median! std var quantile cor cov middle",
    "Dates": "Date DateTime Time Hour Minute Second Day Month Year Week now today dayofweek year month day"
    " hour minute second datetime2unix unix2datetime DateFormat @dateformat_str",
    "LinearAlgebra": "norm dot cross det inv eigen svd tr I diag qr lu rank transpose!",
    "Random": "shuffle shuffle! randperm randstring MersenneTwister seed! randsubseq",
    "Printf": "@printf @sprintf",
    "Base.Threads": "@spawn @threads nthreads threadid Atomic",
    "Distributed": "pmap @distributed @everywhere addprocs nprocs workers @spawnat remotecall fetch",
    "DelimitedFiles": "readdlm writedlm",
    "Markdown": "@md_str Markdown",
    "SparseArrays": "sparse spzeros sprand",
}
# Gone since Julia 0.7 or 1.0, and still written.
_REMOVED: Final = {
    "matchall": "eachmatch", "ismatch": "occursin", "isupper": "isuppercase", "islower": "islowercase",
    "issubtype": "<:", "search": "findfirst", "rsearch": "findlast", "searchindex": "findfirst",
    "contains": "occursin", "linspace": "range", "is": "===", "isnumber": "isnumeric",
    "strwidth": "textwidth", "ucfirst": "uppercasefirst", "lcfirst": "lowercasefirst", "eye": "I",
    "Void": "Nothing",
    "ASCIIString": "String", "UTF8String": "String", "readstring": "read", "print_with_color": "printstyled",
    "info": "@info", "warn": "@warn", "find": "findall", "indmax": "argmax", "indmin": "argmin",
    "nb_available": "bytesavailable", "full": "Array", "isalpha": "isletter",
}  # fmt: skip


def missing_package(name: str, dropped: tuple[str, ...], code: str) -> str:
    """Return the package, among those that are not installed, that an undefined name is from; "" if none is.

    "nrow", ("DataFrames",) -> "DataFrames"     "trim", ("DataFrames",) -> ""
    """
    for package in dropped:
        root = package.split(".")[0].split(":")[0]
        if name in _EXPORTS.get(root, "").split() and f"Base.{root}" not in code:
            return root
        if root in _OF_BASE:
            continue
        if name == root or _named_with(name, root, code):
            return root
        if root not in _EXPORTS and name not in _REMOVED:
            return root
    return ""


def _named_with(name: str, package: str, code: str) -> bool:
    """Whether the code says `using Package: name` or `Package.name`."""
    word = re.escape(name)
    listed = rf"^[ \t]*(?:using|import)\s+{re.escape(package)}\s*:[^\n]*(?<!\w){word}(?![\w!])"
    return bool(re.search(rf"{listed}|\b{re.escape(package)}\.{word}(?![\w!])", code, re.MULTILINE))


def hint_for(name: str) -> str:
    """Return what to say of an undefined name: where it is from, or what has become of it."""
    if name in _REMOVED:
        return f"; it is of an older Julia, now `{_REMOVED[name]}`"
    for package, exports in _STANDARD_LIBRARY.items():
        if name in exports.split() or name == package:
            return f"; `using {package}` is missing"
    return ""
