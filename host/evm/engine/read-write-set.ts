import { LockstepError } from '../../base/error.ts'
import { recordsEnd } from './log-records.ts'
import type { EngineMemory } from './memory.ts'
import { LOG_COUNT, LOGS_AT } from './outcome-reader.ts'

/**
 * Layout of a read/write set: bytes of accounts, slots and logs (u32 each), 4 of padding, and the outcome. Then the
 * account and slot rows in the engine's table format (assembly/evm/state/), and the log records.
 */
const HEADER = 16
const OUTCOME_BYTES = 88
const ROWS_AT = HEADER + 96

/** Offset in an outcome (assembly/evm/context/outcome-layout.ts). */
const OUTPUT_SIZE = 32

/** Addresses of a read/write set's parts in the engine's memory. */
interface ReadWriteSetAddresses {
  /** Start and end of the account and slot tables, u32 each. */
  readonly tablesAt: number
  readonly outcomeAt: number
}

/** Returns the read/write set of the finished message. */
export function readReadWriteSet(
  memory: EngineMemory,
  { tablesAt, outcomeAt }: ReadWriteSetAddresses,
): Uint8Array {
  const accounts = memory.bytes.subarray(memory.u32(tablesAt), memory.u32(tablesAt + 4))
  const slots = memory.bytes.subarray(memory.u32(tablesAt + 8), memory.u32(tablesAt + 12))
  const firstLog = memory.u32(outcomeAt + LOGS_AT)
  const lastLog = recordsEnd(memory, firstLog, memory.u32(outcomeAt + LOG_COUNT))
  const logs = memory.bytes.subarray(firstLog, lastLog)
  const slotsAt = ROWS_AT + accounts.length
  const logsAt = slotsAt + slots.length
  const footprint = new Uint8Array(logsAt + logs.length)
  const sizes = new DataView(footprint.buffer)
  sizes.setUint32(0, accounts.length, true)
  sizes.setUint32(4, slots.length, true)
  sizes.setUint32(8, logs.length, true)
  footprint.set(memory.bytes.subarray(outcomeAt, outcomeAt + OUTCOME_BYTES), HEADER)
  footprint.set(accounts, ROWS_AT)
  footprint.set(slots, slotsAt)
  footprint.set(logs, logsAt)
  return footprint
}

/** Offset of the rows in a read/write set, and bytes of each kind. */
export interface ReadWriteSetRows {
  readonly rowsAt: number
  readonly accounts: number
  readonly slots: number
}

/** @throws ENGINE_FAULT if the bytes are not a read/write set. */
export function readWriteSetRows(footprint: Uint8Array): ReadWriteSetRows {
  if (footprint.length >= ROWS_AT) {
    const sizes = new DataView(footprint.buffer, footprint.byteOffset)
    const accounts = sizes.getUint32(0, true)
    const slots = sizes.getUint32(4, true)
    const logs = sizes.getUint32(8, true)
    if (ROWS_AT + accounts + slots + logs === footprint.length) {
      return { rowsAt: ROWS_AT, accounts, slots }
    }
  }
  throw new LockstepError('ENGINE_FAULT', `${footprint.length} bytes are not a read/write set`)
}

/** Makes the outcome in the read/write set at `at` that of the finished message, without its output. */
export function restoreSetOutcome(
  memory: EngineMemory,
  at: number,
  outcomeAt: number,
  { rowsAt, accounts, slots }: ReadWriteSetRows,
): void {
  memory.bytes.copyWithin(outcomeAt, at + HEADER, at + HEADER + OUTCOME_BYTES)
  memory.setU32(outcomeAt + OUTPUT_SIZE, 0)
  memory.setU32(outcomeAt + LOGS_AT, at + rowsAt + accounts + slots)
}
