"""Pays for URLs with the published client x402. Reads a task from standard input and writes the responses as JSON."""

import asyncio
import json
import sys

import requests
from eth_account import Account
from x402 import x402Client, x402ClientSync
from x402.http.clients import wrapHttpxWithPayment, wrapRequestsWithPayment
from x402.mechanisms.evm.exact import ExactEvmScheme


def paid(response):
    headers = response.headers
    return {
        "status": response.status_code,
        "body": response.json(),
        "receipt": headers.get("payment-response") or headers.get("x-payment-response"),
    }


def by_requests(url, signer):
    client = x402ClientSync()
    client.register("eip155:*", ExactEvmScheme(signer=signer))
    with wrapRequestsWithPayment(requests.Session(), client) as session:
        session.trust_env = False
        return paid(session.get(url))


async def by_httpx(url, signer):
    client = x402Client()
    client.register("eip155:*", ExactEvmScheme(signer=signer))
    async with wrapHttpxWithPayment(client, trust_env=False) as http:
        return paid(await http.get(url))


task = json.load(sys.stdin)
signer = Account.from_key(task["key"])
if task["library"] == "requests":
    answer = by_requests(task["url"], signer)
else:
    answer = asyncio.run(by_httpx(task["url"], signer))
json.dump(answer, sys.stdout)
