#!/usr/bin/env python3
"""`uptack view` over HTTP: who is let in, what is streamed, what commands do, and how it ends."""

import http.client
import json
import re
import signal
import struct
import subprocess
import time
import unittest
from urllib.parse import urlsplit

from uptack_case import UPTACK, UptackCase, strict_json

PATIENCE = 60  # seconds; the machine may be busy with other tests
COLUMNS = 19


class View:
    """The program, started; reads its address."""

    def __init__(self, folder, *arguments):
        self.process = subprocess.Popen([UPTACK, "view", *map(str, arguments), "--json"], cwd=folder,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if line.startswith("}"):
                break
        self.document = strict_json("".join(lines))
        parts = urlsplit(self.document["url"])
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def ask(self, method="GET", path=None, body=None, headers=None):
        """Status, headers and body of one request; `headers` replace the ones a browser would send."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        connection.putrequest(method, self.path if path is None else path, skip_host=True, skip_accept_encoding=True)
        sent = {"Host": f"127.0.0.1:{self.port}"}
        if body is not None:
            sent |= {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json", "Content-Length": str(len(body))}
        for name, value in (sent | (headers or {})).items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders()
        if body is not None:
            connection.send(body.encode() if isinstance(body, str) else body)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content

    def command(self, **words):
        status, _, content = self.ask("POST", self.path + "command", json.dumps(words))
        return status, json.loads(content)

    def end_code(self, patience=PATIENCE):
        return self.process.wait(timeout=patience)


class Stream:
    """The messages of a view, one after the other."""

    def __init__(self, view):
        self.connection = http.client.HTTPConnection(view.host, view.port, timeout=PATIENCE)
        self.connection.request("GET", view.path + "stream", headers={"Host": f"127.0.0.1:{view.port}"})
        self.answer = self.connection.getresponse()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.answer.close()
        self.connection.close()

    def exactly(self, count):
        data = b""
        while len(data) < count:
            part = self.answer.read(count - len(data))
            if not part:
                raise EOFError("the stream has ended")
            data += part
        return data

    def message(self):
        length, kind = struct.unpack("<II", self.exactly(8))
        return kind, self.exactly(length)

    def next_json(self, kind):
        """The next one of this kind; what comes before is passed over."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            number, payload = self.message()
            if number == 1 and json.loads(payload)["type"] == kind:
                return json.loads(payload)
        raise TimeoutError(kind)

    def next_frame(self, wanted=lambda frame: True):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            number, payload = self.message()
            if number == 2 and wanted(frame_of(payload)):
                return frame_of(payload)
        raise TimeoutError("frame")

    def next_steps(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            number, payload = self.message()
            if number == 3:
                return steps_of(payload)
        raise TimeoutError("steps")


def frame_of(payload):
    run, bodies, contacts, joints, when, step, factor, paused = struct.unpack_from("<IIIIddfI", payload)
    expected = 64 + 36 * bodies + 36 * contacts + 24 * joints
    assert len(payload) == expected, (len(payload), expected)
    position = [struct.unpack_from("<3f", payload, 64 + 12 * k) for k in range(bodies)]
    return {"run": run, "bodies": bodies, "joints": joints, "time": when, "step": int(step), "factor": factor,
            "paused": paused == 1, "position": position}


def steps_of(payload):
    run, count, columns, strings = struct.unpack_from("<IIII", payload)
    assert columns == COLUMNS
    rows = [struct.unpack_from(f"<{columns}d", payload, 16 + 8 * columns * k) for k in range(count)]
    at = 16 + 8 * columns * count + 24 * count
    texts = []
    for _ in range(strings):
        length, = struct.unpack_from("<I", payload, at)
        texts.append(payload[at + 4:at + 4 + length].decode())
        at += 4 + length
    assert at == len(payload)
    return {"run": run, "times": [row[0] for row in rows], "steps": [int(row[1]) for row in rows], "texts": texts}


class AccessTest(UptackCase):
    """Only the page that was opened by the printed address is answered."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.view = View(cls.folder, "pendulum", "--paused", "--keep")

    @classmethod
    def tearDownClass(cls):
        cls.view.__exit__()
        super().tearDownClass()

    def test_address_has_a_token_of_128_bits(self):
        self.assertRegex(self.view.document["url"], r"\Ahttp://127\.0\.0\.1:\d+/[0-9a-f]{32}/\Z")
        self.assertEqual(self.view.document["port"], self.view.port)

    def test_only_this_machine_can_connect(self):
        """The listening socket is bound to 127.0.0.1, which /proc/net/tcp writes as 0100007F."""
        listening = []
        for name in ("/proc/net/tcp", "/proc/net/tcp6"):
            with open(name, encoding="ascii") as table:
                for line in table.readlines()[1:]:
                    address, port = line.split()[1].split(":")
                    if int(port, 16) == self.view.port and line.split()[3] == "0A":
                        listening.append(address)
        self.assertEqual(listening, ["0100007F"])

    def test_without_the_token_there_is_nothing(self):
        wrong = "0" * 32
        for path in ("/", "/favicon.ico", f"/{wrong}/", f"/{wrong}/stream", self.view.path[:-1], self.view.path[:-2] + "/",
                     self.view.path + "other", self.view.path + "../", "/" + self.view.path):
            self.assertEqual(self.view.ask(path=path)[0], 404, path)
        self.assertEqual(self.view.ask("POST", f"/{wrong}/command", '{"do": "play"}')[0], 404)

    def test_other_methods_are_not_known(self):
        for method in ("PUT", "DELETE", "OPTIONS", "PATCH"):
            self.assertEqual(self.view.ask(method)[0], 404, method)

    def test_a_foreign_host_name_is_turned_away(self):
        for host in ("evil.example", f"evil.example:{self.view.port}", "127.0.0.1", f"127.0.0.1:{self.view.port + 1}", None):
            self.assertEqual(self.view.ask(headers={"Host": host})[0], 403, host)
        self.assertEqual(self.view.ask(headers={"Host": f"localhost:{self.view.port}"})[0], 200)

    def test_commands_come_from_the_own_page_only(self):
        command = self.view.path + "command"
        for headers in ({"Origin": "http://evil.example"}, {"Origin": None}, {"Origin": "null"},
                        {"Content-Type": "text/plain"}, {"Content-Encoding": "gzip"}):
            self.assertEqual(self.view.ask("POST", command, '{"do": "pause"}', headers)[0], 403, headers)

    def test_large_bodies_are_refused(self):
        status, _, _ = self.view.ask("POST", self.view.path + "command", headers={
            "Origin": f"http://127.0.0.1:{self.view.port}", "Content-Type": "application/json", "Content-Length": "70000"})
        self.assertEqual(status, 403)
        status, _, _ = self.view.ask("POST", self.view.path + "command", headers={
            "Origin": f"http://127.0.0.1:{self.view.port}", "Content-Type": "application/json", "Transfer-Encoding": "chunked"})
        self.assertEqual(status, 403)

    def test_the_page_refers_to_nothing_outside(self):
        status, headers, content = self.view.ask()
        self.assertEqual(status, 200)
        self.assertTrue(headers["Content-Type"].startswith("text/html"))
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertEqual(headers["Cache-Control"], "no-store")
        page = content.decode()
        self.assertIsNone(re.search(r"""<(?:script|link|img|iframe)[^>]*\s(?:src|href)\s*=\s*["'](?!data:)""", page))
        document = json.loads(re.search(r'<script type="application/json" id="document">(.*?)</script>', page, re.S).group(1))
        self.assertEqual(document["kind"], "live")
        self.assertEqual(document["model"]["name"], "pendulum")
        self.assertIn("auto", [solver["name"] for solver in document["solvers"]])

    def test_what_is_no_command_is_said_so(self):
        for words in ({"do": "dance"}, {"do": "step", "count": 0}, {"do": "speed", "factor": -1}, {"do": "budget", "ms": "x"},
                      {"do": "pull", "body": 1, "point": [0, 0], "target": [0, 0, 0]}, {"do": "tolerance", "value": 0}, {}):
            status, answer = self.view.command(**words)
            self.assertEqual(status, 400, words)
            self.assertIn("error", answer)
        self.assertEqual(self.view.ask("POST", self.view.path + "command", "[1, 2")[0], 400)


class RunTest(UptackCase):
    def test_hello_and_frames_arrive_while_it_runs(self):
        with View(self.folder, "pendulum") as view, Stream(view) as stream:
            hello = stream.next_json("hello")
            self.assertEqual(hello["model"]["name"], "pendulum")
            self.assertEqual(len(hello["columns"]), COLUMNS)
            first = stream.next_frame()
            later = stream.next_frame(lambda frame: frame["time"] > 0.2)
            self.assertEqual(first["bodies"], 2)
            self.assertEqual(first["joints"], 1)
            self.assertFalse(later["paused"])

    def test_every_step_is_told_once(self):
        with View(self.folder, "pendulum") as view, Stream(view) as stream:
            stream.next_json("hello")
            steps = []
            while len(steps) < 60:
                steps += stream.next_steps()["steps"]
            self.assertEqual(steps, list(range(1, len(steps) + 1)))

    def test_it_keeps_to_real_time(self):
        with View(self.folder, "pendulum") as view, Stream(view) as stream:
            view.command(do="speed", factor=0.1)
            begin = stream.next_frame(lambda frame: frame["step"] > 0)
            start = time.monotonic()
            end = stream.next_frame(lambda frame: frame["time"] > begin["time"] + 0.1)
            self.assertGreater(time.monotonic() - start, 0.5)
            self.assertLess(end["factor"], 0.5)

    def test_a_step_is_exactly_one(self):
        with View(self.folder, "pendulum", "--paused") as view, Stream(view) as stream:
            self.assertEqual(stream.next_frame()["step"], 0)
            for expected in (1, 2, 3):
                view.command(do="step")
                frame = stream.next_frame(lambda frame: frame["step"] > 0)
                self.assertEqual(frame["step"], expected)
                self.assertTrue(frame["paused"])
                self.assertAlmostEqual(frame["time"], expected / 240)
            view.command(do="step", count=7)
            self.assertEqual(stream.next_frame(lambda frame: frame["step"] > 3)["step"], 10)

    def test_pause_reset_and_play(self):
        with View(self.folder, "pendulum") as view, Stream(view) as stream:
            first = stream.next_json("hello")
            stream.next_frame(lambda frame: frame["step"] > 10)
            view.command(do="pause")
            self.assertTrue(stream.next_json("state")["paused"] or stream.next_json("state")["paused"])
            view.command(do="reset")
            second = stream.next_json("hello")
            self.assertEqual(second["run"], first["run"] + 1)
            frame = stream.next_frame()
            self.assertEqual((frame["step"], frame["run"]), (0, second["run"]))
            view.command(do="play")
            stream.next_frame(lambda frame: frame["step"] > 10)

    def test_parameters_make_another_scene(self):
        with View(self.folder, "pendulum", "--paused") as view, Stream(view) as stream:
            before = stream.next_json("hello")
            view.command(do="parameters", values={"length": 2, "start": 0})
            after = stream.next_json("hello")
            self.assertEqual(value_of(before, "length"), 1)
            self.assertEqual(value_of(after, "length"), 2)
            self.assertAlmostEqual(stream.next_frame()["position"][1][2], -1, places=5)
            status, _, content = view.ask()
            self.assertEqual(status, 200)
            self.assertIn(b'"value":2.0', content.replace(b" ", b""))

    def test_a_bad_parameter_is_an_error_and_the_old_scene_goes_on(self):
        with View(self.folder, "pendulum") as view, Stream(view) as stream:
            hello = stream.next_json("hello")
            for values in ({"length": -1}, {"nothing": 1}):
                view.command(do="parameters", values=values)
                self.assertGreater(len(stream.next_json("error")["text"]), 10)
            frame = stream.next_frame()
            later = stream.next_frame(lambda later: later["step"] > frame["step"])
            self.assertEqual(later["run"], hello["run"])

    def test_solver_tolerance_and_budget_change_in_the_run(self):
        with View(self.folder, "pendulum", "--paused") as view, Stream(view) as stream:
            stream.next_json("state")
            view.command(do="step", count=5)
            stream.next_frame(lambda frame: frame["step"] == 5)
            view.command(do="solver", name="psor")
            self.assertEqual(stream.next_json("state")["solver"], "psor")
            view.command(do="tolerance", value=1e-6, unit="J")
            state = stream.next_json("state")
            self.assertEqual((state["tolerance"], state["tolerance_unit"]), (1e-6, "J"))
            view.command(do="budget", ms=2)
            self.assertAlmostEqual(stream.next_json("state")["budget_ms"], 2)
            view.command(do="budget", ms=None)
            self.assertIsNone(stream.next_json("state")["budget_ms"])
            view.command(do="step")
            self.assertIn("psor", stream.next_steps()["texts"])
            self.assertEqual(stream.next_frame()["step"], 6)
            view.command(do="solver", name="nobody")
            self.assertIn("nobody", stream.next_json("error")["text"])

    def test_a_pull_moves_a_body(self):
        """Hanging at rest, the rod stays; pulled sideways it swings out, let go it comes back."""
        with View(self.folder, "pendulum", "--set", "start=0", "--paused") as view, Stream(view) as stream:
            stream.next_json("hello")
            view.command(do="step", count=20)
            stand, rest = stream.next_frame(lambda frame: frame["step"] == 20)["position"]
            self.assertAlmostEqual(rest[0], 0, places=6)
            view.command(do="pull", body=1, point=[0, 0, -0.5], target=[0.5, 0, -0.8])
            view.command(do="step", count=240)
            pulled = stream.next_frame(lambda frame: frame["step"] == 260)["position"][1]
            self.assertGreater(pulled[0], 0.2)
            view.command(do="release")
            view.command(do="step", count=120)
            released = stream.next_frame(lambda frame: frame["step"] == 380)["position"][1]
            self.assertLess(released[0], pulled[0] - 0.1)
            view.command(do="pull", body=0, point=[0, 0, 0], target=[1, 0, 0])  # the stand is fixed
            view.command(do="step")
            self.assertEqual(stream.next_frame()["position"][0], stand)
            view.command(do="pull", body=99, point=[0, 0, 0], target=[1, 0, 0])
            self.assertIn("body", stream.next_json("error")["text"])

    def test_a_slow_reader_gets_the_latest(self):
        with View(self.folder, "pendulum") as view, Stream(view) as stream:
            stream.next_json("hello")
            time.sleep(1.0)  # some 60 frames lie in between, in the sockets' buffers at most
            frame = stream.next_frame(lambda frame: frame["time"] > 0.9)
            self.assertLess(frame["time"], 5.0)


def value_of(hello, name):
    return next(parameter["value"] for parameter in hello["model"]["parameters"] if parameter["name"] == name)


class EndTest(UptackCase):
    def test_closing_the_page_ends_the_program(self):
        with View(self.folder, "pendulum") as view:
            with Stream(view) as stream:
                stream.next_frame()
            self.assertEqual(view.end_code(20), 0)
            self.assertEqual(view.process.stderr.read(), "")

    def test_closing_the_page_of_a_paused_run_too(self):
        with View(self.folder, "pendulum", "--paused") as view:
            with Stream(view) as stream:
                stream.next_frame()
            self.assertEqual(view.end_code(20), 0)

    def test_a_page_that_is_loaded_again_finds_it(self):
        with View(self.folder, "pendulum") as view:
            with Stream(view) as stream:
                stream.next_frame(lambda frame: frame["step"] > 0)
            time.sleep(1.5)
            with Stream(view) as stream:
                self.assertGreater(stream.next_frame()["step"], 0)
                time.sleep(3.0)
                self.assertIsNone(view.process.poll())

    def test_keep_stays(self):
        with View(self.folder, "pendulum", "--keep") as view:
            with Stream(view) as stream:
                stream.next_frame()
            time.sleep(4.5)
            self.assertIsNone(view.process.poll())
            self.assertEqual(view.ask()[0], 200)

    def test_signals_end_it_at_once(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with View(self.folder, "pendulum") as view, Stream(view) as stream:
                idle = http.client.HTTPConnection(view.host, view.port)
                idle.connect()  # says nothing, as browsers do
                stream.next_frame()
                start = time.monotonic()
                view.process.send_signal(number)
                self.assertEqual(view.end_code(20), 0)
                self.assertLess(time.monotonic() - start, 2.0)
                idle.close()

    def test_it_ends_before_anybody_came(self):
        with View(self.folder, "pendulum") as view:
            view.process.send_signal(signal.SIGINT)
            self.assertEqual(view.end_code(20), 0)


class InputTest(UptackCase):
    def test_a_scene_with_an_error_opens_no_port(self):
        (self.folder / "bad.json").write_text('{"bodies": [{"name": "ball", "shape": {"sphere": -1}}]}')
        self.assertIn("bad.json", self.fails(3, "view", "bad.json"))
        self.fails(3, "view", "no-such-scene")
        self.fails(3, "view", "pendulum", "--set", "length=-1")
        self.fails(2, "view", "pendulum", "--solver", "nobody")

    def test_a_port_that_is_taken_is_said_so(self):
        with View(self.folder, "pendulum", "--keep") as view:
            self.assertIn("--port", self.fails(3, "view", "pendulum", "--port", view.port))

    def test_a_recording_is_served_without_commands(self):
        self.ok("run", "pendulum", "--duration", "0.5", "-o", "run.h5")
        with View(self.folder, "run.h5") as view:
            status, _, content = view.ask()
            self.assertEqual(status, 200)
            self.assertIn(b'"kind":"run"', content.replace(b" ", b""))
            self.assertEqual(view.ask("POST", view.path + "command", '{"do": "play"}')[0], 404)
            with Stream(view) as stream:
                self.assertEqual(stream.message(), (0, b""))
            self.assertEqual(view.end_code(20), 0)
        self.fails(2, "view", "run.h5", "--set", "length=1")

    def test_a_damaged_recording_is_refused(self):
        self.ok("run", "pendulum", "--duration", "0.2", "-o", "whole.h5")
        content = (self.folder / "whole.h5").read_bytes()
        (self.folder / "cut.h5").write_bytes(content[: len(content) // 2])
        self.fails(3, "view", "cut.h5")


if __name__ == "__main__":
    unittest.main()
