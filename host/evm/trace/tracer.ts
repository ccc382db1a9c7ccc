import { LockstepError } from '../../base/error.ts'
import { lookup } from '../../base/lookup.ts'
import type { BlockEnv, TransactionInput } from '../engine/message.ts'
import type { Executed } from '../engine/outcome.ts'
import type { TraceSink } from '../engine/trace-event.ts'
import type { StateView } from '../state/view.ts'
import type { JoinedList } from './joined-list.ts'
import type { JsonWriter } from './json-writer.ts'

/** `tracerConfig` as the caller wrote it. */
export type TracerConfig = Readonly<Record<string, unknown>>

/**
 * A switch of a tracer; absent and null are false.
 * @throws INVALID_ARGUMENT where it is no boolean.
 */
export function readFlag(config: TracerConfig, name: string): boolean {
  const value = lookup(config, name) ?? false
  if (typeof value === 'boolean') return value
  const kind = Array.isArray(value) ? 'array' : typeof value
  throw new LockstepError('INVALID_ARGUMENT', `${name}: want a boolean, got ${kind}`)
}

/** The transaction or call under a tracer, and its position in a block. */
export interface TracedMessage {
  readonly input: TransactionInput
  readonly env: BlockEnv
  /** Wei that the sender pays for a unit of gas. */
  readonly gasPrice: bigint
  /** Logs of the block's transactions before this one; 0 by default. */
  readonly firstLogIndex?: number
  /** Absent for a simulated call. */
  readonly position?: {
    readonly blockHash: Uint8Array
    readonly index: number
    readonly transactionHash: Uint8Array
  }
}

/** The limits of a tracer, from the node's configuration. */
export interface TracerLimits {
  /** Bytes that the struct logger writes about one transaction. */
  readonly structLogBytes: number
  /** Bytes of calls and logs that are kept of one transaction until it ends; any number when absent. */
  readonly keptBytes?: number
  /** Bytes that a script and its values may take; the sandbox's own limit when absent. */
  readonly scriptBytes?: number
}

/** All that a tracer is opened with. */
export interface TracerRequest {
  readonly message: TracedMessage
  /** `tracerConfig` as the caller wrote it, or the options of the struct logger. */
  readonly config: TracerConfig
  readonly limits: TracerLimits
  /** The state that the engine's needs are answered from. */
  readonly view: Pick<StateView, 'account' | 'code'>
  /** Takes the result: exactly one JSON value. */
  readonly writer: JsonWriter
  /** Present where the items of a list are asked for, to go into one that is open: any number of values. */
  readonly joined?: JoinedList | undefined
}

/** Watches one transaction and writes one JSON value about it. */
export interface Tracer {
  readonly sink: TraceSink
  /** Writes the rest of the result once the transaction has run. Nothing follows it. */
  finish(outcome: Executed): void
  /** Frees what the tracer holds; called once, also where the run broke off. */
  close?(): void
}
