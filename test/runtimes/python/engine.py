"""Runs a transaction on the engine's component: engine.py COMPONENT < job.json (test/support/engine/runtime-job.ts)."""

import hashlib
import json
import sys
from types import SimpleNamespace

from wasmtime import Engine, Store
from wasmtime.component import Component, Linker

unhex = lambda text: bytes.fromhex(text[2:])
# 256-bit numbers are passed as four 64-bit limbs.
word = lambda text: tuple(int(text, 16) >> shift & (1 << 64) - 1 for shift in (0, 64, 128, 192))

job = json.load(sys.stdin)
accounts = {unhex(address): account for address, account in job["accounts"].items()}
engine = Engine()
store = Store(engine)
instance = Linker(engine).instantiate(store, Component.from_file(engine, sys.argv[1]))
interface = instance.get_export_index(store, "lockstep:engine/engine")


def call(name, *arguments):
    return instance.get_func(store, instance.get_export_index(store, name, interface))(store, *arguments)


def record(source, bytes_of, words_of, **fields):
    read = {name: unhex(source[name]) for name in bytes_of} | {name: word(source[name]) for name in words_of}
    return SimpleNamespace(**{**source, **read, **fields})


def read_account(address):
    found = accounts.get(bytes(address))
    if found is None:
        return b""
    return found["nonce"].to_bytes(8, "big") + unhex(found["balance"]) + unhex(found["codeHash"])


def read_storage(key):
    return unhex(accounts[bytes(key.address)]["storage"].get("0x" + key.slot.hex(), "0x"))


def read_code(code_hash):
    return next(unhex(each["code"]) for each in accounts.values() if unhex(each["codeHash"]) == code_hash)


READS = {"need-account": read_account, "need-storage": read_storage, "need-code": read_code}

words = ("chain-id", "base-fee", "blob-base-fee")
block = record(job["block"], ("prev-randao", "coinbase"), words, **{"hash-seed": 1, "host-addresses": (1, 0)})
assert call("begin-block", block)

words = ("max-fee-per-gas", "max-priority-fee-per-gas", "value", "max-fee-per-blob-gas")
nothing = {"options": set(), "access-list": [], "blob-hashes": b"", "authorizations": []}
assert call("begin-transaction", record(job["transaction"], ("sender", "to", "data"), words, **nothing))

while (status := call("run", 100_000)).tag != "done":
    if status.tag in READS:
        assert call("answer", READS[status.tag](status.payload))
    elif status.tag != "yield":  # pairings are another module's: host/evm/engine/pairing.ts
        sys.exit(f"this job needs {status.tag}")

outcome, diff = vars(call("outcome")), call("diff")
rows = diff.accounts + diff.cleared + diff.storage + b"".join(each.hash + each.code for each in diff.codes)
logs = b"".join(log.address + log.topics + log.data for log in outcome["logs"])
print(json.dumps({
    "gasUsed": outcome["gas-used"],
    "error": outcome["error"],
    "output": "0x" + outcome["output"].hex(),
    "state": hashlib.sha256(rows).hexdigest(),
    "logs": hashlib.sha256(logs).hexdigest(),
}))
