"""Admission, seen from outside: who may use each address of the web server and the gateway, and what is refused."""

import json
from typing import NamedTuple

import pytest
from serve.client import FakeTournament, run_with_client
from serve.house import BOTS, JSON, Holder, open_house

from arbiter.serve.accounts import MOST_CHANGES, MOST_WRONG
from arbiter.serve.live_games import SpectatorSettings

# Anybody may read these; the first word is the server, the second one the status.
PAGES = """
web 200 /{path:path} /events /games/{name}.events /deployments /rules /words/{lang} /texts/{lang} /people/{name}
web 200 /guests/ /guests/bots /play/ /submit/ /submit/{id}/ /organise/ /organise/{id}/
web 200 /api/v1/tournament /api/v1/standings /api/v1/bots/{bot} /api/v1/games /api/v1/live
web 307 / /follow.html
web 404 /api/v1/games/{game} /api/v1/{other:path}
gateway 200 / /play/ /deployments /rules /words/{lang} /texts/{lang} /people/{name}
"""

# `right` is the scope of the invitation that is needed; the kinds are the columns of the table below.
ADDRESSES = """
server   method  path                                       kind    right     answer
web      POST    /session                                   link    submit    200
web      POST    /session                                   link    organise  200
web      POST    /guests/tables                             table   -         200
web      GET     /play/{id}/                                page    guest     200
web      GET     /play/{id}/table                           read    guest     200
web      POST    /play/{id}/link                            change  guest     200
web      POST    /play/{id}/leave                           change  guest     200
web      SOCKET  /play/{id}/socket                          socket  guest     4002
web      GET     /submissions                               own     submit    200
web      POST    /submissions                               hand    submit    202
web      GET     /submissions/own                           own     submit    200
web      GET     /submissions/lost                          own     submit    200
web      GET     /submissions/lost/{game}                   own     submit    200
web      POST    /submissions/lost/{game}/contest           hand    submit    409
web      GET     /submissions/{number}                      own     submit    200
web      POST    /submissions/{number}/promote              hand    submit    409
web      POST    /submissions/{number}/rollback             hand    submit    409
web      POST    /submissions/leave                         hand    submit    202
web      GET     /organise/{id}/all                         read    organise  200
web      GET     /organise/{id}/programs/{number}           read    organise  200
web      GET     /organise/{id}/programs/{number}/archive   read    organise  200
web      GET     /organise/{id}/contests/{number}/evidence  read    organise  200
web      POST    /organise/{id}/programs/{number}/promote   change  organise  409
web      POST    /organise/{id}/programs/{number}/rollback  change  organise  409
web      POST    /organise/{id}/programs/{number}/reject    change  organise  409
web      POST    /organise/{id}/contests/{number}/dismiss   change  organise  409
web      POST    /organise/{id}/ban                         change  organise  409
web      POST    /organise/{id}/lift-ban                    change  organise  409
web      POST    /organise/{id}/invitations/{which}/revoke  change  organise  404
web      POST    /organise/{id}/leave                       change  organise  200
gateway  POST    /session                                   link    play      200
gateway  GET     /play/{id}/                                page    play      200
gateway  GET     /play/{id}/table                           read    play      200
gateway  POST    /play/{id}/link                            change  play      200
gateway  POST    /play/{id}/leave                           change  play      200
gateway  SOCKET  /play/{id}/socket                          socket  play      4002
gateway  SOCKET  /                                          line    program   4002
gateway  SOCKET  /anywhere                                  line    program   4002
"""
SAMPLES = {"path:path": "index.html", "other:path": "none", "name": "play.css", "bot": "hunter", "lang": "de"}
SAMPLES |= {"game": "random~deep~1", "number": "1", "which": "none"}

# What each kind answers: a status of HTTP, or the code with which a WebSocket ends; `yes` is the answer above.
ADMISSION = """
                             page  table  link  read  change  own  hand  socket  line
nobody                       yes   yes    401   401   401     401  401   4001    4001
its session                  yes   yes    -     yes   yes     yes  yes   yes     -
its token                    -     yes    yes   401   401     yes  yes   4001    yes
a session of another scope   -     -      -     401   401     401  401   4001    4001
a token of another scope     -     -      401   401   401     401  401   4001    4001
a session of another bot     -     -      -     401   401     401  401   4001    -
a revoked session            -     -      -     401   401     401  401   4001    -
a revoked token              -     -      401   401   401     401  401   4001    4001
an expired session           -     -      -     401   401     401  401   4001    -
an expired token             -     -      401   401   401     401  401   4001    4001
a used token                 -     -      401   401   401     yes  yes   4001    -
an unknown session           -     -      -     401   401     401  401   4001    -
an unknown token             -     -      401   401   401     401  401   4001    4001
an unknown address           -     -      -     401   401     401  401   4001    -
a cookie for no session      -     -      -     -     -       401  401   -       -
another site                 yes   403    403   yes   403     403  403   403     yes
another site with a token    -     -      -     -     -       403  403   -       -
no origin                    -     403    403   yes   403     yes  403   403     yes
its site behind TLS          -     yes    yes   yes   yes     yes  yes   yes     yes
a form                       -     415    415   yes   415     yes  yes   -       -
"""
FOREIGN = ("http://evil.example", "null", "", "http://localhost:1", "http://localhost.evil.example:{port}")
FOREIGN += ("http://localhost:{port}.evil.example", "ftp://localhost:{port}", "http://[", "http://[::1", "http://a:x")
FORMS = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", None)
HOSTS = ("evil.example", "", "localhost.evil.example", "evil.example#localhost", "127.0.0.1.evil.example:8000")
UNKNOWN = "sab_wrong"


class Address(NamedTuple):
    server: str
    method: str
    path: str
    kind: str
    right: str
    answer: int

    @property
    def spends(self):
        """Return True if nobody can use the address twice with the same right."""
        return self.kind == "link" or self.path.endswith("/leave")


def read_table(text):
    head, *lines = (line.split() for line in text.strip().splitlines())
    return head, lines


TABLE = [Address(*words[:-1], int(words[-1])) for words in read_table(ADDRESSES)[1]]
TABLE += [
    Address(server, "GET", path, "page", "-", int(status))
    for server, status, *paths in map(str.split, PAGES.strip().splitlines())
    for path in paths
]
KINDS, ROWS = read_table(ADMISSION)
ADMITTED = {" ".join(row[: -len(KINDS)]): dict(zip(KINDS, row[-len(KINDS) :], strict=True)) for row in ROWS}


def list_first(*kinds):
    """List the first address of each kind and right."""
    return {(one.server, one.kind, one.right): one for one in reversed(TABLE) if one.kind in kinds}.values()


FIRST = list_first(*KINDS)


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    with open_house(tmp_path_factory.mktemp("house")) as opened:
        yield opened


def enter(house, address, holder, by="session", **changed):
    """Use an address as a page or a program does; return the status or the code."""
    path = address.path
    for name, value in {**SAMPLES, "id": holder.id}.items():
        path = path.replace(f"{{{name}}}", value)
    needs_page = address.kind in ("table", "link", "change", "socket") or (address.kind == "hand" and by == "session")
    headers = {"origin": house.own_origin(address.server)} if needs_page else {}
    if by == "session":
        headers["cookie"] = holder.cookie
    if address.method == "SOCKET":
        return house.knock(address.server, path, holder.token if by == "token" else None, **headers | changed)
    body = b'{"why": " ", "bot": "hunter"}'
    if address.kind == "link":
        body = json.dumps(holder.token if by == "token" else "").encode()
    elif by == "token":
        headers["authorization"] = f"Bearer {holder.token}"
    elif by == "session" and address.kind in ("own", "hand"):
        headers["x_arbiter_session"] = holder.id
    if address.method == "POST":
        headers["content_type"] = JSON
    answer = house.ask(address.server, address.method, path, body, **headers | changed)
    check_headers(address, answer)
    return answer.status


def check_headers(address, answer):
    """Check that other sites cannot read or frame an answer, and that only the answer to a link has a secret."""
    headers = answer.headers
    assert not [name for name in headers if name.startswith("access-control")]
    assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")
    assert headers["referrer-policy"] == "no-referrer"
    assert b"<script>" not in answer.body
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "script-src 'self'" in headers["content-security-policy"]
    if answer.status in (401, 403, 415, 429):
        assert json.loads(answer.body)["error"]
    if address.kind in ("link", "table") and answer.status == 200:
        assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(headers["set-cookie"].split("; "))
    elif "set-cookie" in headers:
        assert address.path.endswith("/leave")
        assert "Max-Age=0" in headers["set-cookie"]


def find_right(house, address):
    """Return somebody with the right to use an address."""
    if address.right == "-":
        return house.known["organise", "other"]
    if address.kind in ("link", "line"):
        return Holder(token=house.invitations.add(BOTS[address.right], address.right))
    return house.join(address.server, address.right)


def list_attempts(house, address, right):
    """List for each case what `enter` is called with; the first address of a kind is tried in more ways."""
    few = slice(None) if address in FIRST else slice(1)
    scope, port = address.right, house.ports[address.server]
    valid = ("submit", "organise") if (address.server, address.kind) == ("web", "link") else (scope,)
    others = [house.known[other, "other"] for other in BOTS if other not in valid]
    links = [house.links[other, "other"] for other in BOTS if other not in valid]
    other = house.find(address.server, scope, "other") or right
    origins = [{"origin": one.format(port=port)} for one in FOREIGN[few]]
    usual = {"holder": right, "by": "token" if address.kind in ("link", "line") else "session"}
    terminal = {"holder": right, "by": "token"}
    headers = [f"Basic {right.token}", right.token, "", "Bearer"] if address.kind in ("own", "hand") else []

    def show(*holders):
        return [{"holder": Holder(right.id, token=one.token), "by": "token"} for one in holders if one and one.token]

    def open_page(*holders):
        return [{"holder": one} for one in holders if one]

    found = {
        "nobody": [{"holder": right, "by": "nothing"}],
        "its session": open_page(right),
        "its token": show(right),
        "a session of another scope": open_page(*(Holder(right.id, one.secret) for one in others), *others[few]),
        "a token of another scope": show(*links, *others[few]),
        "a session of another bot": [*open_page(Holder(right.id, other.secret)), {**usual, "cookie": other.cookie}],
        "a used token": [] if address.path == "/submissions/leave" else show(house.known.get((scope, "used"))),
        "an unknown session": open_page(*(Holder(right.id, one) for one in ("x" * 43, "", right.token, right.id)[few])),
        "an unknown token": [
            *show(Holder(token=UNKNOWN), Holder(token="x" * 900)),
            *({"holder": right, "by": "nothing", "authorization": one} for one in headers[few]),
        ],
        "an unknown address": open_page(Holder(secret=right.secret), Holder("none", right.secret)),
        "a cookie for no session": [{**usual, "x_arbiter_session": None}],
        "another site": [usual | one for one in origins],
        "another site with a token": [terminal | one for one in origins],
        "no origin": [{**usual, "origin": None}],
        "its site behind TLS": [{**usual, "origin": f"https://localhost:{port}"}],
        "a form": [{**usual, "content_type": kind} for kind in FORMS[few]],
    }
    for state, named in (("revoked", "a revoked"), ("expired", "an expired")):
        holder = house.find(address.server, scope, state)
        found[f"{named} session"] = open_page(holder)
        found[f"{named} token"] = show(holder, house.links.get((scope, state)))
    return found


def name_case(address):
    return f"{address.server} {address.method} {address.path} {address.right}"


@pytest.mark.parametrize("address", TABLE, ids=name_case)
def test_an_address_admits_those_with_the_right_and_nobody_else(house, address):
    attempts, found, expected = list_attempts(house, address, find_right(house, address)), {}, {}
    before = house.read_files()
    cells = {case: row[address.kind] for case, row in ADMITTED.items() if row[address.kind] != "-"}
    for case, cell in sorted(cells.items(), key=lambda one: one[1] == "yes"):
        if cell == "yes" and before:
            assert house.read_files() == before, "what is refused changes nothing"
            before = None
        for number in range(len(attempts[case])):
            if cell == "yes" and address.spends:
                attempts = list_attempts(house, address, find_right(house, address))
            status = enter(house, address, **attempts[case][number])
            # A WebSocket may be refused before it opens too.
            found.setdefault(case, set()).add(4001 if (status, cell) == (403, "4001") else status)
            expected[case] = {address.answer if cell == "yes" else int(cell)}
    assert found == expected
    if address.path.endswith("/leave"):
        (right,) = list_attempts(house, address, find_right(house, address))["its session"]
        assert [enter(house, address, **right) for _ in range(2)] == [address.answer, 401]
        assert enter(house, address, **right | {"by": "token"}) == 401
    elif address.server == "web" and address.right in BOTS and address.kind != "link":
        (right,) = attempts["its session"]
        house.invitations.revoke_one(right["holder"].id)
        assert enter(house, address, **right) == 401, "at once"


def test_each_address_is_in_the_table(house):
    assert house.list_routes() == {address[:3] for address in TABLE if address.method != "SOCKET"}


def test_a_server_without_services_has_none_of_their_addresses():
    async def talk(client):
        for address in TABLE:
            if address.server == "web" and address.right != "-" and address.method != "SOCKET":
                answer = await client.request(address.path, method=address.method)
                assert answer.status == (404 if address.method == "GET" else 405), address

    run_with_client(FakeTournament(), SpectatorSettings(), talk)


def test_other_methods_are_refused(house):
    known = {}
    for address in TABLE:
        if address.method != "SOCKET":
            known.setdefault((address.server, address.path), []).append(address)
    for (server, path), group in known.items():
        right = find_right(house, group[0])
        for method in {"GET", "POST", "DELETE"} - {one.method for one in group}:
            status = enter(house, group[0]._replace(method=method), right)
            if server == "web" and path == "/play/":  # as for a table that is closed
                assert status == 401
            else:  # the web server has pages at any address
                is_page = (server, method) == ("web", "GET") and not path.startswith("/play/")
                assert status == (404 if is_page else 405), (group, method)
    assert {house.knock("web", path, origin=house.own_origin("web")) for path in ("/", "/events", "/submissions")} == {
        403
    }


def test_the_web_server_of_this_machine_has_no_other_name(house):
    for address in TABLE:
        if address.server == "web" and address.method != "SOCKET":
            for host in HOSTS if address.path == "/" else HOSTS[:1]:
                origin = {} if address.kind == "page" else {"origin": f"http://{host}"}
                assert enter(house, address, Holder(), host=host, **origin) == 400, (address, host)


@pytest.mark.parametrize("address", list_first("link", "own", "hand", "line"), ids=name_case)
def test_wrong_tokens_are_limited_by_their_address_and_lock_out_nobody(house, address):
    source, right = house.new_address(), find_right(house, address)
    wrong = {"holder": Holder(token=UNKNOWN), "by": "token"}
    no_entry = [4001, 1013] if address.method == "SOCKET" else [401, 429]
    assert [enter(house, address, **wrong, source=source) for _ in range(MOST_WRONG)] == no_entry[:1] * MOST_WRONG
    assert enter(house, address, **wrong, source=source) == no_entry[1]
    assert enter(house, address, **wrong) == no_entry[0]
    assert enter(house, address, right, "token", source=source) == address.answer


@pytest.mark.parametrize("address", list_first("read", "own", "change", "hand", "socket"), ids=name_case)
def test_wrong_cookies_and_no_tokens_are_not_limited(house, address):
    """Pages of other sites can send such requests."""
    source, right = house.new_address(), find_right(house, address)
    attempts = [
        {"holder": right, "by": "nothing"},
        {"holder": right, "by": "nothing", "authorization": "Basic c2FiXzpzYWJf"},
        {"holder": Holder(right.id)},
    ]
    found = {enter(house, address, **one, source=source) for one in attempts for _ in range(MOST_WRONG // 2 + 1)}
    assert found == {4001 if address.method == "SOCKET" else 401}
    assert enter(house, address, right, source=source) == address.answer


@pytest.mark.parametrize("address", list_first("change", "hand"), ids=name_case)
def test_changes_of_a_session_are_limited(house, address):
    right = find_right(house, address)
    rows = [one for one in TABLE if (one.server, one.kind, one.right) == (address.server, address.kind, address.right)]
    found = [enter(house, rows[-2], right) for _ in range(MOST_CHANGES)]
    assert found[0] == rows[-2].answer
    assert {enter(house, one, right) for one in rows} == {429}
    assert enter(house, address, find_right(house, address)) == address.answer
