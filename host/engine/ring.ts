import { LockstepError } from '../base/error.ts'
import { faultText, REVERTED } from './fault.ts'
import type { EngineMemory } from './memory.ts'
import { readLog } from './outcome-reader.ts'
import type { FrameType, StepEvent, TraceEvent } from './trace-event.ts'

/** Frame kinds, numbered as in assembly/evm/frame.ts. */
const FRAME_TYPES: readonly FrameType[] = [
  'CALL',
  'CALLCODE',
  'DELEGATECALL',
  'STATICCALL',
  'CREATE',
  'CREATE2',
  'SELFDESTRUCT',
]

const ENTER = 1
const EXIT = 2
const LOG = 3
const STEP = 4

/** A payload stands behind its record, unless `field` says where in memory it is. */
function payloadAt(memory: EngineMemory, record: number, field: number, fixed: number): number {
  const elsewhere = memory.u32(record + field)
  return elsewhere === 0 ? record + fixed : elsewhere
}

function readStep(memory: EngineMemory, at: number): StepEvent {
  const fault = memory.u32(at + 52)
  const height = memory.u32(at + 48)
  return {
    kind: 'step',
    opcode: memory.u32(at + 8),
    depth: memory.u32(at + 12),
    pc: memory.u32(at + 16),
    memorySize: memory.u32(at + 20),
    gas: memory.u64(at + 24),
    cost: memory.u64(at + 32),
    refund: memory.u64(at + 40),
    stackHeight: height,
    stackTop: height === 0 ? undefined : memory.word(at + 56),
    error: faultText(fault, 0n),
  }
}

function readRecord(memory: EngineMemory, at: number): TraceEvent {
  switch (memory.u32(at)) {
    case ENTER:
      return {
        kind: 'enter',
        type: FRAME_TYPES[memory.u32(at + 8)] as FrameType,
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
        reverted: fault === REVERTED,
      }
    }
    case LOG:
      return { kind: 'log', ...readLog(memory, payloadAt(memory, at, 8, 16)) }
    case STEP:
      return readStep(memory, at)
    default:
      throw new LockstepError('ENGINE_FAULT', `trace record of unknown kind ${memory.u32(at)}`)
  }
}

/** Passes the events in the `length` bytes of trace at `at` to `onEvent` (assembly/trace/ring.ts). */
export function drainRing(
  memory: EngineMemory,
  at: number,
  length: number,
  onEvent: (event: TraceEvent) => void,
): void {
  const end = at + length
  for (let record = at; record < end; record += memory.u32(record + 4)) {
    onEvent(readRecord(memory, record))
  }
}
