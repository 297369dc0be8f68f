import errno
import os

import pytest

from morpion_cli.config.hunt_config import build_settings
from morpion_cli.errors import UserError
from morpion_cli.formats.reading import read
from morpion_cli.grid.verify import verify
from morpion_cli.hunt import store
from morpion_cli.hunt.hunt import Hunt, Listener
from morpion_cli.hunt.store import RefereeError, Store


class Recorder(Listener):
    def __init__(self):
        self.announced = []
        self.problems = []

    def improved(self, status):
        # Announced only when it is on disk, whole and legal.
        best = status.best
        verdict = verify(read(best.grid.path).record)
        assert verdict.honest and verdict.score == best.grid.score
        self.announced.append(best.grid.score)

    def problem(self, text):
        self.problems.append(text)


def hunt(out, listener=None, **given):
    settings = build_settings(None, {"out": str(out), **{k: str(v) for k, v in given.items()}}, {})
    return Hunt(settings, listener or Recorder())


@pytest.mark.parametrize("algorithm", ["nmcs", "sampling"])
def test_the_number_of_workers_changes_nothing(tmp_path, algorithm):
    results = []
    for workers in (1, 2, 3):
        given = {"level": 1} if algorithm == "nmcs" else {}
        status = hunt(tmp_path / str(workers), algorithm=algorithm, tasks=50, seed=5, workers=workers, **given).run()
        assert status.stopped_by == "tasks"
        assert status.tasks_done == 50
        best = status.best
        results.append((status.task_scores, best.grid.id, best.task, best.grid.record.moves, status.playouts))
    assert results[0] == results[1] == results[2]


def test_improvements_rise_and_carry_their_origin(tmp_path):
    listener = Recorder()
    status = hunt(tmp_path, listener, level=1, tasks=200, seed=1, workers=2).run()
    assert listener.announced == sorted(set(listener.announced))
    assert listener.announced[-1] == status.best.grid.score
    solver = read(status.best.grid.path).record.provenance["solver"]
    assert solver["tool"] == "morpion-cli" and solver["seed"] == 1
    assert solver["task"] == status.best.task and solver["method"] == "nmcs L1"
    assert not list(tmp_path.glob(".*"))


def test_budgets(tmp_path):
    status = hunt(tmp_path, level=4, time="0.5s", workers=2).run()
    assert status.stopped_by == "time" and 0.5 <= status.elapsed < 1
    assert status.tasks_done == 0 and status.best.grid.score > 50  # anytime: the best of an unfinished search
    status = hunt(tmp_path, level=4, playouts=4001, workers=2).run()
    assert status.stopped_by == "playouts" and status.playouts == 4001
    status = hunt(tmp_path, level=2, target=60, time="60s").run()
    assert status.stopped_by == "target" and status.best.grid.score >= 60


def test_interrupt_keeps_the_best(tmp_path):
    class Interrupter(Recorder):
        def improved(self, status):
            super().improved(status)
            running.interrupt("sigint")

    running = hunt(tmp_path, Interrupter(), level=4)
    status = running.run()
    assert status.stopped_by == "sigint"
    assert verify(read(status.best.grid.path).record).honest


def test_a_game_that_the_referee_refuses_is_never_written(tmp_path, monkeypatch):
    def other_rules(_, moves):
        raise store.IllegalMoveError(1, moves[0], "by other rules")

    monkeypatch.setattr(store, "replay", other_rules)
    with pytest.raises(RefereeError, match="the referee refuses the engine's game: move 1"):
        hunt(tmp_path, level=1, tasks=5).run()
    assert not list(tmp_path.glob("*.json"))


def test_a_wrong_score_is_never_written(tmp_path, record_82):
    with pytest.raises(RefereeError, match="the engine says 83, the referee counts 82"):
        Store(tmp_path).check(read(record_82).record, 83)


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot write"):
        hunt(tmp_path / "file" / "grids", level=1, tasks=5).run()


def test_a_full_disk_is_said_once_and_tried_again(tmp_path, monkeypatch):
    full = True
    fsync = os.fsync

    def failing_fsync(descriptor):
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(descriptor)

    class Cleaner(Recorder):
        def problem(self, text):
            nonlocal full
            super().problem(text)
            full = False

    listener = Cleaner()
    monkeypatch.setattr(Store, "check_writable", lambda _: None)
    running = hunt(tmp_path, listener, level=1, tasks=50)
    monkeypatch.setattr(os, "fsync", failing_fsync)
    status = running.run()
    assert len(listener.problems) == 1
    assert "no space left on device" in listener.problems[0]
    assert verify(read(status.best.grid.path).record).honest
    assert len(list(tmp_path.iterdir())) == 1  # and no partial file

    full = True
    with pytest.raises(UserError, match="no space left on device"):
        hunt(tmp_path / "b", Recorder(), level=1, tasks=50).run()
    assert list((tmp_path / "b").iterdir()) == []


def test_a_grid_that_is_there_is_not_written_again(tmp_path):
    first = hunt(tmp_path, level=1, tasks=20, seed=1).run()
    before = first.best.grid.path.read_bytes()
    second = hunt(tmp_path, level=1, tasks=20, seed=1).run()
    assert second.best.grid.path == first.best.grid.path
    assert second.best.grid.path.read_bytes() == before
    first.best.grid.path.write_text("damaged")
    third = hunt(tmp_path, level=1, tasks=20, seed=1).run()
    assert verify(read(third.best.grid.path).record).honest
