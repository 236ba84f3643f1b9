#!/usr/bin/env python3
"""What a collective call of the ranks costs: over shared memory, over TCP, and over TCP with a delay.

    bench/network.py [RANKS...]                      collective calls on 2, 3 and 4 ranks, or on those given
    bench/network.py --run RANKS HEFT ARGS...        heft itself across the network of RANKS machines
    bench/network.py --delay MICROSECONDS [...]      with this delay each way (default: 50)

For root on Linux with mpicc, mpirun, iproute2 (ip, tc). The machines are network namespaces joined by a
bridge, one rank in each, with host names of their own, so that Open MPI sees as many machines and talks
TCP over veth pairs through the kernel; a delay is netem's on every way out. What this lacks of a real network
is the wire and the switch; what it has too much is that all machines share the cores of this one. So times
with more ranks than cores are those of waiting for a core, and the least is nearer the truth than the median.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
NET, BRIDGE, NAME = "10.99.77", "heftbr", "heftnet"
ENV = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "PMIX_MCA_gds": "hash"}


def sh(*args, check=True):
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(args)}: {done.stderr.strip()}")
    return done


class Machines:
    """Namespaces on a bridge of their own; gone when the block is left."""

    def __init__(self, size, delay=0):
        self.size, self.delay = size, delay

    def __enter__(self):
        self.__exit__()
        sh("ip", "link", "add", BRIDGE, "type", "bridge")
        sh("ip", "addr", "add", f"{NET}.254/24", "dev", BRIDGE)
        sh("ip", "link", "set", BRIDGE, "up")
        for k in range(self.size):
            space, inner = f"{NAME}{k}", "eth0"
            sh("ip", "netns", "add", space)
            sh("ip", "link", "add", f"{BRIDGE}{k}", "type", "veth", "peer", "name", inner, "netns", space)
            sh("ip", "link", "set", f"{BRIDGE}{k}", "master", BRIDGE, "up")
            sh("ip", "-n", space, "addr", "add", f"{NET}.{k + 1}/24", "dev", inner)
            sh("ip", "-n", space, "link", "set", inner, "up")
            sh("ip", "-n", space, "link", "set", "lo", "up")
            if self.delay:
                sh("tc", "-n", space, "qdisc", "add", "dev", inner, "root", "netem", "delay", f"{self.delay}us")
        return self

    def __exit__(self, *_):
        for k in range(16):
            sh("ip", "netns", "del", f"{NAME}{k}", check=False)
        sh("ip", "link", "del", BRIDGE, check=False)

    def ping(self):
        """Microseconds there and back for a byte over a plain socket: the least of a thousand."""
        answer = ("import socket; s = socket.create_server(('', 7077)); c = s.accept()[0]\n"
                  "while c.send(c.recv(1)): pass")
        asks = ("import socket, time; c = socket.create_connection(('%s.1', 7077)); n = time.perf_counter\n"
                "c.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1); best = 1\n"
                "for _ in range(1000): t = n(); c.send(b'x'); c.recv(1); best = min(best, n() - t)\n"
                "print(best * 1e6)") % NET
        inside = ["ip", "netns", "exec"]
        with subprocess.Popen([*inside, f"{NAME}0", sys.executable, "-c", answer], stderr=subprocess.DEVNULL) as other:
            time.sleep(1)
            said = sh(*inside, f"{NAME}1", sys.executable, "-c", asks, check=False).stdout
            other.kill()
        return float(said) if said else None

    def run(self, folder, *args):
        """One rank on each machine. The agent takes the place of ssh: HOST COMMAND..."""
        agent = pathlib.Path(folder) / "agent"
        agent.write_text('#!/bin/sh\nk=$((${1##*.} - 1)); shift\n'
                         f'exec ip netns exec {NAME}$k unshare -u sh -c "hostname machine$k; $*"\n')
        agent.chmod(0o755)
        hosts = ",".join(f"{NET}.{k + 1}:1" for k in range(self.size))
        tcp = ["--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", f"{NET}.0/24",
               "--mca", "oob_tcp_if_include", f"{NET}.0/24", "--mca", "plm_rsh_agent", str(agent),
               "--mca", "plm_rsh_no_tree_spawn", "1", "--bind-to", "none"]
        if self.size > os.cpu_count():  # mpirun cannot know that these machines share their cores
            tcp += ["--mca", "mpi_yield_when_idle", "1"]
        return mpirun(self.size, ["--host", hosts, *tcp], *args)


def can_delay():
    """Whether this kernel has netem."""
    sh("ip", "link", "add", f"{BRIDGE}x", "type", "dummy", check=False)
    done = sh("tc", "qdisc", "add", "dev", f"{BRIDGE}x", "root", "netem", "delay", "50us", check=False)
    sh("ip", "link", "del", f"{BRIDGE}x", check=False)
    return done.returncode == 0


def mpirun(size, options, *args):
    done = subprocess.run(["mpirun", "-q", "-n", str(size), *options, *args], env=ENV, capture_output=True,
                          text=True, timeout=600, check=False)
    if done.returncode != 0:
        print(f"mpirun {' '.join(args)}: status {done.returncode}\n{done.stderr}")
    return done.stdout + done.stderr


def main():
    ask = argparse.ArgumentParser()
    ask.add_argument("--delay", type=int, default=50)
    ask.add_argument("--run", type=int)
    ask.add_argument("rest", nargs=argparse.REMAINDER)
    given = ask.parse_args()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        if given.run:
            with Machines(given.run, given.delay if can_delay() else 0) as net:
                print(net.run(folder, *given.rest), end="")
            return
        program = f"{folder}/collective_cost"
        sh("mpicc", "-O2", f"-I{ROOT}/include", f"-I{ROOT}/build/include", f"-I{ROOT}/cli",
           f"{ROOT}/bench/collective_cost.c", f"{ROOT}/cli/ranks_mpi.c", "-o", program)
        delays = [0, given.delay] if can_delay() else [0]
        if len(delays) == 1:
            print("this kernel has no netem: no delay can be added")
        for size in map(int, given.rest or ["2", "3", "4"]):
            print(f"shared memory, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
            print(mpirun(size, ["--oversubscribe"], program), end="", flush=True)
            for delay in delays:
                with Machines(size, delay) as net:
                    there = net.ping()
                    print(f"TCP{f', {delay} us each way' if delay else ''}; there and back "
                          f"{f'{there:.0f} us' if there else 'not measured'}")
                    print(net.run(folder, program), end="", flush=True)


if __name__ == "__main__":
    main()
