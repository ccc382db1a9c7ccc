import type { PaymentChain } from '../chain/payment-chain.ts'
import type { PaymentTimes } from '../protocol/payment-times.ts'
import type { Binding } from '../protocol/terms.ts'

/** Who is paid, in what, on which chain. */
export interface PaymentOptions {
  /** JSON-RPC URL of a node of the chain. */
  readonly chain: string | PaymentChain
  /** Contract of the token, as 0x-hex; its decimals and its name are read from it. */
  readonly asset: string
  /** Account that is paid, as 0x-hex. */
  readonly payTo: string
  /**
   * Folder of the claims, which is made where it is missing: payments are accepted once by all that use it. It holds
   * the ledger (`lockstep payments list`).
   */
  readonly folder: string
  /** What a payment must prove beside that it was made. Default: bearer. */
  readonly binding?: Binding
  /** Carries out authorizations of EIP-3009. Without it they are refused, and transfers alone are taken. */
  readonly settlement?: SettlementOptions
  /** How clients reach the server, such as https://api.example.com. Needed beyond this machine. */
  readonly publicUrl?: string
  /** Name of the network in x402 v1. Default: the published one of the chain id. */
  readonly network?: string
  /** Seconds from a challenge within which the chain must have its payment. Default: 300. */
  readonly maxTimeoutSeconds?: number
  readonly times?: Partial<PaymentTimes>
  /** Failed attempts to serve it that a payment buys. Default: 3. */
  readonly maxAttempts?: number
  /**
   * Longest body of a request that is paid for: it is read before a handler runs, since a payment that was not served is
   * good for the same body alone. Default: 1 MiB.
   */
  readonly maxBodyBytes?: number
  /** False where the server itself says which origins' pages may pay. Default: pages of any origin. */
  readonly cors?: boolean
  /** Hears of what the chain, the settlement or the disk has thrown. Default: console.error. */
  readonly onFailure?: (error: unknown) => void
}

/**
 * With a key of one's own, whose account pays the gas, or by the facilitator of somebody else at a URL, to which `token`
 * is shown (`Authorization: Bearer`) if there is one.
 */
export type SettlementOptions =
  | { readonly key: string }
  | { readonly facilitator: string; readonly token?: string }
