import type { PaymentChain } from '../chain/payment-chain.ts'
import type { PaymentTimes } from '../protocol/payment-times.ts'
import type { Binding } from '../protocol/terms.ts'
import type { GasNotice } from '../settle/gas-reserve.ts'

/** Payee, token, chain and conditions of payments. */
export interface PaymentOptions {
  /** JSON-RPC URL of a node of the chain. */
  readonly chain: string | PaymentChain
  /** Token contract, as 0x-hex. Decimals and name are read from it. */
  readonly asset: string
  /** Account that receives payments, as 0x-hex. */
  readonly payTo: string
  /**
   * Claims folder, created if missing. All servers that share it accept each payment once. It also holds the ledger
   * (`lockstep payments list`). Required without `store`; with it, the folder logs deliveries only.
   */
  readonly folder?: string
  /**
   * URL of a PostgreSQL database, such as postgres://user:password@host/database, in place of the folder. All servers
   * that share it accept each payment once, on any number of machines. Needs the package `pg`.
   */
  readonly store?: string
  /** What a payment must prove besides having been made. Default: bearer. */
  readonly binding?: Binding
  /** Settles EIP-3009 authorizations. Without it they are refused and only transfers are accepted. */
  readonly settlement?: SettlementOptions
  /** Public URL of the server, such as https://api.example.com. Required unless all clients are on this machine. */
  readonly publicUrl?: string
  /** Network name in x402 v1. Default: the published name for the chain id. */
  readonly network?: string
  /** Seconds after a challenge by which its payment must be on chain. Default: 300. */
  readonly maxTimeoutSeconds?: number
  readonly times?: Partial<PaymentTimes>
  /** Failed attempts to serve that one payment allows. Default: 3. */
  readonly maxAttempts?: number
  /**
   * Maximum body of a paid request, in bytes. The body is read before a handler runs: an unserved payment is valid
   * only for the same body. Default: 1 MiB.
   */
  readonly maxBodyBytes?: number
  /** False if the server handles CORS itself. Default: pages of any origin may pay. */
  readonly cors?: boolean
  /**
   * Called while the account of `settlement.key` pays for less than 1,000 settlements, and again each time that half is
   * left. Default: console.warn.
   */
  readonly onLowGas?: (notice: GasNotice) => void
  /** Receives errors of the chain, the settlement and the disk. Default: console.error. */
  readonly onFailure?: (error: unknown) => void
}

/**
 * Settles with an own key, whose account pays the gas, or through a facilitator at a URL. `token` is sent to the
 * facilitator as `Authorization: Bearer`.
 */
export type SettlementOptions =
  | { readonly key: string }
  | { readonly facilitator: string; readonly token?: string }
