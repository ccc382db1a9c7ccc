import { bigintToBytes, bytesToBigint, isZero } from '../../base/bytes.ts'
import type { GenesisDowntime } from '../chain-types/genesis.ts'
import type { KeyWrite } from '../state/changeset.ts'
import {
  consensusAddressKey,
  fieldKey,
  JAIL,
  lastValue,
  missedBlocksKey,
  TOTAL,
  totalKey,
  VALIDATOR_FIELD,
} from './staking-rows.ts'
import type { ReadRowSync } from './validator-set.ts'

const NANOSECONDS = 1_000_000_000n
/** Units of `GenesisDowntime.minSigned`. */
const ONE = 10n ** 18n
/** Bits of a row. */
const CHUNK_BITS = 256

/** When a validator that misses blocks is jailed, and for how long. */
export interface DowntimeRules {
  /** Blocks of the sliding window. */
  readonly window: number
  /** Blocks of the window that a validator must sign. */
  readonly leastSigned: number
  readonly jailSeconds: number
}

/** The record of a validator's signatures. */
export interface SigningInfo {
  /** Height of the first block whose last commit counts; 0 before it. */
  readonly startHeight: number
  /** Missed blocks of the window. */
  readonly missedBlocks: number
  /** Unix time in seconds at which the last jail for downtime ends; 0 if there was none. */
  readonly jailedUntil: number
}

/** A validator's part in the commit of the parent block. */
interface Vote {
  /** First 20 bytes of the SHA-256 hash of the consensus key. */
  readonly validatorAddress: Uint8Array
  readonly isAbsent: boolean
}

/** Returns three numbers at the end of a row. */
function threeNumbers(...numbers: readonly [number, number, number]): Uint8Array {
  return lastValue(...numbers.map((each) => bigintToBytes(BigInt(each), 8)))
}

function readThree(row: Uint8Array): [number, number, number] {
  const at = (from: number) => Number(bytesToBigint(row.subarray(from, from + 8)))
  return [at(8), at(16), at(24)]
}

/** Returns the row with the rules of a genesis. */
export function downtimeRulesRow({ window, minSigned, jailSeconds }: GenesisDowntime): Uint8Array {
  const leastSigned = (BigInt(window) * minSigned + ONE - 1n) / ONE
  return threeNumbers(window, Number(leastSigned), jailSeconds)
}

/** Returns the rules in a row; undefined if the chain does not jail for downtime. */
export function decodeDowntimeRules(row: Uint8Array | undefined): DowntimeRules | undefined {
  if (row === undefined || isZero(row)) return undefined
  const [window, leastSigned, jailSeconds] = readThree(row)
  return { window, leastSigned, jailSeconds }
}

export function decodeSigningInfo(row: Uint8Array | undefined): SigningInfo {
  const [startHeight, missedBlocks, jailedUntil] = row === undefined ? [0, 0, 0] : readThree(row)
  return { startHeight, missedBlocks, jailedUntil }
}

function signingInfoRow({ startHeight, missedBlocks, jailedUntil }: SigningInfo): Uint8Array {
  return threeNumbers(startHeight, missedBlocks, jailedUntil)
}

/** Returns the row with a bit set or cleared; undefined for an empty row. */
function withBit(row: Uint8Array, position: number, isSet: boolean): Uint8Array | undefined {
  const changed = row.slice()
  const [at, bit] = [position >> 3, 1 << (position & 7)]
  changed[at] = isSet ? (changed[at] as number) | bit : (changed[at] as number) & ~bit
  return isZero(changed) ? undefined : changed
}

/** A block, as far as downtime depends on it. */
interface CountedBlock {
  readonly height: number
  /** Unix time in seconds. */
  readonly seconds: number
  readonly rules: DowntimeRules
  readonly read: ReadRowSync
}

/** Returns the writes that jail a validator. Its record begins again when it votes again. */
function jailWrites(id: number, operator: Uint8Array, block: CountedBlock): KeyWrite[] {
  const { rules, seconds, read } = block
  const jailed = operator.with(31, JAIL.forDowntime)
  const jailedUntil = seconds + rules.jailSeconds
  const info = signingInfoRow({ startHeight: 0, missedBlocks: 0, jailedUntil })
  const chunks = Array.from({ length: Math.ceil(rules.window / CHUNK_BITS) }, (_, i) =>
    missedBlocksKey(id, i),
  )
  return [
    { key: fieldKey(id, VALIDATOR_FIELD.operator), value: jailed },
    { key: fieldKey(id, VALIDATOR_FIELD.signing), value: info },
    ...chunks.filter((key) => read(key) !== undefined).map((key) => ({ key, value: undefined })),
  ]
}

function voteWrites({ validatorAddress, isAbsent }: Vote, block: CountedBlock): KeyWrite[] {
  const { height, rules, read } = block
  const found = read(consensusAddressKey(validatorAddress))
  if (found === undefined) return []
  const id = Number(bytesToBigint(found.subarray(28)))
  // Copied: a read may reuse the memory of the one before
  const operator = (read(fieldKey(id, VALIDATOR_FIELD.operator)) as Uint8Array).slice()
  if (operator[31] !== JAIL.free) return []
  const infoKey = fieldKey(id, VALIDATOR_FIELD.signing)
  const before = decodeSigningInfo(read(infoKey))
  const startHeight = before.startHeight === 0 ? height : before.startHeight
  const position = height % rules.window
  const chunkKey = missedBlocksKey(id, Math.floor(position / CHUNK_BITS))
  const chunk = read(chunkKey) ?? new Uint8Array(32)
  const bit = position % CHUNK_BITS
  const wasMissed = (((chunk[bit >> 3] as number) >> (bit & 7)) & 1) === 1
  const missedBlocks = before.missedBlocks + Number(isAbsent) - Number(wasMissed)
  const isWindowFull = height > startHeight + rules.window
  if (isWindowFull && missedBlocks > rules.window - rules.leastSigned) {
    return jailWrites(id, operator, block)
  }
  const writes: KeyWrite[] = []
  if (isAbsent !== wasMissed) writes.push({ key: chunkKey, value: withBit(chunk, bit, isAbsent) })
  if (startHeight !== before.startHeight || missedBlocks !== before.missedBlocks) {
    const info = { ...before, startHeight, missedBlocks }
    writes.push({ key: infoKey, value: signingInfoRow(info) })
  }
  return writes
}

/**
 * Returns the writes that count the votes of the parent block's commit, and jail the validators that have missed too
 * many. Empty if the chain does not jail for downtime.
 * @param time Unix time of the block in nanoseconds
 * @param read the rows after the block
 */
export function downtimeWrites(
  votes: readonly Vote[],
  height: number,
  time: bigint,
  read: ReadRowSync,
): KeyWrite[] {
  if (votes.length === 0) return []
  const rules = decodeDowntimeRules(read(totalKey(TOTAL.downtime)))
  if (rules === undefined) return []
  const block = { height, seconds: Number(time / NANOSECONDS), rules, read }
  return votes.flatMap((vote) => voteWrites(vote, block))
}
