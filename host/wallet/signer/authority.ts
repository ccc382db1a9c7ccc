import type { ApiWallet } from '../protocol/wallet.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { Approvals, ParsedWalletRequest } from './authorized-request.ts'
import { agrees, keysOf, type QuorumMembers } from './quorum-members.ts'
import type { SignerParts } from './signer-parts.ts'
import type { SignerStore } from './signer-store.ts'

/** What authorized a request. */
export interface GrantedAuthority {
  /** `app`: there is no owner, and the app's secret suffices. */
  readonly by: 'app' | 'owner' | 'signer'
  /** The quorum that agreed. Empty for an app. */
  readonly quorumId: string
  /** Policies of an additional signer that replace the wallet's. Undefined if it has none. */
  readonly overridePolicyIds: readonly string[] | undefined
  /** SHA-256 of the signed payload. Undefined if no signature was needed. */
  readonly payloadHash: Uint8Array | undefined
}

const BY_APP: GrantedAuthority = {
  by: 'app',
  quorumId: '',
  overridePolicyIds: undefined,
  payloadHash: undefined,
}

/**
 * Verifies a change of policies, owners or signers: by the owner, or by the app if there is none and the service
 * allows it.
 * @throws WalletError owner_required, or the code for what is missing
 */
export function controlAuthority(
  { store, policyChanges }: Pick<SignerParts, 'store' | 'policyChanges'>,
  read: ParsedWalletRequest,
  ownerId: string | null,
): GrantedAuthority {
  if (ownerId === null && policyChanges === 'owner') {
    throw new WalletError(
      'owner_required',
      'it has no owner, and with wallets.policy-changes = "owner" the app alone cannot change policies, owners or signers: ' +
        'create another one with an owner',
    )
  }
  return ownerAuthority(store, read, ownerId)
}

/**
 * Verifies the owner's authorization. All signatures must be from members of the owning quorum, and as many members
 * as its threshold must have signed.
 * @throws WalletError with the code for what is missing
 */
export function ownerAuthority(
  store: SignerStore,
  read: ParsedWalletRequest,
  ownerId: string | null,
): GrantedAuthority {
  if (ownerId === null) return BY_APP
  const members = membersById(store, ownerId)
  const approvals = approvalsFor(read, [members])
  if (!isAgreed(members, approvals)) throw refusal(approvals, [members])
  return authorityOf('owner', members, approvals)
}

/** Verifies the authorization to sign with a wallet: by its owner or an additional signer. @throws WalletError */
export function signingAuthority(
  store: SignerStore,
  read: ParsedWalletRequest,
  { owner_id: ownerId, additional_signers: signers }: ApiWallet,
): GrantedAuthority {
  const unowned = ownerId === null
  if (unowned && (read.signatures === 0 || signers.length === 0)) return BY_APP
  const owner = unowned ? undefined : membersById(store, ownerId)
  const others = signers.map((signer) => ({
    members: membersById(store, signer.signer_id),
    policyIds: signer.override_policy_ids,
  }))
  const all = [...(owner === undefined ? [] : [owner]), ...others.map(({ members }) => members)]
  const approvals = approvalsFor(read, all)
  if (owner !== undefined && isAgreed(owner, approvals)) {
    return authorityOf('owner', owner, approvals)
  }
  for (const { members, policyIds } of others) {
    if (!isAgreed(members, approvals)) continue
    // An empty list means no policies of its own: the wallet's apply. Taken literally, it would allow everything.
    const overridePolicyIds = policyIds?.length === 0 ? undefined : policyIds
    return { ...authorityOf('signer', members, approvals), overridePolicyIds }
  }
  if (unowned) return BY_APP
  throw refusal(approvals, all)
}

function authorityOf(
  by: 'owner' | 'signer',
  { id }: QuorumMembers,
  { payloadHash }: Approvals,
): GrantedAuthority {
  return { by, quorumId: id, overridePolicyIds: undefined, payloadHash }
}

function membersById(store: SignerStore, id: string): QuorumMembers {
  const found = store.quorum(id)
  // A quorum stays while something refers to it. A missing one means a damaged database, which must not grant access.
  if (found === undefined) throw new Error(`the key quorum ${id} is not in the database`)
  return found.members
}

/** @throws WalletError if the request has no signatures */
function approvalsFor(read: ParsedWalletRequest, quorums: readonly QuorumMembers[]): Approvals {
  if (read.signatures === 0) {
    throw new WalletError(
      'missing_or_empty_authorization_header',
      `Missing \`${read.family}-authorization-signature\` header`,
    )
  }
  const keys = quorums.flatMap((members) => keysOf(members))
  return read.approvals(quorums.length === 1 ? keys : distinct(keys))
}

function distinct<T extends { readonly publicKey: string }>(keys: readonly T[]): readonly T[] {
  return [...new Map(keys.map((key) => [key.publicKey, key])).values()]
}

/** True if all signatures are from members, and enough members have signed. */
function isAgreed(
  members: QuorumMembers,
  { keys, unknownSignatures: strangers }: Approvals,
): boolean {
  if (strangers > 0 || !agrees(members, keys)) return false
  const own = new Set(keysOf(members).map(({ publicKey }) => publicKey))
  return [...keys].every((key) => own.has(key))
}

function refusal(
  { keys, unknownSignatures: strangers }: Approvals,
  quorums: readonly QuorumMembers[],
): WalletError {
  if (keys.size === 0) {
    return new WalletError(
      'zero_correct_authorization_signatures',
      'no signature of the request is from a key that may authorize it: the payload is the canonical JSON of ' +
        'method, url, body and headers as they were sent',
    )
  }
  if (strangers > 0) {
    return new WalletError(
      'incorrect_quantity_of_authorization_signatures',
      `${strangers} signatures are invalid, or not from a key that may authorize it: send only the others`,
    )
  }
  if (!quorums.some((members) => agrees(members, keys))) {
    const [{ threshold } = { threshold: 1 }] = quorums
    return new WalletError(
      'insufficient_correct_authorization_signatures',
      `${keys.size} of the keys that may authorize it have signed, but ${threshold} must`,
    )
  }
  return new WalletError(
    'incorrect_quantity_of_authorization_signatures',
    'the signatures are from several quorums: send those of one',
  )
}
