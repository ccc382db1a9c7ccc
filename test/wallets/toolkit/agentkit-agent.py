"""An agent of the published AgentKit for Python. It reads its identity and task from stdin and writes the results.

It reaches only this machine. Requests to other hosts are refused and reported.
"""

import base64
import contextlib
import io
import json
import sys
import urllib.parse
import uuid
from decimal import Decimal

import requests

OUTSIDE = []
request_here = requests.Session.request


def request_of_this_machine(session, method, url, *args, **kwargs):
    host = urllib.parse.urlparse(url).hostname
    if host in ("127.0.0.1", "localhost"):
        return request_here(session, method, url, *args, **kwargs)
    if host not in OUTSIDE:
        OUTSIDE.append(host)
    raise requests.ConnectionError(f"{host} is out of reach")


requests.Session.request = request_of_this_machine

from coinbase_agentkit import (  # noqa: E402
    AgentKit,
    AgentKitConfig,
    EthAccountWalletProvider,
    EthAccountWalletProviderConfig,
    EvmWalletProvider,
    erc20_action_provider,
    wallet_action_provider,
)
from coinbase_agentkit.network import Network  # noqa: E402
from eth_account import Account  # noqa: E402
from web3 import Web3  # noqa: E402


class ServiceWalletProvider(EvmWalletProvider):
    """A wallet whose key is in the wallet service, as an external provider for AgentKit."""

    def __init__(self, task):
        self._service = task["service"]
        self._chain = task["chainId"]
        self._web3 = Web3(Web3.HTTPProvider(task["rpc"]))
        self._wallet = self._ask("GET", f"/v1/wallets/{self._service['walletId']}")

    def _ask(self, method, path, body=None):
        app_id, secret = self._service["appId"], self._service["appSecret"]
        credentials = base64.b64encode(f"{app_id}:{secret}".encode()).decode()
        headers = {"Authorization": f"Basic {credentials}", "wallet-app-id": app_id}
        if method != "GET":
            headers["wallet-idempotency-key"] = str(uuid.uuid4())
        answer = requests.request(method, self._service["url"] + path, json=body, headers=headers)
        if not answer.ok:
            raise ValueError(answer.json()["error"])
        return answer.json()

    def _rpc(self, method, params, **beside):
        path = f"/v1/wallets/{self._wallet['id']}/rpc"
        return self._ask("POST", path, {"method": method, "params": params, **beside})["data"]

    def get_address(self):
        return self._wallet["address"]

    def get_network(self):
        return Network(protocol_family="evm", chain_id=str(self._chain), network_id=None)

    def get_balance(self):
        return Decimal(self._web3.eth.get_balance(self.get_address()))

    def get_name(self):
        return "wallet_service"

    def sign_message(self, message):
        text = message if isinstance(message, str) else message.decode()
        return self._rpc("personal_sign", {"message": text})["signature"]

    def sign_typed_data(self, typed_data):
        renamed = {("primary_type" if name == "primaryType" else name): value for name, value in typed_data.items()}
        return self._rpc("eth_signTypedData_v4", {"typed_data": renamed})["signature"]

    def _fields(self, transaction):
        data = transaction.get("data")
        return {
            "to": transaction["to"],
            "value": hex(int(transaction.get("value", 0))),
            **({} if data is None else {"data": data if isinstance(data, str) else Web3.to_hex(data)}),
            "chain_id": self._chain,
        }

    def sign_transaction(self, transaction):
        return self._rpc("eth_signTransaction", {"transaction": self._fields(transaction)})

    def send_transaction(self, transaction):
        params = {"transaction": self._fields(transaction)}
        return self._rpc("eth_sendTransaction", params, caip2=f"eip155:{self._chain}")["hash"]

    def wait_for_transaction_receipt(self, tx_hash, timeout=120, poll_latency=0.1):
        return self._web3.eth.wait_for_transaction_receipt(tx_hash, timeout, poll_latency)

    def native_transfer(self, to, value):
        sent = self.send_transaction({"to": to, "value": Web3.to_wei(value, "ether")})
        self.wait_for_transaction_receipt(sent)
        return sent

    def read_contract(self, contract_address, abi, function_name, args=None, block_identifier="latest"):
        contract = self._web3.eth.contract(address=contract_address, abi=abi)
        return contract.functions[function_name](*(args or [])).call(block_identifier=block_identifier)


def provider_of(task):
    if task["provider"] == "ServiceWalletProvider":
        return ServiceWalletProvider(task)
    return EthAccountWalletProvider(
        EthAccountWalletProviderConfig(
            account=Account.from_key(task["privateKey"]),
            chain_id=str(task["chainId"]),
            rpc_url=task["rpc"],
        )
    )


def main():
    task = json.load(sys.stdin)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        provider = provider_of(task)
        kit = AgentKit(
            AgentKitConfig(
                wallet_provider=provider,
                action_providers=[wallet_action_provider(), erc20_action_provider()],
            )
        )
        actions = {action.name: action for action in kit.get_actions()}
        results = [actions[step["name"]].invoke(step["args"]) for step in task["actions"]]
        message = task.get("message")
        signed = None if message is None else provider.sign_message(message)
    network = provider.get_network()
    outcome = {
        "address": provider.get_address(),
        "network": {"chainId": network.chain_id, "networkId": network.network_id},
        "names": list(actions),
        "results": results,
        "said": said.getvalue().splitlines(),
        "outside": OUTSIDE,
    }
    if signed is not None:
        outcome["signed"] = signed if str(signed).startswith("0x") else f"0x{signed}"
    json.dump(outcome, sys.stdout)


main()
