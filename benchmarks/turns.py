"""Contenders that take turns: each is a process of its own that prepares itself and then waits to be asked for a turn.

Whatever drifts on a machine then falls on all of them, nothing that one switches on reaches another, and they prepare
themselves (imports, compilation) at the same time while nothing is timed.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from typing import Any

Reply = dict[str, Any]


class Contender:
    """A process that answers one line of JSON to each word."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        """Start it; `ready` waits until it has prepared itself."""
        self.name = name
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ready(self) -> Reply:
        """Wait for the first line: what it says of itself, or `absent` with the reason why it cannot take part."""
        return self._read()

    def ask(self, word: str) -> Reply:
        """Send a word and return the answer, or `absent` with the reason when it has ended."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(f"{word}\n")
            self._process.stdin.flush()
        return self._read()

    def _read(self) -> Reply:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            return {"absent": f"ended with exit status {self._process.wait()}, see above"}
        return json.loads(line)

    def leave(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()


def take_turns(contenders: Sequence[Contender], rounds: int) -> dict[str, list[Reply]]:
    """Ask each contender for a turn in each round and return all answers; the first round counts for nothing.

    One that fails takes no further turns; its only answer is then `absent` with the reason.
    """
    answers: dict[str, list[Reply]] = {each.name: [] for each in contenders}
    failed: set[str] = set()
    for number in range(rounds + 1):
        for each in contenders if number % 2 else reversed(contenders):
            if each.name in failed:
                continue
            answer = each.ask("turn")
            if "absent" in answer:
                failed.add(each.name)
                answers[each.name] = [answer]
            elif number:
                answers[each.name].append(answer)
    return answers


def answer(prepare: Callable[[], dict[str, Callable[[], Reply]]]) -> None:
    """Be a contender: prepare, then answer words until the input ends. What else is printed goes to standard error."""
    output = sys.stdout
    with redirect_stdout(sys.stderr):
        try:
            words = prepare()
        except ImportError as error:
            _say(output, {"absent": str(error)})
            return
        _say(output, words["ready"]())
        for line in sys.stdin:
            _say(output, words[line.strip()]())


def _say(output: Any, reply: Reply) -> None:
    print(json.dumps(reply), file=output, flush=True)
