"""A real cluster for one test: a coordinator and workers, each a process of its own."""

import os
import re
import signal
import subprocess
import tempfile
import time


class Cluster:
    def __init__(self, program):
        self.program = program
        self.folder = tempfile.TemporaryDirectory()
        self.processes = []
        self.grpc = self.http = "127.0.0.1:0"
        self.start_coordinator()

    def start_coordinator(self):
        """Starts the coordinator; a second time, on the same ports and ledger."""
        log = os.path.join(self.folder.name, "coordinator.log")
        ledger = os.path.join(self.folder.name, "nqueens.db")
        self.coordinator = self.start(
            log, "coordinator", "--listen", self.grpc, "--http", self.http, "--ledger", ledger
        )
        self.grpc = find(log, r"listening on (\S+)")
        self.http = find(log, r"at http://([^/\s]+)/")
        self.url = f"http://{self.http}"

    def start_worker(self, name):
        log = os.path.join(self.folder.name, f"{name}.log")
        flags = ["--coordinator", f"http://{self.grpc}", "--threads", "1", "--name", name]
        return self.start(log, "worker", *flags)

    def start(self, log, *command):
        with open(log, "w") as stderr:
            process = subprocess.Popen(
                [self.program, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr
            )
        self.processes.append(process)
        return process

    def kill(self, process):
        process.kill()
        process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait()
        self.folder.cleanup()


def find(log, pattern, patience_s=60):
    """Waits until a line of a log matches, and returns the first group."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        with open(log) as lines:
            found = re.search(pattern, lines.read())
        if found:
            return found.group(1)
        time.sleep(0.05)
    raise SystemExit(f"{log} has no {pattern}:\n{open(log).read()}")
