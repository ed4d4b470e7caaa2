"""One evaluation -> one kind of failure, with the reason. Pure: it reads no file and asks nobody.

The order of the questions is the precedence of `Kind`: first what stands above the code (tampering, no code,
another language, code that was lost or cut off), then what the code did.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from ...records import CUT_SHORT, EMPTY, Block, BlockKind, Ending, Evaluation
from .answers import (
    JULIA,
    Piece,
    cut_off,
    defines,
    in_code,
    in_error,
    in_syntax,
    julia_within,
    lost_by_the_predecessor,
    other_language,
    stands_among_prose,
    undefined_name,
    unused_definition,
)
from .evidence import Evidence, Failure, Kind, evidence_of, lost_points, place_of

_NONE: Final = "none"


def classify(evaluation: Evaluation, answer: str | None = None, *, finish_reason: str = "") -> Failure | None:
    """Say why an evaluation lost points; None if it lost none, or if it is void: that is no failure.

    `answer` is what the model wrote, if that is at hand, and `finish_reason` why it stopped.
    """
    if not lost_points(evaluation):
        return None
    return explained(evidence_of(evaluation, answer, finish_reason))


def explained(evidence: Evidence) -> Failure:
    """Say why an evaluation that lost points did so."""
    return _ours(evidence) if evidence.ours else _predecessors(evidence)


def needs_answer(evidence: Evidence) -> bool:
    """Whether the text of the answer could tell more than the evaluation alone."""
    if not evidence.ours:
        return True
    first = evidence.troubles[0] if evidence.troubles else None
    return evidence.rule == _NONE or (
        first is not None
        and (
            first.message.startswith("incomplete")
            or f"`{evidence.test_case}` is not defined" in first.message
        )
    )


def _ours(evidence: Evidence) -> Failure:
    if evidence.tampering:
        return Failure(kind=Kind.TAMPERING, why=f"The code acted on the judge: {evidence.tampering[0]}")
    if evidence.finish_reason in CUT_SHORT:
        return Failure(kind=Kind.HIT_LIMIT, why="The model was cut short at its limit of tokens")
    if evidence.rule == EMPTY:
        return Failure(kind=Kind.EMPTY_ANSWER, why="The answer is empty")
    if evidence.rule == _NONE:
        return _without_code(evidence.answer, evidence.test_case)
    return _lost_or_cut(evidence) or _unparsed(evidence) or failure_of_blocks(evidence) or _unknown(evidence)


def _without_code(answer: str | None, name: str) -> Failure:
    """Say what there was where the judge found no Julia code."""
    if answer is None:
        return Failure(kind=Kind.NO_CODE, why="No Julia code was found, and the answer is not at hand")
    if not answer.strip():
        return Failure(kind=Kind.EMPTY_ANSWER, why="The answer is empty")
    piece = julia_within(answer)
    if piece is not None and (failure := _not_taken(piece, name)):
        return failure
    if language := other_language(answer):
        return Failure(kind=Kind.OTHER_LANGUAGE, why=f"The answer is written in {language}", detail=language)
    return Failure(kind=Kind.NO_CODE, why="The answer holds prose and no code", detail="prose")


def _not_taken(piece: Piece, name: str) -> Failure | None:
    """Julia code that the judge did not take. A block without a tag is taken if it parses, so it does not."""
    if not piece.fenced and stands_among_prose(piece.code):
        why = "There is Julia code among prose, without a fence, so it was not taken"
        return Failure(kind=Kind.EXTRACTION_LOST, why=why, detail="no fence")
    if piece.says_another_language and defines(piece.code, name):
        why = f"What looks like Julia code is tagged as {piece.language}, so it was not taken"
        return Failure(kind=Kind.EXTRACTION_LOST, why=why, detail="tag")
    if not piece.fenced or not piece.tag:
        failure = _unparsable(piece.code, "")
        why = f"Without a tag for Julia, code is taken if it parses. {failure.why}"
        return Failure(kind=failure.kind, why=why, detail=failure.detail)
    if piece.language == JULIA and piece.code.strip():
        return Failure(
            kind=Kind.EXTRACTION_LOST, why=f"A block tagged as {piece.tag} was not taken", detail="block"
        )
    return None


def _lost_or_cut(evidence: Evidence) -> Failure | None:
    """Code that the answer holds and the judge did not take, or that the model did not finish."""
    first = evidence.troubles[0] if evidence.troubles else None
    if first is None:
        return None
    answer, name = evidence.answer, evidence.test_case
    undefined = first.error_type == "UndefVarError" and f"`{name}` is" in first.message
    if undefined and answer is not None and (piece := unused_definition(answer, evidence.code, name)):
        why = f"The answer defines `{name}`, and the block that does was not taken"
        lost = Failure(kind=Kind.EXTRACTION_LOST, why=why, detail="block")
        return lost if piece.tag else _not_taken(piece, name) or lost
    incomplete = not evidence.parsed and first.message.startswith("incomplete")
    if incomplete and answer is not None and cut_off(answer):
        return Failure(kind=Kind.CUT_OFF, why="The answer ends in the middle of the code")
    return None


def _unparsed(evidence: Evidence) -> Failure | None:
    if evidence.parsed:
        return None
    return _unparsable(evidence.code, evidence.troubles[0].message if evidence.troubles else "")


def _unparsable(code: str, message: str) -> Failure:
    if habit := in_syntax(code, message):
        return Failure(
            kind=Kind.PYTHON_ISM, why=f"It does not parse, and has {habit}, as in Python", detail=habit
        )
    said = message.strip().partition("\n")[0]
    return Failure(kind=Kind.DOES_NOT_PARSE, why=f"It does not parse{': ' if said else ''}{said}")


def _predecessors(evidence: Evidence) -> Failure:
    """Flags and counts say how far it got; the answer, if there is one, sometimes why not further."""
    return (_from_the_answer(evidence) if evidence.answer is not None else None) or _unknown(evidence)


def _from_the_answer(evidence: Evidence) -> Failure | None:
    answer = evidence.answer or ""
    piece = julia_within(answer)
    if not evidence.parsed:
        if piece is None:
            return _without_code(answer, evidence.test_case)
        if why := lost_by_the_predecessor(answer):
            return Failure(kind=Kind.EXTRACTION_LOST, why=f"The predecessor judged it: {why}")
        if not piece.fenced:
            return Failure(kind=Kind.EXTRACTION_LOST, why="The code is not in a fence", detail="no fence")
        if habit := in_syntax(piece.code, ""):
            return Failure(
                kind=Kind.PYTHON_ISM, why=f"It does not parse, and has {habit}, as in Python", detail=habit
            )
        return None
    if habit := in_code(piece.code if piece else ""):
        return Failure(
            kind=Kind.PYTHON_ISM, why=f"The code uses {habit}, which only Python has", detail=habit
        )
    return None


def _unknown(evidence: Evidence) -> Failure:
    """What the flags alone tell. The predecessor recorded no error, so there is nothing to make up."""
    if not evidence.parsed:
        return Failure(kind=Kind.DOES_NOT_PARSE, why="It does not parse; no message was recorded")
    if not evidence.executed:
        return Failure(kind=Kind.RUN_UNKNOWN, why="It parses and does not run; the error was not recorded")
    failed = evidence.tests_count - evidence.tests_passed
    if failed:
        what = f"{failed} of {evidence.tests_count} unit tests"
    else:
        what = f"{evidence.examples_count - evidence.examples_executed} of {evidence.examples_count} examples"
    why = f"It runs, and {what} fail; whether by a result or an exception was not recorded"
    return Failure(kind=Kind.TESTS_UNKNOWN, why=why)


# ---- One block that went wrong: the kind of its failure, from how it ended and what the exception said.

_MOST_CHARACTERS: Final = 160
_ENDINGS: Final = {
    Ending.FAILED: (Kind.WRONG_RESULT, "gave another result than asked for"),
    Ending.TIMED_OUT: (Kind.TIME_OUT, "ran out of time"),
    Ending.OUT_OF_MEMORY: (Kind.LIMIT, "used more memory than it may"),
    Ending.OUTPUT_FLOOD: (Kind.LIMIT, "printed more than it may"),
    Ending.DIED: (Kind.PROCESS_ENDED, "ended the process"),
}


def failure_of_blocks(evidence: Evidence) -> Failure | None:
    """Return the failure of the main code; if that ran, the one that most examples and tests share.

    Of two that are equally frequent, the one that came first.
    """
    if not evidence.troubles:
        return None
    if evidence.troubles[0].kind is BlockKind.MAIN:
        return failure_of(evidence.troubles[0], evidence)
    failures = [failure_of(trouble, evidence) for trouble in evidence.troubles]
    (kind, _), *_ = Counter(failure.kind for failure in failures).most_common(1)
    return next(failure for failure in failures if failure.kind is kind)


def failure_of(trouble: Block, evidence: Evidence) -> Failure:
    """Return the kind of one block's failure."""
    if trouble.ending in _ENDINGS:
        kind, what = _ENDINGS[trouble.ending]
        return Failure(
            kind=kind, why=_sentence(f"{place_of(trouble)} {what}", trouble.message), detail=trouble.ending
        )
    if habit := in_error(trouble.error_type, trouble.message, evidence.code):
        why = _sentence(f"{place_of(trouble)} failed by {habit}, as in Python", trouble.message)
        return Failure(kind=Kind.PYTHON_ISM, why=why, detail=habit)
    if trouble.error_type == "UndefVarError":
        return _undefined(trouble, evidence)
    kind = Kind.METHOD_ERROR if trouble.error_type == "MethodError" else Kind.EXCEPTION
    why = _sentence(f"{place_of(trouble)} raised {trouble.error_type or 'an exception'}", trouble.message)
    return Failure(
        kind=kind, why=why, detail=_called(trouble) if kind is Kind.METHOD_ERROR else trouble.error_type
    )


def _undefined(trouble: Block, evidence: Evidence) -> Failure:
    name = undefined_name(trouble.message)
    if name != evidence.test_case and (
        package := missing_package(name, evidence.dropped_imports, evidence.code)
    ):
        why = f"{place_of(trouble)} needs `{name}`, and {package}, which the answer imports, is not installed"
        return Failure(kind=Kind.MISSING_PACKAGE, why=_sentence(why), detail=package)
    said = f"{place_of(trouble)} needs `{name}`, which is not defined"
    asked = "; it is what was asked for" if name == evidence.test_case else hint_for(name)
    return Failure(kind=Kind.UNDEFINED_NAME, why=_sentence(f"{said}{asked}"), detail=name)


def _called(trouble: Block) -> str:
    """The function that has no such method: "no method matching f(::Int64)" -> "f"."""
    return trouble.message.partition("matching ")[2].partition("(")[0]


def _sentence(what: str, message: str = "") -> str:
    """The sentence of a failure, with the first line of a message."""
    said = message.strip().partition("\n")[0]
    if len(said) > _MOST_CHARACTERS:
        said = f"{said[:_MOST_CHARACTERS]}…"
    return f"{what[0].upper()}{what[1:]}{': ' if said else ''}{said}"


# ---- Names that are not defined: of a package that is not there, of a forgotten import, of an old Julia.

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
