import type { Wallet } from '../protocol/wallet.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { Approvals, ReadRequest } from './authorized-request.ts'
import { agrees, keysOf, type QuorumMembers } from './quorum-members.ts'
import type { SignerParts } from './signer-parts.ts'
import type { SignerStore } from './signer-store.ts'

/** By whose word something is done. */
export interface Authority {
  /** `app`: nobody owns it, and the app's secret suffices. */
  readonly by: 'app' | 'owner' | 'signer'
  /** The quorum that has agreed; empty of an app. */
  readonly quorumId: string
  /** Policies of an additional signer in place of the wallet's; undefined where it has none of its own. */
  readonly overridePolicyIds: readonly string[] | undefined
  /** SHA-256 of what was signed; undefined where nothing had to be. */
  readonly payloadHash: Uint8Array | undefined
}

const BY_APP: Authority = {
  by: 'app',
  quorumId: '',
  overridePolicyIds: undefined,
  payloadHash: undefined,
}

/**
 * Who may change policies or what they bind: the owner, and the app alone if it has no owner and the service lets it.
 * @throws WalletError owner_required, or the code of what is missing
 */
export function controlAuthority(
  { store, policyChanges }: Pick<SignerParts, 'store' | 'policyChanges'>,
  read: ReadRequest,
  ownerId: string | null,
): Authority {
  if (ownerId === null && policyChanges === 'owner') {
    throw new WalletError(
      'owner_required',
      'it has no owner, and wallets.policy-changes = "owner" lets the app alone change no policy, owner or signer: ' +
        'make another one, with an owner',
    )
  }
  return ownerAuthority(store, read, ownerId)
}

/**
 * Who may change something: its owner alone. All signatures must be of members of the owning quorum, and as many
 * members as it asks for must be among them.
 * @throws WalletError with the code of what is missing
 */
export function ownerAuthority(
  store: SignerStore,
  read: ReadRequest,
  ownerId: string | null,
): Authority {
  if (ownerId === null) return BY_APP
  const members = membersById(store, ownerId)
  const approvals = approvalsFor(read, [members])
  if (!isAgreed(members, approvals)) throw refusal(approvals, [members])
  return authorityOf('owner', members, approvals)
}

/** Who may sign with a wallet: its owner, or one of its additional signers. @throws WalletError */
export function signingAuthority(
  store: SignerStore,
  read: ReadRequest,
  { owner_id: ownerId, additional_signers: signers }: Wallet,
): Authority {
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
    // An empty list would let a signer do all: it has no policies of its own, so the wallet's are its.
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
): Authority {
  return { by, quorumId: id, overridePolicyIds: undefined, payloadHash }
}

function membersById(store: SignerStore, id: string): QuorumMembers {
  const found = store.quorum(id)
  // Quorums stay while something refers to them: a missing one is a damaged database, and nobody's permission.
  if (found === undefined) throw new Error(`the key quorum ${id} is not in the database`)
  return found.members
}

/** @throws WalletError where the request is not signed at all */
function approvalsFor(read: ReadRequest, quorums: readonly QuorumMembers[]): Approvals {
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

/** Whether all who have signed are members, and enough of them have. */
function isAgreed(members: QuorumMembers, { keys, strangers }: Approvals): boolean {
  if (strangers > 0 || !agrees(members, keys)) return false
  const own = new Set(keysOf(members).map(({ publicKey }) => publicKey))
  return [...keys].every((key) => own.has(key))
}

function refusal({ keys, strangers }: Approvals, quorums: readonly QuorumMembers[]): WalletError {
  if (keys.size === 0) {
    return new WalletError(
      'zero_correct_authorization_signatures',
      'no signature of the request is of a key that may authorize it: what is signed is the canonical JSON of ' +
        'method, url, body and headers as they were sent',
    )
  }
  if (strangers > 0) {
    return new WalletError(
      'incorrect_quantity_of_authorization_signatures',
      `${strangers} of the signatures are not valid, or not of a key that may authorize it: send only those that are`,
    )
  }
  if (!quorums.some((members) => agrees(members, keys))) {
    const [{ threshold } = { threshold: 1 }] = quorums
    return new WalletError(
      'insufficient_correct_authorization_signatures',
      `${keys.size} of the keys that may authorize it have signed: ${threshold} have to`,
    )
  }
  return new WalletError(
    'incorrect_quantity_of_authorization_signatures',
    'the signatures are of several quorums: send those of one',
  )
}
