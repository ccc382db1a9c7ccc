import { formatData, type Hex, parseData } from '../host/base/hex.ts'
import { assemble } from '../test/support/engine/bytecode.ts'
import { devAccount } from '../test/support/node/dev-wallet.ts'
import type { ContractCase } from './evm-peer.ts'
import type { RpcClient } from './rpc-client.ts'

const GAS = 300_000_000n
const GAS_PRICE = 20_000_000_000n
const POLL_MS = 30

/** Returns init code that deploys the case's code. */
function deployerOf({ runtime }: ContractCase): Hex {
  const code = parseData(runtime)
  // Always two bytes of length, so that the head's own length is known.
  const length = Uint8Array.of(0x61, code.length >> 8, code.length & 0xff)
  const rest = assemble('DUP1', 12, 0, 'CODECOPY', 0, 'RETURN')
  return formatData(Buffer.concat([length, rest, code]))
}

/** Deploys cases and calls them by transactions mined on each of the nodes. */
export class MinedCases {
  readonly #chainId: number
  readonly #clients: readonly RpcClient[]
  #nonce = 0

  constructor(chainId: number, clients: readonly RpcClient[]) {
    this.#chainId = chainId
    this.#clients = clients
  }

  /** Returns the hash of the transaction that calls the case. @throws Error if it fails on any node. */
  async mine(row: ContractCase): Promise<Hex> {
    const { address } = await this.#send({ data: deployerOf(row) })
    return (await this.#send({ to: address, data: row.calldata })).hash
  }

  async #send(fields: { readonly to?: Hex; readonly data: Hex }) {
    const raw = await devAccount(0).signTransaction({
      ...fields,
      type: 'legacy',
      chainId: this.#chainId,
      nonce: this.#nonce++,
      gas: GAS,
      gasPrice: GAS_PRICE,
    })
    const mined = await Promise.all(this.#clients.map((client) => sendTo(client, raw)))
    return mined[0] as (typeof mined)[number]
  }
}

async function sendTo(client: RpcClient, raw: Hex): Promise<{ hash: Hex; address: Hex }> {
  const hash = (await client.call('eth_sendRawTransaction', raw)) as Hex
  while (true) {
    const receipt = (await client.call('eth_getTransactionReceipt', hash)) as {
      status: Hex
      contractAddress: Hex
    } | null
    if (receipt?.status === '0x1') return { hash, address: receipt.contractAddress }
    if (receipt !== null) throw new Error(`transaction ${hash} failed`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
