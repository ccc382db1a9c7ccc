import { bytesKey, EMPTY_BYTES } from '../base/bytes.ts'
import { LockstepError } from '../base/error.ts'
import type { Log } from '../chain-types/log.ts'
import type { AccessListEntry } from '../chain-types/transaction.ts'
import type { BlockDiff, CodeRow } from './block-diff.ts'
import { faultText, REVERTED } from './fault.ts'
import type { EngineMemory } from './memory.ts'
import { type Outcome, REJECTIONS } from './outcome.ts'

const LOG_HEADER = 32
const NO_LOGS: readonly Log[] = []

/** Bytes of the log record at `at` (assembly/evm/log.ts). */
function logSize(memory: EngineMemory, at: number): number {
  return LOG_HEADER + 32 * memory.u32(at + 20) + ((memory.u32(at + 24) + 7) & ~7)
}

/** The log whose record is at `at`; `record` holds a copy of it, of which the log's bytes are views. */
function viewLog(memory: EngineMemory, at: number, record: Uint8Array): Log {
  const dataAt = LOG_HEADER + 32 * memory.u32(at + 20)
  const topics: Uint8Array[] = []
  for (let topic = LOG_HEADER; topic < dataAt; topic += 32) {
    topics.push(record.subarray(topic, topic + 32))
  }
  const data = record.subarray(dataAt, dataAt + memory.u32(at + 24))
  return { address: record.subarray(0, 20), topics, data }
}

/** The log in a record of assembly/evm/log.ts. */
export function readLog(memory: EngineMemory, at: number): Log {
  return viewLog(memory, at, memory.copy(at, logSize(memory, at)))
}

/**
 * Logs in the order of emission; in memory the newest stands first. All are views of one copy: with a
 * buffer for each address and topic, collecting garbage took a third of a profile of 5,000 transfers.
 */
function readLogs(memory: EngineMemory, count: number, at: number): readonly Log[] {
  if (count === 0) return NO_LOGS
  let end = at
  for (let i = 0; i < count; i++) end += logSize(memory, end)
  const records = memory.copy(at, end - at)
  const logs: Log[] = []
  for (let next = at; next < end; next += logSize(memory, next)) {
    logs.push(viewLog(memory, next, records.subarray(next - at)))
  }
  return logs.reverse()
}

/** The outcome of the message that just ended (OUTCOME of assembly/evm/message.ts). */
export function readOutcome(
  memory: EngineMemory,
  at: number,
  accessed: readonly AccessListEntry[],
): Outcome {
  const rejection = memory.u32(at)
  if (rejection !== 0) {
    const code = REJECTIONS[rejection - 1]
    if (code === undefined) {
      throw new LockstepError('ENGINE_FAULT', `engine gave the unknown rejection ${rejection}`)
    }
    return { kind: 'rejected', code }
  }
  const fault = memory.u32(at + 4)
  const outputSize = memory.u32(at + 32)
  return {
    kind: 'executed',
    success: fault === 0,
    error: fault === 0 ? undefined : faultText(fault, memory.u64(at + 8)),
    reverted: fault === REVERTED,
    gasUsed: memory.u64(at + 16),
    gasRefunded: memory.u64(at + 24),
    output: outputSize === 0 ? EMPTY_BYTES : memory.copy(memory.u32(at + 64), outputSize),
    createdAddress: memory.u32(at + 40) === 0 ? undefined : memory.copy(at + 44, 20),
    logs: readLogs(memory, memory.u32(at + 36), memory.u32(at + 68)),
    accessed,
  }
}

/** The diff in the tables at `header` (assembly/evm/diff.ts). */
export function readDiff(memory: EngineMemory, header: number): BlockDiff {
  const rows = (table: number, size: number) =>
    memory.copy(memory.u32(header + table), memory.u32(header + table + 4) * size)
  const codes: CodeRow[] = []
  const codesAt = memory.u32(header + 24)
  for (let i = 0; i < memory.u32(header + 28); i++) {
    const row = codesAt + 12 * i
    codes.push({
      codeHash: memory.copy(memory.u32(row), 32),
      code: memory.copy(memory.u32(row + 4), memory.u32(row + 8)),
    })
  }
  return { accounts: rows(0, 92), cleared: rows(8, 20), storage: rows(16, 84), codes }
}

/** The access list in the tables at `header`, in the order of first touch in the block. */
export function readAccessed(memory: EngineMemory, header: number): readonly AccessListEntry[] {
  const entries = new Map<string, { address: Uint8Array; storageKeys: Uint8Array[] }>()
  for (let i = 0; i < memory.u32(header + 4); i++) {
    const address = memory.copy(memory.u32(header) + 20 * i, 20)
    entries.set(bytesKey(address), { address, storageKeys: [] })
  }
  for (let i = 0; i < memory.u32(header + 12); i++) {
    const row = memory.u32(header + 8) + 52 * i
    const address = memory.copy(row, 20)
    const key = bytesKey(address)
    let entry = entries.get(key)
    if (entry === undefined) {
      entry = { address, storageKeys: [] }
      entries.set(key, entry)
    }
    entry.storageKeys.push(memory.copy(row + 20, 32))
  }
  return [...entries.values()]
}
