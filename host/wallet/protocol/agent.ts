import type { Route } from './route-table.ts'
import { WalletError } from './wallet-error.ts'

/** Ids of agents begin so, and those of apps do not. */
export const AGENT_PREFIX = 'agent_'

/** What an agent sends to prove who it is. */
export interface AgentProof {
  readonly id: string
  readonly secret: string
}

/** What the credentials of an agent are for. */
export interface AgentIdentity {
  readonly appId: string
  readonly walletId: string
}

/**
 * Refuses what the credentials of an agent do not reach: every route but a few, and every wallet but one. Whether a
 * transaction is one of its wallet is for who knows the transaction.
 * @throws WalletError agent_forbidden
 */
export function requireReach(
  { walletId }: AgentIdentity,
  route: Route,
  ids: Readonly<Record<string, string>>,
): void {
  if (route.agents !== true) {
    throw new WalletError(
      'agent_forbidden',
      `the credentials of an agent do not reach ${route.method} ${route.path}: they are for reading the wallet ` +
        `${walletId} and its transactions, and for POST /v1/wallets/${walletId}/rpc`,
    )
  }
  const { wallet_id: named } = ids
  if (named === undefined || named === walletId) return
  throw new WalletError(
    'agent_forbidden',
    `the credentials of the agent are for the wallet ${walletId}, and for no other`,
  )
}

/** @throws WalletError agent_forbidden, the same whether another wallet has sent the transaction or none */
export function requireOwnTransaction(
  { walletId }: AgentIdentity,
  transactionId: string,
  sentBy: string | undefined,
): void {
  if (sentBy === walletId) return
  throw new WalletError(
    'agent_forbidden',
    `the credentials of the agent are for the wallet ${walletId}, and ${transactionId} is none of its transactions`,
  )
}
