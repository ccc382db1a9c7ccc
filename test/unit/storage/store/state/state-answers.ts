import { createHash } from 'node:crypto'
import { LockstepError } from '../../../../../host/base/error.ts'
import type { KeyValue, RangeOptions } from '../../../../../host/storage/store/state/keyed-table.ts'
import type { StateStore } from '../../../../../host/storage/store/state/state-store.ts'
import { ABSENT, ADDRESSES, KEYS, MODULES, SLOTS } from './split-blocks.ts'

/** Every read of the state at a height. */
export interface StateReads {
  account(address: Uint8Array, height: number): Uint8Array | undefined
  storage(address: Uint8Array, slot: Uint8Array, height: number): Uint8Array | undefined
  /** Undefined if no block up to the height deployed it. */
  code(codeHash: Uint8Array, height: number): Uint8Array | undefined
  legacy(key: Uint8Array, height: number): Uint8Array | undefined
  get(module: string, key: Uint8Array, height: number): Uint8Array | undefined
  has(module: string, key: Uint8Array, height: number): boolean
  range(module: string, options: RangeOptions): Iterable<KeyValue>
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** Missing code must fail with this error of the store. */
function codeOf(state: StateStore, codeHash: Uint8Array, height: number): Uint8Array | undefined {
  try {
    return state.view(height).code(codeHash)
  } catch (thrown) {
    const message = `Database is corrupted: code of hash 0x${hex(codeHash)} is missing at height ${height}`
    if (thrown instanceof LockstepError && thrown.message === message) return undefined
    throw thrown
  }
}

export function readsOf(state: StateStore): StateReads {
  return {
    account: (address, height) => state.view(height).account(address),
    storage: (address, slot, height) => state.view(height).storage(address, slot),
    code: (codeHash, height) => codeOf(state, codeHash, height),
    legacy: (key, height) => state.legacy(key, height),
    get: (module, key, height) => state.module(module).get(key, height),
    has: (module, key, height) => state.module(module).has(key, height),
    range: (module, options) => state.module(module).range(options),
  }
}

/** Formats a value, long ones as their hash. Distinguishes a missing value from an empty one. */
function shown(value: Uint8Array | undefined): string {
  if (value === undefined) return 'nothing'
  if (value.length <= 72) return `0x${hex(value)}`
  return `${value.length} bytes ${createHash('sha256').update(value).digest('hex')}`
}

const POINTS = [...KEYS, ...ABSENT]

/** Returns the full range and one with other bounds, which depend on the height. Some bounds exclude everything. */
function boundsAt(height: number): readonly (readonly (Uint8Array | undefined)[])[] {
  const at = (i: number) => POINTS[(height * 7 + i * 5) % POINTS.length] as Uint8Array
  const bounds = [
    [at(0), undefined],
    [undefined, at(1)],
    [at(2), at(3)],
    [at(3), at(2)],
    [new Uint8Array(0), at(4)],
  ]
  return [[], bounds[height % bounds.length] as (typeof bounds)[number]]
}

/** Returns the answers of the EVM member, one per line. */
export function evmAnswers(
  reads: StateReads,
  height: number,
  codeHashes: readonly Uint8Array[],
): string[] {
  const lines: string[] = []
  for (const address of [...ADDRESSES, new Uint8Array(20).fill(9)]) {
    lines.push(`account ${hex(address)}: ${shown(reads.account(address, height))}`)
    for (const slot of [...SLOTS, new Uint8Array(32).fill(9)]) {
      const value = reads.storage(address, slot, height)
      lines.push(`slot ${hex(address)} ${hex(slot)}: ${shown(value)}`)
    }
  }
  for (const hash of codeHashes) lines.push(`code ${hex(hash)}: ${shown(reads.code(hash, height))}`)
  for (const key of POINTS) lines.push(`legacy ${shown(key)}: ${shown(reads.legacy(key, height))}`)
  return lines
}

/** Returns the answers of the general member, one per line. */
export function moduleAnswers(reads: StateReads, height: number): string[] {
  const lines: string[] = []
  for (const module of [...MODULES, 'bank3']) {
    for (const [place, key] of POINTS.entries()) {
      lines.push(`${module} ${shown(key)}: ${shown(reads.get(module, key, height))}`)
      if ((height + place) % 4 > 0) continue
      lines.push(`${module} has ${shown(key)}: ${reads.has(module, key, height)}`)
    }
    for (const [start, end] of boundsAt(height)) {
      for (const reverse of [false, true]) {
        const options = {
          height,
          reverse,
          ...(start && { start }),
          ...(end && { end }),
        }
        const name = `${module} ${start && shown(start)} to ${end && shown(end)} ${reverse}`
        const rows = [...reads.range(module, options)]
        lines.push(`${name}: ${rows.map(({ key, value }) => `${shown(key)}=${shown(value)}`)}`)
      }
    }
  }
  return lines
}

/** Returns every answer at a height. */
export function answersAt(
  reads: StateReads,
  height: number,
  codeHashes: readonly Uint8Array[],
): string[] {
  return [...evmAnswers(reads, height, codeHashes), ...moduleAnswers(reads, height)]
}

/** Returns a digest of the answers at a height, for comparison with another process. */
export function digestAt(
  reads: StateReads,
  height: number,
  codeHashes: readonly Uint8Array[],
): string {
  const lines = answersAt(reads, height, codeHashes).join('\n')
  return createHash('sha256').update(lines).digest('hex').slice(0, 16)
}
