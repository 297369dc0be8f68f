import pytest

from morpion_cli.errors import UserError
from morpion_cli.formats.reading import read
from morpion_cli.games.catalog import GAMES
from morpion_cli.grid.morpion import VARIANTS
from morpion_cli.grid.puzzle import replay
from morpion_cli.grid.record import Record
from morpion_cli.grid.verify import verify
from morpion_cli.hunt.improve import Improver, Listener
from tests.conftest import ROOT
from tests.grid.strategies import random_game


def improver(record, folder, most=None, **given):
    return Improver(record, folder, folder / "state", 2, 1 << 20, given.pop("listener", Listener()), most, **given)


def best_by_referee(variant, moves):
    """Return the length of the longest game that begins so, and how many positions follow, by plain recursion."""
    met = {}

    def longest(moves):
        lines = frozenset(tuple(move.line(variant)) for move in moves)
        if lines not in met:
            legal = replay(variant, moves).legal_moves()
            met[lines] = max((longest((*moves, move)) for move in legal), default=len(moves))
        return met[lines]

    return longest(tuple(moves)), len(met) - 1


@pytest.mark.parametrize("seed", range(1, 4))
def test_finds_the_best_end_that_the_referee_finds(tmp_path, seed):
    game = random_game("4D", seed)
    record = Record(game.variant, tuple(game.moves))
    taken_back = min(7, len(record.moves))
    true_best, positions = best_by_referee(game.variant, record.moves[:-taken_back])
    progress = improver(record, tmp_path, taken_back).run()
    assert progress.proven == taken_back and progress.stopped_by.startswith("everything")
    assert progress.to_beat == true_best
    # A position may be counted again where a later round begins, but not much more.
    assert positions <= progress.positions + taken_back <= 3 * positions
    if progress.best is not None:
        verdict = verify(read(progress.best.path).record)
        assert verdict.honest and verdict.score == true_best > len(record.moves)


def test_the_optimum_of_4d_has_no_better_end(tmp_path):
    record = read(ROOT / "grids" / "records" / "4D-hyyroporanen35.json").record
    progress = improver(record, tmp_path, 20).run()
    assert (progress.proven, progress.proven_from, progress.best) == (20, 16, None)


def test_goes_on_where_it_was_stopped(tmp_path):
    record = read(ROOT / "grids" / "records" / "4D-hyyroporanen35.json").record

    class StopAfter(Listener):
        rounds = 0

        def proved(self, _progress):
            self.rounds += 1
            if self.rounds == 5:
                first.interrupt("test")

    first = improver(record, tmp_path, 15, listener=StopAfter())
    assert first.run().stopped_by == "test"
    assert 5 <= first.progress.proven < 15
    second = improver(record, tmp_path, 15)
    assert second.progress.proven == first.progress.proven
    assert second.run().proven == 15
    assert second.progress.positions < improver(record, tmp_path / "new", 15).run().positions


def test_a_state_of_another_grid_is_refused(tmp_path):
    record = read(ROOT / "grids" / "records" / "4D-hyyroporanen35.json").record
    improver(record, tmp_path, 2).run()
    other = read(ROOT / "grids" / "records" / "4D-demaine31.json").record
    with pytest.raises(UserError, match="not what `improve` keeps of this grid"):
        improver(other, tmp_path)
    for junk in (b"", b"{}", b"[1]", b'{"grid": 1, "proven": "x", "parts_done": 3}'):
        (tmp_path / "state").write_bytes(junk)
        with pytest.raises(UserError, match="not what"):
            improver(record, tmp_path)


def test_mirrored_first_moves_are_searched_once(tmp_path):
    from morpion_cli.algorithms.exhaustive import Exhaustive

    loaded = GAMES["4D"].load(VARIANTS["4D"])
    search = Exhaustive(loaded, 1, 1 << 16)
    search.start_at(loaded, 0)
    parts = search.parts(40)
    assert len(parts) == 40  # first moves
    game = random_game("4D", 1)
    kept = improver(Record(game.variant, tuple(game.moves)), tmp_path)._without_mirrored(parts, loaded)
    ids = {loaded.puzzle.ids(loaded.record(part, {}).moves)["id"] for part in parts}
    assert len(kept) == len(ids) == 5
    one = (loaded.record(parts[0], {}).moves[0],)
    asymmetric = GAMES["4D"].load(VARIANTS["4D"], one)
    assert not loaded.puzzle.is_symmetric(one) and loaded.puzzle.is_symmetric(())
    assert asymmetric.opening == one


@pytest.mark.slow
def test_samegame_ends_are_improved_too(tmp_path):
    from tests.render.test_pictures import OTHERS

    record = OTHERS["samegame"]()
    progress = improver(record, tmp_path, 6).run()
    assert progress.proven == 6
    assert (tmp_path / "state").exists()
