import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from morpion_cli.kernel import control
from morpion_cli.kernel.compiling import entry
from morpion_cli.kernel.control import publish
from morpion_cli.kernel.random import below, fork, next_word, task_stream, uniform

GOLDEN_WORDS = [7078873561615965659, 6761650453937571202]


def test_streams_are_golden():
    # A seed must give the same grids in every version: these words may never change.
    stream = task_stream(42, 3)
    words = np.random.SeedSequence(42, spawn_key=(3,)).generate_state(4, np.uint64)
    assert (stream == words).all()
    child = np.zeros(4, np.uint64)
    fork(child, stream, 2, 5)
    assert [int(next_word(child)) for _ in range(2)] == GOLDEN_WORDS


def test_next_word_is_xoshiro256plusplus():
    def reference(s):
        def rotate(x, k):
            return ((x << k) | (x >> (64 - k))) & (2**64 - 1)

        result = (rotate((s[0] + s[3]) % 2**64, 23) + s[0]) % 2**64
        t = (s[1] << 17) % 2**64
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotate(s[3], 45)
        return result

    stream = task_stream(1, 1)
    plain = [int(word) for word in stream]
    assert [int(next_word(stream)) for _ in range(100)] == [reference(plain) for _ in range(100)]


def test_below_is_uniform_and_uniform_is_in_range():
    stream = task_stream(9, 0)
    counts = np.bincount([below(stream, 7) for _ in range(70_000)], minlength=7)
    assert len(counts) == 7
    assert (abs(counts - 10_000) < 400).all()  # four standard deviations
    values = np.array([uniform(stream) for _ in range(20_000)])
    assert values.min() >= 0 and values.max() < 1
    assert abs(values.mean() - 0.5) < 0.01


def test_forks_differ_and_leave_their_parent():
    parent = task_stream(1, 0)
    before = parent.copy()
    children = set()
    for step in range(50):
        for index in range(-1, 50):
            child = np.zeros(4, np.uint64)
            fork(child, parent, step, index)
            children.add(tuple(int(word) for word in child))
    assert len(children) == 50 * 51
    assert (parent == before).all()


@entry
def _publish_forever(board, best_line, line):
    value = 0
    while not control.should_stop(board):
        value += 1
        for i in range(len(line)):
            line[i] = value
        publish(board, best_line, line, len(line), value)
    return value


def test_snapshots_are_never_torn():
    board = control.new_control()
    best_line, line = np.zeros(400, np.int64), np.zeros(400, np.int64)
    thread = threading.Thread(target=_publish_forever, args=(board, best_line, line))
    board[control.STOP] = 1
    _publish_forever(board, best_line, line)  # compile
    board[control.STOP] = 0
    thread.start()
    seen = set()
    while len(seen) < 300:
        score, moves = control.snapshot(board, best_line)
        if score != control.NO_SCORE:
            assert len(moves) == 400
            assert (moves == score).all()
            seen.add(score)
    board[control.STOP] = 1
    thread.join(5)
    assert not thread.is_alive()


def test_unusable_cache_folder_warns_and_still_works(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    code = "import morpion_cli.kernel.cache as c; print(c.folder)"
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "MORPION_CACHE_DIR": str(blocked)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "read-only or full" in result.stderr
    assert "morpion-cache-" in result.stdout


def test_digest_changes_with_a_source(tmp_path, monkeypatch):
    import shutil

    from morpion_cli.kernel import cache

    copy = tmp_path / "morpion_cli"
    shutil.copytree(cache._PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = cache.source_digest()
    monkeypatch.setattr(cache, "_PACKAGE", copy)
    assert cache.source_digest() == before
    (copy / "games" / "morpion.py").write_text("# changed")
    assert cache.source_digest() != before


def test_a_compiled_kernel_is_loaded_without_what_only_the_compiler_needs():
    code = """
import sys
from morpion_cli.algorithms.options import SamplingOptions
from morpion_cli.algorithms.flat import Sampling
from morpion_cli.games.catalog import GAMES
from morpion_cli.kernel.random import task_stream
Sampling(GAMES["4D"].load(), SamplingOptions(task_playouts=20)).run(task_stream(1, 0))
print("numba.np.arraymath" in sys.modules)
"""
    for _ in range(2):
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"


@pytest.mark.slow
def test_games_compiled_in_different_processes_keep_their_own_code(tmp_path):
    # The two were compiled by processes that count symbols alike; a third loads both from the cache.
    code = """
import sys
from morpion_cli.algorithms.options import SamplingOptions
from morpion_cli.algorithms.flat import Sampling
from morpion_cli.games.catalog import GAMES
from morpion_cli.kernel.random import task_stream
for name in sys.argv[1:]:
    loaded = GAMES[name].load()
    searcher = Sampling(loaded, SamplingOptions(task_playouts=2000))
    print(name, searcher.run(task_stream(1, 0)).score)
"""

    def run(*games):
        return subprocess.run(
            [sys.executable, "-c", code, *games],
            env={**os.environ, "MORPION_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    alone = run("5D") + run("4T")
    assert run("5D", "4T") == alone
