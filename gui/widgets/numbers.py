"""The number formats of the window. A missing value is an en dash; a minus is the minus sign U+2212."""

from __future__ import annotations

NOTHING = "–"
MINUS = "−"


def probability(p: float | None) -> str:
    """Returns a probability as `.46`, `1` or `<.01`; 0 gives ""."""
    if p is None:
        return NOTHING
    if p <= 0:
        return ""
    if p < 0.005:
        return "<.01"
    text = f"{p:.2f}"
    return "1" if text == "1.00" else text.removeprefix("0")


def hundredths(p: float) -> str:
    """Returns a probability in hundredths for heat map cells: `46`, `1`, "" below half a hundredth, `1.0` for certainty."""
    whole = round(p * 100)
    return "1.0" if whole >= 100 else str(whole) if whole else ""


def value(x: float | None, digits: int = 2) -> str:
    """Returns a value as `6.42`, or as `6.4` with one digit in tree nodes."""
    return NOTHING if x is None else signed(f"{x:.{digits}f}")


def signed(text: str) -> str:
    """Returns the text with a real minus sign, and without a minus before zero."""
    if text.startswith("-") and not text.strip("-0."):
        text = text[1:]
    return text.replace("-", MINUS)


def loss(x: float | None) -> str:
    """Returns a loss as `0.8`, or as `best` if it is 0."""
    if x is None:
        return NOTHING
    return "best" if x <= 0 else lead(x)


def lead(x: float) -> str:
    """Returns how far one value exceeds another: `0.8`, `.02`, `<.01`; 0 only if they are equal."""
    if x >= 0.05:
        return f"{x:.1f}"
    return f"{x:.2f}".removeprefix("0") if x >= 0.005 else "<.01" if x > 0 else "0"


def whole(n: int) -> str:
    """Returns an integer as `1,140`."""
    return signed(f"{n:,}")


def seconds(s: float | None) -> str:
    """Returns a duration as `1.8 s`, over a minute as `1:24.6`, over an hour as `1:02:05`."""
    if s is None:
        return NOTHING
    return f"{s:.1f} s" if s < 59.95 else clock(s)


def clock(s: float) -> str:
    """Returns a time of the run, given in seconds, as `0:04.1` or `1:24.6`."""
    minutes, rest = divmod(round(max(0.0, s), 1), 60)
    if minutes < 60:
        return f"{int(minutes)}:{rest:04.1f}"
    return f"{int(minutes // 60)}:{int(minutes % 60):02d}:{int(rest):02d}"


def whole_clock(s: float) -> str:
    """Returns an estimated time, given in seconds, as `0:04` or `1:24`; at least a second."""
    minutes, rest = divmod(max(1, round(s)), 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def compact(n: float) -> str:
    """Returns a total of tokens as `842`, `9.8k`, `12.1k` or `1.2M`."""
    if n < 1000:
        return str(round(n))
    if n < 999_950:
        return f"{n / 1000:.1f}k".replace(".0k", "k")
    return f"{n / 1_000_000:.1f}M".replace(".0M", "M")


def tokens(given: int, got: int) -> str:
    """Returns tokens in and out as `842 + 31`."""
    return f"{whole(given)} + {whole(got)}"


def count_text(n: float) -> str:
    """Returns a count that may be divided, such as `6` or `6.3`; "" for less than a twentieth."""
    return "" if n < 0.05 else f"{n:.0f}" if n >= 9.95 or abs(n - round(n)) < 0.05 else f"{n:.1f}"


def count(n: int, noun: str, plural: str = "") -> str:
    """Returns a count with its noun, such as `1 call` or `12 calls`."""
    return f"{whole(n)} {noun if n == 1 else plural or noun + 's'}"
