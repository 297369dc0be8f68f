import pytest

from morpion_cli.bench.scaling import beams, collections, levels, trees, workers


def test_the_work_of_a_beam_is_proportional_to_it():
    # Cazenave 2012, section 4: the time of MCBS is proportional to the beam.
    rows = {row.size: row for row in beams(8)}
    assert list(rows) == [1, 2, 4, 8]
    for size, row in rows.items():
        assert row.work == pytest.approx(size * rows[1].work, rel=0.25)
        assert row.unit == "playouts" and row.seconds > 0


def test_a_level_is_a_search_of_the_one_below_for_each_legal_move():
    one, two = levels(2)
    assert (one.size, two.size) == (1, 2)
    assert 50 * one.work < two.work < 1000 * one.work
    assert two.microseconds < 3 * one.microseconds


@pytest.mark.slow  # uct on 5D compiles for long
def test_a_tree_has_the_nodes_that_were_asked_for():
    (row,) = trees(10**4)
    assert row.size == pytest.approx(10**4, rel=0.2)
    assert row.megabytes == pytest.approx(row.size * 52 / 1e6)


def test_workers_and_collections_are_measured():
    assert [row.size for row in workers(20)][:1] == [1]
    tables = {(row.table, row.size): row for row in collections(100)}
    assert len(tables) == 4
    replayed, indexed = tables["a folder of grids, replayed", 100], tables["the same from its index", 100]
    assert indexed.seconds < replayed.seconds
