import { LockstepError } from '../../../host/base/error.ts'
import { formatData, type Hex } from '../../../host/base/hex.ts'
import type { Transaction } from '../../../host/evm/chain-types/transaction.ts'
import { decodeTransaction } from '../../../host/evm/chain-types/transaction-codec.ts'
import type {
  PaymentCallOptions,
  PaymentChain,
  PaymentLog,
  PaymentLogQuery,
  PaymentReceipt,
  PaymentTransactionLog,
} from '../../../host/payments/chain/payment-chain.ts'
import { addressTopic } from '../../../host/payments/chain/token-log.ts'
import { wasmRecovery } from '../chain/wasm-recovery.ts'
import { PaymentClock, transferLog } from './memory-payment-chain.ts'

const USED: Hex = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'

/** Selector of `transfer(address,uint256)`. */
const TRANSFER = '0xa9059cbb'

/** A receipt with the model's block data. */
interface ModelReceipt extends PaymentReceipt {
  readonly txHash: Hex
}

function refuse(message: string): LockstepError {
  return new LockstepError('TRANSACTION_REJECTED', message)
}

/** An authorization decoded from calldata. */
interface CarriedOut {
  readonly from: Hex
  readonly to: Hex
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
}

/**
 * A chain with the pool rules that matter to a settler, and an EIP-3009 token that accepts every signature. `mine`
 * makes a block. Tests set the faults.
 */
export class ModelChain extends PaymentClock implements PaymentChain {
  readonly chainId = 31337n
  readonly asset: Hex
  baseFee = 10n ** 9n
  /** Message with which the pool refuses every transaction. */
  poolFault: string | undefined
  /** True if the node accepts transactions but does not respond. */
  losesAnswers = false
  /** False if the token ignores a used authorization instead of reverting. */
  revertsOnUsed = true
  /** Maximum number of transactions in a block. */
  room = 1_000
  /** Blocks that a receipt and a latest nonce need, with the block itself. */
  confirmations = 1
  /** Native balance of every account. */
  wei = 10n ** 18n
  /** Result of every call of a payer's contract (ERC-1271), by address. */
  readonly contracts = new Map<Hex, Hex>()
  readonly balances = new Map<Hex, bigint>()
  readonly used = new Set<string>()
  readonly receipts: ModelReceipt[] = []
  /** Number of raw transactions that the pool has accepted, including replaced and dropped ones. */
  sent = 0
  #removals = 0
  readonly #pool = new Map<string, Transaction>()
  readonly #nonces = new Map<Hex, bigint>()
  /** Heights of an account's transactions, by nonce. */
  readonly #heights = new Map<Hex, bigint[]>()
  #height = 0n

  constructor(asset: Hex) {
    super()
    this.asset = asset
  }

  async height(): Promise<bigint> {
    return this.#height
  }

  async has(txHash: Hex): Promise<boolean> {
    const isPooled = [...this.#pool.values()].some(({ hash }) => formatData(hash) === txHash)
    return isPooled || this.receipts.some((receipt) => receipt.txHash === txHash)
  }

  async receipt(txHash: Hex): Promise<PaymentReceipt | undefined> {
    const found = this.receipts.find((receipt) => receipt.txHash === txHash)
    return found !== undefined && this.#isConfirmed(found.height) ? found : undefined
  }

  async logs({
    address,
    topics,
    fromHeight,
  }: PaymentLogQuery): Promise<readonly PaymentTransactionLog[]> {
    return this.receipts
      .filter(({ height }) => height >= fromHeight)
      .flatMap(({ logs, txHash, height }) => logs.map((log) => ({ ...log, txHash, height })))
      .filter((log) => log.address === address)
      .filter((log) => topics.every((wanted, at) => wanted === null || log.topics[at] === wanted))
  }

  async call(to: Hex, data: Hex, { from }: PaymentCallOptions = {}): Promise<Hex> {
    if (to !== this.asset) return this.contracts.get(to) ?? '0x'
    const selector = data.slice(0, 10)
    if (selector === '0xe94a0102') {
      return this.#word(this.used.has(`0x${data.slice(34, 74)}${data.slice(74)}`) ? 1n : 0n)
    }
    if (selector === '0x70a08231') {
      return this.#word(this.balances.get(`0x${data.slice(34, 74)}`) ?? 0n)
    }
    const problem =
      selector === TRANSFER
        ? this.#transferProblem(from as Hex, data)
        : this.#problem(this.#decode(data))
    if (problem !== undefined) {
      throw new LockstepError('EXECUTION_REVERTED', `execution reverted: ${problem}`)
    }
    return selector === TRANSFER ? this.#word(1n) : '0x'
  }

  async nonce(address: Hex, at: 'latest' | 'pending'): Promise<bigint> {
    let nonce = this.#nonces.get(address) ?? 0n
    if (at === 'pending') {
      while (this.#pool.has(`${address}${nonce}`)) nonce++
      return nonce
    }
    const heights = this.#heights.get(address)?.slice(0, Number(nonce)) ?? []
    return BigInt(heights.filter((height) => this.#isConfirmed(height)).length)
  }

  async removals(): Promise<number> {
    return this.#removals
  }

  /** Takes a snapshot of the chain. Returns a function that reverts to it. The pool does not change. */
  snapshot(): () => void {
    const [height, nonces, balances] = [this.#height, [...this.#nonces], [...this.balances]]
    const [used, receipts] = [[...this.used], [...this.receipts]]
    return () => {
      this.#height = height
      this.#nonces.clear()
      for (const [address, nonce] of nonces) this.#nonces.set(address, nonce)
      this.balances.clear()
      for (const [address, balance] of balances) this.balances.set(address, balance)
      this.used.clear()
      for (const each of used) this.used.add(each)
      this.receipts.splice(0, this.receipts.length, ...receipts)
      this.#removals++
      this.announceBlock()
    }
  }

  async balance(): Promise<bigint> {
    return this.wei
  }

  async maxFeePerGas(): Promise<bigint> {
    return this.baseFee * 2n
  }

  async send(raw: Uint8Array): Promise<Hex> {
    if (this.poolFault !== undefined) throw refuse(this.poolFault)
    const transaction = decodeTransaction(raw, wasmRecovery)
    const from = formatData(transaction.from)
    const next = this.#nonces.get(from) ?? 0n
    if (transaction.nonce < next) {
      throw refuse(`nonce too low: next nonce ${next}, tx nonce ${transaction.nonce}`)
    }
    const key = `${from}${transaction.nonce}`
    const held = this.#pool.get(key)
    if (held !== undefined) {
      if (formatData(held.hash) === formatData(transaction.hash)) throw refuse('already known')
      const isMore = (offered: bigint, before: bigint) => offered * 100n >= before * 110n
      if (
        !isMore(transaction.maxFeePerGas, held.maxFeePerGas) ||
        !isMore(transaction.maxPriorityFeePerGas, held.maxPriorityFeePerGas)
      ) {
        throw refuse('replacement transaction underpriced')
      }
    }
    this.#pool.set(key, transaction)
    this.sent++
    if (this.losesAnswers) throw new LockstepError('NODE_UNREACHABLE', 'socket hang up')
    return formatData(transaction.hash)
  }

  /** Empties the pool, like a restart of the node. */
  dropPool(): void {
    this.#pool.clear()
  }

  get pooled(): number {
    return this.#pool.size
  }

  /** Makes a block of all executable transactions in the pool. */
  async mine(): Promise<void> {
    this.#height++
    this.time++
    let room = this.room
    for (let found = true; found && room > 0; ) {
      found = false
      for (const [key, transaction] of this.#pool) {
        const from = formatData(transaction.from)
        if (transaction.nonce !== (this.#nonces.get(from) ?? 0n)) continue
        if (transaction.maxFeePerGas < this.baseFee) continue
        this.#pool.delete(key)
        this.#nonces.set(from, transaction.nonce + 1n)
        const before = this.#heights.get(from)?.slice(0, Number(transaction.nonce)) ?? []
        this.#heights.set(from, [...before, this.#height])
        this.#execute(transaction)
        found = --room > 0
        break
      }
    }
    this.announceBlock()
  }

  /** Settles an authorization on behalf of a third party, in a separate block. */
  async carryOut(data: Hex): Promise<Hex> {
    const txHash = formatData(wasmRecovery.keccak256(new TextEncoder().encode(`other ${data}`)))
    this.#height++
    this.#record(txHash, this.#call(data), data)
    return txHash
  }

  #isConfirmed(height: bigint): boolean {
    return this.#height - height + 1n >= BigInt(this.confirmations)
  }

  #execute(transaction: Transaction): void {
    const data = formatData(transaction.data)
    const isCall = transaction.to !== undefined && formatData(transaction.to) === this.asset
    const from = formatData(transaction.from)
    const run = () => (data.startsWith(TRANSFER) ? this.#transfer(from, data) : this.#call(data))
    this.#record(formatData(transaction.hash), isCall ? run() : [], data)
  }

  #transferProblem(from: Hex, data: Hex): string | undefined {
    const isCovered = (this.balances.get(from) ?? 0n) >= BigInt(`0x${data.slice(74, 138)}`)
    return isCovered ? undefined : 'transfer amount exceeds balance'
  }

  /** Returns the logs of a transfer by `from`, or undefined if it reverts. */
  #transfer(from: Hex, data: Hex): readonly PaymentLog[] | undefined {
    if (this.#transferProblem(from, data) !== undefined) return undefined
    const to: Hex = `0x${data.slice(34, 74)}`
    const amount = BigInt(`0x${data.slice(74, 138)}`)
    this.balances.set(from, (this.balances.get(from) ?? 0n) - amount)
    this.balances.set(to, (this.balances.get(to) ?? 0n) + amount)
    return [transferLog({ asset: this.asset, from, to, amount })]
  }

  #record(txHash: Hex, logs: readonly PaymentLog[] | undefined, input: Hex): void {
    const place = { txHash, height: this.#height, blockTime: this.time, input }
    this.receipts.push({ ...place, succeeded: logs !== undefined, logs: logs ?? [] })
  }

  /** Returns the logs of a call that settles an authorization, or undefined if it reverts. */
  #call(data: Hex): readonly PaymentLog[] | undefined {
    const { from, to, value, nonce, ...times } = this.#decode(data)
    if (this.#problem({ from, to, value, nonce, ...times }) !== undefined) return undefined
    if (this.used.has(from + nonce.slice(2))) return []
    this.used.add(from + nonce.slice(2))
    this.balances.set(from, (this.balances.get(from) ?? 0n) - value)
    this.balances.set(to, (this.balances.get(to) ?? 0n) + value)
    const address = this.asset
    return [
      { address, topics: [USED, addressTopic(from), nonce], data: '0x' },
      transferLog({ asset: address, from, to, amount: value }),
    ]
  }

  #problem({ from, value, validAfter, validBefore, nonce }: CarriedOut): string | undefined {
    if (this.time <= validAfter) return 'authorization is not yet valid'
    if (this.time >= validBefore) return 'authorization is expired'
    if (this.used.has(from + nonce.slice(2))) {
      return this.revertsOnUsed ? 'authorization is used or canceled' : undefined
    }
    if ((this.balances.get(from) ?? 0n) < value) return 'transfer amount exceeds balance'
    return undefined
  }

  #decode(data: Hex): CarriedOut {
    const word = (at: number) => data.slice(10 + 64 * at, 74 + 64 * at)
    return {
      from: `0x${word(0).slice(24)}`,
      to: `0x${word(1).slice(24)}`,
      value: BigInt(`0x${word(2)}`),
      validAfter: BigInt(`0x${word(3)}`),
      validBefore: BigInt(`0x${word(4)}`),
      nonce: `0x${word(5)}`,
    }
  }

  #word(value: bigint): Hex {
    return `0x${value.toString(16).padStart(64, '0')}`
  }
}
