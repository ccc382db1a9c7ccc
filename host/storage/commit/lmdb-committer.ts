import { LockstepError } from '../../base/error.ts'
import type { Changeset } from '../../evm/state/changeset.ts'
import { LmdbEnv, type LmdbRows } from '../store/lmdb/lmdb-env.ts'
import { APP_HASH_KEY, readMarkerWord, VERSION_KEY, writeWords } from './commit-markers.ts'
import { rewindEnv, versionsBefore } from './commit-rewind.ts'
import type { ReversibleCommitter } from './committer.ts'
import { FlatKv, type FlatUndo } from './flatkv/flatkv.ts'
import { appHash, EVM_STORE, type StoreRoot } from './hash/app-hash.ts'
import { CommitHasher } from './hash/commit-hasher.ts'
import { type IavlChange, type IavlNode, iavlRoot, writeIavl } from './iavl/iavl.ts'
import { IavlStore } from './iavl/iavl-store.ts'
import type { StateProof, StateProver } from './proof/state-proof.ts'
import { RetainedVersions } from './retained-versions.ts'
import { UNDO_LOG_TABLES, UndoLog } from './undo/undo-log.ts'
import { UNDO_TABLES } from './undo/undo-note.ts'

/** Maximum heights between flushes. The write-ahead log retains many more heights. */
const FLUSH_HEIGHTS = 16
/** The same if versions can be reverted: unflushed versions are reverted in memory. */
const REVERSIBLE_HEIGHTS = 1024
/** A flush starts earlier if this many rows are pending: about 100 ms of writing. */
const FLUSH_ROWS = 32_768

export interface CommitterOptions {
  /** The home's `data/committer.db`. */
  readonly dir: string
  /** `commit.wasm`. */
  readonly module: WebAssembly.Module
  /** Number of latest versions whose keys can be proven; 0 retains all. Default: the latest only. */
  readonly keepRecent?: number | undefined
  /** Each version that is a multiple of it is flushed separately, so that a snapshot can be made of it. */
  readonly flushEvery?: number | undefined
  /** True if versions can be reverted, as far back as the undo log reaches. */
  readonly isReversible?: boolean | undefined
}

const COMMIT_TABLES = [...UNDO_LOG_TABLES, ...UNDO_TABLES]

/** Opens the state commit at the latest version on disk. @throws STORE_CORRUPTED, STORE_FULL */
export async function openCommitter(options: CommitterOptions): Promise<LmdbCommitter> {
  const env = new LmdbEnv(options.dir, { tables: COMMIT_TABLES })
  try {
    return new LmdbCommitter(env, new CommitHasher(options.module), options)
  } catch (thrown) {
    await env.close()
    throw thrown
  }
}

/** The committed tree of one module. */
interface ModuleTree {
  root: IavlNode | undefined
  nextId: number
}

interface Staged {
  readonly height: number
  readonly appHash: Uint8Array
  readonly evmRoot: Uint8Array
  readonly trees: ReadonlyMap<string, IavlChange>
}

/** An unflushed commit, with what reverts it. */
interface Committed {
  readonly version: number
  readonly appHash: Uint8Array
  /** The trees before it. */
  readonly trees: ReadonlyMap<string, ModuleTree>
  readonly flat: FlatUndo
}

/** The tables of the state commit, with what is in memory above them. */
class CommitTables {
  readonly undo: UndoLog
  readonly flatKv: FlatKv
  readonly nodes: IavlStore
  readonly versions: RetainedVersions
  readonly markers: LmdbRows
  readonly roots: LmdbRows

  constructor(
    env: LmdbEnv,
    hasher: CommitHasher,
    { keepRecent = 1, isReversible = false }: Omit<CommitterOptions, 'dir' | 'module'>,
  ) {
    this.undo = new UndoLog(env, isReversible)
    this.flatKv = new FlatKv(env, this.undo, hasher)
    this.nodes = new IavlStore(this.undo.table('nodes'))
    const tables = { versions: this.undo.table('versions'), dropped: this.undo.table('dropped') }
    this.versions = new RetainedVersions(env, tables, this.nodes, hasher, keepRecent)
    this.markers = this.undo.table('markers')
    this.roots = this.undo.table('roots')
  }
}

/**
 * IAVL trees for the modules, FlatKV for EVM state, and the app hash over both. A module's store exists
 * from the first changeset that names it.
 */
export class LmdbCommitter implements ReversibleCommitter, StateProver {
  readonly #env: LmdbEnv
  readonly #hasher: CommitHasher
  readonly #options: Omit<CommitterOptions, 'dir' | 'module'>
  #tables: CommitTables
  readonly #trees = new Map<string, ModuleTree>()
  #version = -1
  #appHash: Uint8Array = new Uint8Array(32)
  #staged: Staged | undefined
  /** Latest version on disk. */
  #flushed = -1
  /** Versions that are not on disk, if they can be reverted. */
  readonly #unflushed: Committed[] = []
  #busyNs = 0
  /** Set after a failed flush, when the rows in memory may be inconsistent. The write-ahead log restores them. */
  #failure: unknown

  constructor(
    env: LmdbEnv,
    hasher: CommitHasher,
    options: Omit<CommitterOptions, 'dir' | 'module'>,
  ) {
    this.#env = env
    this.#hasher = hasher
    this.#options = options
    this.#tables = new CommitTables(env, hasher, options)
    this.#load()
  }

  /** Loads the version on disk as the latest. */
  #load(): void {
    const { markers, roots, nodes, versions, flatKv } = this.#tables
    const version = markers.get(VERSION_KEY)
    const hash = markers.get(APP_HASH_KEY)
    if (version !== undefined && hash !== undefined) {
      this.#version = readMarkerWord(version, 0)
      this.#appHash = hash
    }
    this.#flushed = this.#version
    for (const { key, value } of roots.range({})) {
      const module = Buffer.from(key).toString()
      const id = readMarkerWord(value, 0)
      const root = id === 0 ? undefined : nodes.load(module, id)
      this.#trees.set(module, { root, nextId: readMarkerWord(value, 8) })
    }
    // An imported version has its trees on disk, but is not in the retained versions yet.
    const isKept = this.#version < 0 || versions.holds(this.#version)
    if (!isKept) this.#keep(flatKv.root, new Map())
  }

  get version(): number {
    return this.#version
  }

  get appHash(): Uint8Array {
    return this.#appHash
  }

  get busyNs(): number {
    return this.#busyNs
  }

  async stage(changeset: Changeset): Promise<Uint8Array> {
    return this.#timed(() => this.#stage(changeset))
  }

  async commit(): Promise<void> {
    this.#timed(() => this.#commit())
  }

  async prove(module: string, key: Uint8Array, height: number): Promise<StateProof> {
    this.#expectSound()
    return this.#tables.versions.prove(module, key, height, this.#version)
  }

  async revert(target: number, from: number): Promise<void> {
    this.#timed(() => this.#revert(target, from))
  }

  async close(): Promise<void> {
    try {
      if (this.#failure === undefined && this.#version > this.#flushed) this.#flush()
    } finally {
      await this.#env.close()
    }
  }

  #timed<T>(work: () => T): T {
    this.#expectSound()
    const start = performance.now()
    try {
      return work()
    } finally {
      this.#busyNs += (performance.now() - start) * 1e6
    }
  }

  #expectSound(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  #stage(changeset: Changeset): Uint8Array {
    const { height, modules } = changeset
    if (height !== this.#version + 1) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `committing bad version: got ${height}, want ${this.#version + 1}`,
      )
    }
    this.#staged = undefined
    const trees = new Map<string, IavlChange>()
    for (const { module, writes } of modules) {
      trees.set(module, writeIavl(this.#trees.get(module)?.root, height, writes))
    }
    const evmRoot = this.#tables.flatKv.stage(changeset)
    const roots: StoreRoot[] = [{ name: EVM_STORE, root: evmRoot }]
    for (const [name, { root }] of trees) roots.push({ name, root: iavlRoot(root, this.#hasher) })
    for (const [name, { root }] of this.#trees) {
      if (!trees.has(name)) roots.push({ name, root: iavlRoot(root, this.#hasher) })
    }
    this.#staged = { height, appHash: appHash(roots, this.#hasher), evmRoot, trees }
    return this.#staged.appHash
  }

  #commit(): void {
    const staged = this.#staged
    if (staged === undefined) {
      throw new LockstepError('INVALID_ARGUMENT', 'commit without a staged version')
    }
    this.#staged = undefined
    const { flatKv, versions } = this.#tables
    if (this.#options.isReversible === true) {
      this.#unflushed.push({
        version: staged.height,
        appHash: this.#appHash,
        trees: new Map(Array.from(this.#trees, ([module, tree]) => [module, { ...tree }])),
        flat: flatKv.undo(),
      })
    }
    flatKv.commit()
    for (const [module, { root }] of staged.trees) {
      const tree = this.#trees.get(module)
      if (tree === undefined) this.#trees.set(module, { root, nextId: 1 })
      else tree.root = root
    }
    this.#version = staged.height
    this.#appHash = staged.appHash
    this.#keep(staged.evmRoot, staged.trees)
    const behind = this.#version - this.#flushed
    const rows = flatKv.pendingRows + versions.pendingRows
    const { flushEvery = 0, isReversible } = this.#options
    const isAsked = flushEvery > 0 && this.#version % flushEvery === 0
    const most = isReversible === true ? REVERSIBLE_HEIGHTS : FLUSH_HEIGHTS
    if (isAsked || behind >= most || rows >= FLUSH_ROWS) this.#flush()
  }

  #revert(target: number, from: number): void {
    if (target >= this.#version) return
    if (target >= this.#flushed && this.#options.isReversible === true) this.#takeBack(target)
    else this.#rewind(target, from)
  }

  /** Reverts unflushed commits. */
  #takeBack(target: number): void {
    this.#staged = undefined
    const { flatKv, versions } = this.#tables
    for (let last = this.#unflushed.at(-1); last !== undefined && last.version > target; ) {
      this.#unflushed.pop()
      flatKv.revert(last.flat)
      this.#trees.clear()
      for (const [module, tree] of last.trees) this.#trees.set(module, tree)
      this.#version = last.version - 1
      this.#appHash = last.appHash
      last = this.#unflushed.at(-1)
    }
    versions.revert(target)
  }

  /** Undoes flushes, and reloads what is on disk. */
  #rewind(target: number, from: number): void {
    const { undo } = this.#tables
    const reached = versionsBefore(undo, this.#flushed).find((version) => version <= target)
    if (reached === undefined || (reached < target && reached + 1 < from)) {
      throw new LockstepError(
        'STATE_PRUNED',
        `the state commit cannot be reverted from height ${this.#version} to ${target}: the changes between them have been pruned`,
        { data: { requested: target, latest: this.#version } },
      )
    }
    try {
      rewindEnv(this.#env, undo, target, this.#hasher)
    } catch (thrown) {
      this.#failure = thrown
      throw thrown
    }
    this.#staged = undefined
    this.#unflushed.length = 0
    this.#trees.clear()
    this.#version = -1
    this.#appHash = new Uint8Array(32)
    this.#tables = new CommitTables(this.#env, this.#hasher, this.#options)
    this.#load()
  }

  /** Adds the latest version, which `changes` derived from the previous one. */
  #keep(evmRoot: Uint8Array, changes: ReadonlyMap<string, IavlChange>): void {
    this.#tables.versions.add({
      height: this.#version,
      evmRoot,
      trees: new Map(Array.from(this.#trees, ([module, { root }]) => [module, root])),
      dropped: new Map(Array.from(changes, ([module, { orphans }]) => [module, orphans])),
    })
  }

  /** Flushes in one transaction, so that a crash leaves the previous version or this one, never a part of it. */
  #flush(): void {
    const { flatKv, versions, roots, markers, undo } = this.#tables
    try {
      this.#env.write(() => {
        flatKv.flush()
        versions.flush((module, root) => this.#save(module, root))
        for (const [module, { root, nextId }] of this.#trees) {
          roots.put(Buffer.from(module), writeWords(root?.id ?? 0, nextId))
        }
        markers.put(VERSION_KEY, writeWords(this.#version))
        markers.put(APP_HASH_KEY, this.#appHash)
        undo.finish(this.#flushed, this.#version)
      })
    } catch (thrown) {
      this.#failure = thrown
      throw thrown
    }
    flatKv.forget()
    versions.forget()
    this.#unflushed.length = 0
    this.#flushed = this.#version
  }

  #save(module: string, root: IavlNode): void {
    const tree = this.#trees.get(module) as ModuleTree
    tree.nextId = this.#tables.nodes.save(module, root, tree.nextId)
  }
}
