import type { LockstepError } from '../../base/error.ts'
import type { JsonChunks } from '../../base/json-chunks.ts'
import type { StateView } from '../../evm/state/view.ts'
import type { TraceJob } from '../../evm/trace/job/trace-job.ts'

/** The phase of a trace when its time limit expires. */
export type TracePhase = 'queue' | 'replay' | 'run' | 'write'

export interface TraceRequest {
  readonly job: TraceJob
  /** The initial state of the job. */
  readonly view: StateView
  /** Identity of the client, shared by all its traces. Traces of one client do not delay those of others. */
  readonly client: object
  /** Maximum milliseconds in the queue. */
  readonly waitMs: number
  /** Maximum milliseconds from the start until the last byte is read. */
  readonly timeoutMs: number
  /** Returns the error of a trace whose time limit expired. */
  readonly expired: (phase: TracePhase) => LockstepError
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal
}

/** The result of a trace: bytes that the receiver may retain if it is short and complete, otherwise chunks. */
export type TraceOutput = Uint8Array | JsonChunks

/** Runs traces off the main thread. */
export interface TraceRunner {
  /**
   * Resolves when output is available; a later failure is reported by the output.
   * @throws SERVER_BUSY immediately if too many traces are in progress; the errors of the job and of `expired`.
   */
  start(request: TraceRequest): Promise<TraceOutput>
  /** Stops the runner; traces in progress fail. */
  close(): Promise<void>
}
