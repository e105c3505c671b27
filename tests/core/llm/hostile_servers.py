"""What a server may do to its client: a table of behaviours. Each answers one request; all end when the client leaves."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote

from tests.loopback.chat_server import Json, Sent, Wire, as_json, completion, error
from tests.loopback.streams import HEAD, chunk, events

MEGABYTE = 2**20
MOST_SENT = 1024 * MEGABYTE
"""No behaviour sends more: the client must have left long before."""


@dataclass(frozen=True)
class Victim:
    """What a behaviour knows of the client.

    Attributes:
        key: what it sends as its key.
        elsewhere: another server's address, that it never named.
    """

    key: str
    elsewhere: str


Behaviour = Callable[[Json, Victim], Sent]
BEHAVIOURS: dict[str, Behaviour] = {}


def behaviour(function: Behaviour) -> Behaviour:
    BEHAVIOURS[function.__name__.replace("_", " ")] = function
    return function


def same(name: str, sent: Callable[[], Sent]) -> None:
    """A behaviour that depends on nothing."""
    BEHAVIOURS[name] = lambda body, victim: sent()


def says(name: str, text: Callable[[Victim], str]) -> None:
    """A server that answers properly, and always the same."""
    BEHAVIOURS[name] = lambda body, victim: completion(*[text(victim)] * min(50, int(body.get("n", 1))))


def raw(*pieces: bytes) -> Sent:
    def stream(wire: Wire) -> None:
        for piece in pieces:
            wire.send(piece)

    return Sent(b"", stream=stream)


def endless(head: bytes, piece: bytes, pause: float = 0.0) -> Sent:
    def stream(wire: Wire) -> None:
        wire.send(head)
        for _ in range(MOST_SENT // len(piece)):
            wire.send(piece)
            if pause:
                wire.wait(pause)

    return Sent(b"", stream=stream)


def packed(encoding: str, wbits: int, level: int = 9) -> Sent:
    """A gigabyte of spaces before the answer, packed into a megabyte."""

    def pieces() -> Iterator[bytes]:
        packer = zlib.compressobj(level, wbits=wbits)
        for _ in range(MOST_SENT // MEGABYTE):
            yield packer.compress(b" " * MEGABYTE)
        yield packer.compress(b"{}") + packer.flush()

    def stream(wire: Wire) -> None:
        wire.send(b"HTTP/1.1 200 OK\r\ncontent-encoding: %s\r\n\r\n" % encoding.encode())
        for piece in pieces():
            wire.send(piece)

    return Sent(b"", stream=stream)


CHUNKED = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
OPEN_END = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"
LONG_CHUNK = b"10000\r\n" + b" " * 65536 + b"\r\n"

# --- too much, too slow, too odd a body -------------------------------------
same("chunks without end", lambda: endless(CHUNKED, LONG_CHUNK))
same("bytes without end", lambda: endless(OPEN_END, b"[" * 65536))
same("one chunk that drips", lambda: endless(CHUNKED, b"1\r\n \r\n", 0.05))
same("a body that drips", lambda: endless(OPEN_END, b" ", 0.2))
same("gzip bomb", lambda: packed("gzip", 31))
same("deflate bomb", lambda: packed("deflate", 15))
same("raw deflate bomb", lambda: packed("deflate", -15))
same("gzip that is none", lambda: Sent(b"{}", headers={"content-encoding": "gzip"}))
same("gzip in gzip", lambda: packed("gzip, gzip", 31))
same("brotli", lambda: Sent(b"\x1b\xff\xff" * 99, headers={"content-encoding": "br"}))
same("zstandard", lambda: Sent(b"\x28\xb5\x2f\xfd" * 99, headers={"content-encoding": "zstd"}))
same("an encoding of its own", lambda: Sent(b"{}", headers={"content-encoding": "rot13\x0b\x1b[31m"}))
same("announces much and sends little", lambda: endless(b"HTTP/1.1 200 OK\r\ncontent-length: 3000000\r\n\r\n{", b" ", 0.3))
same("announces a terabyte", lambda: raw(b"HTTP/1.1 200 OK\r\ncontent-length: 1099511627776\r\n\r\n{"))
same("announces a number of 5000 digits", lambda: raw(b"HTTP/1.1 200 OK\r\ncontent-length: " + b"9" * 5000 + b"\r\n\r\n{"))
same("announces less than nothing", lambda: raw(b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{}"))
same("breaks off in the body", lambda: raw(b'HTTP/1.1 200 OK\r\ncontent-length: 3000\r\n\r\n{"choices": ['))
same("goes on after the body", lambda: raw(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", b"HTTP/1.1 200\r\n\r\n" * 9999))
same("a million small lists", lambda: Sent(b"[" + b"[]," * 1_300_000 + b"[]]"))
same("a million small objects", lambda: Sent(b'{"choices": [' + b"{}," * 1_300_000 + b"{}]}"))
same("nested 200,000 deep", lambda: Sent(b"[" * 200_000 + b"]" * 200_000))
same("nested 800 deep", lambda: as_json({"choices": [], "error": {"message": json.loads("[" * 800 + "]" * 800)}}, 400))
same("16-bit characters", lambda: Sent('{"choices": []}'.encode("utf-16"), headers={"content-type": "text/x; charset=utf-16"}))
same("a charset that is none", lambda: Sent(completion("hi").body, headers={"content-type": "application/json; charset=idna"}))
same("a byte order mark", lambda: Sent(b"\xef\xbb\xbf" + completion("hi").body))
same("no valid UTF-8", lambda: Sent(completion("hi").body.replace(b"hi", b"\xff\xfe\xed\xa0\x80")))
same("server-sent events", lambda: Sent(b'data: {"choices": []}\n\n' * 99, headers={"content-type": "text/event-stream"}))

# --- streams ----------------------------------------------------------------
EVENTS = {"content-type": "text/event-stream"}
PIECE = b'data: {"choices": [{"index": 0, "delta": {"content": "walk "}}]}\n\n'
same("events without end", lambda: endless(HEAD, PIECE * 1000))
same("events that drip", lambda: endless(HEAD, PIECE, 0.05))
same("one event without end", lambda: endless(HEAD + b"data: ", b"x" * 65536))
same("lines without end", lambda: endless(HEAD, b"data:\n" * 10_000))
same("events that break off", lambda: Sent(PIECE * 5, headers=EVENTS))
same("an event nested 200,000 deep", lambda: Sent(b"data: " + b"[" * 200_000 + b"\n\n", headers=EVENTS))
same("a million choices", lambda: Sent(b'data: {"choices": [' + b"{}," * 1_300_000 + b"{}]}\n\n", headers=EVENTS))


@behaviour
def the_key_in_pieces(body: Json, victim: Victim) -> Sent:
    pieces = [victim.key[k:k + 3] for k in range(0, len(victim.key), 3)]
    return Sent(events([*map(chunk, pieces), chunk(finish="stop")]), headers=EVENTS)


# --- no HTTP ----------------------------------------------------------------
same("closes at once", lambda: raw())
same("never answers", lambda: Sent(b"", stream=lambda wire: wire.wait(30)))
same("continue without end", lambda: endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100))
same("headers that drip", lambda: endless(b"HTTP/1.1 200 OK\r\n", b"x", 0.1))
same("a header without end", lambda: endless(b"HTTP/1.1 200 OK\r\nx: ", b"x" * 65536))
same("50,000 headers", lambda: raw(b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 50_000 + b"content-length: 2\r\n\r\n{}"))
same("cookies", lambda: raw(b"HTTP/1.1 200 OK\r\n" + b"".join(b"set-cookie: c%d=%s\r\n" % (k, b"x" * 900) for k in range(90))
                            + b"content-length: 2\r\n\r\n{}"))
same("no status line", lambda: raw(b'{"choices": []}'))
same("speaks TLS", lambda: raw(b"\x15\x03\x01\x00\x02\x02\x28"))
same("speaks nonsense", lambda: raw(bytes(range(256)) * 100))
same("status 999", lambda: raw(b"HTTP/1.1 999 \x1b[31mred\r\ncontent-length: 2\r\n\r\n{}"))
same("no content", lambda: raw(b"HTTP/1.1 204 No Content\r\n\r\n"))
same("switches protocols", lambda: raw(b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n", b"x" * 99))

# --- refusals -----------------------------------------------------------------
same("is down", lambda: error(500, "\x1b]0;title\x07 broken\r\nerror: two lines\nTraceback (most recent call last)"))
same("asks to wait for nan", lambda: error(429, "slow down", retry_after="nan"))
same("asks to wait for ever", lambda: error(429, "slow down", retry_after="inf"))
same("asks to wait until a date that is none", lambda: error(503, retry_after="Wed, 99 Oct 99999 99:99:99 GMT"))
same("refuses all", lambda: error(400, "no " * 200_000))
same("complains in odd types", lambda: as_json({"error": [[None], {"message": {"a": 1}}, 7]}, 422))
same("wants a login", lambda: Sent(b"<!DOCTYPE html><title>Sign in</title>" + b"<p>" * 99_999, 403))

# --- elsewhere ----------------------------------------------------------------


def redirect(status: int, where: Callable[[Victim], str]) -> Behaviour:
    return lambda body, victim: Sent(b"", status, {"location": where(victim)})


BEHAVIOURS |= {
    "redirects elsewhere, 307": redirect(307, lambda v: f"{v.elsewhere}/chat/completions"),
    "redirects elsewhere, 308": redirect(308, lambda v: f"{v.elsewhere}/chat/completions?{v.key}"),
    "redirects elsewhere, 302": redirect(302, lambda v: f"{v.elsewhere}/chat/completions"),
    "redirects elsewhere, 303": redirect(303, lambda v: f"{v.elsewhere}/{quote(v.key, '')}"),
    "redirects to itself for ever": redirect(307, lambda v: "/v1/chat/completions"),
    "redirects to another page": redirect(302, lambda v: "/login"),
    "redirects to a file": redirect(307, lambda v: "file:///etc/passwd"),
    "redirects to no address": redirect(308, lambda v: "http://[::1"),
    "redirects to another scheme": redirect(307, lambda v: "https://127.0.0.1/v1"),
    "redirects without an address": lambda body, victim: Sent(b"", 307),
}

# --- proper JSON, odd values ------------------------------------------------
same("answers with a login page", lambda: Sent(b"<html><form>password</form></html>", headers={"content-type": "text/html"}))
same("answers with nothing", lambda: Sent(b""))
same("answers null", lambda: as_json(None))
same("20,000 choices", lambda: completion(*["x"] * 20_000))
same("choices of odd types", lambda: as_json({"choices": {"a": [1]}, "usage": []}))
same("messages of odd types", lambda: as_json({"choices": [{"message": [1]}, None, 7, {"message": {"content": {"a": 1}}}]}))
same("tool calls only", lambda: as_json({"choices": [{"message": {"content": None, "tool_calls": [{"id": 1}]}}]}))
same("refuses politely", lambda: as_json({"choices": [{"message": {"content": None, "refusal": "\ud800 no\x1b[31m" * 9999}}]}))
same("always cut off", lambda: completion("put the apple in the", finish="length"))


def usage(value: str) -> Sent:
    body = completion("walk to the kitchen").body.decode().replace('"prompt_tokens": 10', f'"prompt_tokens": {value}')
    return Sent(body.replace('"created": 0', f'"created": {value}').encode())


for name, value in {"400 digits": "1" + "0" * 400, "5,000 digits": "9" * 5000, "nan": "NaN", "infinite": "-Infinity",
                    "less than none": "-5", "a text": '"many"', "a large exponent": "1e999", "a list": "[1]"}.items():
    same(f"tokens: {name}", partial(usage, value))


def logprobs(value: str, many: int = 3) -> Sent:
    top = [{"token": f"{k}", "logprob": 0} for k in range(many)]
    entries = [{"token": token, "logprob": 0, "top_logprobs": top} for token in ("in", "side")]
    body = completion("inside the fridge", logprobs={"content": entries}).body.decode()
    return Sent(body.replace('"logprob": 0', f'"logprob": {value}').encode())


same("log-probabilities: nan", lambda: logprobs("NaN"))
same("log-probabilities: out of range", lambda: logprobs("-1e308"))
same("log-probabilities: 400 digits", lambda: logprobs("1" + "0" * 400))
same("log-probabilities: 20,000 alternatives", lambda: logprobs("-1.5", 20_000))

# --- proper replies, odd texts ------------------------------------------------
says("says nothing", lambda v: "")
says("says blanks", lambda v: " \n\t " * 99)
says("says a web page", lambda v: "<!DOCTYPE html><html><body>Please sign in</body></html>")
says("says a lone surrogate", lambda v: "Inside \ud800 fridge \udfff")
says("says only surrogates", lambda v: "\ud800" * 100_000)
says("says control characters", lambda v: "\x00\x1b[2J\x1b]0;x\x07\u202e walk to the kitchen \x7f\x85")
says("says much", lambda v: "the kitchen table, " * 50_000)
says("says one long word", lambda v: "a" * 900_000)
says("says many lines", lambda v: "1. walk to the kitchen\n" * 30_000)
says("says brackets", lambda v: "(" * 100_000 + "[" * 100_000 + "{" * 100_000)
says("says deep JSON", lambda v: '{"plan": ' * 50_000)
says("says commas and dots", lambda v: ", ." * 100_000)
says("says what cannot be done", lambda v: "grab fridge\nput sofa in apple\n1. fly(kitchen)\n{\"action\": \"grab\"}")
says("says a program", lambda v: "__import__('os').system('touch pwned')\nwhile True:\n    pass\n" + "if x:\n " * 500)
says("says nested code", lambda v: "\n".join("    " * k + f"if a{k}:" for k in range(300)))
says("says numbers", lambda v: "9" * 6000 + " 1e999 nan -inf 0x41 " * 99)

# --- the key, back to us --------------------------------------------------------
says("echoes the key", lambda v: f"the key is {v.key}, inside fridge")
says("echoes the key escaped", lambda v: "".join(f"\\u{ord(c):04x}" for c in v.key))
says("echoes the key in percent signs", lambda v: quote(v.key, "") + " " + "".join(f"%{ord(c):02x}" for c in v.key))
says("echoes the key in base64", lambda v: " ".join(base64.b64encode(b"x" * k + v.key.encode()).decode() for k in range(3)))
says("echoes half the key", lambda v: v.key[:len(v.key) // 2] + " and " + v.key[len(v.key) // 2:])
says("echoes the key as entities", lambda v: "".join(f"&#{ord(c)};" for c in v.key))


@behaviour
def echoes_the_key_in_escaped_JSON(body: Json, victim: Victim) -> Sent:  # noqa: N802
    escaped = "".join(f"\\u{ord(c):04x}" for c in victim.key)
    return Sent(completion("KEY").body.replace(b"KEY", escaped.encode()))


@behaviour
def echoes_the_key_in_an_error(body: Json, victim: Victim) -> Sent:
    return error(400, f"bad {victim.key} {base64.b64encode(victim.key.encode()).decode()} {victim.key[9:]}", victim.key)


@behaviour
def echoes_the_key_in_a_reason(body: Json, victim: Victim) -> Sent:
    head = f"HTTP/1.1 500 {victim.key}\r\nx: {quote(victim.key, '')}\r\ncontent-length: 2\r\n\r\n"
    return raw(head.encode() + b"{}")


@behaviour
def echoes_the_key_as_no_HTTP(body: Json, victim: Victim) -> Sent:  # noqa: N802
    return raw(b"key: " + victim.key.encode() + b"\r\n\r\n")


@behaviour
def echoes_the_key_in_field_names(body: Json, victim: Victim) -> Sent:
    return as_json({"choices": [{"message": {"content": json.dumps({victim.key: victim.key})}}], "model": victim.key})
