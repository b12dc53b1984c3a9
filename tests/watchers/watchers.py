"""Measures what many watchers of one run cost its coordinator: processor time and memory.

usage: watchers.py PROGRAM [WATCHERS]
"""

import asyncio
import json
import os
import sys
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "web"))
from cluster import Cluster  # noqa: E402

SECONDS = 30
SILENT_SECONDS = 60


class Meter:
    """Reads the processor time and the memory of a process."""

    def __init__(self, pid):
        self.pid = pid

    def cpu_s(self):
        with open(f"/proc/{self.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def rss_kb(self):
        with open(f"/proc/{self.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    async def share_of_core(self, seconds):
        cpu, begun = self.cpu_s(), time.monotonic()
        await asyncio.sleep(seconds)
        return (self.cpu_s() - cpu) / (time.monotonic() - begun)


async def watch(cluster, path, reads):
    host, port = cluster.http.split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=4096)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nhost: {cluster.http}\r\n\r\n".encode())
        await writer.drain()
        while reads and await reader.read(65536):
            pass
        await asyncio.sleep(SILENT_SECONDS * 10)
    finally:
        writer.transport.abort()


async def measure(cluster, watchers):
    meter = Meter(cluster.coordinator.pid)
    path = "/api/v1/runs/1/events"
    print(f"no watchers: {meter_line(await meter.share_of_core(SECONDS), meter)}")
    reading = [asyncio.create_task(watch(cluster, path, True)) for _ in range(watchers)]
    await asyncio.sleep(5)
    print(f"{watchers} that read: {meter_line(await meter.share_of_core(SECONDS), meter)}")
    for watcher in reading:
        watcher.cancel()
    silent = [asyncio.create_task(watch(cluster, path, False)) for _ in range(watchers)]
    await asyncio.sleep(10)
    before = meter.rss_kb()
    share = await meter.share_of_core(SILENT_SECONDS)
    print(f"{watchers} that read nothing: {meter_line(share, meter)}, {meter.rss_kb() - before} kB more in {SILENT_SECONDS} s")
    for watcher in silent:
        watcher.cancel()


def meter_line(share, meter):
    return f"{share:.1%} of one core, {meter.rss_kb()} kB"


def main(program, watchers=1000):
    with Cluster(program) as cluster:
        cluster.start_worker("worker-a")
        wanted = json.dumps({"n": 21, "goal": "count"}).encode()
        request = urllib.request.Request(
            f"{cluster.url}/api/v1/runs", data=wanted, headers={"content-type": "application/json"}
        )
        urllib.request.urlopen(request).read()
        asyncio.run(measure(cluster, int(watchers)))


if __name__ == "__main__":
    main(*sys.argv[1:])
