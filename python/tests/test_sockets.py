"""Ranks joined by TCP: sums, strangers, and ranks that end or never come."""
import socket
import threading
import time

import numpy as np
import pytest

import heft
from heft import _sockets, ranks


def joined(size, work, secret=b"secret", start=20, endpoints=None, late=0.0):
    """What `work` returns on each rank, or its error. Each rank starts `late` seconds after the one before."""
    endpoints = endpoints or [_sockets.Endpoint("127.0.0.1") for _ in range(size)]
    found = [None] * size

    def rank(r):
        try:
            time.sleep(late * r)
            with _sockets.Sockets(r, [endpoint.address for endpoint in endpoints], endpoints[r], secret, start) as comm:
                found[r] = work(comm)
        except Exception as error:
            found[r] = error

    threads = [threading.Thread(target=rank, args=(r,)) for r in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    return found


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_sums_in_the_order_of_the_ranks(size):
    deal = np.random.default_rng(1)
    vectors = [deal.normal(size=100_003) * 10.0 ** deal.integers(-9, 9) for _ in range(size)]

    def work(comm):
        assert comm.allgather(bytes([comm.rank]) * comm.rank) == [bytes([r]) * r for r in range(size)]
        before = comm.bytes_sent
        total = comm.allreduce(vectors[comm.rank])
        return total, comm.bytes_sent - before

    for total, sent in joined(size, work):
        assert (total == ranks.in_order(vectors)).all()
        assert sent < 2 * vectors[0].nbytes  # however many ranks there are
    short = joined(size, lambda comm: comm.allreduce(np.arange(3) + comm.rank))
    assert all((total == size * np.arange(3) + size * (size - 1) // 2).all() for total in short)


def test_a_part_may_lack_rows_classes_and_values():
    X = np.array([["a", "1"], ["b", "2"], ["a", "3"], ["c", "1"]] * 30, dtype=object)
    y = np.array(["no"] * 60 + ["yes"] * 60)
    cut = [slice(0, 0), slice(0, 61), slice(61, 120)]
    for size in (heft.NB(), heft.LNB(max_iter=10)):
        one = size.fit(X, y).predict_proba(X)
        found = joined(3, lambda comm: type(size)(**size.get_params()).fit(X[cut[comm.rank]], y[cut[comm.rank]]))
        assert all((model.predict_proba(X) == one).all() for model in found), found


def test_an_error_of_one_rank_is_that_of_all():
    X, y = np.arange(30.0).reshape(-1, 1), np.array([0, 1] * 15, dtype=object)

    def work(comm):
        return heft.NB().fit(X, np.where(np.arange(30) == 7, None, y) if comm.rank == 1 else y)

    assert [str(error) for error in joined(3, work)] == ["Input y contains NaN."] * 3


def test_evaluate_shares_the_folds(iris):
    X, y = iris
    one = heft.evaluate(["nb", "klnb"], X, y, cv=5)
    for found in joined(3, lambda comm: heft.evaluate(["nb", "klnb"], X, y, cv=5, n_jobs=1)):
        for name in ("accuracy", "log_loss", "auc", "brier"):
            assert list(map(float, found[name])) == list(map(float, one[name]))


def test_a_rank_that_ends_is_noticed():
    def work(comm):
        comm.allgather(b"")
        if comm.rank == 1:
            return None
        comm.allgather(b"more")

    began = time.monotonic()
    found = joined(3, work)
    assert found[1] is None and all(isinstance(found[r], _sockets.RankLost) for r in (0, 2))
    assert "rank 1" in str(found[0]) and time.monotonic() - began < 10


def test_strangers_are_sent_away():
    endpoints = [_sockets.Endpoint("127.0.0.1") for _ in range(2)]
    where = [endpoint.address for endpoint in endpoints]
    stranger = socket.create_connection(where[0])
    stranger.sendall(b"GET / HTTP/1.1\r\nHost: heft\r\n\r\n" + bytes(100))
    wrong = _sockets.Sockets(1, where, _sockets.Endpoint("127.0.0.1"), b"another", 5)
    found = []
    threads = [threading.Thread(target=lambda: found.append(pytest.raises(_sockets.RankLost, wrong.__enter__))),
               threading.Thread(target=lambda: found.append(_sockets.Sockets(0, where, endpoints[0], b"secret").__enter__()))]
    for thread in threads:
        thread.start()
    threads[0].join(20)
    with _sockets.Sockets(1, where, endpoints[1], b"secret") as comm:
        threads[1].join(20)
        assert list(comm.endpoint.peers) == [0]
    assert len(found) == 2
    stranger.close()
    endpoints[0].close()


class Strangers:
    """Connections from outside: silent ones, ones that send a byte now and then, ones that come and go."""

    def __init__(self, addresses):
        self.addresses, self.ended, self.peers = addresses, threading.Event(), []
        for where in addresses:
            self.peers += [socket.create_connection(where) for _ in range(150)]
        self.threads = [threading.Thread(target=work) for work in (self.drip, self.knock)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *reason):
        self.ended.set()
        for thread in self.threads:
            thread.join()
        for peer in self.peers:
            peer.close()

    def drip(self):
        while not self.ended.wait(0.05):
            for peer in self.peers[::2]:
                try:
                    peer.send(b"x")
                except OSError:
                    pass  # sent away

    def knock(self):
        while not self.ended.wait(0.001):
            for where in self.addresses:
                try:
                    peer = socket.create_connection(where, timeout=1)
                except OSError:
                    continue  # the rank has all its peers
                if len(self.peers) < 700:
                    self.peers.append(peer)
                else:
                    peer.close()


def test_a_fit_does_not_wait_for_strangers():
    X = np.random.default_rng(2).normal(size=(300, 4))
    y = np.where(X[:, 0] + X[:, 1] > 0, "a", "b")
    one = heft.LNB().fit(X, y)
    endpoints = [_sockets.Endpoint("127.0.0.1") for _ in range(4)]

    def work(comm):
        return heft.LNB().fit(X[comm.rank::4], y[comm.rank::4])

    with Strangers([endpoint.address for endpoint in endpoints]):
        began = time.monotonic()
        found = joined(4, work, endpoints=endpoints, late=0.5)
        assert time.monotonic() - began < 8
    assert all(np.allclose(model.predict_proba(X), one.predict_proba(X)) for model in found), found


def test_a_handshake_has_one_deadline(monkeypatch):
    """However often a stranger sends a byte, it is sent away; and so is who is silent for longest when there are many."""
    monkeypatch.setattr(_sockets, "HANDSHAKE", 1)
    monkeypatch.setattr(_sockets, "CALLERS", 2)
    endpoint = _sockets.Endpoint("127.0.0.1")
    waiting = _sockets.Sockets(0, [endpoint.address] * 2, endpoint, b"secret")
    thread = threading.Thread(target=lambda: pytest.raises(_sockets.RankLost, waiting.__enter__))
    thread.start()
    slow = socket.create_connection(endpoint.address)
    began = time.monotonic()
    with pytest.raises(OSError):
        while time.monotonic() - began < 5:
            slow.send(b"x")
            time.sleep(0.1)
    assert time.monotonic() - began < 3
    silent = [socket.create_connection(endpoint.address) for _ in range(3)]
    silent[0].settimeout(0.8)
    assert silent[0].recv(1) == b""  # before its second is over
    for peer in (slow, *silent):
        peer.close()
    endpoint.close()
    thread.join(10)
    assert not thread.is_alive()


def test_a_rank_that_never_comes():
    endpoints = [_sockets.Endpoint("127.0.0.1") for _ in range(2)]
    where = [endpoint.address for endpoint in endpoints]
    with pytest.raises(_sockets.RankLost, match="no connection with rank 1 .* in time"):
        _sockets.Sockets(0, where, endpoints[0], b"secret", start=0.3).__enter__()
    waiting = _sockets.Sockets(0, where, _sockets.Endpoint("127.0.0.1"), b"secret")
    timer = threading.Timer(0.3, waiting.endpoint.close)
    timer.start()
    with pytest.raises(_sockets.RankLost, match="told to end"):
        waiting.__enter__()
    endpoints[1].close()
    with pytest.raises(_sockets.RankLost, match="cannot be reached"):
        _sockets.Sockets(1, [endpoints[1].address] * 2, _sockets.Endpoint("127.0.0.1"), b"secret").__enter__()
