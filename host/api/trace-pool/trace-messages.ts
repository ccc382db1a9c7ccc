import type { PlainError } from '../../base/plain-error.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { TraceJob } from '../../evm/trace/job/trace-job.ts'
import type { StateEdition } from '../../storage/store/reader/storage-edition.ts'
import type { KnownAccount } from './state-ahead.ts'
import type { StateArea } from './state-port.ts'
import type { StopArea } from './stop-signs.ts'

/** The data that a trace thread starts with. */
export interface TraceThreadData {
  readonly modules: EngineModules
  /** The memory through which the thread reads states. */
  readonly area: StateArea
  /** Traces that it runs by turns: each has an engine with memory of its own. */
  readonly lanes: number
  /** Stop signs for scripts, which read no messages while they run. */
  readonly stops: StopArea
  readonly yieldsProcessor: boolean
  /** Bytes that the heap of its scripts grows to. */
  readonly scriptBytes: number
}

/** Part of a buffer that goes to the other thread with the message, and comes back with another. */
export type TraceChunk = Uint8Array<ArrayBuffer>

/** To a trace thread. */
export type ToTraceThread =
  | {
      readonly kind: 'run'
      readonly id: number
      readonly lane: number
      readonly job: TraceJob
      /** Of the stored state that the job begins on; undefined where its state is none of those. */
      readonly height: number | undefined
      readonly known: readonly KnownAccount[]
    }
  /** The state after another block. */
  | { readonly kind: 'state'; readonly edition: StateEdition }
  /** A chunk was taken. */
  | { readonly kind: 'taken'; readonly id: number; readonly chunk: TraceChunk }
  | { readonly kind: 'abort'; readonly id: number; readonly reason: PlainError }
  /** The run is to end and to begin again later, since others wait. Ignored once output was sent. */
  | { readonly kind: 'makeWay'; readonly id: number }

/** From a trace thread. A bare number is the number of the reads that wait in the area. */
export type FromTraceThread =
  | number
  /** The script engine of the job is open. `thread` is the system's number of the thread, if it has one. */
  | { readonly kind: 'begun'; readonly id: number; readonly thread: number | undefined }
  /** The transactions before the traced one have run. */
  | { readonly kind: 'replayed'; readonly id: number }
  | { readonly kind: 'chunk'; readonly id: number; readonly chunk: TraceChunk }
  /** `rest` is the part that no chunk carried: all of a short result. Its buffer does not come back. */
  | {
      readonly kind: 'done'
      readonly id: number
      readonly rest: Uint8Array
      readonly isSpent: boolean
    }
  /** The output sent before has been closed to JSON that parses. */
  | {
      readonly kind: 'failed'
      readonly id: number
      readonly error: PlainError
      /** The thread holds more memory than is worth keeping. */
      readonly isSpent: boolean
    }

/** Chunks of a trace that may lie untaken before its engine pauses. */
export const WINDOW_CHUNKS = 16

/**
 * Chunks of a trace at any time, at most: the trace pauses after a drain of its trace buffer, which may fill
 * as many again.
 */
export const MAX_CHUNKS: number = 2 * WINDOW_CHUNKS
