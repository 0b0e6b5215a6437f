"""Authors and organisers, who send requests to the web server; the results of a ladder for them."""

import json
from functools import partial

import trio
from serve.client import send
from show.report.sample_reports import make_game
from starlette.applications import Starlette
from submissions.submitted import store_program

from arbiter.remote.invitations import Invitations
from arbiter.serve.accounts import RequestRefused, answer_refusal
from arbiter.serve.authors import Authors
from arbiter.serve.organisers import Organisers
from arbiter.submissions.desk import Desk
from arbiter.submissions.store import Submissions
from arbiter.tournament.config.tournament_file import SubmissionsTable

ARCHIVE = b"not opened by the server" * 1000
COMMAND = '["./bot.py"]'
OWN = "http://club.example"


class Games:
    """The results of a ladder: games that deep has lost, won, and not played."""

    games = (
        make_game(1, "random", "deep", ending="crash"),
        make_game(2, "deep", "random"),
        make_game(3, "random", "mine"),
        *(make_game(number, "random", "deep") for number in range(4, 10)),
    )

    def list_bots(self):
        return ("deep", "mine", "random")

    def list_last_games(self, bot):
        return [game for game in reversed(self.games) if bot in (game.red, game.blue)]

    def find_own_game(self, game_id):
        return next((game for game in self.games if game.id == game_id), None)

    def find_ruled_games(self):
        return {}

    def read_stderr(self, game, bot):
        return f"{bot} wrote this in {game.id}"


class Author:
    """An author with the token of an invitation, who sends one request after the other."""

    def __init__(self, folder, scope="submit", bot="deep", **limits):
        self.folder = folder / "club.submissions"
        self.invitations = Invitations(folder / "club.invites")
        self.token = self.invitations.add(bot, scope)
        settings = SubmissionsTable(**{"max_mb": 1} | limits)
        submissions, invitations = Submissions(self.folder), Invitations(folder / "club.invites")
        self.authors = authors = Authors(Desk(submissions, settings, Games()), invitations)
        self.organisers = Organisers(submissions, invitations, Games(), settings.promote)
        self.app = Starlette(
            routes=[*authors.list_routes([self.organisers.accounts]), *self.organisers.list_routes()],
            exception_handlers={RequestRefused: answer_refusal},
        )

    @property
    def stored(self):
        return Submissions(self.folder).list_all()

    def send(self, body=None, path="/submissions", **changed):
        """Send a request, a POST if there is a body; return the status and the answer."""
        headers = {"authorization": f"Bearer {self.token}", "x_arbiter_command": COMMAND} | changed
        self.answer = trio.run(partial(send, self.app, "GET" if body is None else "POST", path, body or b"", **headers))
        return self.answer.status, self.answer.content

    def sign_in(self):
        """Exchange the token for a session; return the id of the invitation and the cookie."""
        status, found = self.send(
            json.dumps(self.token).encode(), "/session", origin=OWN, content_type="application/json"
        )
        assert status == 200, found
        return found["address"].split("/")[2], self.answer.headers["set-cookie"].partition(";")[0]

    def submit(self, state="passed", bot="deep"):
        """Store a program whose check is over; return its number."""
        return store_program(Submissions(self.folder), bot, state=state, file="bot.py")
