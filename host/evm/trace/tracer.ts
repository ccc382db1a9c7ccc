import { LockstepError } from '../../base/error.ts'
import { lookup } from '../../base/lookup.ts'
import type { BlockEnv, TransactionInput } from '../engine/message.ts'
import type { Executed } from '../engine/outcome.ts'
import type { TraceSink } from '../engine/trace-event.ts'
import type { StateView } from '../state/view.ts'
import type { PagedList } from './joined-list.ts'
import type { ChunkedJsonWriter } from './json-writer.ts'

/** `tracerConfig` as given. */
export type TracerConfig = Readonly<Record<string, unknown>>

/**
 * Returns a boolean option; false if absent or null.
 * @throws INVALID_ARGUMENT if it is not a boolean.
 */
export function readFlag(config: TracerConfig, name: string): boolean {
  const value = lookup(config, name) ?? false
  if (typeof value === 'boolean') return value
  const kind = Array.isArray(value) ? 'array' : typeof value
  throw new LockstepError('INVALID_ARGUMENT', `${name}: want a boolean, got ${kind}`)
}

/** The transaction or call being traced, and its position in a block. */
export interface TracedMessage {
  readonly input: TransactionInput
  readonly env: BlockEnv
  /** Wei that the sender pays per gas. */
  readonly gasPrice: bigint
  /** Number of logs in the block before this transaction; 0 by default. */
  readonly firstLogIndex?: number
  /** Absent for a simulated call. */
  readonly position?: {
    /** Undefined in the pending block. */
    readonly blockHash: Uint8Array | undefined
    readonly index: number
    readonly transactionHash: Uint8Array
  }
}

/** Limits of a tracer, from the node's configuration. */
export interface TracerLimits {
  /** Maximum bytes of the struct logger's output for one transaction. */
  readonly structLogBytes: number
  /** Maximum bytes of calls and logs kept for a transaction until it ends; unlimited if absent. */
  readonly keptBytes?: number
  /** Maximum bytes of a script and its values; the sandbox's default if absent. */
  readonly scriptBytes?: number
}

/** Everything needed to open a tracer. */
export interface TracerRequest {
  readonly message: TracedMessage
  /** `tracerConfig` as given, or the options of the struct logger. */
  readonly config: TracerConfig
  readonly limits: TracerLimits
  /** State from which the engine's needs are answered. */
  readonly view: Pick<StateView, 'account' | 'code'>
  /** Receives the result: exactly one JSON value. */
  readonly writer: ChunkedJsonWriter
  /** Present if the tracer must add its items to an open list: any number of values. */
  readonly joined?: PagedList | undefined
}

/** Traces one transaction and writes one JSON value. */
export interface Tracer {
  readonly sink: TraceSink
  /** Writes the rest of the result after the transaction has run. No other call follows, except `close`. */
  finish(outcome: Executed): void
  /** Frees the tracer's resources. Called once, even if the run failed. */
  close?(): void
}
