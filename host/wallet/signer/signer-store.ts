import type { DatabaseSync } from 'node:sqlite'
import { RecentCache } from '../../base/recent-cache.ts'
import { jsonText } from '../../base/writable.ts'
import { Statements } from '../../storage/store/sqlite/statements.ts'
import { type CompiledPolicies, compilePolicies } from '../policy/evaluate-policy.ts'
import type { ApiPolicy } from '../protocol/policy-shapes.ts'
import type { ApiKeyQuorum, ApiWallet } from '../protocol/wallet.ts'
import type { SealedKey } from '../vault/vault.ts'
import { membersOf, type QuorumMembers } from './quorum-members.ts'

/** A wallet with its internal columns. */
export interface StoredWallet {
  readonly appId: string
  readonly wallet: ApiWallet
  /** 20 bytes. */
  readonly address: Uint8Array
  /** 33 bytes. */
  readonly publicKey: Uint8Array
  readonly key: SealedKey
}

export interface StoredPolicy {
  readonly appId: string
  readonly policy: ApiPolicy
}

/** The compiled policies of a wallet. */
export interface WalletPolicies {
  readonly policies: readonly ApiPolicy[]
  readonly compiled: CompiledPolicies
}

export interface StoredQuorum {
  readonly appId: string
  readonly quorum: ApiKeyQuorum
  readonly members: QuorumMembers
}

export interface PageBounds {
  readonly cursor: string | undefined
  readonly limit: number
}

export interface StoredWalletFilter {
  readonly externalId?: string
  readonly address?: Uint8Array
  readonly includeArchived: boolean
}

interface ShownRow {
  readonly app_id: string
  readonly shown: string
}

interface WalletRow extends ShownRow {
  readonly address: Uint8Array
  readonly public_key: Uint8Array
  readonly key_version: 1
  readonly wrapped: Uint8Array
  readonly sealed: Uint8Array
  readonly master_key: number
}

/** Cached rows per kind. Reading a row again takes 20 us. */
const MOST_CACHED = 10_000

/** Returns a cached row; reads and caches it if it is missing. */
function cached<T>(
  rows: RecentCache<string, T>,
  id: string,
  read: () => T | undefined,
): T | undefined {
  const known = rows.get(id)
  if (known !== undefined) return known
  const row = read()
  if (row !== undefined) rows.set(id, row)
  return row
}

/** Wallets, policies and quorums. Methods that write need an open database transaction. */
export class SignerStore {
  readonly #sql: Statements
  readonly #wallets = new RecentCache<string, StoredWallet>(MOST_CACHED)
  readonly #policies = new RecentCache<string, StoredPolicy>(MOST_CACHED)
  readonly #compiled = new RecentCache<string, WalletPolicies>(MOST_CACHED)
  readonly #quorums = new RecentCache<string, StoredQuorum>(MOST_CACHED)

  constructor(database: DatabaseSync) {
    this.#sql = new Statements(database)
  }

  /** Drops cached rows: after a rollback, and when another process has written. */
  forget(): void {
    this.#wallets.clear()
    this.#policies.clear()
    this.#compiled.clear()
    this.#quorums.clear()
  }

  wallet(id: string): StoredWallet | undefined {
    return cached(this.#wallets, id, () => {
      const row = this.#sql.statement('SELECT * FROM wallets WHERE id = ?').get(id)
      return row === undefined ? undefined : storedWallet(row as unknown as WalletRow)
    })
  }

  addWallet({ appId, wallet, address, publicKey, key }: StoredWallet): void {
    this.#sql.run(
      'INSERT INTO wallets (id, app_id, shown, address, public_key, external_id, archived, key_version, ' +
        'wrapped, sealed, master_key) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)',
      wallet.id,
      appId,
      jsonText(wallet, 'a wallet'),
      address,
      publicKey,
      wallet.external_id,
      key.version,
      key.wrapped,
      key.sealed,
      key.masterKey,
    )
    this.#setUses(wallet.id, usesOf(wallet))
  }

  updateWallet(wallet: ApiWallet): void {
    this.#sql.run(
      'UPDATE wallets SET shown = ?, external_id = ?, archived = ? WHERE id = ?',
      jsonText(wallet, 'a wallet'),
      wallet.external_id,
      wallet.archived_at === null ? 0 : 1,
      wallet.id,
    )
    this.#setUses(wallet.id, usesOf(wallet))
    this.#wallets.delete(wallet.id)
  }

  /** Returns wallets in order of creation. */
  listWallets(
    appId: string,
    filter: StoredWalletFilter,
    { cursor, limit }: PageBounds,
  ): StoredWallet[] {
    const rows = this.#sql
      .statement(
        `SELECT * FROM wallets WHERE app_id = ? AND number > ${AFTER('wallets')}
        AND (? IS NULL OR external_id = ?) AND (? IS NULL OR address = ?) AND archived <= ?
        ORDER BY number LIMIT ?`,
      )
      .all(
        appId,
        cursor ?? '',
        filter.externalId ?? null,
        filter.externalId ?? null,
        filter.address ?? null,
        filter.address ?? null,
        filter.includeArchived ? 1 : 0,
        limit,
      )
    return rows.map((row) => storedWallet(row as unknown as WalletRow))
  }

  policy(id: string): StoredPolicy | undefined {
    return cached(this.#policies, id, () => {
      const row = this.#shown('policies', id)
      if (row === undefined) return undefined
      return { appId: row.app_id, policy: JSON.parse(row.shown) as ApiPolicy }
    })
  }

  /** @throws Error if a policy is missing: policies in use are never deleted */
  policies(ids: readonly string[]): WalletPolicies {
    const policies = cached(this.#compiled, ids.join(), () => {
      const found = ids.map((id) => this.policy(id)?.policy)
      if (!found.every((policy) => policy !== undefined)) return undefined
      return { policies: found, compiled: compilePolicies(found) }
    })
    if (policies === undefined) throw new Error(`a policy of ${ids} is not in the database`)
    return policies
  }

  /** Creates or updates a policy. */
  putPolicy(appId: string, policy: ApiPolicy): void {
    this.#put('policies', appId, policy)
    this.#setUses(policy.id, policy.owner_id === null ? [] : [policy.owner_id])
    this.#forgetPolicy(policy.id)
  }

  deletePolicy(id: string): void {
    this.#sql.run('DELETE FROM policies WHERE id = ?', id)
    this.#setUses(id, [])
    this.#forgetPolicy(id)
  }

  #forgetPolicy(id: string): void {
    this.#policies.delete(id)
    this.#compiled.clear()
  }

  listPolicies(appId: string, page: PageBounds): ApiPolicy[] {
    return this.#list('policies', appId, page) as ApiPolicy[]
  }

  quorum(id: string): StoredQuorum | undefined {
    return cached(this.#quorums, id, () => {
      const row = this.#shown('key_quorums', id)
      if (row === undefined) return undefined
      const quorum = JSON.parse(row.shown) as ApiKeyQuorum
      const members = membersOf(quorum, (inner) => {
        const nested = this.#shown('key_quorums', inner)
        return nested === undefined ? undefined : (JSON.parse(nested.shown) as ApiKeyQuorum)
      })
      return { appId: row.app_id, quorum, members }
    })
  }

  /** Creates or updates a quorum. @throws WalletError invalid_data if one of its keys is invalid */
  putQuorum(appId: string, quorum: ApiKeyQuorum): void {
    membersOf(quorum, () => undefined)
    this.#put('key_quorums', appId, quorum)
    this.#setUses(quorum.id, quorum.key_quorum_ids)
    // Other quorums may contain it.
    this.#quorums.clear()
  }

  deleteQuorum(id: string): void {
    this.#sql.run('DELETE FROM key_quorums WHERE id = ?', id)
    this.#setUses(id, [])
    this.#quorums.clear()
  }

  listQuorums(appId: string, page: PageBounds): ApiKeyQuorum[] {
    return this.#list('key_quorums', appId, page) as ApiKeyQuorum[]
  }

  /** Returns the id of something that refers to a policy or a quorum. */
  userOf(id: string): string | undefined {
    const row = this.#sql.statement('SELECT user FROM uses WHERE used = ? LIMIT 1').get(id)
    return row?.user as string | undefined
  }

  #setUses(user: string, used: readonly string[]): void {
    this.#sql.run('DELETE FROM uses WHERE user = ?', user)
    for (const id of new Set(used)) {
      this.#sql.run('INSERT INTO uses (used, user) VALUES (?, ?)', id, user)
    }
  }

  #shown(table: 'policies' | 'key_quorums', id: string): ShownRow | undefined {
    const row = this.#sql.statement(`SELECT app_id, shown FROM ${table} WHERE id = ?`).get(id)
    return row as unknown as ShownRow | undefined
  }

  #put(table: 'policies' | 'key_quorums', appId: string, shown: { readonly id: string }): void {
    this.#sql.run(
      `INSERT INTO ${table} (id, app_id, shown) VALUES (?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET shown = excluded.shown`,
      shown.id,
      appId,
      jsonText(shown, table === 'policies' ? 'a policy' : 'a key quorum'),
    )
  }

  #list(
    table: 'policies' | 'key_quorums',
    appId: string,
    { cursor, limit }: PageBounds,
  ): unknown[] {
    const rows = this.#sql
      .statement(
        `SELECT shown FROM ${table} WHERE app_id = ? AND number > ${AFTER(table)} ORDER BY number LIMIT ?`,
      )
      .all(appId, cursor ?? '', limit)
    return rows.map(({ shown }) => JSON.parse(shown as string))
  }
}

/** SQL for the row number of a cursor; 0 if it is unknown. */
const AFTER = (table: string) => `coalesce((SELECT number FROM ${table} WHERE id = ?), 0)`

function storedWallet(row: WalletRow): StoredWallet {
  return {
    appId: row.app_id,
    wallet: JSON.parse(row.shown) as ApiWallet,
    address: row.address,
    publicKey: row.public_key,
    key: {
      version: row.key_version,
      wrapped: row.wrapped,
      sealed: row.sealed,
      masterKey: row.master_key,
    },
  }
}

function usesOf({ policy_ids, owner_id, additional_signers }: ApiWallet): readonly string[] {
  const signers = additional_signers.flatMap(({ signer_id, override_policy_ids = [] }) => [
    signer_id,
    ...override_policy_ids,
  ])
  return [...policy_ids, ...(owner_id === null ? [] : [owner_id]), ...signers]
}
