import type { RuleFinding } from '../policy/decision.ts'
import type { Policy } from '../protocol/policy-shapes.ts'
import type { Wallet } from '../protocol/wallet.ts'

export interface AppOfPage {
  readonly id: string
  readonly name: string | null
}

/** What a wallet has of the native token of a chain. */
export interface BalanceOfPage {
  /** CAIP-2. */
  readonly caip2: string
  /** In whole tokens, with their symbol. */
  readonly text: string
}

/** What the signer has decided. Times are milliseconds since 1970. */
export interface NotedDecision {
  readonly at: number
  readonly appId: string
  readonly walletId: string
  readonly method: string
  readonly allowed: boolean
  readonly reason: string
  readonly rules: readonly RuleFinding[]
}

/** A request that too few of a quorum have signed, until it is shown with enough signatures or expires. */
export interface WaitingApproval {
  readonly since: number
  readonly until: number
  readonly appId: string
  /** `<METHOD> <path>`, and the method of `/rpc`. */
  readonly request: string
  /** How many have signed, and how many have to. */
  readonly missing: string
}

/** What the page reads. Whoever is on this machine sees it: no secret is in it. */
export interface WalletsSource {
  apps(): readonly AppOfPage[]
  /** At most `limit`; the newest. */
  wallets(appId: string, limit: number): Promise<readonly Wallet[]>
  policies(appId: string, limit: number): Promise<readonly Policy[]>
  /** Rejects where a chain does not answer. */
  balances(appId: string, walletId: string): Promise<readonly BalanceOfPage[]>
  /** The newest first. */
  decisions(): readonly NotedDecision[]
  waiting(): readonly WaitingApproval[]
}
