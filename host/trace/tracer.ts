import type { BlockEnv, TransactionInput } from '../engine/message.ts'
import type { Outcome } from '../engine/outcome.ts'
import type { TraceSink } from '../engine/trace-event.ts'
import type { JsonWriter } from './json-writer.ts'

/** The transaction or call under a tracer, and where it stands. */
export interface TracedMessage {
  readonly input: TransactionInput
  readonly env: BlockEnv
  /** Wei a unit of gas that the sender pays. */
  readonly gasPrice: bigint
  /** Absent for a simulated call. */
  readonly position?: {
    readonly blockHash: Uint8Array
    readonly index: number
    readonly transactionHash: Uint8Array
  }
}

/** What a tracer is opened with. */
export interface TracerRequest {
  readonly message: TracedMessage
  /** `tracerConfig` as the caller wrote it, or the options of the struct logger. */
  readonly config: Readonly<Record<string, unknown>>
  /** Takes the result: exactly one JSON value. */
  readonly writer: JsonWriter
}

/** Watches one transaction and writes one JSON value about it. */
export interface Tracer {
  readonly sink: TraceSink
  /**
   * The transaction has ended (also by being refused before it ran): writes what is not written yet.
   * Nothing follows it.
   */
  finish(outcome: Outcome): void
  /** Frees what the tracer holds; called once, also where the run broke off. */
  close?(): void
}
