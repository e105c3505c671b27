"""Numbers as the whole window writes them. Nothing measured is an en dash; minus is a real minus."""

from __future__ import annotations

NOTHING = "–"
MINUS = "−"


def probability(p: float | None) -> str:
    """`.46`, `1`, `<.01`; 0 is blank."""
    if p is None:
        return NOTHING
    if p <= 0:
        return ""
    if p < 0.005:
        return "<.01"
    text = f"{p:.2f}"
    return "1" if text == "1.00" else text.removeprefix("0")


def hundredths(p: float) -> str:
    """For heat cells, two digits wide: 46, 1, blank under half a hundredth; 1.0 for what is certain."""
    whole = round(p * 100)
    return "1.0" if whole >= 100 else str(whole) if whole else ""


def value(x: float | None, digits: int = 2) -> str:
    """`6.42`; in tree nodes one digit: `6.4`."""
    return NOTHING if x is None else signed(f"{x:.{digits}f}")


def signed(text: str) -> str:
    """The same with a real minus, and no minus before zero."""
    if text.startswith("-") and not text.strip("-0."):
        text = text[1:]
    return text.replace("-", MINUS)


def loss(x: float | None) -> str:
    """`0.8`, or `best`."""
    if x is None:
        return NOTHING
    return "best" if x <= 0 else f"{x:.1f}"


def lead(x: float) -> str:
    """How far the best value is above the next: `0.8`, `1.2`."""
    return f"{x:.1f}" if f"{x:.1f}" != "0.0" else "0"


def whole(n: int) -> str:
    """`1,140`."""
    return signed(f"{n:,}")


def seconds(s: float | None) -> str:
    """`1.8 s`, over a minute `1:24.6`, over an hour `1:02:05`."""
    if s is None:
        return NOTHING
    if s < 59.95:
        return f"{s:.1f} s"
    minutes, rest = divmod(round(s, 1), 60)
    if minutes < 60:
        return f"{int(minutes)}:{rest:04.1f}"
    return f"{int(minutes // 60)}:{int(minutes % 60):02d}:{int(rest):02d}"


def clock(s: float) -> str:
    """A moment of the run: `0:04.1`, `1:24.6`."""
    minutes, rest = divmod(round(max(0.0, s), 1), 60)
    if minutes < 60:
        return f"{int(minutes)}:{rest:04.1f}"
    return f"{int(minutes // 60)}:{int(minutes % 60):02d}:{int(rest):02d}"


def compact(n: float) -> str:
    """Totals of tokens: `842`, `9.8k`, `12.1k`, `1.2M`."""
    if n < 1000:
        return str(round(n))
    if n < 999_950:
        return f"{n / 1000:.1f}k".replace(".0k", "k")
    return f"{n / 1_000_000:.1f}M".replace(".0M", "M")


def tokens(given: int, got: int) -> str:
    """In + out: `842 + 31`."""
    return f"{whole(given)} + {whole(got)}"


def count(n: int, noun: str, plural: str = "") -> str:
    """`1 call`, `12 calls`."""
    return f"{whole(n)} {noun if n == 1 else plural or noun + 's'}"
