import type { PlainError } from '../base/plain-error.ts'
import type { TraceJob } from '../trace/trace-job.ts'
import type { StateArea } from './state-port.ts'
import type { EngineModules } from './wasm.ts'

/** What a trace thread starts with. */
export interface TraceThreadData {
  readonly modules: EngineModules
  /** Through which it reads states. */
  readonly area: StateArea
}

/** To a trace thread. */
export type ToTraceThread =
  | { readonly kind: 'run'; readonly id: number; readonly job: TraceJob }
  /** So many bytes of the output were taken. */
  | { readonly kind: 'taken'; readonly id: number; readonly bytes: number }
  | { readonly kind: 'abort'; readonly id: number; readonly reason: PlainError }

/** From a trace thread. A bare number is the run whose reads wait in the area. */
export type FromTraceThread =
  | number
  | { readonly kind: 'phase'; readonly id: number; readonly phase: 'replay' | 'run' }
  | { readonly kind: 'chunk'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'done'; readonly id: number }
  /** What was sent before has been closed to JSON that parses. */
  | { readonly kind: 'failed'; readonly id: number; readonly error: PlainError }

/** Traces that a thread runs by turns: each has an engine with memory of its own. */
export const RUNS_A_THREAD = 4

/** Bytes of a trace that may lie untaken before its engine pauses. */
export const WINDOW_BYTES: number = 4 * 1024 * 1024
