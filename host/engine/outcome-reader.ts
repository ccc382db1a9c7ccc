import { bytesKey, EMPTY_BYTES } from '../base/bytes.ts'
import { LockstepError } from '../base/error.ts'
import type { Log } from '../chain-types/log.ts'
import type { AccessListEntry } from '../chain-types/transaction.ts'
import { faultText } from './fault.ts'
import { FAULT } from './generated/fault.ts'
import { REJECTIONS } from './generated/rejection.ts'
import type { EngineMemory } from './memory.ts'
import type { Executed, Outcome } from './outcome.ts'
import type { CodeRow, StateDiff } from './state-diff.ts'

/** Offsets in an outcome (assembly/evm/context/outcome-layout.ts). */
export const LOG_COUNT = 36
export const LOGS_AT = 68

const LOG_HEADER = 32
const NO_LOGS: readonly Log[] = []

/** Bytes of a log's record (assembly/evm/state/log-records.ts). */
function logBytes(topicCount: number, dataSize: number): number {
  return LOG_HEADER + 32 * topicCount + ((dataSize + 7) & ~7)
}

/** Bytes of the log record at `at`. */
function logSize(memory: EngineMemory, at: number): number {
  return logBytes(memory.u32(at + 20), memory.u32(at + 24))
}

/** The log whose record is at `at` of `records`; its bytes are views of them. */
function viewLog(records: Uint8Array, at: number, topicCount: number, dataSize: number): Log {
  const dataAt = at + LOG_HEADER + 32 * topicCount
  const topics: Uint8Array[] = []
  for (let topic = at + LOG_HEADER; topic < dataAt; topic += 32) {
    topics.push(records.subarray(topic, topic + 32))
  }
  return {
    address: records.subarray(at, at + 20),
    topics,
    data: records.subarray(dataAt, dataAt + dataSize),
  }
}

/** The log in a record of assembly/evm/state/log-records.ts. */
export function readLog(memory: EngineMemory, at: number): Log {
  const record = memory.copy(at, logSize(memory, at))
  return viewLog(record, 0, memory.u32(at + 20), memory.u32(at + 24))
}

/** A copy of the records of the logs whose number and first record stand at these addresses. */
export function copyLogRecords(memory: EngineMemory, countAt: number, firstAt: number): Uint8Array {
  const count = memory.u32(countAt)
  if (count === 0) return EMPTY_BYTES
  const at = memory.u32(firstAt)
  let end = at
  for (let i = 0; i < count; i++) end += logSize(memory, end)
  return memory.copy(at, end - at)
}

/** Logs in the order of emission; in memory the newest stands first. */
function viewLogs(records: Uint8Array): readonly Log[] {
  const fields = new DataView(records.buffer)
  const logs: Log[] = []
  for (let at = 0; at < records.length; ) {
    const topicCount = fields.getUint32(at + 20, true)
    const dataSize = fields.getUint32(at + 24, true)
    logs.push(viewLog(records, at, topicCount, dataSize))
    at += logBytes(topicCount, dataSize)
  }
  return logs.reverse()
}

/** The outcome of the message that just ended (OUTCOME of assembly/evm/message/message.ts). */
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
  const records = copyLogRecords(memory, at + LOG_COUNT, at + LOGS_AT)
  const outcome = {
    kind: 'executed',
    success: fault === FAULT.none,
    error: fault === FAULT.none ? undefined : faultText(fault, memory.u64(at + 8)),
    reverted: fault === FAULT.reverted,
    gasUsed: memory.u64(at + 16),
    gasRefunded: memory.u64(at + 24),
    output: outputSize === 0 ? EMPTY_BYTES : memory.copy(memory.u32(at + 64), outputSize),
    createdAddress: memory.u32(at + 40) === 0 ? undefined : memory.copy(at + 44, 20),
    logs: NO_LOGS,
    accessed,
  } as const
  return records.length === 0 ? outcome : withLogs(outcome, records)
}

/** A call's logs are seldom read, and their views were a fifth of a profile of 5,000 transfers. */
function withLogs(outcome: Executed, records: Uint8Array): Executed {
  let logs: readonly Log[] | undefined
  return {
    ...outcome,
    get logs() {
      logs ??= viewLogs(records)
      return logs
    },
  }
}

/** The diff in the tables at `header` (assembly/evm/state/diff.ts). */
export function readDiff(memory: EngineMemory, header: number): StateDiff {
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
