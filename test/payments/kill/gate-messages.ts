import type { Hex } from '../../../host/base/hex.ts'
import type { Binding } from '../../../host/payments/protocol/terms.ts'
import type { RemoteCall, RemoteReply } from '../../support/remote-calls.ts'

/** What the test tells a process with a gate: to open its folder and listen, what the chain says, that it has a block. */
export type ToGate =
  | {
      readonly kind: 'open'
      readonly folder: string
      readonly binding: Binding
      /** Private key of the account that settles. */
      readonly settler: Hex
      readonly seed: number
    }
  | RemoteReply
  | { readonly kind: 'block' }

/** What it tells the test: where it listens, what it asks the chain, that a delivery is on the disk, what it meets. */
export type FromGate =
  | { readonly kind: 'ready'; readonly url: string }
  | RemoteCall
  | { readonly kind: 'marked'; readonly proof: string }
  | { readonly kind: 'failure'; readonly text: string }
