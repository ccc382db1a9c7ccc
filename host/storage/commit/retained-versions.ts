import { LockstepError } from '../../base/error.ts'
import type { LmdbEnv } from '../store/lmdb/lmdb-env.ts'
import { EVM_STORE, type StoreRoot } from './hash/app-hash.ts'
import type { CommitHasher } from './hash/commit-hasher.ts'
import { type IavlNode, iavlRoot } from './iavl/iavl.ts'
import type { IavlRow, IavlStore } from './iavl/iavl-store.ts'
import type { CommitmentProof, ExistenceProof } from './proof/commitment-proof.ts'
import { type IavlChildren, proveIavl } from './proof/iavl-proof.ts'
import { proveStore } from './proof/simple-proof.ts'
import type { StateProof } from './proof/state-proof.ts'
import { VersionRows, type VersionTables } from './version-rows.ts'

/** A committed version, completely hashed. */
export interface CommitVersion {
  readonly height: number
  readonly evmRoot: Uint8Array
  /** Tree of each module. */
  readonly trees: ReadonlyMap<string, IavlNode | undefined>
  /** Nodes of the previous version that are not in its trees. */
  readonly dropped: ReadonlyMap<string, readonly IavlNode[]>
}

/** Old nodes that a flush deletes in addition to those dropped since the last flush. */
const PRUNE_NODES = 4096

const IN_MEMORY: IavlChildren<IavlNode> = {
  left: (node) => node.left as IavlNode,
  right: (node) => node.right as IavlNode,
}

/**
 * The latest versions of the trees, for proofs: in memory since the last flush, otherwise on disk, where a proof
 * reads one path of rows. Each version has its roots on disk, also one between two flushes: replaying the writes of
 * up to 15 blocks over an older tree would make proofs slow.
 */
export class RetainedVersions {
  readonly #env: LmdbEnv
  readonly #nodes: IavlStore
  readonly #rows: VersionRows
  readonly #hasher: CommitHasher
  readonly #keepRecent: number
  /** Versions that are not on disk, ascending. */
  readonly #pending: CommitVersion[] = []
  /** Number of nodes that they dropped. */
  #fallen = 0

  /** @param keepRecent - Number of versions to retain; 0 retains all. */
  constructor(
    env: LmdbEnv,
    tables: VersionTables,
    nodes: IavlStore,
    hasher: CommitHasher,
    keepRecent: number,
  ) {
    this.#env = env
    this.#nodes = nodes
    this.#rows = new VersionRows(tables, nodes)
    this.#hasher = hasher
    this.#keepRecent = keepRecent
  }

  /** Returns true if a version is on disk. */
  holds(height: number): boolean {
    return this.#rows.read(height) !== undefined
  }

  /**
   * Approximate number of node rows that a flush writes or deletes: each dropped node means that one was added, and
   * an older one is deleted. If a single version is retained, a flush writes only what the blocks since the last
   * flush left: waiting for more blocks makes that less.
   */
  get pendingRows(): number {
    return this.#keepRecent === 1 ? 0 : 2 * this.#fallen
  }

  /** Adds a version above all others. */
  add(version: CommitVersion): void {
    this.#pending.push(version)
    for (const nodes of version.dropped.values()) this.#fallen += nodes.length
  }

  /**
   * Writes the retained versions and deletes some of the others. Call it in a transaction.
   * @param save - Writes the nodes of a module's tree that have no row.
   */
  flush(save: (module: string, tree: IavlNode) => void): void {
    const newest = this.#pending.at(-1)
    if (newest === undefined) return
    const pruneHeight = this.#keepRecent === 0 ? 0 : newest.height - this.#keepRecent + 1
    for (const { height, trees, evmRoot, dropped } of this.#pending) {
      if (height >= pruneHeight) {
        for (const [module, tree] of trees) if (tree !== undefined) save(module, tree)
        const stores = this.#storesOf(trees, evmRoot)
        this.#rows.append(
          height,
          stores.map((store) => ({ ...store, node: trees.get(store.name)?.id ?? 0 })),
        )
      }
      for (const [module, nodes] of dropped) {
        // Nodes that only versions below the prune height contained never had a row.
        const ids = nodes.map(({ id }) => id).filter((id) => id !== 0)
        this.#rows.appendDropped(height, module, ids)
      }
    }
    if (pruneHeight > 0) this.#rows.prune(pruneHeight, 2 * this.#fallen + PRUNE_NODES)
  }

  /** Drops the versions above `height`, none of which may be on disk. */
  revert(height: number): void {
    while ((this.#pending.at(-1)?.height ?? height) > height) {
      const { dropped } = this.#pending.pop() as CommitVersion
      for (const nodes of dropped.values()) this.#fallen -= nodes.length
    }
  }

  /** Drops the versions that a flush has written. */
  forget(): void {
    this.#pending.length = 0
    this.#fallen = 0
  }

  /**
   * Proves a key at a height of at most `newest`.
   * @throws NOT_FOUND if there is no such store, STATE_PRUNED if the height is not retained (data: requested,
   * earliest, latest), UNSUPPORTED for EVM state
   */
  prove(module: string, key: Uint8Array, height: number, newest: number): StateProof {
    if (module === EVM_STORE) {
      throw new LockstepError(
        'UNSUPPORTED',
        `store ${EVM_STORE} is one hash over all EVM state: it proves no single key`,
        { hint: 'read EVM state over the EVM JSON-RPC' },
      )
    }
    if (height > newest) {
      throw new LockstepError(
        'NOT_FOUND',
        `height ${height} is in the future, the newest is ${newest}`,
      )
    }
    const pending = this.#pending.find((version) => version.height === height)
    return pending === undefined
      ? this.#proveStored(module, key, height, newest)
      : this.#provePending(module, key, pending)
  }

  #provePending(module: string, key: Uint8Array, version: CommitVersion): StateProof {
    const { height, trees, evmRoot } = version
    const store = this.#proveStore(this.#storesOf(trees, evmRoot), module, height)
    return { height, tree: proveIavl(trees.get(module), IN_MEMORY, key), store }
  }

  #proveStored(module: string, key: Uint8Array, height: number, newest: number): StateProof {
    this.#env.refresh()
    const stores = this.#rows.read(height)
    if (stores === undefined) throw this.#pruned(height, newest)
    const store = this.#proveStore(stores, module, height)
    const { node = 0 } = stores.find(({ name }) => name === module) ?? {}
    return { height, tree: this.#proveRows(module, node, key), store }
  }

  #proveRows(module: string, root: number, key: Uint8Array): CommitmentProof {
    const read = (id: number): IavlRow => this.#nodes.read(module, id)
    const children: IavlChildren<IavlRow> = {
      left: ({ left }) => read(left),
      right: ({ right }) => read(right),
    }
    return proveIavl(root === 0 ? undefined : read(root), children, key)
  }

  #proveStore(stores: readonly StoreRoot[], module: string, height: number): ExistenceProof {
    const proof = proveStore(stores, module, this.#hasher)
    if (proof !== undefined) return proof
    const names = stores.map(({ name }) => name).filter((name) => name !== EVM_STORE)
    throw new LockstepError('NOT_FOUND', `no such store: ${module}`, {
      hint: `height ${height} has ${names.length === 0 ? 'no stores of modules' : names.join(', ')}`,
    })
  }

  #storesOf(trees: CommitVersion['trees'], evmRoot: Uint8Array): StoreRoot[] {
    const stores = Array.from(trees, ([name, tree]) => ({
      name,
      root: iavlRoot(tree, this.#hasher),
    }))
    return [{ name: EVM_STORE, root: evmRoot }, ...stores]
  }

  #pruned(requested: number, latest: number): LockstepError {
    const earliest = this.#rows.earliest ?? this.#pending[0]?.height ?? latest
    return new LockstepError(
      'STATE_PRUNED',
      `height ${requested} cannot be proven any more, the oldest that can is ${earliest}`,
      {
        hint: 'ask for a later height, or raise sc-keep-recent in app.toml',
        data: { requested, earliest, latest },
      },
    )
  }
}
