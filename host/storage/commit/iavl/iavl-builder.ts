import { compareBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import type { CommitHasher } from '../hash/commit-hasher.ts'
import { iavlRoot } from './iavl.ts'
import type { IavlRow } from './iavl-store.ts'

/** The given parts of a tree's node. Hashes, sizes and children follow from the order of the nodes. */
export type IavlItem = Pick<IavlRow, 'key' | 'value' | 'version' | 'height'>

/** An AVL tree with more levels has more leaves than a disk has bytes. */
const MAX_HEIGHT = 64

/** A complete subtree without a parent yet. */
interface Subtree {
  readonly id: number
  readonly height: number
  readonly size: number
  readonly version: number
  readonly smallest: Uint8Array
  readonly hash: Uint8Array
}

/** A complete tree. */
export interface BuiltTree {
  /** Id of the root; 0 for an empty tree. */
  readonly rootId: number
  readonly rootHash: Uint8Array
  readonly nextId: number
}

/**
 * Builds a module's tree from its exported nodes in post-order. It checks shape, keys and versions and computes every
 * hash. It holds one subtree per level, never the tree.
 */
export class IavlBuilder {
  readonly #module: string
  readonly #hasher: CommitHasher
  readonly #put: (id: number, row: IavlRow) => void
  readonly #subtrees: Subtree[] = []
  #nextId = 1
  #newestKey: Uint8Array | undefined

  /** @param put - Takes each node with its id, children before their parent. */
  constructor(module: string, hasher: CommitHasher, put: (id: number, row: IavlRow) => void) {
    this.#module = module
    this.#hasher = hasher
    this.#put = put
  }

  /** @throws SNAPSHOT_INVALID if the node does not fit the nodes before it. */
  add(item: IavlItem): void {
    if (item.height === 0) this.#addLeaf(item)
    else this.#addInner(item)
  }

  /** @throws SNAPSHOT_INVALID if the nodes are not one whole tree. */
  finish(): BuiltTree {
    const [root, ...others] = this.#subtrees
    if (others.length > 0) throw this.#invalid(`ends with ${others.length + 1} roots`)
    return {
      rootId: root?.id ?? 0,
      rootHash: root?.hash ?? iavlRoot(undefined, this.#hasher),
      nextId: this.#nextId,
    }
  }

  #addLeaf({ key, value, version }: IavlItem): void {
    if (value === undefined) throw this.#invalid(`has a leaf ${formatData(key)} without a value`)
    if (this.#newestKey !== undefined && compareBytes(key, this.#newestKey) <= 0) {
      throw this.#invalid(
        `has key ${formatData(key)} after ${formatData(this.#newestKey)}: keys must ascend`,
      )
    }
    this.#newestKey = key
    const hash = this.#hasher.iavlLeafHashes([{ version: BigInt(version), key, value }])
    const row = { key, value, version, height: 0, size: 1, left: 0, right: 0, hash }
    this.#push(row, key)
  }

  #addInner({ key, value, version, height }: IavlItem): void {
    const right = this.#subtrees.pop()
    const left = this.#subtrees.pop()
    const where = `node ${formatData(key)} of height ${height}`
    if (left === undefined || right === undefined)
      throw this.#invalid(`has ${where} before its children`)
    if (value !== undefined) throw this.#invalid(`has ${where} with a value`)
    if (compareBytes(key, right.smallest) !== 0) {
      throw this.#invalid(
        `has ${where}, whose right subtree starts at ${formatData(right.smallest)}`,
      )
    }
    if (height > MAX_HEIGHT || height !== Math.max(left.height, right.height) + 1) {
      throw this.#invalid(`has ${where} over heights ${left.height} and ${right.height}`)
    }
    if (Math.abs(left.height - right.height) > 1) throw this.#invalid(`is not balanced at ${where}`)
    if (version < Math.max(left.version, right.version)) {
      throw this.#invalid(`has ${where} and version ${version} over a child of a later version`)
    }
    const size = left.size + right.size
    const hash = this.#hasher.iavlInnerHashes([
      { height, size: BigInt(size), version: BigInt(version), left: left.hash, right: right.hash },
    ])
    const row = { key, value, version, height, size, left: left.id, right: right.id, hash }
    this.#push(row, left.smallest)
  }

  #push(row: IavlRow, smallest: Uint8Array): void {
    const { height, size, version, hash } = row
    const id = this.#nextId++
    this.#put(id, row)
    this.#subtrees.push({ id, height, size, version, smallest, hash })
  }

  #invalid(rule: string): LockstepError {
    return new LockstepError('SNAPSHOT_INVALID', `the tree of ${this.#module} ${rule}`)
  }
}
