"""A TCP proxy between a program and the scheduler, which cuts, delays, halves and stalls what passes."""

import asyncio
import random
import threading
from contextlib import suppress


class Proxy:
    """An address at which one program reaches the scheduler."""

    def __init__(self, target):
        """Forward connections to a port of this machine."""
        self._target = target
        self._writers = set()
        self._delay_s = 0.0
        self._jitter_s = 0.0
        self._stalled_until = 0.0
        self._is_halving = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        serving = asyncio.start_server(self._connect, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(serving, self._loop).result(10)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _connect(self, reader, writer):
        try:
            from_target, to_target = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:  # there is no scheduler
            writer.transport.abort()
            return
        self._writers |= {writer, to_target}
        with suppress(asyncio.CancelledError):  # asyncio reports a cancelled server task as an error
            await asyncio.gather(self._copy(reader, to_target), self._copy(from_target, writer))

    async def _copy(self, source, sink):
        """Copy until the source ends; what is late does not hold up what follows it."""
        late = asyncio.Queue()
        writing = asyncio.create_task(self._write(late, sink))
        with suppress(OSError):
            while data := await source.read(65536):
                delay_s = self._delay_s + random.uniform(0, self._jitter_s)
                late.put_nowait((self._loop.time() + delay_s, data))
        late.put_nowait((0, b""))
        await writing

    async def _write(self, late, sink):
        with suppress(OSError):
            while True:
                at, data = await late.get()
                await asyncio.sleep(max(at, self._stalled_until) - self._loop.time())
                if data and self._is_halving:
                    self._is_halving = False
                    sink.write(data[: len(data) // 2])
                    await sink.drain()
                    self._cut()
                if not data:
                    break
                sink.write(data)
                await sink.drain()
        sink.close()
        self._writers.discard(sink)

    def _cut(self):
        for writer in self._writers:
            writer.transport.abort()

    def cut(self):
        """Cut all connections; new ones are possible."""
        self._loop.call_soon_threadsafe(self._cut)

    def halve(self):
        """Forward only the first half of what is sent next, and cut all connections."""
        self._is_halving = True

    def delay(self, seconds, jitter_s=0.0):
        """Forward everything this much later from now on, and each part up to `jitter_s` later than that."""
        self._delay_s, self._jitter_s = seconds, jitter_s

    def stall(self, seconds):
        """Forward nothing for a time, and keep all connections."""
        self._stalled_until = self._loop.time() + seconds

    def close(self):
        async def end():
            self._server.close()
            self._cut()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
