import pytest

from morpion_cli.values import parse_count, parse_duration


@pytest.mark.parametrize(
    ("text", "value"),
    [("5000", 5000), (7, 7), ("1e6", 10**6), ("1.5e6", 1_500_000), ("5_000", 5000), ("-3", -3), ("2E+3", 2000)],
)
def test_counts(text, value):
    assert parse_count(text) == value


@pytest.mark.parametrize("text", ["", "x", "1.5", "1e-3", "1e999999999", "9" * 5000, "0x10", "nan", "1,000", True])
def test_what_is_no_count(text):
    with pytest.raises(ValueError, match="expected a whole number such as"):
        parse_count(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90), ("90s", 90), ("1.5m", 90), ("10m", 600), ("2h", 7200), ("1d", 86400), ("1h30m", 5400),
        ("1:30:00", 5400), ("2:05", 125), ("500ms", 0.5), (" 3 min ", 180), (5, 5),
    ],
)  # fmt: skip
def test_durations(text, seconds):
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "-3", "0", "0s", "x", "10 parsecs", "1:75", "1e9d", "inf", "nan", "99999d"])
def test_what_is_no_duration(text):
    with pytest.raises(ValueError, match="expected a duration such as 90s"):
        parse_duration(text)
