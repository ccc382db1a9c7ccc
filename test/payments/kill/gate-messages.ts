import type { Hex } from '../../../host/base/hex.ts'
import type { Binding } from '../../../host/payments/protocol/terms.ts'
import type { RemoteCall, RemoteReply } from '../../support/remote-calls.ts'

/** Messages from the test to a gate process: open its folder and listen, a response of the chain, a new block. */
export type ToGate =
  | {
      readonly kind: 'open'
      readonly folder: string
      /** URL of a database in place of the folder's. */
      readonly store?: string
      readonly binding: Binding
      /** Private key of the account that settles. */
      readonly settler: Hex
      readonly seed: number
    }
  | RemoteReply
  | { readonly kind: 'block' }

/**
 * Messages from a gate process to the test: its address, requests to the chain, a delivery on disk, an unexpected
 * error.
 */
export type FromGate =
  | { readonly kind: 'ready'; readonly url: string }
  | RemoteCall
  | { readonly kind: 'marked'; readonly proof: string }
  | { readonly kind: 'failure'; readonly text: string }
