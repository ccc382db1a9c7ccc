import type { Decision } from '../policy/decision.ts'
import { requireOwnTransaction } from '../protocol/agent.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import { type Authority, signingAuthority } from './authority.ts'
import { hexKey } from './body.ts'
import { decideAsked } from './decide.ts'
import { type Prepared, prepare, prepareReplacement } from './prepared-signature.ts'
import type { SignAnswer, Signed } from './signer-link.ts'
import type { Command, SignerParts } from './signer-parts.ts'
import type { StoredWallet } from './signer-store.ts'
import { walletOf } from './wallet-commands.ts'

/** Signs what a request asks for, where its signatures and the policies allow it. @throws WalletError */
export function sign(parts: SignerParts, command: Command): SignAnswer {
  const { appId, agent, requestId, read, now } = command
  const sent = read.name === 'replaceTransaction' ? parts.log.sent(appId, read.id) : undefined
  if (read.name === 'replaceTransaction' && agent !== undefined) {
    requireOwnTransaction(agent, read.id, sent?.walletId)
  }
  if (read.name === 'replaceTransaction' && sent === undefined) {
    throw new WalletError('not_found', `no transaction ${read.id} was signed in the last week`)
  }
  const stored = walletOf(parts.store, appId, sent?.walletId ?? read.id)
  const { wallet } = stored
  if (wallet.archived_at !== null) {
    throw new WalletError('wallet_archived', `the wallet ${wallet.id} is archived`)
  }
  const authority = signingAuthority(parts.store, read, wallet)
  const prepared =
    sent === undefined ? prepare(command, stored) : prepareReplacement(command, sent.encoded)
  const policyIds = authority.overridePolicyIds ?? wallet.policy_ids
  const decision = decideAsked(parts, command, stored, policyIds, prepared)
  if (!decision.allowed) {
    audit(parts, command, stored, authority, prepared, decision, undefined)
    const { reason, rules } = decision
    throw new WalletError('policy_violation', undefined, { reason, rules })
  }
  refuseOther(parts, command, authority, prepared)
  const owner = { walletId: wallet.id, address: stored.address }
  const signed = parts.vault.open(stored.key, owner, (secret) =>
    prepared.sign(secret, stored, parts.recovery),
  )
  const { slot, action, encoded } = prepared
  if (authority.payloadHash !== undefined && read.expiry !== undefined) {
    parts.log.addUsed(authority.payloadHash, read.expiry, slot)
  }
  parts.charges.charge(wallet.id, slot, Math.floor(now / 1000), decision.charges)
  if (action.method === 'eth_sendTransaction' && encoded !== undefined) {
    const name = sent === undefined ? requestId : read.id
    parts.log.putSent(appId, name, { walletId: wallet.id, encoded }, now)
  }
  audit(parts, command, stored, authority, prepared, decision, signed)
  return { signed, decision }
}

/** A signed request that expires signs one thing until then; the same again, for instance for a higher fee. */
function refuseOther(
  parts: SignerParts,
  { read }: Command,
  { payloadHash }: Authority,
  { slot }: Prepared,
): void {
  if (payloadHash === undefined || read.expiry === undefined) return
  const used = parts.log.used(payloadHash)
  if (used === undefined || used.action === slot) return
  throw new WalletError(
    'request_replayed',
    `the signed request was used for ${used.action}, and cannot be for ${slot}: sign one with another expiry`,
  )
}

function audit(
  parts: SignerParts,
  { appId, agent }: Command,
  { wallet }: StoredWallet,
  authority: Authority,
  { action, slot }: Prepared,
  decision: Decision,
  signed: Signed | undefined,
): void {
  const outcome = signed === undefined ? 'refused' : 'signed'
  parts.audit({
    kind: `wallet.${outcome}`,
    appId,
    subject: wallet.id,
    details: {
      method: action.method,
      slot,
      by: authority.by,
      ...(agent === undefined ? {} : { agent: agent.agentId }),
      quorum: authority.quorumId,
      ...(authority.payloadHash === undefined ? {} : { payload: hexKey(authority.payloadHash) }),
      ...(signed?.kind === 'transaction' ? { hash: signed.hash } : {}),
      reason: decision.reason,
    },
  })
}
