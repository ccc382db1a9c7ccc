import { LockstepError } from '../base/error.ts'
import type { Changeset } from '../state/changeset.ts'
import { LmdbEnv, type LmdbTable } from '../store/lmdb-env.ts'
import { appHash, type StoreRoot } from './app-hash.ts'
import type { Committer } from './committer.ts'
import { FlatKv } from './flatkv.ts'
import { type IavlChange, type IavlNode, iavlRoot, writeIavl } from './iavl.ts'
import { IavlStore } from './iavl-store.ts'
import { CommitHasher } from './module.ts'

/** The one store by which all EVM state enters the app hash. */
export const EVM_STORE = 'evm_lattice'
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
}

/** Opens the state commit at the newest version on disk. @throws STORE_CORRUPTED, STORE_FULL */
export async function openCommitter(options: CommitterOptions): Promise<LmdbCommitter> {
  const env = new LmdbEnv(options.dir)
  try {
    return new LmdbCommitter(env, new CommitHasher(options.module))
  } catch (thrown) {
    await env.close()
    throw thrown
  }
}

/** The committed tree of one module. */
interface ModuleTree {
  root: IavlNode | undefined
  /** Nodes that left the tree since the last flush. */
  readonly orphans: IavlNode[]
  nextId: number
}

interface Staged {
  readonly height: number
  readonly appHash: Uint8Array
  readonly trees: ReadonlyMap<string, IavlChange>
}

/**
 * IAVL trees for the modules, FlatKV for EVM state, and the app hash over both. A module's store exists
 * from the first changeset that names it.
 */
export class LmdbCommitter implements Committer {
  readonly #env: LmdbEnv
  readonly #hasher: CommitHasher
  readonly #flatKv: FlatKv
  readonly #nodes: IavlStore
  readonly #markers: LmdbTable
  readonly #roots: LmdbTable
  readonly #trees = new Map<string, ModuleTree>()
  #version = -1
  #appHash: Uint8Array = new Uint8Array(32)
  #staged: Staged | undefined
  /** Newest version on disk. */
  #flushed: number
  #busyNs = 0
  /** After a flush that failed the rows in memory may be ahead of themselves: the log brings them back. */
  #failure: unknown

  constructor(env: LmdbEnv, hasher: CommitHasher) {
    this.#env = env
    this.#hasher = hasher
    this.#flatKv = new FlatKv(env, hasher)
    this.#nodes = new IavlStore(env.table('nodes'))
    this.#markers = env.table('markers')
    this.#roots = env.table('roots')
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
      this.#trees.set(module, { root, orphans: [], nextId: readWord(value, 8) })
    }
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

  async close(): Promise<void> {
    try {
      if (this.#failure === undefined && this.#version > this.#flushed) this.#flush()
    } finally {
      await this.#env.close()
    }
  }

  #timed<T>(work: () => T): T {
    if (this.#failure !== undefined) throw this.#failure
    const start = performance.now()
    try {
      return work()
    } finally {
      this.#busyNs += (performance.now() - start) * 1e6
    }
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
    const roots: StoreRoot[] = [{ name: EVM_STORE, root: this.#flatKv.stage(changeset) }]
    for (const [name, { root }] of trees) roots.push({ name, root: iavlRoot(root, this.#hasher) })
    for (const [name, { root }] of this.#trees) {
      if (!trees.has(name)) roots.push({ name, root: iavlRoot(root, this.#hasher) })
    }
    this.#staged = { height, appHash: appHash(roots, this.#hasher), trees }
    return this.#staged.appHash
  }

  #commit(): void {
    const staged = this.#staged
    if (staged === undefined) {
      throw new LockstepError('INVALID_ARGUMENT', 'commit without a staged version')
    }
    this.#staged = undefined
    this.#flatKv.commit()
    for (const [module, { root, orphans }] of staged.trees) {
      const tree = this.#trees.get(module)
      if (tree === undefined) {
        this.#trees.set(module, { root, orphans: [], nextId: 1 })
        continue
      }
      tree.root = root
      for (const node of orphans) tree.orphans.push(node)
    }
    this.#version = staged.height
    this.#appHash = staged.appHash
    const behind = this.#version - this.#flushed
    if (behind >= FLUSH_HEIGHTS || this.#flatKv.pendingRows >= FLUSH_ROWS) this.#flush()
  }

  /** One transaction: a crash leaves the version before or this one, never a part of it. */
  #flush(): void {
    try {
      this.#env.write(() => {
        this.#flatKv.flush()
        for (const [module, tree] of this.#trees) this.#flushTree(module, tree)
        this.#markers.put(VERSION_KEY, writeWords(this.#version))
        this.#markers.put(APP_HASH_KEY, this.#appHash)
      })
    } catch (thrown) {
      this.#failure = thrown
      throw thrown
    }
    this.#flatKv.forget()
    for (const tree of this.#trees.values()) tree.orphans.length = 0
    this.#flushed = this.#version
  }

  #flushTree(module: string, tree: ModuleTree): void {
    for (const node of tree.orphans) this.#nodes.remove(module, node)
    if (tree.root !== undefined) tree.nextId = this.#nodes.save(module, tree.root, tree.nextId)
    this.#roots.put(Buffer.from(module), writeWords(tree.root?.id ?? 0, tree.nextId))
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
