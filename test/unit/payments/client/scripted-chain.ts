import {
  type Account,
  createWalletClient,
  custom,
  decodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerialized,
} from 'viem'
import { devAccount } from '../../../support/node/dev-wallet.ts'

const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Selector of `balanceOf(address)`. */
const BALANCE_OF = '0x70a08231'

export const CHAIN_ID = 31337
/** The payment token of development chains. */
export const DEV_TOKEN_ADDRESS: Hex = '0x4020000000000000000000000000000000000402'

export interface ScriptedTransaction {
  readonly hash: Hex
  readonly from: Hex
  readonly to: Hex
  readonly nonce: number
  readonly input: Hex
}

interface Mined extends ScriptedTransaction {
  readonly height: number
  readonly succeeded: boolean
}

/** An error as a node returns it. */
export class RpcError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * An EIP-1193 provider of a chain that knows transfers of one token and mines on demand. Its tests decide when a call
 * fails.
 */
export class ScriptedChain {
  chainId = CHAIN_ID
  /** Mines each transaction when it is sent. */
  mines = true
  /** Time of the latest block in seconds since 1970; the machine's time if undefined. */
  time: number | undefined
  /** Runs before a method is answered. A thrown error is the answer. */
  before: (method: string, params: readonly unknown[]) => unknown = () => undefined
  /** Runs after a method has done its work. A thrown error is still the answer. */
  after: (method: string) => unknown = () => undefined
  reverts = false
  readonly pool: ScriptedTransaction[] = []
  readonly mined: Mined[] = []
  readonly calls: string[] = []
  /** Balances of the payer, by token. */
  readonly balances = new Map<string, bigint>()
  /** Nonces of executed authorizations. */
  readonly authorized = new Set<string>()

  /** Mines pending transactions in a block. */
  mine(transactions: readonly ScriptedTransaction[] = this.pool.splice(0)): void {
    const height = this.mined.length + 2
    for (const one of transactions) {
      this.mined.push({ ...one, height, succeeded: !this.reverts })
    }
  }

  /** Transfers of the token in blocks, with recipient and amount. */
  get transfers(): readonly { readonly hash: Hex; readonly to: Hex; readonly amount: bigint }[] {
    return this.mined.flatMap(({ hash, to, input, succeeded }) => {
      if (to.toLowerCase() !== DEV_TOKEN_ADDRESS || !succeeded) return []
      const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: input })
      if (functionName !== 'transfer') return []
      return [{ hash, to: args[0], amount: args[1] }]
    })
  }

  readonly request = async ({
    method,
    params = [],
  }: {
    readonly method: string
    readonly params?: readonly unknown[]
  }): Promise<unknown> => {
    this.calls.push(method)
    await this.before(method, params)
    const answer = await this.#answer(method, params)
    await this.after(method)
    return answer
  }

  #nonce(address: string, block: unknown): number {
    const all = block === 'pending' ? [...this.mined, ...this.pool] : this.mined
    return all.filter(({ from }) => from.toLowerCase() === address.toLowerCase()).length
  }

  async #answer(method: string, params: readonly unknown[]): Promise<unknown> {
    const [first, second] = params
    switch (method) {
      case 'eth_chainId':
        return numberToHex(this.chainId)
      case 'eth_blockNumber':
        return numberToHex(this.mined.length + 1)
      case 'eth_getBlockByNumber': {
        const timestamp = numberToHex(this.time ?? Math.floor(Date.now() / 1000))
        return { number: '0x1', timestamp, baseFeePerGas: '0x1', gasLimit: '0x1c9c380' }
      }
      case 'eth_maxPriorityFeePerGas':
        return '0x1'
      case 'eth_estimateGas':
        return '0xffff'
      case 'eth_getTransactionCount':
        return numberToHex(this.#nonce(first as string, second))
      case 'eth_call': {
        const { to, data } = first as { to: Hex; data: Hex }
        if (data.startsWith(BALANCE_OF)) {
          return pad(numberToHex(this.balances.get(to.toLowerCase()) ?? 0n))
        }
        return pad(this.authorized.has(`0x${data.slice(74)}`) ? '0x1' : '0x0')
      }
      case 'eth_sendRawTransaction':
        return this.#sendRaw(first as TransactionSerialized)
      case 'eth_sendTransaction':
        return this.#send(first as { from: Hex; to: Hex; data: Hex; nonce?: Hex })
      case 'eth_getTransactionByHash': {
        const found = [...this.mined, ...this.pool].find(({ hash }) => hash === first)
        return found === undefined ? null : { ...found, nonce: numberToHex(found.nonce) }
      }
      case 'eth_getTransactionReceipt': {
        const found = this.mined.find(({ hash }) => hash === first)
        if (found === undefined) return null
        return { transactionHash: first, status: found.succeeded ? '0x1' : '0x0' }
      }
      case 'eth_getLogs':
        return this.transfers.map(({ hash, to, amount }) => ({
          transactionHash: hash,
          address: DEV_TOKEN_ADDRESS,
          topics: [TRANSFER_TOPIC, pad(devAccount(0).address), pad(to)],
          data: pad(numberToHex(amount)),
        }))
      default:
        throw new RpcError(-32601, `the method ${method} does not exist/is not available`)
    }
  }

  #accept(transaction: ScriptedTransaction): Hex {
    const { hash, from, nonce } = transaction
    const isKnown = [...this.mined, ...this.pool].some((one) => one.hash === hash)
    if (isKnown) throw new RpcError(-32000, 'already known')
    const isTaken = [...this.mined, ...this.pool].some(
      (one) => one.from.toLowerCase() === from.toLowerCase() && one.nonce === nonce,
    )
    if (isTaken) throw new RpcError(-32000, 'nonce too low')
    this.pool.push(transaction)
    if (this.mines) this.mine()
    return hash
  }

  async #sendRaw(raw: TransactionSerialized): Promise<Hex> {
    const { to, nonce = 0, data = '0x' } = parseTransaction(raw)
    const from = await recoverTransactionAddress({ serializedTransaction: raw })
    return this.#accept({ hash: keccak256(raw), from, to: to as Hex, nonce, input: data })
  }

  #send({ from, to, data, nonce }: { from: Hex; to: Hex; data: Hex; nonce?: Hex }): Hex {
    const next = nonce === undefined ? this.#nonce(from, 'pending') : Number(nonce)
    const hash = keccak256(pad(numberToHex(this.mined.length + this.pool.length + 1), { size: 40 }))
    return this.#accept({ hash, from, to, nonce: next, input: data })
  }
}

/** Returns a viem wallet client on a scripted chain, with the key of dev account 0 or the provider's account. */
export function scriptedWallet(chain: ScriptedChain, kind: 'local' | 'json-rpc' = 'local') {
  const local = devAccount(0)
  const account: Account | Hex = kind === 'local' ? local : local.address
  return createWalletClient({
    account,
    transport: custom({ request: chain.request as never }, { retryCount: 0 }),
  })
}
