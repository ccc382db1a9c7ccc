import type { ApiKeyQuorum } from '../protocol/wallet.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import { type GrantedAuthority, ownerAuthority } from './authority.ts'
import {
  type Body,
  invalidBody,
  readArrayMember,
  readIntegerMember,
  readObjectMember,
  readOptionalText,
  readTextMember,
  readTextsMember,
} from './body.ts'
import { freshId } from './fresh-id.ts'
import { pageAnswer, readPage } from './page.ts'
import { readMemberKey } from './quorum-members.ts'
import type { Command, SignerParts } from './signer-parts.ts'
import type { SignerStore, StoredQuorum } from './signer-store.ts'

/** Each signature may have to be tried with every member. */
const MOST_MEMBERS = 10

type Members = Pick<
  ApiKeyQuorum,
  'authorization_keys' | 'key_quorum_ids' | 'authorization_threshold'
>

/** Returns a quorum of the app. A quorum of another app is reported as missing. @throws WalletError not_found */
export function quorumOf(store: SignerStore, appId: string, id: string): StoredQuorum {
  const found = store.quorum(id)
  if (found?.appId !== appId) {
    throw new WalletError('not_found', `there is no key quorum ${id}`)
  }
  return found
}

export function createQuorum(parts: SignerParts, { appId, read, now }: Command): ApiKeyQuorum {
  const quorum: ApiKeyQuorum = {
    id: freshId(),
    display_name: readOptionalText(read.body.display_name, 'display_name'),
    ...readMembers(parts.store, appId, read.body, undefined),
    created_at: now,
  }
  parts.store.putQuorum(appId, quorum)
  parts.audit({ kind: 'key_quorum.created', appId, subject: quorum.id, details: { quorum } })
  return quorum
}

export function getQuorum(parts: SignerParts, { appId, read }: Command): ApiKeyQuorum {
  return quorumOf(parts.store, appId, read.id).quorum
}

export function listQuorums(parts: SignerParts, { appId, read }: Command): unknown {
  const page = readPage(read.query)
  return pageAnswer(parts.store.listQuorums(appId, { ...page, limit: page.limit + 1 }), page.limit)
}

/** A quorum's own members must authorize its changes. */
export function quorumAuthority(parts: SignerParts, { appId, read }: Command): GrantedAuthority {
  const { quorum } = quorumOf(parts.store, appId, read.id)
  return ownerAuthority(parts.store, read, quorum.id)
}

export function updateQuorum(parts: SignerParts, { appId, read }: Command): ApiKeyQuorum {
  const { quorum } = quorumOf(parts.store, appId, read.id)
  const { body } = read
  const updated: ApiKeyQuorum = {
    ...quorum,
    ...(body.display_name === undefined
      ? {}
      : { display_name: readOptionalText(body.display_name, 'display_name') }),
    ...readMembers(parts.store, appId, body, quorum),
  }
  if (updated.key_quorum_ids.length > 0 && isNested(parts.store, quorum.id)) {
    throw invalidBody('the quorum is nested in another one: it cannot have quorums itself')
  }
  parts.store.putQuorum(appId, updated)
  parts.audit({
    kind: 'key_quorum.updated',
    appId,
    subject: quorum.id,
    details: { before: quorum, after: updated },
  })
  return updated
}

export function deleteQuorum(parts: SignerParts, { appId, read }: Command): unknown {
  const { quorum } = quorumOf(parts.store, appId, read.id)
  const user = parts.store.userOf(quorum.id)
  if (user !== undefined) {
    throw new WalletError('in_use', `the key quorum ${quorum.id} is still in use by ${user}`)
  }
  parts.store.deleteQuorum(quorum.id)
  parts.audit({ kind: 'key_quorum.deleted', appId, subject: quorum.id, details: {} })
  return { success: true }
}

function isNested(store: SignerStore, id: string): boolean {
  const user = store.userOf(id)
  return user !== undefined && store.quorum(user) !== undefined
}

function readMembers(
  store: SignerStore,
  appId: string,
  body: Body,
  before: Members | undefined,
): Members {
  if (body.user_ids !== undefined && body.user_ids !== null) {
    const users = readArrayMember(body.user_ids, 'user_ids', 1)
    if (users.length > 0)
      throw invalidBody('user_ids: not supported, members are public keys and other quorums')
  }
  const keys =
    body.public_keys === undefined
      ? (before?.authorization_keys ?? [])
      : readTextsMember(body.public_keys, 'public_keys', MOST_MEMBERS).map((text) => ({
          public_key: readMemberKey(text).publicKey,
          display_name: null,
        }))
  if (new Set(keys.map(({ public_key }) => public_key)).size < keys.length) {
    throw invalidBody('public_keys has a duplicate')
  }
  const nested =
    body.key_quorum_ids === undefined
      ? (before?.key_quorum_ids ?? [])
      : readTextsMember(body.key_quorum_ids, 'key_quorum_ids', MOST_MEMBERS)
  for (const id of nested) {
    const { quorum } = quorumOf(store, appId, id)
    if (quorum.key_quorum_ids.length > 0) {
      throw invalidBody(
        `key_quorum_ids: ${id} has nested quorums itself, but only one level is allowed`,
      )
    }
  }
  const size = keys.length + nested.length
  if (size === 0) throw invalidBody('a key quorum needs members: give public_keys')
  return {
    authorization_keys: keys,
    key_quorum_ids: nested,
    authorization_threshold: readThreshold(body, before, size),
  }
}

/** Returns the threshold. Default: all members, since requiring too many signatures is safe. */
function readThreshold(body: Body, before: Members | undefined, size: number): number {
  const asked = body.authorization_threshold ?? undefined
  const threshold =
    asked === undefined
      ? (before?.authorization_threshold ?? size)
      : Number(readIntegerMember(asked, 'authorization_threshold', 32))
  if (threshold < 1 || threshold > size) {
    throw invalidBody(`authorization_threshold is ${threshold}, but the quorum has ${size} members`)
  }
  return threshold
}

/** The owner in a body, and the quorum to create if the owner is a key. */
export interface AskedOwner {
  readonly ownerId: string | null
  readonly made: ApiKeyQuorum | undefined
}

/** @returns undefined if the body does not mention an owner */
export function readOwner(
  store: SignerStore,
  appId: string,
  body: Body,
  now: number,
): AskedOwner | undefined {
  const { owner, owner_id: id } = body
  if (owner !== undefined && owner !== null && id !== undefined && id !== null) {
    throw invalidBody('owner and owner_id are both given: give one')
  }
  if (owner !== undefined && owner !== null) {
    const { public_key: key, ...rest } = readObjectMember(owner, 'owner')
    if (Object.keys(rest).length > 0 || key === undefined) {
      throw invalidBody('owner: give { "public_key": ... }, base64 of SPKI DER')
    }
    const { publicKey } = readMemberKey(readTextMember(key, 'owner.public_key', 4096))
    const made: ApiKeyQuorum = {
      id: freshId(),
      display_name: null,
      authorization_threshold: 1,
      authorization_keys: [{ public_key: publicKey, display_name: null }],
      key_quorum_ids: [],
      created_at: now,
    }
    return { ownerId: made.id, made }
  }
  if (id !== undefined && id !== null) {
    return {
      ownerId: quorumOf(store, appId, readTextMember(id, 'owner_id')).quorum.id,
      made: undefined,
    }
  }
  return owner === undefined && id === undefined ? undefined : { ownerId: null, made: undefined }
}
