import type { PlainError } from '../../base/plain-error.ts'
import type { Argument, Calls, Chunk, SessionParts } from './bundle-runner.ts'
import type { BundleStateRead } from './edit/state-read.ts'

/** Number of a call, contained in all its messages in both directions. Numbers increase and are never reused. */
export type CallNumber = number

type NamedCall = { [Name in keyof Calls]: { name: Name; argument: Argument<Name> } }[keyof Calls]

/** Messages from the page to its worker. */
export type ToBundleWorker =
  /** The first message. */
  | { readonly kind: 'begin'; readonly parts: SessionParts }
  | {
      readonly kind: 'call'
      readonly id: CallNumber
      readonly call: NamedCall
      /** The page answers the reads of this call. */
      readonly hasSource: boolean
      readonly hasProgress: boolean
    }
  | { readonly kind: 'abort'; readonly id: CallNumber; readonly reason: PlainError }
  /** A chunk was read: another may come. */
  | { readonly kind: 'taken'; readonly id: CallNumber }
  /** The answer to read number `read` of the call. */
  | {
      readonly kind: 'answer'
      readonly id: CallNumber
      readonly read: number
      readonly value: Uint8Array | undefined
      readonly error?: PlainError
    }

/** Messages from a worker to its page. */
export type FromBundleWorker =
  | { readonly kind: 'done'; readonly id: CallNumber; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: CallNumber; readonly error: PlainError }
  | { readonly kind: 'chunk'; readonly id: CallNumber; readonly chunk: Chunk }
  | { readonly kind: 'progress'; readonly id: CallNumber; readonly step: number }
  | {
      readonly kind: 'read'
      readonly id: CallNumber
      readonly read: number
      readonly what: BundleStateRead
    }

/** Number of unread chunks at which a call waits. A few more may follow before it can. */
export const UNREAD_CHUNKS = 4
