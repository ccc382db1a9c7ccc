import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity, type Hex } from '../../../base/hex.ts'
import type {
  EnterEvent,
  ExitEvent,
  FrameType,
  LogEvent,
  TraceEvent,
  TraceSink,
} from '../../engine/trace-event.ts'
import type { ChunkedJsonWriter } from '../json-writer.ts'
import { readFlag, type Tracer, type TracerRequest } from '../tracer.ts'
import { KeptBytes, RECORD_BYTES } from './kept-bytes.ts'
import { gethRevertReason } from './revert-reason.ts'

export interface CallTracerOptions {
  /** Includes only the transaction's own frame. */
  readonly onlyTopCall: boolean
  /** Includes the logs that each frame emitted. */
  readonly withLog: boolean
  /** Index in the block of the first log; 0 by default. */
  readonly firstLogIndex?: number | undefined
  /** Maximum bytes of calls and logs kept; unlimited by default. */
  readonly maxBytes?: number | undefined
}

const KEEP_LESS = 'set onlyTopCall, or use opcodeTracer, which keeps nothing in memory'

/**
 * A log in its frame. `index` counts within the block. `position` is the number of calls that the frame had made
 * before it.
 */
export interface TracedLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  readonly index: Hex
  readonly position: Hex
}

/** A frame in the form of geth's callTracer, with members in its order. */
export interface TracedFrame {
  readonly from: Hex
  readonly gas: Hex
  readonly gasUsed: Hex
  readonly to?: Hex
  readonly input: Hex
  readonly output?: Hex
  readonly error?: string
  readonly revertReason?: string
  readonly calls?: readonly TracedFrame[]
  readonly logs?: readonly TracedLog[]
  readonly value?: Hex
  readonly type: FrameType
}

/** A frame under construction. Bytes become hex at once, because events are only valid while delivered. */
interface OpenFrame {
  readonly type: FrameType
  readonly from: Hex
  readonly to: Hex
  readonly input: Hex
  readonly gas: bigint
  readonly value: Hex | undefined
  readonly calls: ClosedFrame[]
  readonly logs: TracedLog[]
}

interface ClosedFrame extends OpenFrame {
  readonly gasUsed: bigint
  readonly output: Hex | undefined
  readonly error: string | undefined
  readonly revertReason: string | undefined
}

function openFrame(event: EnterEvent): OpenFrame {
  return {
    type: event.type,
    from: formatData(event.from),
    to: formatData(event.to),
    input: formatData(event.input),
    gas: event.gas,
    value: event.value === undefined ? undefined : formatQuantity(event.value),
    calls: [],
    logs: [],
  }
}

/** Output is kept after success or a revert (with its reason), but not after other failures. */
function closeFrame(frame: OpenFrame, event: ExitEvent): ClosedFrame {
  const kept = event.error === undefined || event.reverted
  return {
    ...frame,
    gasUsed: event.gasUsed,
    output: kept && event.output.length > 0 ? formatData(event.output) : undefined,
    error: event.error,
    revertReason: (event.reverted && gethRevertReason(event.output)) || undefined,
  }
}

/** Builds the call tree of one transaction. */
export class CallTracer implements TraceSink {
  readonly ignoresLogs: boolean
  readonly #options: CallTracerOptions
  readonly #open: OpenFrame[] = []
  /** Depth of the running frame, included or not. */
  #depth = 0
  #root: ClosedFrame | undefined
  /** Index of the next log. */
  #logIndex: number
  /** That index at the start of each open frame: a failure discards the frame's logs. */
  readonly #logMarks: number[] = []
  readonly #kept: KeptBytes

  constructor(options: CallTracerOptions) {
    this.#options = options
    this.ignoresLogs = !options.withLog
    this.#logIndex = options.firstLogIndex ?? 0
    this.#kept = new KeptBytes(options.maxBytes, 'calls', KEEP_LESS)
  }

  onEvent(event: TraceEvent): void {
    switch (event.kind) {
      case 'enter':
        this.#depth = event.depth
        this.#logMarks.push(this.#logIndex)
        if (event.depth === 0 || !this.#options.onlyTopCall) this.#enter(event)
        break
      case 'exit':
        this.#depth = event.depth - 1
        this.#leaveLogs(event)
        if (event.depth === 0 || !this.#options.onlyTopCall) this.#exit(event)
        break
      case 'log':
        this.#log(event)
        break
    }
  }

  /**
   * Returns the root frame. Its gas is the transaction's limit and its gas used the receipt's; both include gas
   * charged outside the frame (intrinsic gas, refunds).
   * @throws ENGINE_FAULT if the events did not close the root frame.
   */
  finish(gasLimit: bigint, gasUsed: bigint): TracedFrame {
    return format({ ...this.#closedRoot(), gas: gasLimit, gasUsed }, false)
  }

  /** Returns the root frame with the gas of the frame only. @throws ENGINE_FAULT like `finish`. */
  finishFrame(): TracedFrame {
    return format(this.#closedRoot(), false)
  }

  #closedRoot(): ClosedFrame {
    if (this.#root !== undefined) return this.#root
    throw new LockstepError('ENGINE_FAULT', 'the trace has no closed root frame')
  }

  #enter(event: EnterEvent): void {
    this.#keep(event.input)
    this.#open.push(openFrame(event))
  }

  #exit(event: ExitEvent): void {
    const frame = this.#open.pop()
    if (frame === undefined) return
    this.#keep(event.output)
    const closed = closeFrame(frame, event)
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#root = closed
    else parent.calls.push(closed)
  }

  #leaveLogs({ error }: ExitEvent): void {
    const mark = this.#logMarks.pop()
    if (error !== undefined && mark !== undefined) this.#logIndex = mark
  }

  #log(event: LogEvent): void {
    const index = this.#logIndex++
    const frame = this.#open.at(-1)
    const hidden = this.#options.onlyTopCall && this.#depth > 0
    if (!this.#options.withLog || hidden || frame === undefined) return
    this.#keep(event.data)
    frame.logs.push({
      address: formatData(event.address),
      topics: event.topics.map(formatData),
      data: formatData(event.data),
      index: formatQuantity(index),
      position: formatQuantity(frame.calls.length),
    })
  }

  /** Counts bytes that are kept as hex. @throws LIMIT_EXCEEDED */
  #keep(data: Uint8Array): void {
    this.#kept.add(RECORD_BYTES + 2 * data.length)
  }
}

/** Returns the frame in its output form. Logs of a failed frame, and of frames below it, are dropped. */
function format(frame: ClosedFrame, undone: boolean): TracedFrame {
  const failed = undone || frame.error !== undefined
  const { to, output, error, calls, logs, value, type } = frame
  const creationFailed = error !== undefined && (type === 'CREATE' || type === 'CREATE2')
  return {
    from: frame.from,
    gas: formatQuantity(frame.gas),
    gasUsed: formatQuantity(frame.gasUsed),
    ...(creationFailed ? {} : { to }),
    input: frame.input,
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
    ...(frame.revertReason === undefined ? {} : { revertReason: frame.revertReason }),
    ...(calls.length === 0 ? {} : { calls: calls.map((call) => format(call, failed)) }),
    ...(failed || logs.length === 0 ? {} : { logs }),
    ...(value === undefined ? {} : { value }),
    type,
  }
}

/** Writes member by member: the text of a large tree could exceed the maximum string length. */
function writeFrame(writer: ChunkedJsonWriter, frame: TracedFrame): void {
  writer.beginObject()
  for (const [name, value] of Object.entries(frame)) {
    writer.name(name)
    if (name === 'calls') writeFrames(writer, value as readonly TracedFrame[])
    else writer.value(value)
  }
  writer.end()
}

function writeFrames(writer: ChunkedJsonWriter, frames: readonly TracedFrame[]): void {
  writer.beginArray()
  for (const frame of frames) writeFrame(writer, frame)
  writer.end()
}

/** geth's callTracer: the call tree of one transaction. */
export function callTracer(request: TracerRequest): Tracer {
  const { message, config, writer } = request
  const tracer = new CallTracer({
    onlyTopCall: readFlag(config, 'onlyTopCall'),
    withLog: readFlag(config, 'withLog'),
    maxBytes: request.limits.keptBytes,
    firstLogIndex: message.firstLogIndex,
  })
  return {
    sink: tracer,
    finish: ({ gasUsed }) => writeFrame(writer, tracer.finish(message.input.gas, gasUsed)),
  }
}
