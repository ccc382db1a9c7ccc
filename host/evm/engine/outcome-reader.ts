import { bytesKey, EMPTY_BYTES } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import type { Slab } from '../../base/slab.ts'
import type { Log } from '../chain-types/log.ts'
import type { AccessListEntry } from '../chain-types/transaction.ts'
import { faultText } from './fault.ts'
import { FAULT } from './generated/fault.ts'
import { REJECTIONS } from './generated/rejection.ts'
import { recordsEnd, viewLogs } from './log-records.ts'
import type { EngineMemory } from './memory.ts'
import type { Executed, Outcome } from './outcome.ts'
import type { CodeRow, StateDiff } from './state-diff.ts'

/** Offsets in an outcome (assembly/evm/context/outcome-layout.ts). */
export const LOG_COUNT = 36
export const LOGS_AT = 68

/** Decodes logs on first access: few callers need them, and doing it always took a fifth of 5,000 transfers. */
class ReadOutcome implements Executed {
  readonly kind = 'executed'
  readonly success: boolean
  readonly error: string | undefined
  readonly reverted: boolean
  readonly gasUsed: bigint
  readonly gasRefunded: bigint
  readonly blockGas: bigint
  readonly stateGas: bigint
  readonly output: Uint8Array
  readonly createdAddress: Uint8Array | undefined
  readonly logRecords: Uint8Array
  readonly accessed: readonly AccessListEntry[]
  #logs: readonly Log[] | undefined

  constructor(memory: EngineMemory, at: number, slab: Slab, accessed: readonly AccessListEntry[]) {
    const fault = memory.u32(at + 4)
    const outputSize = memory.u32(at + 32)
    this.success = fault === FAULT.none
    this.error = fault === FAULT.none ? undefined : faultText(fault, memory.u64(at + 8))
    this.reverted = fault === FAULT.reverted
    this.gasUsed = memory.u64(at + 16)
    this.gasRefunded = memory.u64(at + 24)
    this.blockGas = memory.u64(at + 72)
    this.stateGas = memory.u64(at + 80)
    this.output = outputSize === 0 ? EMPTY_BYTES : memory.copy(memory.u32(at + 64), outputSize)
    this.createdAddress = memory.u32(at + 40) === 0 ? undefined : memory.copy(at + 44, 20)
    const logCount = memory.u32(at + LOG_COUNT)
    const logsAt = memory.u32(at + LOGS_AT)
    this.logRecords =
      logCount === 0
        ? EMPTY_BYTES
        : slab.copy(memory.bytes, logsAt, recordsEnd(memory, logsAt, logCount))
    this.accessed = accessed
  }

  get logs(): readonly Log[] {
    this.#logs ??= viewLogs(this.logRecords)
    return this.#logs
  }
}

/**
 * Returns the outcome of the finished message (OUTCOME of assembly/evm/message/message.ts). Its logs go into `slab`.
 */
export function readOutcome(
  memory: EngineMemory,
  at: number,
  slab: Slab,
  accessed: readonly AccessListEntry[],
): Outcome {
  const rejection = memory.u32(at)
  if (rejection !== 0) {
    const code = REJECTIONS[rejection - 1]
    if (code === undefined) {
      throw new LockstepError(
        'ENGINE_FAULT',
        `the engine returned the unknown rejection ${rejection}`,
      )
    }
    return { kind: 'rejected', code }
  }
  return new ReadOutcome(memory, at, slab, accessed)
}

/** Returns the diff in the tables at `header` (assembly/evm/state/diff.ts). */
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

/** Returns the access list in the tables at `header`, in the order of first access in the block. */
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
