import { LockstepError } from '../../../base/error.ts'
import { LATTICE_BYTES, type LatticeHasher } from './lattice-hasher.ts'

const HASH_LENGTH = 32
const INNER_NODE_LENGTH = 81

/** Bytes of the link, key length and value length of a trie row (assembly/commit/mpt.ts). */
const TRIE_ROW_HEADER = 12

/** Key and value of a Merkle Patricia trie. */
export type TrieRow = readonly [key: Uint8Array, value: Uint8Array]

/** The exports of commit.wasm (assembly/commit.ts). */
interface CommitExports {
  readonly memory: WebAssembly.Memory
  readonly INPUT: WebAssembly.Global
  readonly INPUT_SIZE: WebAssembly.Global
  readonly OUTPUT: WebAssembly.Global
  readonly LATTICE_VECTOR: WebAssembly.Global
  readonly TRIE: WebAssembly.Global
  readonly TRIE_SIZE: WebAssembly.Global
  _initialize(): void
  addRows(length: number): number
  subtractRows(length: number): number
  latticeRoot(): void
  merkleRoot(length: number): number
  trieRoot(length: number, isSecure: number): number
  iavlLeafHashes(length: number): number
  iavlInnerHashes(length: number): number
  keccak256(length: number): void
}

/** The hashed fields of an IAVL leaf. */
export interface IavlLeaf {
  readonly version: bigint
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** The hashed fields of an inner IAVL node, which exclude its key. */
export interface IavlInnerNode {
  readonly height: number
  readonly size: bigint
  readonly version: bigint
  readonly left: Uint8Array
  readonly right: Uint8Array
}

/**
 * Hashes for the state commit, in commit.wasm. Batches that exceed the input buffer are split; a single item that
 * exceeds it is rejected.
 */
export class CommitHasher implements LatticeHasher {
  readonly #exports: CommitExports
  readonly #input: Uint8Array
  readonly #view: DataView
  readonly #output: Uint8Array
  readonly #lattice: Uint8Array
  readonly #trie: Uint8Array
  readonly #trieView: DataView

  /** @param module - The compiled commit.wasm. */
  constructor(module: WebAssembly.Module) {
    this.#exports = new WebAssembly.Instance(module).exports as unknown as CommitExports
    this.#exports._initialize()
    const { memory, INPUT, INPUT_SIZE, OUTPUT, LATTICE_VECTOR, TRIE, TRIE_SIZE } = this.#exports
    this.#input = new Uint8Array(memory.buffer, INPUT.value, INPUT_SIZE.value)
    this.#view = new DataView(memory.buffer, INPUT.value, INPUT_SIZE.value)
    this.#output = new Uint8Array(memory.buffer, OUTPUT.value, 2 * INPUT_SIZE.value)
    this.#lattice = new Uint8Array(memory.buffer, LATTICE_VECTOR.value, LATTICE_BYTES)
    this.#trie = new Uint8Array(memory.buffer, TRIE.value, TRIE_SIZE.value)
    this.#trieView = new DataView(memory.buffer, TRIE.value, TRIE_SIZE.value)
  }

  add(lattice: Uint8Array, elements: Uint8Array): void {
    this.#mix(lattice, elements, this.#exports.addRows)
  }

  subtract(lattice: Uint8Array, elements: Uint8Array): void {
    this.#mix(lattice, elements, this.#exports.subtractRows)
  }

  root(lattice: Uint8Array): Uint8Array {
    this.#lattice.set(lattice)
    this.#exports.latticeRoot()
    return this.#output.slice(0, HASH_LENGTH)
  }

  /**
   * Returns the root of CometBFT's simple Merkle tree (RFC 6962 over SHA-256), 32 bytes. Without items it is the
   * SHA-256 of nothing. All items together must fit the input buffer.
   */
  merkleRoot(items: readonly Uint8Array[]): Uint8Array {
    let length = 0
    for (const item of items) length = this.#putBytes(length, item)
    this.#expect(items.length, this.#exports.merkleRoot(length), 'items')
    return this.#output.slice(0, HASH_LENGTH)
  }

  /**
   * Returns the root of the Merkle Patricia trie of rows with distinct keys of at most 128 bytes, 32 bytes. Without
   * rows it is that of an empty trie. All rows and the trie's nodes must fit 16 MiB.
   */
  trieRoot(rows: Iterable<TrieRow>): Uint8Array {
    return this.#trieRoot(rows, false)
  }

  /** Returns the trie root with each key, of at most 32 bytes, replaced by its Keccak-256 hash. */
  secureTrieRoot(rows: Iterable<TrieRow>): Uint8Array {
    return this.#trieRoot(rows, true)
  }

  #trieRoot(rows: Iterable<TrieRow>, isSecure: boolean): Uint8Array {
    const trie = this.#trie
    let count = 0
    let at = 0
    for (const [key, value] of rows) {
      const start = at + TRIE_ROW_HEADER
      const end = start + (isSecure ? HASH_LENGTH : key.length) + value.length
      if (end > trie.length || (isSecure && key.length > HASH_LENGTH)) {
        throw malformed(`trie row ${count}: key of ${key.length}, value of ${value.length} bytes`)
      }
      this.#trieView.setUint32(at + 4, key.length, true)
      this.#trieView.setUint32(at + 8, value.length, true)
      trie.set(key, start)
      trie.set(value, end - value.length)
      at = end
      count++
    }
    this.#expect(count, this.#exports.trieRoot(at, isSecure ? 1 : 0), 'trie rows')
    return this.#output.slice(0, HASH_LENGTH)
  }

  /** Returns the hashes of the leaves, 32 bytes each, concatenated. */
  iavlLeafHashes(leaves: readonly IavlLeaf[]): Uint8Array {
    return this.#hashNodes(
      leaves,
      ({ key, value }) => 16 + key.length + value.length,
      (offset, { version, key, value }) => {
        this.#view.setBigUint64(offset, version, true)
        return this.#putBytes(this.#putBytes(offset + 8, key), value)
      },
      this.#exports.iavlLeafHashes,
    )
  }

  /** Returns the hashes of the nodes, 32 bytes each, concatenated. */
  iavlInnerHashes(nodes: readonly IavlInnerNode[]): Uint8Array {
    return this.#hashNodes(
      nodes,
      () => INNER_NODE_LENGTH,
      (offset, { height, size, version, left, right }) => {
        this.#view.setUint8(offset, height)
        this.#view.setBigUint64(offset + 1, size, true)
        this.#view.setBigUint64(offset + 9, version, true)
        this.#input.set(left, offset + 17)
        this.#input.set(right, offset + 17 + HASH_LENGTH)
        return offset + INNER_NODE_LENGTH
      },
      this.#exports.iavlInnerHashes,
    )
  }

  /** Returns the Keccak-256 of at most 16 MiB, 32 bytes. */
  keccak256(data: Uint8Array): Uint8Array {
    if (data.length > this.#trie.length) throw malformed(`${data.length} bytes`)
    this.#trie.set(data)
    this.#exports.keccak256(data.length)
    return this.#output.slice(0, HASH_LENGTH)
  }

  #mix(lattice: Uint8Array, elements: Uint8Array, run: (length: number) => number): void {
    this.#lattice.set(lattice)
    for (let start = 0; start < elements.length; ) {
      const end = this.#batchEnd(elements, start)
      this.#input.set(elements.subarray(start, end))
      if (run(end - start) < 0) throw malformed(`elements at byte ${start}`)
      start = end
    }
    lattice.set(this.#lattice)
  }

  /** Returns the end of the last whole element that fits the input buffer. */
  #batchEnd(elements: Uint8Array, start: number): number {
    if (elements.length - start <= this.#input.length) return elements.length
    const view = new DataView(elements.buffer, elements.byteOffset, elements.length)
    let end = start
    for (;;) {
      const next = elementEnd(view, end)
      if (next === undefined || next - start > this.#input.length) break
      end = next
    }
    if (end === start) throw malformed(`element at byte ${start}`)
    return end
  }

  #hashNodes<T>(
    nodes: readonly T[],
    lengthOf: (node: T) => number,
    put: (offset: number, node: T) => number,
    run: (length: number) => number,
  ): Uint8Array {
    const hashes = new Uint8Array(HASH_LENGTH * nodes.length)
    let done = 0
    let length = 0
    const flush = (end: number): void => {
      this.#expect(end - done, run(length), 'nodes')
      hashes.set(this.#output.subarray(0, HASH_LENGTH * (end - done)), HASH_LENGTH * done)
      done = end
      length = 0
    }
    for (const [index, node] of nodes.entries()) {
      if (length + lengthOf(node) > this.#input.length) flush(index)
      this.#reserve(length, lengthOf(node))
      length = put(length, node)
    }
    if (done < nodes.length) flush(nodes.length)
    return hashes
  }

  /** Writes the LE32 length and the bytes at `offset` of the input. Returns the offset after them. */
  #putBytes(offset: number, bytes: Uint8Array): number {
    this.#reserve(offset, 4 + bytes.length)
    this.#view.setUint32(offset, bytes.length, true)
    this.#input.set(bytes, offset + 4)
    return offset + 4 + bytes.length
  }

  #reserve(offset: number, length: number): void {
    if (offset + length > this.#input.length) {
      throw malformed(`${offset + length} bytes, more than the ${this.#input.length} of one call`)
    }
  }

  #expect(wanted: number, got: number, what: string): void {
    if (got !== wanted) throw malformed(`${wanted} ${what}`)
  }
}

function elementEnd(view: DataView, start: number): number | undefined {
  if (start + 8 > view.byteLength) return undefined
  const value = start + 4 + view.getUint32(start, true)
  return value + 4 > view.byteLength ? undefined : value + 4 + view.getUint32(value, true)
}

function malformed(what: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', `commit.wasm cannot hash ${what}`)
}
