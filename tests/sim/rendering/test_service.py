import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.common.errors import DataError, RendererError
from core.common.installation import ROOT
from core.common.priority import NICE
from sim.geometry.model import House, Opening, Robot, Room, Thing, Wall
from sim.rendering import wire
from sim.rendering.cameras import Camera, dollhouse
from sim.rendering.gl.renderer import Renderer
from sim.rendering.service import FrameService
from tests.sim.rendering.small_house import ell, one_room
from tests.waiting import PATIENCE, until

CAMERA = Camera((0.6, 0.6, 1.5), (3.0, 2.2, 0.7))
SIZE = (160, 120)

numbers = st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(max_size=8)
pairs, vectors = st.tuples(numbers, numbers), st.tuples(numbers, numbers, numbers)
rects = st.tuples(numbers, numbers, numbers, numbers)
openings = st.builds(Opening, st.sampled_from(["door", "leaf", "window"]), numbers, numbers, numbers, numbers)
things = st.builds(Thing, texts, texts, st.integers(-1, 20), vectors, vectors, numbers, st.booleans(), st.booleans(),
                   st.booleans(), st.sampled_from(["left", "right"]), st.none() | texts, st.booleans(), st.booleans(),
                   st.none() | vectors)
robots = st.builds(Robot, numbers, numbers, numbers, numbers, st.lists(things, max_size=2).map(tuple))
cameras = st.builds(Camera, vectors, vectors, numbers, numbers, numbers, st.booleans())
houses = st.builds(
    House,
    st.lists(st.builds(Room, texts, st.lists(rects, min_size=1, max_size=2).map(tuple), texts, vectors), max_size=3).map(tuple),
    st.lists(st.builds(Wall, pairs, pairs, st.integers(-1, 9), st.integers(-1, 9), st.lists(openings, max_size=2).map(tuple)),
             max_size=3).map(tuple),
    st.lists(things, max_size=4).map(tuple), numbers)


def through_a_pipe(data: wire.Json) -> wire.Json:
    stream = BytesIO()
    wire.write_message(stream, data, b"payload")
    stream.seek(0)
    message = wire.read_message(stream)
    assert message is not None
    assert message[1] == b"payload"
    assert wire.read_message(stream) is None
    return message[0]


@settings(deadline=None)
@given(houses)
def test_a_house_comes_back_equal(house: House) -> None:
    assert wire.house_from_json(through_a_pipe(wire.house_to_json(house))) == house


@settings(deadline=None)
@given(st.lists(things, max_size=5), st.lists(things, max_size=3), st.data())
def test_changed_things_come_back_equal(before: list[Thing], new: list[Thing], data: st.DataObject) -> None:
    after = data.draw(st.permutations([*before[1:], *new]))
    sent = through_a_pipe({"things": wire.things_to_json(after, before)})["things"]
    assert wire.things_from_json(sent, before) == tuple(after)


@settings(deadline=None)
@given(cameras, robots)
def test_cameras_and_robots_come_back_equal(camera: Camera, robot: Robot) -> None:
    back = through_a_pipe({"camera": wire.camera_to_json(camera), "robot": wire.robot_to_json(robot)})
    assert wire.camera_from_json(back["camera"]) == camera
    assert wire.robot_from_json(back["robot"]) == robot
    assert wire.robot_from_json(wire.robot_to_json(None)) is None


def test_unchanged_things_travel_as_their_places() -> None:
    before = one_room().things
    after = (*before[:2], replace(before[2], on=True), before[3])
    sent = wire.things_to_json(after, before)
    assert [x if isinstance(x, int) else "new" for x in sent] == [0, 1, "new", 3]


def test_garbled_streams_and_houses_are_refused() -> None:
    with pytest.raises(DataError, match="ended"):
        wire.read_message(BytesIO(b"\0\0\0\x09{}"))
    with pytest.raises(DataError, match="garbled"):
        wire.read_message(BytesIO(b"\xff\xff\xff\xff{}"))
    with pytest.raises(DataError, match="not a house"):
        wire.house_from_json({"rooms": []})
    with pytest.raises(DataError, match="not a house"):
        wire.house_from_json({**wire.house_to_json(one_room()), "walls": [{"start": 3}]})


@pytest.fixture(scope="module")
def service() -> Iterator[FrameService]:
    with FrameService() as service:
        yield service


@pytest.mark.gl
def test_the_process_draws_what_the_renderer_draws(service: FrameService) -> None:
    renderer = Renderer()
    for house, camera, samples in ((one_room(), CAMERA, 1), (ell(), dollhouse(ell(), 4 / 3), 2)):
        far, near = service.picture(house, camera, SIZE, samples=samples), renderer.frame(house, camera, SIZE, samples=samples)
        assert (far.pixels == near.pixels).all()
        assert (far.ids == near.ids).all()
        assert far.names == near.names
        assert far.camera == camera
    renderer.close()
    assert service.notice == ""


@pytest.mark.gl
def test_changes_of_things_arrive(service: FrameService) -> None:
    house = one_room()
    service.picture(house, CAMERA, SIZE)
    without = replace(house, things=house.things[:3])
    assert service.picture(without, CAMERA, SIZE).names == ("", "fridge", "apple", "table")
    back = service.picture(house, CAMERA, SIZE)
    assert back.names.index("mug") in back.ids


@pytest.mark.gl
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shares the processor between terminal sessions")
def test_the_process_gives_way_to_the_window(service: FrameService) -> None:
    service.picture(one_room(), CAMERA, SIZE)
    assert service.pid is not None
    assert os.getpriority(os.PRIO_PROCESS, service.pid) >= NICE
    assert os.getsid(service.pid) == os.getsid(0), "the priorities of processes of other sessions do not count"
    assert os.getpgid(service.pid) == service.pid, "Ctrl C in the terminal does not reach it"


def test_refuses_sizes_without_asking_the_process(service: FrameService) -> None:
    with pytest.raises(RendererError, match="Cannot draw"):
        service.picture(one_room(), CAMERA, (10, 10))


@pytest.mark.gl
def test_a_killed_process_costs_nothing_but_time(service: FrameService) -> None:
    before, pid, restarts = service.picture(one_room(), CAMERA, SIZE), service.pid, service.restarts
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    after = service.picture(one_room(), CAMERA, SIZE)
    assert (before.pixels == after.pixels).all()
    assert service.restarts == restarts + 1
    assert service.pid != pid
    assert service.notice == ""
    assert not is_there(pid)


@pytest.mark.gl
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no SIGSTOP here")
def test_a_frozen_process_is_replaced() -> None:
    with FrameService(answer_timeout=12.0) as service:
        before, pid = service.picture(one_room(), CAMERA, SIZE), service.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        large = replace(one_room(), things=one_room().things * 200)  # more than a pipe holds: writing must not block for ever
        assert service.picture(large, CAMERA, SIZE).names == before.names
        assert service.restarts == 1
        assert not is_there(pid)


@pytest.mark.gl
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no SIGSTOP here")
def test_close_leaves_nothing_of_an_idle_or_frozen_process() -> None:
    for stop in (False, True):
        service = FrameService()
        service.picture(one_room(), CAMERA, SIZE)
        pid = service.pid
        assert pid is not None
        if stop:
            os.kill(pid, signal.SIGSTOP)
        service.close()
        service.close()
        assert not is_there(pid)
        with pytest.raises(RendererError, match="closed"):
            service.picture(one_room(), CAMERA, SIZE)


@pytest.mark.gl
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no SIGSTOP here")
def test_close_does_not_wait_for_a_picture_in_progress() -> None:
    """A session that ends closes the service while its camera may be drawing; a busy machine draws for seconds."""
    service, refused = FrameService(start_timeout=60.0, answer_timeout=60.0), list[str]()
    service.picture(one_room(), CAMERA, SIZE)
    assert service.pid is not None
    os.kill(service.pid, signal.SIGSTOP)

    def draw() -> None:
        with pytest.raises(RendererError) as failed:
            service.picture(one_room(), CAMERA, SIZE)
        refused.append(str(failed.value))

    drawing = Thread(target=draw)
    drawing.start()
    drawing.join(0.2)
    closing = Thread(target=service.close)
    closing.start()
    closing.join(PATIENCE)
    drawing.join(PATIENCE)
    assert not closing.is_alive()
    assert refused == ["The frame service is closed."]


def is_there(pid: int) -> bool:
    """Whether a process, or what is left of it, still has this number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_2d_can_be_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELVEDERE_RENDERER", "2d")
    with FrameService() as service:
        assert service.pid is None
        picture = service.picture(one_room(), CAMERA, SIZE)
        assert picture.names.index("table") in picture.ids
        assert "BELVEDERE_RENDERER" in service.notice


def test_a_wrong_choice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELVEDERE_RENDERER", "4d")
    with pytest.raises(DataError, match="auto or 2d"):
        FrameService()


def test_without_moderngl_the_plan_is_drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "moderngl.py").write_text("raise ImportError('there is no moderngl')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with FrameService() as service:
        picture = service.picture(one_room(), CAMERA, SIZE)
        assert picture.names.index("fridge") in picture.ids
        assert "pip install moderngl" in service.notice
        assert "\n" not in service.notice
        assert service.pid is None
        assert service.restarts == 0


def test_without_opengl_the_notice_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "moderngl.py").write_text("def create_context(**_):\n    raise Exception('libEGL.so not found')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with FrameService() as service:
        service.picture(one_room(), CAMERA, SIZE)
        assert "libEGL.so" in service.notice
        if sys.platform.startswith("linux"):
            assert "sudo apt-get install libegl1 libgl1-mesa-dri" in service.notice


def test_a_process_that_always_dies_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    crash = "import os, sys\nprint('driver panic', file=sys.stderr, flush=True)\nos._exit(3)"
    (tmp_path / "moderngl.py").write_text(crash)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with FrameService() as service:
        assert service.picture(one_room(), CAMERA, SIZE).pixels.shape == (120, 160, 3)
        assert "driver panic" in service.notice
        assert service.restarts == 3
        service.picture(one_room(), CAMERA, SIZE)
        assert service.restarts == 3  # it does not try again for every frame


@pytest.mark.gl
@pytest.mark.parametrize("breaks", ["import os\nos._exit(3)", "raise ImportError('there is no moderngl')"])
def test_the_3d_view_comes_back_when_it_can(breaks: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "moderngl.py").write_text(breaks)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with FrameService(rest=0.2) as service:
        service.picture(one_room(), CAMERA, SIZE)
        assert service.notice
        first = service.restarts
        time.sleep(0.25)
        service.picture(one_room(), CAMERA, SIZE)  # tried again, by one process; it rests twice as long now
        assert service.notice
        assert service.restarts in (first, first + 1)
        (tmp_path / "moderngl.py").unlink()
        monkeypatch.delenv("PYTHONPATH")
        time.sleep(0.25)
        assert service.picture(one_room(), CAMERA, SIZE).pixels.shape == (120, 160, 3)
        assert service.notice
        time.sleep(0.25)
        service.picture(one_room(), CAMERA, SIZE)
        assert service.notice == ""
        assert service.pid is not None


def test_a_process_that_never_gets_ready_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "moderngl.py").write_text("import time\ntime.sleep(600)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with FrameService(start_timeout=0.3) as service:
        assert service.picture(one_room(), CAMERA, SIZE).ids.any()
        assert "did not answer" in service.notice


@pytest.mark.gl
def test_works_from_any_directory_even_with_strange_modules_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')")
    (tmp_path / "sim").mkdir()
    monkeypatch.chdir(tmp_path)
    with FrameService() as service:
        assert service.picture(one_room(), CAMERA, SIZE).names[1] == "fridge"
        assert service.notice == ""


def python(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-P", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            env={**os.environ, "PYTHONPATH": str(ROOT)})


@pytest.mark.gl
def test_the_process_ends_when_its_input_closes() -> None:
    with python("-m", "sim.rendering.worker") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        message = wire.read_message(process.stdout)
        assert message is not None
        assert message[0]["ready"]
        process.stdin.close()
        assert process.wait(PATIENCE) == 0


PROGRAM = """
import time
from sim.rendering.cameras import first_person
from sim.rendering.service import FrameService
from tests.sim.rendering.small_house import one_room
service = FrameService()
service.picture(one_room(), first_person(2, 1.2, 0))
print(service.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.gl
def test_the_process_does_not_outlive_a_killed_parent() -> None:
    with python("-c", PROGRAM) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    until(lambda: not is_running(pid))


def is_running(pid: int) -> bool:
    """Like is_there, but an orphan that has ended and was not yet collected does not count."""
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc").is_dir():
        return stat.is_file() and stat.read_text().rpartition(")")[2].split()[0] != "Z"
    return is_there(pid)


@pytest.mark.gl
def test_many_callers_take_turns(service: FrameService) -> None:
    wanted = service.picture(one_room(), CAMERA, SIZE).pixels
    with ThreadPoolExecutor(4) as pool:
        for picture in pool.map(lambda _: service.picture(one_room(), CAMERA, SIZE), range(12)):
            assert np.array_equal(picture.pixels, wanted)
