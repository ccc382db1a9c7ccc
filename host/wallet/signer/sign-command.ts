import { hexDigits } from '../../base/hex.ts'
import type { Decision, OpenPart } from '../policy/decision.ts'
import { withoutSimulated } from '../policy/evaluate-policy.ts'
import { requireOwnTransaction } from '../protocol/agent.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import { type GrantedAuthority, signingAuthority } from './authority.ts'
import { decideForCaller } from './decide.ts'
import { openFilling, type Prepared, prepare, prepareReplacement } from './prepared-signature.ts'
import type { LoggedTransaction } from './request-log.ts'
import type { KnownTransaction, SignAnswer, Signed } from './signer-link.ts'
import type { Command, SignerParts } from './signer-parts.ts'
import type { StoredWallet } from './signer-store.ts'
import { requireWalletOf } from './wallet-commands.ts'

/** A request for a signature, and its authority. */
interface SignatureRequest {
  readonly stored: StoredWallet
  readonly authority: GrantedAuthority
  /** The transaction to replace. */
  readonly sent: LoggedTransaction | undefined
}

/** @throws WalletError not_found, wallet_archived, and the codes for missing authorization */
function readAsked(parts: SignerParts, { appId, agent, read }: Command): SignatureRequest {
  const sent = read.name === 'replaceTransaction' ? parts.log.sent(appId, read.id) : undefined
  if (read.name === 'replaceTransaction' && agent !== undefined) {
    requireOwnTransaction(agent, read.id, sent?.walletId)
  }
  if (read.name === 'replaceTransaction' && sent === undefined) {
    throw new WalletError('not_found', `no transaction ${read.id} was signed in the last week`)
  }
  const stored = requireWalletOf(parts.store, appId, sent?.walletId ?? read.id)
  const authority = signingAuthority(parts.store, read, stored.wallet)
  return { stored, authority, sent }
}

/** Returns the authority of a request for a signature. @throws WalletError */
export function signatureAuthority(parts: SignerParts, command: Command): GrantedAuthority {
  return readAsked(parts, command).authority
}

/** Prepares a signature and evaluates the policies for it. Writes a denial to the audit log. */
function decideAsked(parts: SignerParts, command: Command, asked: SignatureRequest) {
  const { stored, authority, sent } = asked
  const { wallet } = stored
  if (wallet.archived_at !== null) {
    throw new WalletError('wallet_archived', `the wallet ${wallet.id} is archived`)
  }
  const made =
    sent === undefined ? prepare(command, stored) : prepareReplacement(command, sent.encoded)
  // Without a nonce it cannot replace a signed transaction.
  const isOpen = command.open?.parts.has('nonce') === true
  const prepared = isOpen ? { ...made, slot: made.slot.replace(/\d+$/, 'open') } : made
  const policyIds = authority.overridePolicyIds ?? wallet.policy_ids
  const decision = decideForCaller(parts, command, stored, policyIds, prepared)
  if (!decision.allowed && decision.dependsOn === undefined) {
    audit(parts, command, stored, authority, prepared, decision, undefined)
    const { reason, rules } = decision
    // Rules that allow it may be among them.
    throw new WalletError('policy_violation', undefined, {
      reason,
      rules: rules.map(withoutSimulated),
    })
  }
  return { prepared, decision }
}

/**
 * Evaluates a request before the chain is asked about it, so that a denied caller learns nothing about the chain.
 * @param known values for fields that the request leaves open
 * @returns the unknown parts that the decision depends on
 * @throws WalletError as `sign`
 */
export function precheckSignature(
  parts: SignerParts,
  command: Command,
  { isLast = false, ...known }: KnownTransaction,
): readonly OpenPart[] {
  const asked = readAsked(parts, command)
  const { filled, open } = openFilling(command.read, known, asked.sent?.encoded)
  const judged = { ...command, filled, open: { parts: new Set(open), isLast } }
  return decideAsked(parts, judged, asked).decision.dependsOn ?? []
}

/** Signs what a request asks for, if it is authorized and the policies allow it. @throws WalletError */
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

/**
 * Throws if a signed request with an expiry was used for something else. Signing the same slot again, as for a higher
 * fee, is allowed.
 */
function refuseOther(
  parts: SignerParts,
  { read }: Command,
  { payloadHash }: GrantedAuthority,
  { slot }: Prepared,
): void {
  if (payloadHash === undefined || read.expiry === undefined) return
  const used = parts.log.used(payloadHash)
  if (used === undefined || used.action === slot) return
  throw new WalletError(
    'request_replayed',
    `the signed request was used for ${used.action}, and cannot be used for ${slot}: sign one with another expiry`,
  )
}

function audit(
  parts: SignerParts,
  { appId, agent }: Command,
  { wallet }: StoredWallet,
  authority: GrantedAuthority,
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
      ...(authority.payloadHash === undefined ? {} : { payload: hexDigits(authority.payloadHash) }),
      ...(signed?.kind === 'transaction' ? { hash: signed.hash } : {}),
      reason: decision.reason,
    },
  })
}
