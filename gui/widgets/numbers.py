"""The number formats of the window. Those that every surface shares are in `core.views.wording`."""

from __future__ import annotations

from core.views.wording import MINUS, NOTHING, clock, count, lead, loss, probability, seconds, signed, value, whole

__all__ = ["MINUS", "NOTHING", "clock", "compact", "count", "count_text", "hundredths", "lead", "loss", "probability",
           "seconds", "signed", "tokens", "value", "whole", "whole_clock"]


def hundredths(p: float) -> str:
    """Returns a probability in hundredths for heat map cells: `46`, `1`, "" below half a hundredth, `1.0` for certainty."""
    whole = round(p * 100)
    return "1.0" if whole >= 100 else str(whole) if whole else ""


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
