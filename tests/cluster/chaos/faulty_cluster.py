"""A cluster that faults are done to: what is started again, and what must hold after each fault."""

import os
import random
import signal
import time
import urllib.request
from contextlib import suppress

from cli.command_line import SECRET, call, call_ok
from cluster.chaos.programs import PATIENCE_S, Machine, Run, Scheduler, is_running, read_processes, wait_until

from arbiter.games.base import FORFEITS

RUNS = 2  # at a time
USER = os.geteuid()
EXPECTED = {f"arbiter-dask-{USER}", "dask-scratch-space", "purge.lock", "global.lock"}
LOCK = ".dirlock"  # empty; a worker that its nanny kills leaves it, and the next one removes it
REFUSALS = ("all games are played", "there is nothing to", "is withdrawn already")
BECAUSE = ("--because", "a test")


class FaultyCluster:
    """A scheduler, three machines, and two runs at a time; all choices follow from a seed."""

    def __init__(self, folder, workloads, seed, sandbox):
        """Play workloads one after another.  The name of the folder is in the command line of each process of a bot."""
        self.folder = folder
        self.random = random.Random(seed)
        self.history = []
        """The faults and decisions so far, for the message of a failure."""
        self._options = ("--secret", SECRET, "--sandbox", sandbox)
        self._workloads = workloads
        self._started = 0
        self.scheduler = Scheduler(folder)
        self.machines = [Machine(folder, name, self.scheduler) for name in ("attic", "hall")]
        self.machines.append(Machine(folder, "cellar", self.scheduler, slots=2, disk=True))
        self.runs = []
        self.afterwards = []
        """Functions that end the effects of faults once the runs have gone on."""
        self._ending = {}
        """Processes of bots that must end, with the time until when."""

    def __enter__(self):
        self.scheduler.start()
        for machine in self.machines:
            machine.start()
        for _ in range(RUNS):
            self._add_run()
        return self

    def __exit__(self, *error):
        for program in (*self.runs, *self.machines, self.scheduler):
            program.close()

    def _add_run(self):
        """Start the next tournament with new results."""
        workload = self._workloads[self._started % len(self._workloads)]
        self._started += 1
        self.runs.append(Run(self.folder, self._started, workload, self.scheduler, self._options))
        self.runs[-1].start()

    def pick_machine(self):
        return self.random.choice(self.machines)

    def pick_run(self):
        """Choose a run whose process has started up: until then, Python itself answers Ctrl-C."""
        run = self.random.choice(self.runs)
        wait_until(lambda: run.read_log() or not run.is_alive(), f"{run.name} prints nothing")
        return run

    # --- what must hold after each fault ----------------------------------------------------------

    def settle(self):
        """Wait until each run has finished another game or has ended, check it, and start again what has ended."""
        before = {run: run.count_games() for run in self.runs}
        for run, count in before.items():
            wait_until(
                lambda run=run, count=count: (
                    self.restart_machines() or not run.is_playing() or run.count_games() > count
                ),
                lambda run=run: f"{run.name} finishes no game:\n{run.read_log()}",
            )
            self._check_games(run)
            if not run.is_playing():
                self._follow_end(run)
        while self.afterwards:
            with suppress(OSError):
                self.afterwards.pop()()
        late = [bot for bot, limit in self._ending.items() if limit < time.monotonic() and is_running(bot)]
        assert not late, f"bots of a run that has ended are left after {PATIENCE_S} s: {late}"

    def restart_machines(self):
        """Start machines that have ended, as an operator does; some end long after the fault, with the scheduler."""
        for machine in self.machines:
            if not machine.is_alive():
                machine.start()

    def expect_end(self, bots):
        """Note processes of bots that must end soon."""
        self._ending |= dict.fromkeys(bots, time.monotonic() + PATIENCE_S)

    def _check_games(self, run):
        """Check that no game of a run is changed, doubled or lost by the fault of a bot."""
        games = run.read_games()
        assert len({game.id for game in games}) == len(games)
        walkovers = {game.id for game in games if game.ending == "walkover"}
        others = walkovers | (run.find_games_dealt_again() if games else set())
        assert run.has_withdrawals or not walkovers
        assert [game for game in games if game.ending in FORFEITS and game.id not in walkovers] == []
        played = {game.id: game.fingerprint for game in games if game.id not in others}
        assert played == {game: run.workload.fingerprints.get(game) for game in played}

    def _follow_end(self, run):
        """Check how a run has ended; start it again, or the next one if all of its games are played."""
        if run.is_alive():  # its pages stay
            run.interrupt()
        code = run.wait()
        assert "Traceback" not in run.read_log(), run.read_log()
        if code != 0:
            voids = run.results.with_suffix(".void.txt")
            details = voids.read_text() if voids.exists() else ""
            # A second Ctrl-C may come after the last game, when Python itself answers it.
            is_expected = (code in (130, -signal.SIGINT) and run.is_stopped) or (code == 2 and run.may_end)
            assert is_expected, f"{code}:\n{run.read_log()}\n{details}"
            run.start()
            return
        assert run.workload.may_end_early or {game.id for game in run.read_games()} == set(run.workload.fingerprints)
        call_ok("verify", run.results)
        assert {path.name for path in self.folder.glob(f"{run.results.name}.*")} == {
            f"{run.results.name}{suffix}" for suffix in (".lock", ".entries")
        }
        self.runs.remove(run)
        run.close()
        self._add_run()

    def check_that_all_play(self):
        """Wait until each machine plays a game."""
        for machine in self.machines:
            wait_until(
                lambda machine=machine: self.settle() or machine.is_playing(self.folder.name),
                lambda machine=machine: f"{machine.name} plays no game:\n{machine.read_log()[-3000:]}",
            )

    def finish(self, monkeypatch):
        """End everything as an operator does, and check that nothing is left."""
        for run in self.runs:
            run.interrupt()
        for run in self.runs:
            run.wait()
            self._check_games(run)
        for program in (*self.machines, self.scheduler):
            program.send(signal.SIGTERM)
        for program in (*self.machines, self.scheduler):
            program.wait()
        for machine in self.machines:
            machine.remove_leftovers(monkeypatch)
        wait_until(lambda: not self.find_left(), lambda: f"left behind: {self.find_left()}")

    def find_left(self):
        """List the processes and the temporary files that are left, without the lock files of Dask."""
        ours = f"{self.folder}/"
        left = [words for _, words in read_processes().values() if self.folder.name in words or ours in words]
        for program in (self.scheduler, *self.machines, *self.runs):
            left += [
                str(path) for path in program.place.rglob("*") if path.name not in EXPECTED and path.suffix != LOCK
            ]
        return left

    # --- what the operator does meanwhile ---------------------------------------------------------

    def decide(self):
        """Do something with a run that an operator does, and check that it works."""
        run = self.pick_run()
        games = run.read_games()
        if not games or not run.is_playing():
            return
        decide = self.random.choice([self._back_up, self._look, *([] if run.page else [self._rule, self._withdraw])])
        self.history.append(f"{decide.__name__} {run.name}")
        decide(run, self.random.choice(games))

    def _back_up(self, run, _game):
        copy = self.folder / f"backup-{len(self.history)}.sqlite"
        call_ok("backup", run.results, copy)
        call_ok("verify", copy)

    def _rule(self, run, game):
        result = self.random.choice(["red", "draw", "annulled"])
        is_ruled = self._command(run, "rule", game.id, "--result", result, *BECAUSE)
        if self.random.random() < 0.5 and is_ruled:
            self._command(run, "rule", game.id, "--undo", *BECAUSE)

    def _withdraw(self, run, game):
        run.has_withdrawals = True
        if self._command(run, "withdraw", game.red):
            self._command(run, "withdraw", game.red, "--undo")

    def _look(self, run, _game):
        self._command(run, "status", "--json")
        if run.page and "http://" in run.read_log():
            with urllib.request.urlopen(f"http://127.0.0.1:{run.page}/numbers.html", timeout=PATIENCE_S) as page:
                assert "Statistics" in page.read().decode()

    def _command(self, run, command, *words):
        """Call a command for the results of a run; return False if it came too late, or changes nothing."""
        result = call(command, run.results, *words)
        assert result.exit_code == 0 or any(why in result.stderr for why in REFUSALS), (command, words, result.stderr)
        return result.exit_code == 0
