import { bigintToBytes } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { faultText } from './fault.ts'
import { FAULT } from './generated/fault.ts'
import { FRAME_KINDS } from './generated/frame-kind.ts'
import { TRACE_RECORD } from './generated/trace-record.ts'
import { readLogRecord } from './log-records.ts'
import type { EngineMemory } from './memory.ts'
import type { StepCursor } from './step-cursor.ts'
import type { FrameType, TraceEvent, TraceSink } from './trace-event.ts'

const {
  enter: ENTER,
  exit: EXIT,
  log: LOG,
  step: STEP,
  account: ACCOUNT,
  slot: SLOT,
  memory: MEMORY,
} = TRACE_RECORD

/** Returns the address of a payload: behind its record, unless `field` holds another address. */
function payloadAt(memory: EngineMemory, record: number, field: number, fixed: number): number {
  const elsewhere = memory.u32(record + field)
  return elsewhere === 0 ? record + fixed : elsewhere
}

function readRecord(memory: EngineMemory, at: number): TraceEvent {
  switch (memory.u32(at)) {
    case ENTER:
      return {
        kind: 'enter',
        type: FRAME_KINDS[memory.u32(at + 8)] as FrameType,
        depth: memory.u32(at + 12),
        gas: memory.u64(at + 16),
        from: memory.copy(at + 24, 20),
        to: memory.copy(at + 44, 20),
        value: memory.u32(at + 64) === 0 ? undefined : memory.word(at + 80),
        input: memory.copy(payloadAt(memory, at, 68, 112), memory.u32(at + 72)),
      }
    case EXIT: {
      const fault = memory.u32(at + 8)
      return {
        kind: 'exit',
        depth: memory.u32(at + 12),
        gasUsed: memory.u64(at + 16),
        output: memory.copy(payloadAt(memory, at, 32, 40), memory.u32(at + 36)),
        error: faultText(fault, memory.u64(at + 24)),
        reverted: fault === FAULT.reverted,
      }
    }
    case LOG:
      return { kind: 'log', ...readLogRecord(memory, payloadAt(memory, at, 8, 16)) }
    case ACCOUNT:
      return {
        kind: 'account',
        phase: memory.u32(at + 8) === 0 ? 'before' : 'after',
        isDestroyed: memory.u32(at + 12) !== 0,
        nonce: memory.u64(at + 16),
        balance: memory.word(at + 24),
        codeHash: memory.copy(at + 56, 32),
        address: memory.copy(at + 88, 20),
        code: memory.copy(payloadAt(memory, at, 108, 128), memory.u32(at + 112)),
      }
    case SLOT:
      return {
        kind: 'slot',
        phase: memory.u32(at + 8) === 0 ? 'before' : 'after',
        address: memory.copy(at + 16, 20),
        key: bigintToBytes(memory.word(at + 40), 32),
        value: bigintToBytes(memory.word(at + 72), 32),
      }
    default:
      throw new LockstepError('ENGINE_FAULT', `unknown trace record kind ${memory.u32(at)}`)
  }
}

/** Passes the `length` bytes of trace at `at` to the sink (format: assembly/trace/trace-buffer.ts). */
export function drainTrace(
  memory: EngineMemory,
  at: number,
  length: number,
  sink: TraceSink,
  step: StepCursor,
): void {
  const end = at + length
  for (let record = at; record < end; record += memory.u32(record + 4)) {
    switch (memory.u32(record)) {
      case STEP:
        step.move(record)
        sink.onStep?.(step)
        break
      case MEMORY: {
        const from = payloadAt(memory, record, 24, 32)
        const bytes = memory.bytes.subarray(from, from + memory.u32(record + 28))
        sink.onMemory?.(memory.u32(record + 8), Number(memory.u64(record + 16)), bytes)
        break
      }
      default: {
        const event = readRecord(memory, record)
        if (event.kind === 'enter') step.enter(event)
        else if (event.kind === 'exit') step.exit(event)
        sink.onEvent(event)
      }
    }
  }
}
