import type { Decision, OpenPart } from '../policy/decision.ts'
import { withoutTried } from '../policy/evaluate-policy.ts'
import { requireOwnTransaction } from '../protocol/agent.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import { type Authority, signingAuthority } from './authority.ts'
import { hexKey } from './body.ts'
import { decideForCaller } from './decide.ts'
import { openFilling, type Prepared, prepare, prepareReplacement } from './prepared-signature.ts'
import type { SentTransaction } from './request-log.ts'
import type { KnownTransaction, SignAnswer, Signed } from './signer-link.ts'
import type { Command, SignerParts } from './signer-parts.ts'
import type { StoredWallet } from './signer-store.ts'
import { walletOf } from './wallet-commands.ts'

/** What a request asks a signature of, and who has agreed to it. */
interface AskedSignature {
  readonly stored: StoredWallet
  readonly authority: Authority
  /** The transaction that a replacement is of. */
  readonly sent: SentTransaction | undefined
}

/** @throws WalletError not_found, wallet_archived, and those of who has not agreed */
function readAsked(parts: SignerParts, { appId, agent, read }: Command): AskedSignature {
  const sent = read.name === 'replaceTransaction' ? parts.log.sent(appId, read.id) : undefined
  if (read.name === 'replaceTransaction' && agent !== undefined) {
    requireOwnTransaction(agent, read.id, sent?.walletId)
  }
  if (read.name === 'replaceTransaction' && sent === undefined) {
    throw new WalletError('not_found', `no transaction ${read.id} was signed in the last week`)
  }
  const stored = walletOf(parts.store, appId, sent?.walletId ?? read.id)
  const authority = signingAuthority(parts.store, read, stored.wallet)
  return { stored, authority, sent }
}

/** Who has agreed to a signature. @throws WalletError */
export function signatureAuthority(parts: SignerParts, command: Command): Authority {
  return readAsked(parts, command).authority
}

/** What is to be signed, and what the policies say of it; a denial is written into the audit log. */
function decideAsked(parts: SignerParts, command: Command, asked: AskedSignature) {
  const { stored, authority, sent } = asked
  const { wallet } = stored
  if (wallet.archived_at !== null) {
    throw new WalletError('wallet_archived', `the wallet ${wallet.id} is archived`)
  }
  const made =
    sent === undefined ? prepare(command, stored) : prepareReplacement(command, sent.encoded)
  // What has no nonce yet takes the place of nothing that was signed.
  const isOpen = command.open?.parts.has('nonce') === true
  const prepared = isOpen ? { ...made, slot: made.slot.replace(/\d+$/, 'open') } : made
  const policyIds = authority.overridePolicyIds ?? wallet.policy_ids
  const decision = decideForCaller(parts, command, stored, policyIds, prepared)
  if (!decision.allowed && decision.dependsOn === undefined) {
    audit(parts, command, stored, authority, prepared, decision, undefined)
    const { reason, rules } = decision
    // Rules that allow it may be among them.
    throw new WalletError('policy_violation', undefined, { reason, rules: rules.map(withoutTried) })
  }
  return { prepared, decision }
}

/**
 * Judges what would be signed, before the chain is asked about it: who is denied then learns nothing of the chain.
 * @param known of what the request leaves open
 * @returns what the decision depends on and is not known
 * @throws WalletError as `sign`
 */
export function foresee(
  parts: SignerParts,
  command: Command,
  { isLast = false, ...known }: KnownTransaction,
): readonly OpenPart[] {
  const asked = readAsked(parts, command)
  const { filled, open } = openFilling(command.read, known, asked.sent?.encoded)
  const judged = { ...command, filled, open: { parts: new Set(open), isLast } }
  return decideAsked(parts, judged, asked).decision.dependsOn ?? []
}

/** Signs what a request asks for, where its signatures and the policies allow it. @throws WalletError */
export function sign(parts: SignerParts, command: Command): SignAnswer {
  const { appId, requestId, read, now } = command
  const asked = readAsked(parts, command)
  const { prepared, decision } = decideAsked(parts, command, asked)
  const { stored, authority, sent } = asked
  const { wallet } = stored
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
