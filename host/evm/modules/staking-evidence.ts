import { bigintToBytes, bytesToBigint, concatBytes } from '../../base/bytes.ts'
import type { ModuleRow } from './row-text.ts'
import {
  consensusAddressKey,
  evidenceKey,
  fieldKey,
  JAIL,
  lastValue,
  TOTAL,
  totalKey,
  VALIDATOR_FIELD,
} from './staking-rows.ts'
import type { ReadRowSync } from './validator-set.ts'

const NANOSECONDS = 1_000_000_000n
const NO_ROW = new Uint8Array(32)

/** A validator's offence proven by consensus. */
interface Offence {
  /** First 20 bytes of the SHA-256 hash of the consensus key. */
  readonly validatorAddress: Uint8Array
  /** Voting power at `height`. */
  readonly power: number
  readonly height: number
  /** Unix time in nanoseconds. */
  readonly time: bigint
}

const number4 = (value: number) => bigintToBytes(BigInt(value), 4)
const number8 = (value: bigint | number) => bigintToBytes(BigInt(value), 8)

/**
 * Returns the rows that make the next block slash the offenders, once each. Skips evidence older than the unbonding
 * time, as the stake behind it may have been paid out.
 * @param time Unix time in nanoseconds of the block with the evidence
 * @param read the rows after that block
 */
export function evidenceRows(
  offences: readonly Offence[],
  time: bigint,
  read: ReadRowSync,
): ModuleRow[] {
  const lastOf = (key: Uint8Array, size: number) =>
    bytesToBigint((read(key) ?? NO_ROW).subarray(32 - size))
  const longest = lastOf(totalKey(TOTAL.unbondingTime), 8) * NANOSECONDS
  const places = (read(totalKey(TOTAL.evidence)) ?? NO_ROW).slice()
  const first = bytesToBigint(places.subarray(24))
  const rows: ModuleRow[] = []
  const seen = new Set<number>()
  for (const offence of offences) {
    const id = Number(lastOf(consensusAddressKey(offence.validatorAddress), 4))
    if (id === 0 || seen.has(id) || time - offence.time > longest) continue
    if ((read(fieldKey(id, VALIDATOR_FIELD.operator)) as Uint8Array)[31] === JAIL.forGood) continue
    const value = [number4(id), new Uint8Array(12), number8(offence.height), number8(offence.power)]
    rows.push({ key: evidenceKey(first + BigInt(seen.size)), value: concatBytes(value) })
    seen.add(id)
  }
  if (rows.length === 0) return rows
  const next = number8(first + BigInt(rows.length))
  return [...rows, { key: totalKey(TOTAL.evidence), value: lastValue(places.slice(8, 24), next) }]
}
