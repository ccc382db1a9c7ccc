import type { WalletRoute } from './route-table.ts'
import { WalletError } from './wallet-error.ts'

/** Prefix of agent ids. Ids of apps never have it. */
export const AGENT_PREFIX = 'agent_'

/** Credentials of an agent. */
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
 * Rejects routes that agents cannot use and wallets other than the agent's own. Transactions are checked by
 * `requireOwnTransaction`.
 * @throws WalletError agent_forbidden
 */
export function requireReach(
  { walletId }: AgentIdentity,
  route: WalletRoute,
  ids: Readonly<Record<string, string>>,
): void {
  if (route.agents !== true) {
    throw new WalletError(
      'agent_forbidden',
      `the credentials of an agent do not allow ${route.method} ${route.path}: they are for reading the wallet ` +
        `${walletId} and its transactions, and for POST /v1/wallets/${walletId}/rpc`,
    )
  }
  const { wallet_id: named } = ids
  if (named === undefined || named === walletId) return
  throw new WalletError(
    'agent_forbidden',
    `the credentials of the agent are for the wallet ${walletId} only`,
  )
}

/** @throws WalletError agent_forbidden; the same if the transaction belongs to another wallet or does not exist */
export function requireOwnTransaction(
  { walletId }: AgentIdentity,
  transactionId: string,
  sentBy: string | undefined,
): void {
  if (sentBy === walletId) return
  throw new WalletError(
    'agent_forbidden',
    `the credentials of the agent are for the wallet ${walletId}, and ${transactionId} is not one of its transactions`,
  )
}
