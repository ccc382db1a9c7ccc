import { bytesKey } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { Executed } from '../../engine/outcome.ts'
import type { EnterEvent, StepRecord, TraceEvent, TraceSink } from '../../engine/trace-event.ts'
import type { ChunkedJsonWriter } from '../json-writer.ts'
import { readFlag, type Tracer, type TracerConfig, type TracerRequest } from '../tracer.ts'
import { MemoryTexts } from './memory-text.ts'
import { StorageLog } from './storage-log.ts'

const encoder = new TextEncoder()

/** Options of a request (geth, eth/tracers/logger, Config). */
interface StructLoggerOptions {
  readonly stack: boolean
  readonly storage: boolean
  readonly memory: boolean
  readonly returnData: boolean
  /** Bytes after which no further step is written; 0 for no limit. */
  readonly limit: number
}

function readOptions(config: TracerConfig): StructLoggerOptions {
  const limit = config.limit ?? 0
  if (typeof limit !== 'number' || !Number.isSafeInteger(limit) || limit < 0) {
    throw new LockstepError('INVALID_ARGUMENT', `limit: want a number of bytes, got ${limit}`)
  }
  return {
    stack: !readFlag(config, 'disableStack'),
    storage: !readFlag(config, 'disableStorage'),
    memory: readFlag(config, 'enableMemory'),
    returnData: readFlag(config, 'enableReturnData'),
    limit,
  }
}

/** Returns the contract whose storage a frame uses. */
function contractOf({ type, from, to }: EnterEvent): string {
  return bytesKey(type === 'DELEGATECALL' || type === 'CALLCODE' ? from : to)
}

/**
 * geth's struct logger: each opcode with its gas and the stack before it, and optionally memory, return data and the
 * slots accessed so far. It writes during execution, so `structLogs` comes first.
 */
class StructLogger implements Tracer {
  readonly sink: TraceSink
  readonly #options: StructLoggerOptions
  readonly #writer: ChunkedJsonWriter
  /** Maximum bytes for steps, from the node's configuration. */
  readonly #most: number
  readonly #memories = new MemoryTexts()
  readonly #storage = new StorageLog()
  /** Contracts of the open frames. */
  readonly #contracts: string[] = []
  #returnData: Uint8Array | undefined
  #returnText: Uint8Array = encoder.encode('')
  #hasBegun = false
  /** Bytes written about steps. */
  #size = 0

  constructor({ config, limits, writer }: TracerRequest) {
    const options = readOptions(config)
    this.#options = options
    this.#writer = writer
    this.#most = limits.structLogBytes
    const onMemory = (depth: number, offset: number, bytes: Uint8Array) =>
      this.#memories.write(depth, offset, bytes)
    this.sink = {
      steps: { stack: options.stack, memory: options.memory },
      ignoresLogs: true,
      onEvent: (event) => this.#follow(event),
      onStep: (step) => this.#show(step),
      ...(options.memory ? { onMemory } : {}),
    }
  }

  finish(outcome: Executed): void {
    const writer = this.#writer
    this.#begin()
    writer.end()
    writer.member('gas', Number(outcome.gasUsed))
    writer.member('failed', !outcome.success)
    writer.member('returnValue', formatData(outcome.output))
    writer.end()
  }

  /** The result starts with the first event, as the protocol may reject the transaction before. */
  #begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#writer.beginObject()
    this.#writer.name('structLogs')
    this.#writer.beginArray()
  }

  #follow(event: TraceEvent): void {
    if (event.kind === 'enter') {
      this.#begin()
      this.#contracts.push(contractOf(event))
      if (this.#options.memory) this.#memories.enter(event.depth + 1)
    } else if (event.kind === 'exit') {
      this.#contracts.pop()
    }
  }

  #show(step: StepRecord): void {
    const { limit, stack } = this.#options
    if (limit !== 0 && this.#size > limit) return
    const writer = this.#writer
    writer.separate()
    // geth does not count the commas between steps.
    const before = writer.size
    const { bytes, start, headEnd, stackEnd, end } = step.encode(stack)
    if (this.#isPlain(step)) {
      writer.part(bytes, start, end)
    } else {
      writer.part(bytes, start, headEnd)
      this.#error(step)
      writer.part(bytes, headEnd, stackEnd)
      this.#more(step)
      writer.part(bytes, stackEnd, end)
    }
    writer.wrote()
    this.#size += writer.size - before
    if (this.#size > this.#most) this.#refuse()
  }

  /** True for a step with gas and stack only. */
  #isPlain(step: StepRecord): boolean {
    const { memory, returnData, storage } = this.#options
    return (
      !step.isRefused &&
      !(memory && step.memorySize > 0) &&
      !(returnData && step.returnData.length > 0) &&
      !(storage && step.slotAt !== 0)
    )
  }

  /** geth reports an error with the step only if the stack or gas check failed. */
  #error(step: StepRecord): void {
    if (step.isRefused) this.#text(`,"error":${JSON.stringify(step.error)}`)
  }

  #more(step: StepRecord): void {
    const { memory, returnData, storage } = this.#options
    if (returnData && step.returnData.length > 0) this.#writer.part(this.#returnMember(step))
    if (memory && step.memorySize > 0) {
      this.#text(',"memory":[')
      this.#writer.part(this.#memories.read(step.depth, step.memorySize))
      this.#text(']')
    }
    if (storage && step.slotAt !== 0 && !step.isRefused) {
      const contract = this.#contracts.at(-1) as string
      this.#text(',"storage":')
      this.#writer.part(this.#storage.show(contract, step.bytes, step.slotAt))
    }
  }

  /** Cached for all steps with the same return data. */
  #returnMember({ returnData }: StepRecord): Uint8Array {
    if (this.#returnData !== returnData) {
      this.#returnData = returnData
      this.#returnText = encoder.encode(`,"returnData":"${formatData(returnData)}"`)
    }
    return this.#returnText
  }

  #text(text: string): void {
    this.#writer.part(encoder.encode(text))
  }

  #refuse(): never {
    throw new LockstepError(
      'LIMIT_EXCEEDED',
      `the steps take more than ${this.#most} bytes ([evm] max_trace_struct_log_bytes)`,
      {
        data: { key: 'evm.max_trace_struct_log_bytes', limit: this.#most, option: 'limit' },
        hint: 'set limit to show the first steps only, or use callTracer',
      },
    )
  }
}

/** Opens geth's struct logger, also called opcode logger. */
export function structLogger(request: TracerRequest): Tracer {
  return new StructLogger(request)
}
