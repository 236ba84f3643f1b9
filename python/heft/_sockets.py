"""Ranks that are joined by TCP connections, each with each.

A rank opens an endpoint, tells the others its address by some other way, and enters:

    endpoint = _sockets.Endpoint(host)               # on every rank
    with _sockets.Sockets(rank, addresses, endpoint, secret):
        ...

Who connects must prove that it knows the secret, and so must who is connected to. Neither the secret
nor anything that tells it is sent. What is sent afterwards is not encrypted. A rank whose process
ends closes its connections: the others notice at their next exchange. A machine that is cut off is
noticed within SILENCE seconds.
"""

from __future__ import annotations

import hmac
import os
import select
import socket
import struct
import threading
import time
from typing import Any, Mapping, Sequence

import numpy as np

from . import ranks

SILENCE = 20  # seconds without a sign of life from the other machine
START = 600  # seconds in which all ranks must have started
HANDSHAKE = 10  # seconds from connecting until the caller must have proved that it knows the secret
CALLERS = 256  # who may be about to prove it at the same time
SLICED = 1 << 12  # bytes of a vector from which on each rank adds up a slice of it
_NONCE, _PROOF = 16, 32
_HEAD = struct.Struct("<Q")
_HELLO = struct.Struct(f"<{_NONCE}sI")


class RankLost(ConnectionError):
    """A rank has ended, or cannot be reached, while the others work."""


class Endpoint:
    """Where a rank is reached. Closing it, from any thread, ends the work of the rank."""

    def __init__(self, host: str) -> None:
        family = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0][0]
        self.listener = socket.create_server((host, 0), family=family, backlog=1024)
        self.listener.setblocking(False)
        self.address: tuple[str, int] = (host, self.listener.getsockname()[1])
        self.peers: dict[int, socket.socket] = {}
        self.closed = False
        self._lock = threading.Lock()

    def add(self, rank: int, peer: socket.socket) -> None:
        with self._lock:
            if not self.closed:
                self.peers[rank] = peer
                return
        peer.close()
        raise RankLost("this rank was told to end")

    def close(self) -> None:
        with self._lock:
            self.closed = True
        self.listener.close()
        for peer in self.peers.values():
            try:
                peer.shutdown(socket.SHUT_RDWR)  # wakes a thread that waits for it
            except OSError:
                pass
            peer.close()


class Sockets(ranks.Comm):
    """The ranks at `addresses`, of which this one has `endpoint`. `bytes_sent` counts what went to
    the network."""

    def __init__(self, rank: int, addresses: Sequence[tuple[str, int]], endpoint: Endpoint, secret: bytes,
                 start: float = START) -> None:
        super().__init__(rank, len(addresses))
        self.addresses, self.endpoint, self.secret = list(addresses), endpoint, secret
        self.bytes_sent = 0
        self._until = time.monotonic() + start

    def __enter__(self) -> Sockets:
        try:
            for rank in range(self.rank):
                self._call_on(rank)
            self._answer_all()
            self.endpoint.listener.close()
        except BaseException:
            self.endpoint.close()
            raise
        super().__enter__()
        return self

    def __exit__(self, *reason: Any) -> None:
        self.endpoint.close()
        super().__exit__(*reason)

    # ---- connecting ----

    def _late(self) -> RankLost:
        lacking = sorted(set(range(self.size)) - set(self.endpoint.peers) - {self.rank})
        return RankLost(f"rank {self.rank}: no connection with rank {lacking[0]} "
                        f"({_where(self.addresses[lacking[0]])}) in time")

    def _call_on(self, rank: int) -> None:
        """Connect with a rank below this one, which may start later. One that has too many callers hangs up on
        some, and is called again; one that has ended refuses."""
        while not self._called_on(rank):
            if time.monotonic() > self._until:
                raise self._late()
            time.sleep(0.05)

    def _called_on(self, rank: int) -> bool:
        where, mine = self.addresses[rank], os.urandom(_NONCE)
        try:
            peer = socket.create_connection(where, timeout=max(0.1, self._until - time.monotonic()))
        except OSError as error:
            raise RankLost(f"rank {rank} cannot be reached at {_where(where)}: {error}") from error
        try:
            peer.sendall(_HELLO.pack(mine, self.rank))
            answer = _taken(peer, _NONCE + _PROOF, self._until)
            theirs, proof = answer[:_NONCE], answer[_NONCE:]
            if not hmac.compare_digest(proof, self._proof(b"answer", theirs, mine, rank)):
                raise RankLost(f"{_where(where)} does not know the secret of rank {rank}")
            peer.sendall(self._proof(b"call", mine, theirs, self.rank))
        except socket.timeout:
            peer.close()
            raise self._late() from None
        except RankLost:
            peer.close()
            raise
        except OSError:
            peer.close()
            return False
        self.endpoint.add(rank, _prepared(peer))
        return True

    def _answer_all(self) -> None:
        """Let the ranks above this one in. Others, who do not know the secret, are sent away."""
        callers: dict[int, _Caller] = {}  # by the numbers of their sockets, the first comes first
        try:
            while len(self.endpoint.peers) < self.size - 1:
                self._answer(callers)
        finally:
            for caller in callers.values():
                caller.peer.close()

    def _answer(self, callers: dict[int, _Caller]) -> None:
        """Hear what callers say, all that do within a tenth of a second."""
        now, listening, poll = time.monotonic(), self.endpoint.listener.fileno(), select.poll()
        if listening < 0:
            raise RankLost(f"rank {self.rank} was told to end")
        if now > self._until:
            raise self._late()
        for number in [number for number, caller in callers.items() if now > caller.until]:
            callers.pop(number).peer.close()
        for number in (listening, *callers):
            poll.register(number, select.POLLIN)
        for number, _ in poll.poll(100):
            if number == listening:
                self._let_in(callers)
            elif number in callers and not self._goes_on(callers[number]):
                del callers[number]

    def _let_in(self, callers: dict[int, _Caller]) -> None:
        if len(callers) == CALLERS:  # who is new may be a rank, who has been silent for longest is none
            callers.pop(next(iter(callers))).peer.close()
        try:
            peer, _ = self.endpoint.listener.accept()
        except OSError:  # it has gone again, or the endpoint was closed
            return
        callers[peer.fileno()] = _Caller(peer)

    def _goes_on(self, caller: _Caller) -> bool:
        """Hear more. Whether there is more to be said: not by one that has proved itself, who is a peer from now
        on, nor by one that has failed."""
        try:
            if len(caller.got) < _HELLO.size:
                if caller.hear(_HELLO.size):
                    theirs, _ = _HELLO.unpack(caller.got)
                    caller.peer.send(caller.nonce + self._proof(b"answer", caller.nonce, theirs, self.rank))
                return True
            if not caller.hear(_HELLO.size + _PROOF):
                return True
        except BlockingIOError:
            return True
        except OSError:
            caller.peer.close()
            return False
        theirs, rank = _HELLO.unpack(caller.got[:_HELLO.size])
        known = hmac.compare_digest(caller.got[_HELLO.size:], self._proof(b"call", theirs, caller.nonce, rank))
        if known and self.rank < rank < self.size and rank not in self.endpoint.peers:
            self.endpoint.add(rank, _prepared(caller.peer))
        else:
            caller.peer.close()
        return False

    def _proof(self, side: bytes, mine: bytes, theirs: bytes, rank: int) -> bytes:
        return hmac.digest(self.secret, side + mine + theirs + struct.pack("<I", rank), "sha256")

    # ---- exchanging ----

    def allgather(self, mine: bytes) -> list[bytes]:
        got = self._swap({rank: mine for rank in self.endpoint.peers})
        return [mine if rank == self.rank else got[rank] for rank in range(self.size)]

    def allreduce(self, mine: np.ndarray) -> np.ndarray:
        """Each rank adds up one slice, in the order of the ranks, and all gather the slices: a rank
        sends twice the vector, however many ranks there are."""
        if self.size < 3 or mine.nbytes < SLICED:
            return super().allreduce(mine)
        slices = np.array_split(mine, self.size)
        got = self._swap({rank: slices[rank].tobytes() for rank in self.endpoint.peers})
        total = ranks.in_order([slices[rank] if rank == self.rank else np.frombuffer(got[rank], mine.dtype)
                                for rank in range(self.size)])
        return np.concatenate([np.frombuffer(part, mine.dtype) for part in self.allgather(total.tobytes())])

    def _swap(self, give: Mapping[int, bytes]) -> dict[int, bytes]:
        """Send each rank its bytes, and receive one message of each."""
        try:
            return self._swapped(give)
        except BaseException:
            self.endpoint.close()  # so that the others notice
            raise

    def _swapped(self, give: Mapping[int, bytes]) -> dict[int, bytes]:
        peers = self.endpoint.peers
        links = {peer.fileno(): _Link(rank, peer, give[rank]) for rank, peer in peers.items()}
        poll, open_links = select.poll(), len(links)
        for number, link in links.items():
            link.step(self, select.POLLOUT)  # short messages are gone at once
            poll.register(number, link.wanted())
        while open_links:
            for number, event in poll.poll():
                link = links[number]
                link.step(self, event)
                if link.wanted():
                    poll.modify(number, link.wanted())
                else:
                    poll.unregister(number)
                    open_links -= 1
        return {link.rank: bytes(link.got) for link in links.values()}

    def lost(self, rank: int, error: object) -> RankLost:
        return RankLost(f"rank {rank} ({_where(self.addresses[rank])}) has ended: {error}")


class _Caller:
    """Who has connected, and has until `until` to prove that it knows the secret."""

    def __init__(self, peer: socket.socket) -> None:
        peer.setblocking(False)
        self.peer, self.until = peer, time.monotonic() + HANDSHAKE
        self.got, self.nonce = b"", os.urandom(_NONCE)

    def hear(self, n: int) -> bool:
        """Whether n bytes have come by now."""
        more = self.peer.recv(n - len(self.got))
        if not more:
            raise ConnectionError("the connection is closed")
        self.got += more
        return len(self.got) == n


class _Link:
    """One peer during an exchange: what is still to be sent to it and received from it."""

    def __init__(self, rank: int, peer: socket.socket, give: bytes) -> None:
        self.rank, self.peer = rank, peer
        self.out = [memoryview(_HEAD.pack(len(give)) + give)] if len(give) < 1 << 16 else [
            memoryview(_HEAD.pack(len(give))), memoryview(give)]
        self.got = bytearray(_HEAD.size)
        self.room, self.headed, self.done = memoryview(self.got), False, False

    def wanted(self) -> int:
        return (select.POLLOUT if self.out else 0) | (0 if self.done else select.POLLIN)

    def step(self, comm: Sockets, event: int) -> None:
        try:
            if event & select.POLLOUT and self.out:
                self._send(comm)
            if event & ~select.POLLOUT and not self.done:
                self._receive()
            elif event & (select.POLLERR | select.POLLHUP | select.POLLNVAL):
                raise ConnectionError("the connection is closed")
        except BlockingIOError:
            pass
        except (OSError, ValueError) as error:
            raise comm.lost(self.rank, error) from error

    def _send(self, comm: Sockets) -> None:
        n = self.peer.send(self.out[0])
        comm.bytes_sent += n
        self.out[0] = self.out[0][n:]
        if not self.out[0]:
            self.out.pop(0)

    def _receive(self) -> None:
        while True:
            n = self.peer.recv_into(self.room)
            if n == 0:
                raise ConnectionError("the connection is closed")
            self.room = self.room[n:]
            if self.room:
                continue
            length = 0 if self.headed else _HEAD.unpack(self.got)[0]
            if self.headed or length == 0:
                self.done = True
                if not self.headed:
                    self.got = bytearray()
                return
            self.headed, self.got = True, bytearray(length)
            self.room = memoryview(self.got)


def _taken(peer: socket.socket, n: int, until: float) -> bytes:
    got = b""
    while len(got) < n:
        left = until - time.monotonic()
        if left <= 0:
            raise socket.timeout()
        peer.settimeout(left)
        more = peer.recv(n - len(got))
        if not more:
            raise ConnectionError("the connection is closed")
        got += more
    return got


def _prepared(peer: socket.socket) -> socket.socket:
    """Set up for exchanges: no delay, no waiting, and a silent machine is given up."""
    peer.setblocking(False)
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", SILENCE // 4), ("TCP_KEEPINTVL", SILENCE // 4), ("TCP_KEEPCNT", 3),
                        ("TCP_USER_TIMEOUT", 1000 * SILENCE)):
        if hasattr(socket, name):  # not on every system
            peer.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return peer


def _where(address: tuple[str, int]) -> str:
    return f"{address[0]}:{address[1]}"
