import type { PlainError } from '../base/plain-error.ts'
import type { EngineModules } from '../engine/engine-modules.ts'
import type { TraceJob } from '../trace/trace-job.ts'
import type { KnownAccount } from './state-ahead.ts'
import type { StateArea } from './state-port.ts'

/** What a trace thread starts with. */
export interface TraceThreadData {
  readonly modules: EngineModules
  /** Through which it reads states. */
  readonly area: StateArea
}

/** Part of a buffer that goes to the other thread with the message, and comes back with another. */
export type TraceChunk = Uint8Array<ArrayBuffer>

/** To a trace thread. */
export type ToTraceThread =
  | {
      readonly kind: 'run'
      readonly id: number
      readonly job: TraceJob
      readonly known: readonly KnownAccount[]
    }
  /** A chunk was taken. */
  | { readonly kind: 'taken'; readonly id: number; readonly chunk: TraceChunk }
  | { readonly kind: 'abort'; readonly id: number; readonly reason: PlainError }

/** From a trace thread. A bare number is that of the reads that wait in the area. */
export type FromTraceThread =
  | number
  /** The transactions before the traced one have run. */
  | { readonly kind: 'replayed'; readonly id: number }
  | { readonly kind: 'chunk'; readonly id: number; readonly chunk: TraceChunk }
  /** `rest` is what no chunk carried: all of a short result. It does not come back. */
  | { readonly kind: 'done'; readonly id: number; readonly rest: Uint8Array }
  /** What was sent before has been closed to JSON that parses. */
  | { readonly kind: 'failed'; readonly id: number; readonly error: PlainError }

/** Traces that a thread runs by turns: each has an engine with memory of its own. */
export const RUNS_A_THREAD = 4

/** Chunks of a trace that may lie untaken before its engine pauses. */
export const WINDOW_CHUNKS = 16

/** Chunks that there are of a trace at most: it pauses after a drain of its ring, which may fill as many again. */
export const MAX_CHUNKS: number = 2 * WINDOW_CHUNKS
