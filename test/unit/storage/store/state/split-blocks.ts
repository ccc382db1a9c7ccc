import { concatBytes } from '../../../../../host/base/bytes.ts'
import { EMPTY_CODE_HASH } from '../../../../../host/evm/state/account.ts'
import type { Changeset, KeyWrite } from '../../../../../host/evm/state/changeset.ts'
import type { BlockRecord } from '../../../../../host/storage/store/codec/block-record.ts'
import { makeRandom } from '../../../../support/random.ts'
import { blockRecord, codeHashOf, digest } from '../chain/block-records.ts'

const filled = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte)
const latin = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'))
const hashed = (name: string, length: number): Uint8Array => digest(name).slice(0, length)

export const ADDRESSES: readonly Uint8Array[] = [
  filled(20, 0),
  filled(20, 0xff),
  Uint8Array.from([...filled(19, 0), 1]),
  ...['a', 'b', 'c', 'd'].map((name) => hashed(name, 20)),
]

export const SLOTS: readonly Uint8Array[] = [
  filled(32, 0),
  filled(32, 0xff),
  Uint8Array.from([...filled(31, 0), 1]),
  hashed('slot', 32),
]

/** One name is a prefix of another. */
export const MODULES = ['ban', 'bank', 'bank2', 'staking'] as const

/** Keys that are prefixes of each other, contain bytes that the key encoding escapes, or are very long. */
export const KEYS: readonly Uint8Array[] = [
  ...['\0', '\0\0', '\0\x01', '\0\xff', '\x01', '\x01\0', '\xff', '\xff\0', '\xff\xff'].map(latin),
  ...['a', 'a\0', 'a\0\0', 'a\0\x01', 'a\xff', 'ab', 'b'].map(latin),
  ...[hashed('key', 20), hashed('key', 32)],
  ...[filled(300, 0), filled(301, 0), filled(900, 0xff), filled(1900, 0x6b), filled(1901, 0x6b)],
]

/** Keys that are never written, for lookups and as bounds of ranges. */
export const ABSENT: readonly Uint8Array[] = [
  latin('\0\0\0'),
  latin('`'),
  latin('a\0\0\0'),
  latin('aa'),
  latin('\xfe'),
  filled(901, 0xff),
]

/** Number of blocks between two code deployments. */
const CODE_EVERY = 8

/** Returns the code that the block of `height` deploys, or undefined if it deploys none. */
export function codeAt(seed: number, height: number): Uint8Array | undefined {
  if (height % CODE_EVERY !== 0) return undefined
  const length = height % (16 * CODE_EVERY) === 0 ? 24_576 : 1 + ((height * 37) % 500)
  const code = new Uint8Array(length)
  const pattern = digest('code', seed, '/', height)
  for (let at = 0; at < length; at += 32) code.set(pattern.subarray(0, length - at), at)
  code[length - 1] = height
  return code
}

/** A block's content depends on its seed and height alone, so that any process can recompute it. */
class BlockDice {
  readonly #random: () => number

  constructor(seed: number, height: number) {
    const mixed = digest('block', seed, '/', height)
    this.#random = makeRandom(new DataView(mixed.buffer).getUint32(0))
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  chance(share: number): boolean {
    return this.#random() < share
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256))
  }

  /** Returns a random subset of `all` in its order. */
  some<T>(all: readonly T[], share: number): T[] {
    return all.filter(() => this.chance(share))
  }
}

function account(dice: BlockDice, seed: number, height: number): Uint8Array {
  if (dice.chance(0.15)) return new Uint8Array(72)
  const record = new Uint8Array(72)
  // No account may be empty (EIP-161).
  record[7] = 1 + dice.below(255)
  if (dice.chance(0.9)) record.set(dice.bytes(dice.below(32)), 8)
  const deployed = CODE_EVERY * dice.below(Math.floor(height / CODE_EVERY) + 1)
  const code = dice.chance(0.5) ? codeAt(seed, deployed) : undefined
  record.set(code === undefined ? EMPTY_CODE_HASH : codeHashOf(code), 40)
  return record
}

function value(dice: BlockDice): Uint8Array | undefined {
  const kind = dice.below(20)
  if (kind < 4) return undefined
  if (kind < 7) return new Uint8Array(0)
  if (kind < 9) return new Uint8Array(dice.below(40))
  if (kind === 9) return filled(5000, dice.below(256))
  return dice.bytes(1 + dice.below(40))
}

function keyWrites(dice: BlockDice, share: number): KeyWrite[] {
  return dice
    .some(KEYS, share)
    .map((key) => ({ key, value: value(dice) }))
    .sort((a, b) => Buffer.compare(a.key, b.key))
}

/** Returns the state changes of the block of `height`. */
export function changesetAt(seed: number, height: number): Changeset {
  const dice = new BlockDice(seed, height)
  // Some blocks change nothing
  const share = height > 0 && dice.chance(0.08) ? 0 : 0.3
  const accounts = dice
    .some(ADDRESSES, share)
    .map((address) => concatBytes([address, account(dice, seed, height)]))
  const cleared = dice.some(ADDRESSES, share * 0.2)
  const slots = ADDRESSES.flatMap((address) => SLOTS.map((slot) => concatBytes([address, slot])))
  const storage = dice
    .some(slots, share)
    .map((key) => concatBytes([key, dice.chance(0.25) ? filled(32, 0) : dice.bytes(32)]))
  const code = codeAt(seed, height)
  const modules = dice
    .some(MODULES, share * 2)
    .map((module) => ({ module, writes: keyWrites(dice, share) }))
  return {
    height,
    evm: {
      accounts: concatBytes(accounts),
      cleared: concatBytes(cleared),
      storage: concatBytes(storage),
      codes: code === undefined ? [] : [{ codeHash: codeHashOf(code), code }],
    },
    legacy: keyWrites(dice, share * 0.5),
    modules,
  }
}

/** Returns the whole block: a header, up to three transactions with receipts, and the state changes. */
export function splitBlock(seed: number, height: number): BlockRecord {
  return { ...blockRecord(height, {}, height % 4), changeset: changesetAt(seed, height) }
}

/** Returns the hashes of the first code, of the latest codes up to `height`, and of one that is deployed later. */
export function codeHashes(seed: number, height: number): Uint8Array[] {
  const next = CODE_EVERY * (Math.floor(height / CODE_EVERY) + 1)
  const heights = [0, next - 4 * CODE_EVERY, next - 2 * CODE_EVERY, next - CODE_EVERY, next]
  return [...new Set(heights.filter((each) => each >= 0))].map((each) =>
    codeHashOf(codeAt(seed, each) as Uint8Array),
  )
}
