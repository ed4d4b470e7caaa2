"""Whether an answer is that of another model of the same run."""

from __future__ import annotations


class Names:
    """The models that a run asks of one server, and what the server calls them.

    A server may well answer under another name than it was asked by: a dated one, the one behind an alias, a
    file's. So a reply is another model's only if it names one that this run asks of the same server too, and
    the model that was asked has answered under its own name before.
    """

    def __init__(self) -> None:
        self._asked: set[str] = set()
        self._answer_as_themselves: set[str] = set()

    def add(self, model: str) -> None:
        """A model of this run."""
        self._asked.add(model)

    def is_anothers(self, asked: str, said: str) -> bool:
        """Whether a reply that says it is from `said` is not the answer of `asked`."""
        if said == asked:
            self._answer_as_themselves.add(asked)
        is_dated = said.startswith(asked)  # gpt-4o -> gpt-4o-2024-08-06
        return not is_dated and said in self._asked and asked in self._answer_as_themselves
