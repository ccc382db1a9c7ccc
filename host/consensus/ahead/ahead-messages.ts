import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import { decodeSigned } from '../../chain-types/transaction-codec.ts'
import type { EngineModules } from '../../engine/engine-modules.ts'
import type { BlockEnv } from '../../engine/message.ts'
import type { Job } from '../../execute/lockstep/runs-ahead.ts'

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
  /** Transactions of each job. */
  readonly sizes: readonly number[]
  /** Words of the board (`JobBoard`). */
  readonly board: SharedArrayBuffer
  /** The jobs' transactions, one behind the other: sender (20 bytes), length (4, big-endian), encoding. */
  readonly transactions: SharedArrayBuffer
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
    for (const size of block.sizes) {
      this.#starts.push(at)
      for (let i = 0; i < size; i++) at += ROW_HEAD + fields.getUint32(at + 20)
    }
  }

  job(number: number): Job {
    const fields = new DataView(this.#block.transactions)
    const bytes = new Uint8Array(this.#block.transactions)
    let at = this.#starts[number] as number
    return Array.from({ length: this.#block.sizes[number] as number }, (): Transaction => {
      const from = bytes.slice(at, at + 20)
      const end = at + ROW_HEAD + fields.getUint32(at + 20)
      const raw = bytes.slice(at + ROW_HEAD, end)
      at = end
      return { ...decodeSigned(raw, this.#keccak256), from }
    })
  }
}
