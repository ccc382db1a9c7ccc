import { LockstepError } from '../base/error.ts'
import type { Changeset } from '../state/changeset.ts'
import { LmdbEnv, type LmdbRows } from '../store/lmdb/lmdb-env.ts'
import type { Committer } from './committer.ts'
import { FlatKv } from './flatkv/flatkv.ts'
import { appHash, EVM_STORE, type StoreRoot } from './hash/app-hash.ts'
import { CommitHasher } from './hash/commit-hasher.ts'
import { type IavlChange, type IavlNode, iavlRoot, writeIavl } from './iavl/iavl.ts'
import { IavlStore } from './iavl/iavl-store.ts'
import { KeptVersions } from './kept-versions.ts'
import type { StateProof, StateProver } from './proof/state-proof.ts'
import { UndoLog } from './undo/undo-log.ts'

/** The disk is never further behind than this; the write-ahead log keeps many more heights. */
const FLUSH_HEIGHTS = 16
/** A flush begins earlier when this many rows wait: about 100 ms of writing. */
const FLUSH_ROWS = 32_768

export const VERSION_KEY = Buffer.from('version')
export const APP_HASH_KEY = Buffer.from('app_hash')

export interface CommitterOptions {
  /** The home's `data/committer.db`. */
  readonly dir: string
  /** `commit.wasm`. */
  readonly module: WebAssembly.Module
  /** Newest versions whose keys can be proven; 0 keeps all. The newest alone where it is absent. */
  readonly keepRecent?: number | undefined
  /** Each version that is a multiple of it is on disk by itself, for a snapshot to be made of it. */
  readonly flushEvery?: number | undefined
}

/** Opens the state commit at the newest version on disk. @throws STORE_CORRUPTED, STORE_FULL */
export async function openCommitter(options: CommitterOptions): Promise<LmdbCommitter> {
  const env = new LmdbEnv(options.dir)
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

/**
 * IAVL trees for the modules, FlatKV for EVM state, and the app hash over both. A module's store exists
 * from the first changeset that names it.
 */
export class LmdbCommitter implements Committer, StateProver {
  readonly #env: LmdbEnv
  readonly #hasher: CommitHasher
  readonly #flatKv: FlatKv
  readonly #nodes: IavlStore
  readonly #versions: KeptVersions
  readonly #markers: LmdbRows
  readonly #roots: LmdbRows
  readonly #undo: UndoLog
  readonly #flushEvery: number
  readonly #trees = new Map<string, ModuleTree>()
  #version = -1
  #appHash: Uint8Array = new Uint8Array(32)
  #staged: Staged | undefined
  /** Newest version on disk. */
  #flushed: number
  #busyNs = 0
  /** After a flush that failed the rows in memory may be ahead of themselves: the log brings them back. */
  #failure: unknown

  constructor(
    env: LmdbEnv,
    hasher: CommitHasher,
    { keepRecent = 1, flushEvery = 0 }: Pick<CommitterOptions, 'keepRecent' | 'flushEvery'>,
  ) {
    this.#env = env
    this.#flushEvery = flushEvery
    this.#hasher = hasher
    const undo = new UndoLog(env)
    this.#undo = undo
    this.#flatKv = new FlatKv(env, undo, hasher)
    this.#nodes = new IavlStore(undo.table('nodes'))
    const tables = { versions: undo.table('versions'), dropped: undo.table('dropped') }
    this.#versions = new KeptVersions(env, tables, this.#nodes, hasher, keepRecent)
    this.#markers = undo.table('markers')
    this.#roots = undo.table('roots')
    const version = this.#markers.get(VERSION_KEY)
    const hash = this.#markers.get(APP_HASH_KEY)
    if (version !== undefined && hash !== undefined) {
      this.#version = readWord(version, 0)
      this.#appHash = hash
    }
    this.#flushed = this.#version
    for (const { key, value } of this.#roots.range({})) {
      const module = Buffer.from(key).toString()
      const id = readWord(value, 0)
      const root = id === 0 ? undefined : this.#nodes.load(module, id)
      this.#trees.set(module, { root, nextId: readWord(value, 8) })
    }
    // An imported version has its trees on disk, but was not kept yet.
    const isKept = this.#version < 0 || this.#versions.holds(this.#version)
    if (!isKept) this.#keep(this.#flatKv.root, new Map())
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
    return this.#versions.prove(module, key, height, this.#version)
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
    const evmRoot = this.#flatKv.stage(changeset)
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
    this.#flatKv.commit()
    for (const [module, { root }] of staged.trees) {
      const tree = this.#trees.get(module)
      if (tree === undefined) this.#trees.set(module, { root, nextId: 1 })
      else tree.root = root
    }
    this.#version = staged.height
    this.#appHash = staged.appHash
    this.#keep(staged.evmRoot, staged.trees)
    const behind = this.#version - this.#flushed
    const rows = this.#flatKv.pendingRows + this.#versions.pendingRows
    const isAsked = this.#flushEvery > 0 && this.#version % this.#flushEvery === 0
    if (isAsked || behind >= FLUSH_HEIGHTS || rows >= FLUSH_ROWS) this.#flush()
  }

  /** Keeps the newest version, which `changes` made of the one before. */
  #keep(evmRoot: Uint8Array, changes: ReadonlyMap<string, IavlChange>): void {
    this.#versions.add({
      height: this.#version,
      evmRoot,
      trees: new Map(Array.from(this.#trees, ([module, { root }]) => [module, root])),
      dropped: new Map(Array.from(changes, ([module, { orphans }]) => [module, orphans])),
    })
  }

  /** One transaction: a crash leaves the version before or this one, never a part of it. */
  #flush(): void {
    try {
      this.#env.write(() => {
        this.#flatKv.flush()
        this.#versions.flush((module, root) => this.#save(module, root))
        for (const [module, { root, nextId }] of this.#trees) {
          this.#roots.put(Buffer.from(module), writeWords(root?.id ?? 0, nextId))
        }
        this.#markers.put(VERSION_KEY, writeWords(this.#version))
        this.#markers.put(APP_HASH_KEY, this.#appHash)
        this.#undo.finish(this.#flushed, this.#version)
      })
    } catch (thrown) {
      this.#failure = thrown
      throw thrown
    }
    this.#flatKv.forget()
    this.#versions.forget()
    this.#flushed = this.#version
  }

  #save(module: string, root: IavlNode): void {
    const tree = this.#trees.get(module) as ModuleTree
    tree.nextId = this.#nodes.save(module, root, tree.nextId)
  }
}

export function readWord(bytes: Uint8Array, offset: number): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset + offset, 8).getBigUint64(0))
}

export function writeWords(...words: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(8 * words.length)
  const view = new DataView(bytes.buffer)
  words.forEach((word, i) => void view.setBigUint64(8 * i, BigInt(word)))
  return bytes
}
