"""The faults: what is done, and what must hold besides what is checked after each of them."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from cluster.chaos.programs import TTL_S, Machine, Program, is_running, wait_until
from distributed import Client
from msgspec import Struct

FREEZE_S = 2
LONG_S = 15
DELAY_S = 0.3
CONTINUES = "the run continues"
PLAYED_AGAIN = "its games are played again elsewhere, the run continues"
ENDS = "the run ends with one line, or continues; the same command resumes it"
DISK_FILE = "filler"


class Fault(Struct, frozen=True):
    """A row of the table in docs/scaling.md."""

    title: str
    holds: str
    do: Callable
    is_long: bool

    def row(self):
        return f"| {self.title} | {self.holds} |"


FAULTS = []


def fault(title, holds, *, is_long=False):
    """Add a function that does a fault to a cluster to the list."""

    def add(do):
        FAULTS.append(Fault(title, holds, do, is_long))
        return do

    return add


def write_table():
    """Return the table of the faults in Markdown."""
    return "\n".join(["| fault | what must hold |", "|---|---|", *(fault.row() for fault in FAULTS)])


# --- workers --------------------------------------------------------------------------------------


fault("a worker is killed", "its nanny starts it again, " + PLAYED_AGAIN)(
    lambda cluster: cluster.pick_machine().send_worker(signal.SIGKILL)
)


@fault("a worker and its nanny are killed, and started again at the same address", PLAYED_AGAIN)
def restart_machine(cluster):
    machine = cluster.pick_machine()
    machine.kill()
    machine.start()


@fault("a nanny is killed", "its worker ends; " + PLAYED_AGAIN)
def kill_nanny(cluster):
    machine = cluster.pick_machine()
    worker = machine.find_worker()
    machine.send(signal.SIGKILL)
    machine.wait()
    wait_until(lambda: worker is None or not is_running(worker), f"the worker of {machine.name} does not end")


fault("a worker is frozen for some seconds", CONTINUES)(lambda cluster: freeze(cluster.pick_machine().find_worker()))


@fault("a worker is frozen until the scheduler gives it up", PLAYED_AGAIN, is_long=True)
def freeze_worker_long(cluster):
    machine = cluster.pick_machine()
    worker = machine.find_worker()
    send(worker, signal.SIGSTOP)
    try:
        time.sleep(TTL_S + FREEZE_S)
        cluster.settle()
    finally:
        send(worker, signal.SIGCONT)


fault("a nanny is frozen for some seconds", CONTINUES)(lambda cluster: freeze(cluster.pick_machine().popen.pid))


@fault("a worker is ended by SIGTERM, and joins again", "its games are finished or played again, the run continues")
def leave(cluster):
    machine = cluster.pick_machine()
    machine.send(signal.SIGTERM)
    machine.wait()


@fault("all workers are ended by SIGTERM, and join again later", "the run waits for a worker, and continues")
def leave_together(cluster):
    for machine in cluster.machines:
        machine.send(signal.SIGTERM)
    for machine in cluster.machines:
        machine.wait()


@fault("a worker is drained by `retire_workers`", "it ends, the run continues")
def retire(cluster):
    machine = cluster.pick_machine()
    address = f"tcp://127.0.0.1:{machine.port}"
    with Client(f"tcp://127.0.0.1:{cluster.scheduler.port}", timeout=30) as client:
        wait_until(lambda: address in client.scheduler_info()["workers"], lambda: f"{machine.name} does not join")
        client.retire_workers([address], close_workers=True)
    machine.wait()


@fault("a machine joins, and leaves again without a word", "it gets games; " + PLAYED_AGAIN)
def join(cluster):
    machine = Machine(cluster.folder, f"guest{len(cluster.history)}", cluster.scheduler)
    cluster.machines.append(machine)
    machine.start()
    wait_until(lambda: cluster.settle() or machine.is_playing(cluster.folder.name), f"{machine.name} plays no game")
    cluster.machines.remove(machine)
    machine.close()


@fault(
    "a machine with another version of the arbiter joins",
    "it gets no games, the run continues; a run that begins while there is no other machine ends with one line",
)
def join_with_other_version(cluster):
    for run in cluster.runs:
        run.may_end = True
    patch = cluster.folder / "other_version"
    patch.mkdir(exist_ok=True)
    (patch / "sitecustomize.py").write_text("import arbiter\narbiter.__version__ = '0.0.1'\n")
    machine = Machine(cluster.folder, f"foreign{len(cluster.history)}", cluster.scheduler)
    machine.start(PYTHONPATH=str(patch))
    wait_until(lambda: "Registered to" in machine.read_log() or not machine.is_alive(), machine.read_log)
    cluster.settle()
    assert not machine.is_playing(cluster.folder.name)
    machine.close()


@fault("the disk of a machine is full, and later has room again", CONTINUES)
def fill_disk(cluster):
    machine = cluster.machines[-1]
    if not machine.disk:
        return
    files = machine.files
    with suppress(OSError), (files / DISK_FILE).open("wb") as file:
        while True:
            file.write(bytes(65536))
            file.flush()
    cluster.afterwards.append(lambda: (files / DISK_FILE).unlink(missing_ok=True))


# --- bots -----------------------------------------------------------------------------------------


@fault("a bot is killed for the first time in a run", "its game is played again, and it is not blamed")
def kill_bot(cluster):
    run = cluster.pick_run()
    bots = {number: bot for number, bot in run.find_bots().items() if bot not in run.killed_bots}
    if bots:
        number, bot = cluster.random.choice(sorted(bots.items()))
        run.killed_bots.add(bot)
        send(number, signal.SIGKILL)


@fault("a bot is frozen for some seconds", "it uses its time; the run continues")
def freeze_bot(cluster):
    if bots := sorted(cluster.pick_run().find_bots()):
        freeze(cluster.random.choice(bots))


# --- scheduler ------------------------------------------------------------------------------------


@fault("the scheduler is killed, and started again", "the workers join it again; " + ENDS)
def kill_scheduler(cluster):
    for run in cluster.runs:
        run.may_end = True
    cluster.scheduler.kill()
    before = {machine: machine.count_joins() for machine in cluster.machines if machine.is_alive()}
    cluster.scheduler.start()
    for machine, joins in before.items():
        wait_until(lambda: machine.count_joins() > joins, lambda: f"{machine.name} is lost:\n{machine.read_log()}")  # noqa: B023


fault("the scheduler is frozen for some seconds", CONTINUES)(lambda cluster: freeze(cluster.scheduler.popen.pid))


@fault("Ctrl-C twice while the scheduler is frozen", "the run ends; the same command resumes it", is_long=True)
def interrupt_without_scheduler(cluster):
    run = cluster.pick_run()
    for other in cluster.runs:
        other.may_end = True
    cluster.scheduler.send(signal.SIGSTOP)
    try:
        run.interrupt()
        time.sleep(FREEZE_S)
        run.interrupt()
        run.wait()
    finally:
        cluster.scheduler.send(signal.SIGCONT)


# --- the coordinator: `arbiter run --cluster` -----------------------------------------------------


@fault("a coordinator is killed", "its bots end on all machines; the same command resumes the run")
def kill_coordinator(cluster):
    run = cluster.pick_run()
    bots = run.find_bots()
    run.kill()
    cluster.expect_end(bots)
    run.start()


fault("a coordinator is frozen for some seconds", CONTINUES)(lambda cluster: freeze(cluster.pick_run().popen.pid))


@fault("a worker is started again at the same address while a coordinator is frozen", PLAYED_AGAIN, is_long=True)
def restart_unseen(cluster):
    run = cluster.pick_run()
    run.send(signal.SIGSTOP)
    restart_machine(cluster)
    time.sleep(LONG_S)
    run.send(signal.SIGCONT)


@fault("Ctrl-C", "the games that have begun are finished; the same command resumes the run")
def interrupt(cluster):
    run = cluster.pick_run()
    run.interrupt()
    run.wait()


@fault("Ctrl-C twice", "the games end on all machines; the same command resumes the run")
def interrupt_twice(cluster):
    run = cluster.pick_run()
    bots = run.find_bots()
    run.interrupt()
    time.sleep(cluster.random.uniform(0.1, 1))
    run.interrupt()
    run.wait()
    cluster.expect_end(bots)


@fault("a second coordinator is started with the same results", "it is refused, the run continues")
def start_second(cluster):
    run = cluster.pick_run()
    second = Program(cluster.folder, f"second{len(cluster.history)}")
    second.start(*run.command)
    try:
        wait_until(
            lambda: cluster.restart_machines() or not (second.is_alive() and run.is_playing()),
            "the second one is neither refused nor plays",
        )
        if run.is_playing():
            assert (second.wait(), second.read_log().count("is playing this tournament")) == (2, 1)
        else:  # it waited for a worker, had not opened its results, and was refused instead of the second one
            run.may_end = True
    finally:
        second.close()


@fault("the disk of the results is full", ENDS)
def fill_disk_of_coordinator(cluster):
    run = cluster.pick_run()
    run.may_end = True
    run.fill_disk()
    wait_until(
        lambda: cluster.restart_machines() or not run.is_playing(), lambda: f"{run.name} continues:\n{run.read_log()}"
    )


# --- connections ----------------------------------------------------------------------------------


def pick_fragile_run(cluster):
    run = cluster.pick_run()
    run.may_end = True
    return run


HALVED = "a message to or from a {} is halved, and its connections are cut"
fault("the connections of a worker are cut", PLAYED_AGAIN)(lambda cluster: cluster.pick_machine().proxy.cut())
fault(HALVED.format("worker"), PLAYED_AGAIN)(lambda cluster: cluster.pick_machine().proxy.halve())
fault("all messages to and from a worker are late", CONTINUES)(lambda cluster: delay(cluster, cluster.pick_machine()))
fault("the connections of a coordinator are cut", ENDS)(lambda cluster: pick_fragile_run(cluster).proxy.cut())
fault(HALVED.format("coordinator"), ENDS)(lambda cluster: pick_fragile_run(cluster).proxy.halve())
fault("all messages to and from a coordinator are late", CONTINUES)(lambda cluster: delay(cluster, cluster.pick_run()))


# --- helpers --------------------------------------------------------------------------------------


def send(process, number):
    with suppress(ProcessLookupError):
        os.kill(process, number)


def freeze(process):
    """Stop a process for some seconds."""
    if process is not None:
        send(process, signal.SIGSTOP)
        time.sleep(FREEZE_S)
        send(process, signal.SIGCONT)


def delay(cluster, program):
    """Delay everything that a program sends and receives until the runs have gone on."""
    program.proxy.delay(DELAY_S)
    cluster.afterwards.append(lambda: program.proxy.delay(0))
