import { randomBytes } from 'node:crypto'
import { formatData, type Hex } from '../../base/hex.ts'
import { checksumText } from '../../evm/chain-types/account-key.ts'
import type { ApiAdditionalSigner, ApiKeyQuorum, ApiWallet } from '../protocol/wallet.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import { controlAuthority, type GrantedAuthority, ownerAuthority } from './authority.ts'
import {
  type Body,
  invalidBody,
  readAddress,
  readArrayMember,
  readIntegerMember,
  readObjectMember,
  readOptionalText,
  readTextMember,
  readTextsMember,
} from './body.ts'
import { freshId } from './fresh-id.ts'
import { addressOfSecret, publicKeyOf } from './key-signer.ts'
import { pageAnswer, readPage } from './page.ts'
import { policyOf } from './policy-commands.ts'
import { quorumOf, readOwner } from './quorum-commands.ts'
import type { Command, SignerParts } from './signer-parts.ts'
import type { SignerStore, StoredWallet } from './signer-store.ts'

const MOST_POLICIES = 20
const MOST_SIGNERS = 10
const MOST_MADE = 100

/** Returns a wallet of the app. A wallet of another app is reported as missing. @throws WalletError not_found */
export function requireWalletOf(store: SignerStore, appId: string, id: string): StoredWallet {
  const found = store.wallet(id)
  if (found?.appId !== appId) throw new WalletError('not_found', `there is no wallet ${id}`)
  return found
}

/** A wallet as requested, before it has a key. */
export interface AskedWallet {
  readonly wallet: Pick<
    ApiWallet,
    'policy_ids' | 'owner_id' | 'additional_signers' | 'display_name' | 'external_id'
  >
  readonly made: ApiKeyQuorum | undefined
}

/** @throws WalletError if it refers to something missing, or if the external id is taken */
export function readWallet(
  store: SignerStore,
  appId: string,
  body: Body,
  now: number,
): AskedWallet {
  const owner = readRegistered(store, appId, body, now) ?? readOwner(store, appId, body, now)
  return {
    wallet: {
      policy_ids: readPolicyIds(store, appId, body.policy_ids ?? [], 'policy_ids'),
      owner_id: owner?.ownerId ?? null,
      additional_signers: readSigners(store, appId, body.additional_signers ?? []),
      display_name: readOptionalText(body.display_name, 'display_name'),
      external_id: readExternalId(store, appId, body.external_id, undefined),
    },
    made: owner?.made,
  }
}

export function createWallet(parts: SignerParts, { appId, read, now }: Command): ApiWallet {
  return makeWallet(parts, appId, read.body, now)
}

/** Each of them succeeds or fails independently. */
export function createWallets(parts: SignerParts, { appId, read, now }: Command): unknown {
  const results = readArrayMember(read.body.wallets, 'wallets', MOST_MADE).map((entry, index) => {
    try {
      const wallet = makeWallet(parts, appId, readObjectMember(entry, `wallets[${index}]`), now)
      return { index, success: true, wallet }
    } catch (error) {
      if (!(error instanceof WalletError)) throw error
      return { index, success: false, error: error.message, code: error.code }
    }
  })
  return { results }
}

function makeWallet(parts: SignerParts, appId: string, body: Body, now: number): ApiWallet {
  const asked = readWallet(parts.store, appId, body, now)
  const secret = freshSecret()
  try {
    return keepWallet(parts, appId, asked, secret, now, { importedAt: null })
  } finally {
    secret.fill(0)
  }
}

/** Seals a key and stores its wallet. */
export function keepWallet(
  parts: SignerParts,
  appId: string,
  { wallet: asked, made }: AskedWallet,
  secret: Uint8Array,
  now: number,
  { importedAt }: { readonly importedAt: number | null },
): ApiWallet {
  const publicKey = publicKeyOf(secret)
  if (publicKey === undefined) throw invalidBody('the key is not a secp256k1 key')
  const address = addressOfSecret(secret)
  const wallet: ApiWallet = {
    id: freshId(),
    address: checksumText(address) as Hex,
    public_key: formatData(publicKey),
    chain_type: 'ethereum',
    ...asked,
    created_at: now,
    exported_at: null,
    imported_at: importedAt,
    archived_at: null,
  }
  const key = parts.vault.seal(secret, { walletId: wallet.id, address })
  if (made !== undefined) parts.store.putQuorum(appId, made)
  parts.store.addWallet({ appId, wallet, address, publicKey, key })
  const kind = importedAt === null ? 'wallet.created' : 'wallet.imported'
  parts.audit({ kind, appId, subject: wallet.id, details: { wallet } })
  return wallet
}

function freshSecret(): Uint8Array {
  for (;;) {
    const secret = randomBytes(32)
    if (publicKeyOf(secret) !== undefined) return secret
  }
}

export function getWallet(parts: SignerParts, { appId, read }: Command): ApiWallet {
  const { wallet } = requireWalletOf(parts.store, appId, read.id)
  if (wallet.archived_at === null || read.query.include_archived === true) return wallet
  throw new WalletError(
    'not_found',
    `the wallet ${wallet.id} is archived: pass include_archived=true to find it`,
  )
}

export function listWallets(parts: SignerParts, { appId, read }: Command): unknown {
  const { query } = read
  const { external_id: externalId, address } = query
  const page = readPage(query)
  const found = parts.store.listWallets(
    appId,
    {
      ...(externalId === undefined
        ? {}
        : { externalId: readTextMember(externalId, 'external_id') }),
      ...(address === undefined ? {} : { address: readAddress(address, 'address') }),
      includeArchived: query.include_archived === true,
    },
    { ...page, limit: page.limit + 1 },
  )
  return pageAnswer(
    found.map(({ wallet }) => wallet),
    page.limit,
  )
}

export function findWallet(parts: SignerParts, { appId, read }: Command): ApiWallet {
  const address = readAddress(read.body.address, 'address')
  const [found] = parts.store.listWallets(
    appId,
    { address, includeArchived: true },
    { cursor: undefined, limit: 1 },
  )
  if (found === undefined)
    throw new WalletError('not_found', 'there is no wallet with that address')
  return found.wallet
}

/** Only the owner: additional signers sign, but change nothing. */
export function walletAuthority(parts: SignerParts, { appId, read }: Command): GrantedAuthority {
  const { wallet } = requireWalletOf(parts.store, appId, read.id)
  return ownerAuthority(parts.store, read, wallet.owner_id)
}

/** Members that control a wallet. The others are names. */
const CONTROL = ['policy_ids', 'additional_signers', 'owner', 'owner_id'] as const

export function updateAuthority(parts: SignerParts, command: Command): GrantedAuthority {
  const { appId, read } = command
  if (CONTROL.every((member) => read.body[member] === undefined)) {
    return walletAuthority(parts, command)
  }
  const { wallet } = requireWalletOf(parts.store, appId, read.id)
  return controlAuthority(parts, read, wallet.owner_id)
}

export function updateWallet(parts: SignerParts, command: Command): ApiWallet {
  const { appId, read, now } = command
  const { wallet } = requireWalletOf(parts.store, appId, read.id)
  const { body } = read
  const owner = readOwner(parts.store, appId, body, now)
  const updated: ApiWallet = {
    ...wallet,
    ...(body.policy_ids === undefined
      ? {}
      : { policy_ids: readPolicyIds(parts.store, appId, body.policy_ids, 'policy_ids') }),
    ...(body.additional_signers === undefined
      ? {}
      : { additional_signers: readSigners(parts.store, appId, body.additional_signers) }),
    ...(body.display_name === undefined
      ? {}
      : { display_name: readOptionalText(body.display_name, 'display_name') }),
    ...(body.external_id === undefined
      ? {}
      : { external_id: readExternalId(parts.store, appId, body.external_id, wallet) }),
    ...(owner === undefined ? {} : { owner_id: owner.ownerId }),
  }
  if (owner?.made !== undefined) parts.store.putQuorum(appId, owner.made)
  return changed(parts, command, wallet, updated, 'wallet.updated')
}

export function archiveWallet(parts: SignerParts, command: Command): ApiWallet {
  const { wallet } = requireWalletOf(parts.store, command.appId, command.read.id)
  if (wallet.archived_at !== null) return wallet
  const archived = { ...wallet, archived_at: command.now }
  return changed(parts, command, wallet, archived, 'wallet.archived')
}

export function restoreWallet(parts: SignerParts, command: Command): ApiWallet {
  const { wallet } = requireWalletOf(parts.store, command.appId, command.read.id)
  if (wallet.archived_at === null) return wallet
  return changed(parts, command, wallet, { ...wallet, archived_at: null }, 'wallet.restored')
}

function changed(
  parts: SignerParts,
  { appId }: Command,
  before: ApiWallet,
  after: ApiWallet,
  kind: string,
): ApiWallet {
  parts.store.updateWallet(after)
  parts.audit({ kind, appId, subject: after.id, details: { before, after } })
  return after
}

function readPolicyIds(
  store: SignerStore,
  appId: string,
  value: unknown,
  name: string,
): readonly string[] {
  const ids = readTextsMember(value, name, MOST_POLICIES)
  for (const id of ids) policyOf(store, appId, id)
  return ids
}

function readSigners(
  store: SignerStore,
  appId: string,
  value: unknown,
): readonly ApiAdditionalSigner[] {
  const signers = readArrayMember(value, 'additional_signers', MOST_SIGNERS).map((entry, at) => {
    const name = `additional_signers[${at}]`
    const { signer_id: id, override_policy_ids: policies } = readObjectMember(entry, name)
    const signer_id = quorumOf(store, appId, readTextMember(id, `${name}.signer_id`)).quorum.id
    if (policies === undefined || policies === null) return { signer_id }
    const override_policy_ids = readPolicyIds(store, appId, policies, `${name}.override_policy_ids`)
    return { signer_id, override_policy_ids }
  })
  const ids = new Set(signers.map(({ signer_id }) => signer_id))
  if (ids.size < signers.length) throw invalidBody('additional_signers has a duplicate')
  return signers
}

function readExternalId(
  store: SignerStore,
  appId: string,
  value: unknown,
  own: ApiWallet | undefined,
): string | null {
  const externalId = readOptionalText(value, 'external_id')
  if (externalId === null) return null
  const [taken] = store.listWallets(
    appId,
    { externalId, includeArchived: true },
    { cursor: undefined, limit: 1 },
  )
  if (taken !== undefined && taken.wallet.id !== own?.id) {
    throw invalidBody(`external_id: the wallet ${taken.wallet.id} has it already`)
  }
  return externalId
}

/** Returns an owner from the ids of registered keys: the key itself, or a quorum created from several. */
function readRegistered(
  store: SignerStore,
  appId: string,
  body: Body,
  now: number,
): { readonly ownerId: string; readonly made: ApiKeyQuorum | undefined } | undefined {
  if (body.authorization_key_ids === undefined || body.authorization_key_ids === null) {
    return undefined
  }
  const ids = Array.isArray(body.authorization_key_ids) ? body.authorization_key_ids : []
  const found = ids.map((id) => (typeof id === 'string' ? store.quorum(id) : undefined))
  const quorums = found.flatMap((row) => (row?.appId === appId ? [row.quorum] : []))
  const [first] = quorums
  if (first === undefined || quorums.length < ids.length || new Set(ids).size < ids.length) {
    throw new WalletError('invalid_authorization_key_ids')
  }
  if (quorums.length === 1) return { ownerId: first.id, made: undefined }
  if (quorums.some(({ key_quorum_ids: nested }) => nested.length > 0)) {
    throw new WalletError('invalid_authorization_key_ids')
  }
  const asked = body.authorization_threshold ?? undefined
  const threshold =
    asked === undefined
      ? quorums.length
      : Number(readIntegerMember(asked, 'authorization_threshold', 32))
  if (threshold < 1 || threshold > quorums.length) {
    throw invalidBody(
      `authorization_threshold is ${threshold}, but ${quorums.length} keys are given`,
    )
  }
  const made: ApiKeyQuorum = {
    id: freshId(),
    display_name: null,
    authorization_threshold: threshold,
    authorization_keys: [],
    key_quorum_ids: quorums.map(({ id }) => id),
    created_at: now,
  }
  return { ownerId: made.id, made }
}
