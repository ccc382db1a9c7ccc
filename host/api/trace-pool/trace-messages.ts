import type { PlainError } from '../../base/plain-error.ts'
import type { EngineModules } from '../../evm/engine/engine-modules.ts'
import type { TraceJob } from '../../evm/trace/job/trace-job.ts'
import type { StateDelta } from '../../storage/store/reader/storage-delta.ts'
import type { AbortFlagArea } from './abort-flags.ts'
import type { PrefetchedAccount } from './prefetched-accounts.ts'
import type { StateArea } from './state-port.ts'

/** Start-up data of a trace worker. */
export interface TraceWorkerData {
  readonly modules: EngineModules
  /** The shared memory through which the worker reads states. */
  readonly area: StateArea
  /** Number of concurrent traces, each with an engine and memory of its own. */
  readonly lanes: number
  /** Abort flags for scripts, which cannot read messages while they run. */
  readonly stops: AbortFlagArea
  readonly yieldsProcessor: boolean
  /** Maximum heap of its scripts in bytes. */
  readonly scriptBytes: number
}

/** Part of a buffer that is transferred with a message, and returned with another. */
export type TraceChunk = Uint8Array<ArrayBuffer>

/** Messages to a trace worker. */
export type ToTraceWorker =
  | {
      readonly kind: 'run'
      readonly id: number
      readonly lane: number
      readonly job: TraceJob
      /** Height of the stored state on which the job starts; undefined for any other state. */
      readonly height: number | undefined
      readonly known: readonly PrefetchedAccount[]
    }
  /** The state after another block. */
  | { readonly kind: 'state'; readonly edition: StateDelta }
  /** A chunk was taken. */
  | { readonly kind: 'taken'; readonly id: number; readonly chunk: TraceChunk }
  | { readonly kind: 'abort'; readonly id: number; readonly reason: PlainError }
  /** The run is to end and to begin again later, since others wait. Ignored once output was sent. */
  | { readonly kind: 'makeWay'; readonly id: number }

/** Messages of a trace worker. A bare number is the number of the pending reads in shared memory. */
export type FromTraceWorker =
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
      /** The worker uses too much memory to be retained. */
      readonly isSpent: boolean
    }

/** Unread chunks of a trace at which its engine pauses. */
export const TRACE_WINDOW_CHUNKS = 16

/**
 * Maximum chunks of a trace at any time: it pauses only after draining its trace buffer, which may fill as many
 * again.
 */
export const MAX_CHUNKS: number = 2 * TRACE_WINDOW_CHUNKS
