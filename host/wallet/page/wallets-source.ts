import type { RuleFinding } from '../policy/decision.ts'
import type { ApiPolicy } from '../protocol/policy-shapes.ts'
import type { ApiWallet } from '../protocol/wallet.ts'

export interface AppOfPage {
  readonly id: string
  readonly name: string | null
}

/** A wallet's balance of the native token on one chain. */
export interface BalanceOfPage {
  /** CAIP-2. */
  readonly caip2: string
  /** Whole tokens with their symbol. */
  readonly text: string
}

/** A decision of the signer. Times are milliseconds since 1970. */
export interface RecordedDecision {
  readonly at: number
  readonly appId: string
  readonly walletId: string
  readonly method: string
  readonly allowed: boolean
  readonly reason: string
  readonly rules: readonly RuleFinding[]
}

/** A request with too few signatures of a quorum. Listed until it has enough or expires. */
export interface WaitingApproval {
  readonly since: number
  readonly until: number
  readonly appId: string
  /** `<METHOD> <path>`, followed by the RPC method for `/rpc`. */
  readonly request: string
  /** How many have signed, and how many must. */
  readonly missing: string
}

/** Data of the wallets page. Contains no secrets: everyone on this machine can read it. */
export interface WalletsSource {
  apps(): readonly AppOfPage[]
  /** Returns the latest wallets, at most `limit`. */
  wallets(appId: string, limit: number): Promise<readonly ApiWallet[]>
  policies(appId: string, limit: number): Promise<readonly ApiPolicy[]>
  /** Rejects if a chain does not answer. */
  balances(appId: string, walletId: string): Promise<readonly BalanceOfPage[]>
  /** Latest first. */
  decisions(): readonly RecordedDecision[]
  waiting(): readonly WaitingApproval[]
}
