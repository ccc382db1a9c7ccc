import type { Hex } from '../../../base/hex.ts'
import type { FirstDifference } from '../bundle/difference.ts'

/** What a run can be ended with. */
export interface RunOptions {
  /** Ends the run within about a millisecond of work: it throws REQUEST_TIMEOUT, or the signal's LockstepError. */
  readonly signal?: AbortSignal
}

/** How a recording is traced: the options of debug_traceTransaction. */
export interface TraceOptions extends RunOptions {
  /** Name of a tracer, or the source of one in JavaScript; `opcodeTracer` by default. */
  readonly tracer?: string
  /** Options of that tracer. */
  readonly tracerConfig?: Readonly<Record<string, unknown>>
}

/** What came of running a recording again. */
export interface Replayed {
  /** Of each transaction that ran as recorded, in order: a digest for each of its steps. */
  readonly digests: readonly Uint32Array[]
  /** The first thing that is not as recorded; `describeDifference` puts it into words. */
  readonly difference?: FirstDifference
}

/** One transaction or one block with all that running it again takes: a bundle that has been read. */
export interface Recording {
  /** SHA-256 of the engine.wasm that recorded it: 64 hex digits. */
  readonly engineHash: string
  readonly scope: 'transaction' | 'block'
  /** Number of the block. */
  readonly height: number
  /** Hashes of the transactions, in order. */
  readonly transactions: readonly Hex[]
  /** False where a bundle has receipts alone: one that a node gave and `lockstep record` has not completed. */
  readonly hasSteps: boolean
  /**
   * Runs it and compares receipts to the byte, and steps where they were recorded, up to the first difference.
   * @throws LockstepError ENGINE_FAULT
   */
  replay(options?: RunOptions): Promise<Replayed>
  /**
   * What a tracer gives of it: the result of debug_traceTransaction, or for a block of
   * debug_traceBlockByNumber, parsed.
   * @throws LockstepError UNSUPPORTED, INVALID_ARGUMENT, TRACE_DIFFERS, NOT_FOUND, ENGINE_FAULT
   */
  trace(options?: TraceOptions): Promise<unknown>
  /**
   * The same as JSON text in UTF-8, in chunks as they come: of a trace of any length. The run waits for what
   * `write` returns. After an error the text is not whole.
   */
  writeTrace(
    options: TraceOptions,
    write: (chunk: Uint8Array<ArrayBuffer>) => void | Promise<void>,
  ): Promise<void>
}
