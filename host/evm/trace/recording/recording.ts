import type { Hex } from '../../../base/hex.ts'
import type { FirstDifference } from '../bundle/difference.ts'

/** Options of a run. */
export interface RunOptions {
  /**
   * Aborts the run within about a millisecond of work. It then throws REQUEST_TIMEOUT, or the signal's LockstepError.
   */
  readonly signal?: AbortSignal
}

/** Tracing options of a recording, as in debug_traceTransaction. */
export interface TraceOptions extends RunOptions {
  /** Name of a tracer, or source of one in JavaScript; `opcodeTracer` by default. */
  readonly tracer?: string
  /** Options for the tracer. */
  readonly tracerConfig?: Readonly<Record<string, unknown>>
}

/** Result of replaying a recording. */
export interface Replayed {
  /** Step digests of each transaction that ran as recorded, in order. */
  readonly digests: readonly Uint32Array[]
  /** The first difference from the recording. `describeDifference` returns it as text. */
  readonly difference?: FirstDifference
}

/** A decoded bundle: one transaction or block, and everything needed to replay it. */
export interface Recording {
  /** SHA-256 of the recording engine.wasm, 64 hex digits. */
  readonly engineHash: string
  readonly scope: 'transaction' | 'block'
  /** Block number. */
  readonly height: number
  /** Transaction hashes, in order. */
  readonly transactions: readonly Hex[]
  /** False if the bundle has receipts only, because `lockstep record` has not added the steps to a node's answer. */
  readonly hasSteps: boolean
  /**
   * Replays the recording. Compares receipts byte by byte, and steps if recorded, up to the first difference.
   * @throws LockstepError ENGINE_FAULT
   */
  replay(options?: RunOptions): Promise<Replayed>
  /**
   * Traces the recording. Resolves with the parsed result of debug_traceTransaction, or of debug_traceBlockByNumber
   * for a block.
   * @throws LockstepError UNSUPPORTED, INVALID_ARGUMENT, TRACE_DIFFERS, NOT_FOUND, ENGINE_FAULT
   */
  trace(options?: TraceOptions): Promise<unknown>
  /**
   * Like `trace`, but streams the result as UTF-8 JSON in chunks, of any length. Awaits what `write` returns. The
   * text is incomplete after an error.
   */
  writeTrace(
    options: TraceOptions,
    write: (chunk: Uint8Array<ArrayBuffer>) => void | Promise<void>,
  ): Promise<void>
}
