import { bytesKey, EMPTY_BYTES } from '../../base/bytes.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import { decodeSigned } from '../../chain-types/transaction-codec.ts'
import type { EngineModules } from '../../engine/engine-modules.ts'
import type { BlockEnv } from '../../engine/message.ts'
import type { Job, JobPlan } from '../../execute/lockstep/runs-ahead.ts'
import type { StateView } from '../../state/view.ts'

/** What a thread begins with. */
export interface AheadThreadData {
  /** Its number, from 1. */
  readonly runner: number
  readonly modules: EngineModules
  /** Where it leaves footprints (`FootprintArea`). */
  readonly footprints: SharedArrayBuffer
  /** Through which it reads the state (`StateAsker`). */
  readonly reads: SharedArrayBuffer
}

/** A block whose jobs a thread may run. */
export interface AheadBlock {
  /** Number of the block before that the threads were given, plus one. */
  readonly number: number
  readonly env: BlockEnv
  readonly plan: JobPlan
  /** Words of the board (`JobBoard`). */
  readonly board: SharedArrayBuffer
  /** The jobs' transactions, one behind the other: sender (20 bytes), length (4, big-endian), encoding. */
  readonly transactions: SharedArrayBuffer
  /** Accounts that the threads will surely read (`packAccounts`). */
  readonly accounts: SharedArrayBuffer
}

const ROW_HEAD = 24

/** The transactions of jobs, for `AheadBlock.transactions`. */
export function packTransactions(jobs: readonly Job[]): SharedArrayBuffer {
  const transactions = jobs.flat()
  const size = transactions.reduce((sum, { raw }) => sum + ROW_HEAD + raw.length, 0)
  const buffer = new SharedArrayBuffer(size)
  const bytes = new Uint8Array(buffer)
  const fields = new DataView(buffer)
  let at = 0
  for (const { from, raw } of transactions) {
    bytes.set(from, at)
    fields.setUint32(at + 20, raw.length)
    bytes.set(raw, at + ROW_HEAD)
    at += ROW_HEAD + raw.length
  }
  return buffer
}

/** A row of accounts: address, bytes of the record (0 where there is none), the record. */
const RECORD_AT = 21
const LONGEST_RECORD = 73
const ACCOUNT_ROW = RECORD_AT + LONGEST_RECORD

/** The fee recipient, and the senders and recipients of jobs, as they were before the block. */
export function packAccounts(
  view: StateView,
  coinbase: Uint8Array,
  jobs: readonly Job[],
): SharedArrayBuffer {
  const addresses = new Map([[bytesKey(coinbase), coinbase]])
  for (const { from, to } of jobs.flat()) {
    addresses.set(bytesKey(from), from)
    if (to !== undefined) addresses.set(bytesKey(to), to)
  }
  const buffer = new SharedArrayBuffer(ACCOUNT_ROW * addresses.size)
  const bytes = new Uint8Array(buffer)
  let at = 0
  for (const address of addresses.values()) {
    const record = view.account(address) ?? EMPTY_BYTES
    bytes.set(address, at)
    bytes[at + 20] = record.length
    bytes.set(record, at + RECORD_AT)
    at += ACCOUNT_ROW
  }
  return buffer
}

/** By the keys of their addresses; undefined where there is none. */
export function unpackAccounts(buffer: SharedArrayBuffer): Map<string, Uint8Array | undefined> {
  const accounts = new Map<string, Uint8Array | undefined>()
  const bytes = new Uint8Array(buffer)
  for (let at = 0; at < bytes.length; at += ACCOUNT_ROW) {
    const length = bytes[at + 20] as number
    const record = bytes.slice(at + RECORD_AT, at + RECORD_AT + length)
    accounts.set(bytesKey(bytes.slice(at, at + 20)), length === 0 ? undefined : record)
  }
  return accounts
}

/** The jobs of a block. A transaction is decoded when its job begins. */
export class PackedJobs {
  readonly #block: AheadBlock
  readonly #keccak256: Keccak256
  /** Where the first transaction of each job lies. */
  readonly #starts: number[] = []

  constructor(block: AheadBlock, keccak256: Keccak256) {
    this.#block = block
    this.#keccak256 = keccak256
    const fields = new DataView(block.transactions)
    let at = 0
    for (const size of block.plan.sizes) {
      this.#starts.push(at)
      for (let i = 0; i < size; i++) at += ROW_HEAD + fields.getUint32(at + 20)
    }
  }

  job(number: number): Job {
    const fields = new DataView(this.#block.transactions)
    const bytes = new Uint8Array(this.#block.transactions)
    let at = this.#starts[number] as number
    return Array.from({ length: this.#block.plan.sizes[number] as number }, (): Transaction => {
      const from = bytes.slice(at, at + 20)
      const end = at + ROW_HEAD + fields.getUint32(at + 20)
      const raw = bytes.slice(at + ROW_HEAD, end)
      at = end
      return { ...decodeSigned(raw, this.#keccak256), from }
    })
  }
}
