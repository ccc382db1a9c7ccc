import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity, hexDigits } from '../../../base/hex.ts'
import {
  CREATE,
  CREATE2,
  JUMP,
  JUMPI,
  LOG0,
  LOG1,
  LOG2,
  LOG3,
  LOG4,
  RETURNDATACOPY,
  REVERT,
} from '../../engine/generated/opcode.ts'
import { opcodeName } from '../../engine/opcode.ts'
import type { ExitEvent, StepRecord, TraceSink } from '../../engine/trace-event.ts'
import { readFlag, type TracerConfig } from '../tracer.ts'
import { FrameMemories } from './frame-memory.ts'

const encoder = new TextEncoder()

/** Optional contents of the lines, as named by geth's logger. */
export interface LineOptions {
  readonly stack: boolean
  readonly memory: boolean
  readonly returnData: boolean
  /** Bytes after which no further line is written; 0 for no limit. */
  readonly limit: number
}

/** @throws INVALID_ARGUMENT */
export function readLineOptions(config: TracerConfig): LineOptions {
  const limit = config.limit ?? 0
  return {
    stack: !readFlag(config, 'disableStack'),
    memory: readFlag(config, 'enableMemory'),
    returnData: readFlag(config, 'enableReturnData'),
    limit: typeof limit === 'number' ? limit : 0,
  }
}

/** Stack words that an opcode has popped when it fails during execution. */
const TAKEN: ReadonlyMap<number, number> = new Map([
  [REVERT, 2],
  [RETURNDATACOPY, 3],
  [JUMP, 1],
  [JUMPI, 2],
])

/** Those of an opcode that fails for lack of the gas of a new account (EIP-8037), after its operands are popped. */
const TAKEN_BEFORE_STATE_GAS: ReadonlyMap<number, number> = new Map([
  [CREATE, 3],
  [CREATE2, 4],
])

function takenBy({ opcode, error }: StepRecord): number {
  const taken = error === 'out of gas' ? TAKEN_BEFORE_STATE_GAS : TAKEN
  return taken.get(opcode) ?? 0
}

type Room = readonly [offset: number, size: number]

/** Operands, from the top of the stack, of the memory range by which an opcode expands memory before it executes. */
const ROOM: ReadonlyMap<number, Room> = new Map<number, Room>([
  [REVERT, [0, 1]],
  [RETURNDATACOPY, [0, 2]],
  // These fail in a static frame.
  ...[LOG0, LOG1, LOG2, LOG3, LOG4].map((log) => [log, [0, 1]] as [number, Room]),
  [CREATE, [1, 2]],
  [CREATE2, [1, 2]],
])

/**
 * Writes a transaction as JSON lines, one per step and one per frame end (EIP-3155, like geth's JSON logger). A step
 * that fails during execution has two.
 */
export class LineLogger {
  readonly sink: TraceSink
  readonly #options: LineOptions
  readonly #write: (bytes: Uint8Array) => void
  /** Maximum bytes, from the node's configuration. */
  readonly #most: number
  readonly #memories = new FrameMemories()
  #size = 0

  constructor(options: LineOptions, most: number, write: (bytes: Uint8Array) => void) {
    this.#options = options
    this.#most = most
    this.#write = write
    this.sink = {
      steps: { stack: true, memory: options.memory },
      ignoresLogs: true,
      onEvent: (event) => {
        if (event.kind === 'enter') this.#memories.enter(event.depth + 1)
        else if (event.kind === 'exit') this.#end(event)
      },
      onStep: (step) => this.#step(step),
      onMemory: (depth, offset, bytes) => this.#memories.write(depth, offset, bytes),
    }
  }

  #step(step: StepRecord): void {
    const { error, isRefused } = step
    this.#line({
      ...this.#shown(step, step.memorySize, step.stackHeight),
      ...(isRefused && { error }),
    })
    if (error === undefined || isRefused) return
    this.#line({
      ...this.#shown(step, memoryAfter(step), step.stackHeight - takenBy(step), false),
      error,
    })
  }

  #shown(step: StepRecord, memorySize: number, height: number, hasReturnData = true): object {
    const { stack, memory, returnData } = this.#options
    const words = () => Array.from({ length: height }, (_, i) => formatQuantity(step.wordAt(i)))
    return {
      pc: step.pc,
      op: step.opcode,
      gas: formatQuantity(step.gas),
      gasCost: formatQuantity(step.cost),
      ...(memory &&
        memorySize > 0 && { memory: formatData(this.#memories.read(step.depth, memorySize)) }),
      memSize: memorySize,
      stack: stack ? words() : null,
      ...(returnData &&
        hasReturnData &&
        step.returnData.length > 0 && { returnData: formatData(step.returnData) }),
      depth: step.depth,
      refund: step.refund,
      opName: opcodeName(step.opcode),
    }
  }

  #end({ output, gasUsed, error }: ExitEvent): void {
    this.#line({ output: hexDigits(output), gasUsed: formatQuantity(gasUsed), error })
  }

  #line(line: object): void {
    const { limit } = this.#options
    if (limit !== 0 && this.#size > limit) return
    const bytes = encoder.encode(`${JSON.stringify(line).replace(/[<>&]/g, escaped)}\n`)
    this.#size += bytes.length
    if (this.#size > this.#most) throw tooLong(this.#most)
    this.#write(bytes)
  }
}

/** Escapes HTML characters as Go does. */
const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Returns the memory size after a failing opcode has expanded memory. */
function memoryAfter(step: StepRecord): number {
  const room = ROOM.get(step.opcode)
  if (room === undefined || step.stackHeight < 2) return step.memorySize
  const [offset, size] = room.map((place) => step.wordAt(step.stackHeight - 1 - place)) as [
    bigint,
    bigint,
  ]
  if (size === 0n) return step.memorySize
  return Math.max(step.memorySize, 32 * Math.ceil(Number(offset + size) / 32))
}

function tooLong(most: number): LockstepError {
  return new LockstepError(
    'LIMIT_EXCEEDED',
    `the steps take more than ${most} bytes ([evm] max_trace_struct_log_bytes)`,
    {
      data: { key: 'evm.max_trace_struct_log_bytes', limit: most, option: 'limit' },
      hint: 'set limit to show the first steps only',
    },
  )
}
