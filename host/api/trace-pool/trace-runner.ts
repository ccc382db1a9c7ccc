import type { LockstepError } from '../../base/error.ts'
import type { JsonChunks } from '../../base/json-chunks.ts'
import type { StateView } from '../../evm/state/view.ts'
import type { TraceJob } from '../../evm/trace/job/trace-job.ts'

/** The phase that a trace is in when its time is up. */
export type TracePhase = 'queue' | 'replay' | 'run' | 'write'

export interface TraceRequest {
  readonly job: TraceJob
  /** The state that the job's reads are answered from. */
  readonly view: StateView
  /** The client: all of its traces have the same object. Traces of other clients do not hold them up. */
  readonly client: object
  /** Milliseconds that it may wait for a thread. */
  readonly waitMs: number
  /** Milliseconds from its begin until the last byte is taken. */
  readonly timeoutMs: number
  /** The error of a trace whose time is up. */
  readonly expired: (phase: TracePhase) => LockstepError
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal
}

/** The result of a trace: bytes that the receiver may keep where it is short and whole, else chunks. */
export type TraceOutput = Uint8Array | JsonChunks

/** Runs traces beside the chain. */
export interface TraceRunner {
  /**
   * Resolves when there is something to send; a later failure comes through the output.
   * @throws SERVER_BUSY at once when too many traces are in progress; the errors of the job and of `expired`.
   */
  start(request: TraceRequest): Promise<TraceOutput>
  /** Traces in progress fail. */
  close(): Promise<void>
}
