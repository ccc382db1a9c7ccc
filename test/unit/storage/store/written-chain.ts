import { storeOf } from '../../../../host/evm/chain-types/chain-precompile.ts'
import type { BlockRecord } from '../../../../host/storage/store/codec/block-record.ts'
import {
  account,
  address,
  type BlockChanges,
  blockRecord,
  codeHashOf,
  slot,
  word,
} from './chain/block-records.ts'

/** Number of accounts that blocks write. */
export const ACCOUNTS = 200
/** Number of accounts with storage, counted from the first. */
export const HOLDERS = 30
export const SLOTS = 5
/** Number of slots of the precompile whose rows belong to a module. */
export const MODULE_KEYS = 12

/** The precompile of the bank module. */
export const BANK: Uint8Array = Uint8Array.from({ length: 20 }, (_, i) =>
  i === 18 ? 0x10 : i === 19 ? 0x01 : 0,
)
export const BANK_STORE: string | undefined = storeOf(BANK)

/** Returns a number that depends on all words. */
function mix(...words: readonly number[]): number {
  let mixed = 0x9e3779b9
  for (const word of words) {
    mixed = Math.imul(mixed ^ word, 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    mixed ^= mixed >>> 16
  }
  return mixed >>> 0
}

const KINDS = { account: 1, slot: 2, clearing: 3, module: 4 } as const

/** A chain whose rows follow from a seed, the height and the key. The seed is enough to check a read at any height. */
export class WrittenChain {
  readonly #seed: number

  constructor(seed: number) {
    this.#seed = seed
  }

  /** Returns the block of a height. Each block deploys its own code. */
  record(height: number): BlockRecord {
    const all = (count: number) => Array.from({ length: count }, (_, i) => i)
    const accounts = all(ACCOUNTS)
      .filter((n) => this.#writesAccount(height, n))
      .map((n) => [n, this.#accountOf(height, n)] as const)
    const storage = all(HOLDERS * SLOTS)
      .filter((i) => this.#writesSlot(height, i))
      .map((i) => [Math.floor(i / SLOTS), i % SLOTS, this.#valueOf(height, i)] as const)
    const writes = all(MODULE_KEYS)
      .filter((key) => this.#writesModule(height, key))
      .map((key) => ({ key: slot(key), value: this.#moduleValueOf(height, key) }))
    const changes: BlockChanges = {
      accounts,
      cleared: all(HOLDERS).filter((n) => this.#clears(height, n)),
      storage,
      codes: [this.code(height)],
      modules: [{ module: BANK_STORE as string, writes }],
    }
    return blockRecord(height, changes)
  }

  code(height: number): Uint8Array {
    return new Uint8Array(40 + (height % 500)).fill(1 + (height % 255))
  }

  codeHash(height: number): Uint8Array {
    return codeHashOf(this.code(height))
  }

  /** Returns the record of an account at a height. */
  account(n: number, height: number): Uint8Array | undefined {
    const written = newest(height, (at) => this.#writesAccount(at, n))
    return written < 0 ? undefined : this.#accountOf(written, n)
  }

  /** Returns the value of a slot at a height. */
  storage(n: number, s: number, height: number): Uint8Array | undefined {
    const index = n * SLOTS + s
    const written = newest(height, (at) => this.#writesSlot(at, index))
    if (written < 0 || newest(height, (at) => this.#clears(at, n)) > written) return undefined
    const value = this.#valueOf(written, index)
    return value === 0 ? undefined : word(value)
  }

  /** Returns the row of a module at a height. */
  moduleValue(key: number, height: number): Uint8Array | undefined {
    const written = newest(height, (at) => this.#writesModule(at, key))
    return written < 0 ? undefined : this.#moduleValueOf(written, key)
  }

  address(n: number): Uint8Array {
    return address(n)
  }

  #writesAccount(height: number, n: number): boolean {
    return mix(this.#seed, KINDS.account, height, n) % 6 === 0
  }

  #accountOf(height: number, n: number): Uint8Array | undefined {
    return mix(this.#seed, height, n) % 5 === 0 ? undefined : account(height + 1, n)
  }

  #writesSlot(height: number, index: number): boolean {
    return mix(this.#seed, KINDS.slot, height, index) % 9 === 0
  }

  #valueOf(height: number, index: number): number {
    return mix(this.#seed, height, index) % 4 === 0 ? 0 : height + 1
  }

  #clears(height: number, n: number): boolean {
    return mix(this.#seed, KINDS.clearing, height, n) % 97 === 0
  }

  #writesModule(height: number, key: number): boolean {
    return mix(this.#seed, KINDS.module, height, key) % 4 === 0
  }

  #moduleValueOf(height: number, key: number): Uint8Array | undefined {
    return mix(this.#seed, height, key) % 3 === 0 ? undefined : word(height + 1)
  }
}

/** Returns the highest height at or below `height` that `has` accepts, or -1. */
function newest(height: number, has: (height: number) => boolean): number {
  for (let at = height; at >= 0; at--) if (has(at)) return at
  return -1
}
