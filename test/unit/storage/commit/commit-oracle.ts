import { createHash } from 'node:crypto'
import { blake3 } from '@noble/hashes/blake3.js'
import type { Changeset, KeyWrite } from '../../../../host/evm/state/changeset.ts'

/**
 * A plain implementation of the state commit that rehashes everything at every height. The committer is compared with
 * it.
 */

const EMPTY_CODE = 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'

export function sha256(...parts: readonly Uint8Array[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest()
}

function uvarint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = BigInt(value); ; rest >>= 7n) {
    const low = Number(rest & 127n)
    if (rest < 128n) return Buffer.from([...bytes, low])
    bytes.push(low | 128)
  }
}

/** Go's signed varint of a non-negative number. */
const varint = (value: number): Buffer => uvarint(2 * value)

interface Node {
  readonly key: string
  readonly value: Buffer | undefined
  readonly version: number
  readonly left: Node | undefined
  readonly right: Node | undefined
}

const heightOf = (node: Node | undefined): number =>
  node?.left === undefined ? 0 : 1 + Math.max(heightOf(node.left), heightOf(node.right))
const sizeOf = (node: Node): number =>
  node.left === undefined ? 1 : sizeOf(node.left) + sizeOf(node.right as Node)

/** An IAVL tree. Keys are hex, which sorts as the bytes do. */
export class OracleTree {
  #root: Node | undefined

  write(version: number, writes: readonly KeyWrite[]): void {
    for (const { key, value } of writes) {
      const hex = Buffer.from(key).toString('hex')
      if (value !== undefined) {
        this.#root = insert(this.#root, hex, Buffer.from(value), version)
      } else if (keysOf(this.#root).includes(hex)) {
        this.#root = erase(this.#root as Node, hex, version)
      }
    }
  }

  root(): Buffer {
    return this.#root === undefined ? sha256() : hashOf(this.#root)
  }
}

function keysOf(node: Node | undefined): string[] {
  if (node === undefined) return []
  return node.left === undefined ? [node.key] : [...keysOf(node.left), ...keysOf(node.right)]
}

function hashOf(node: Node): Buffer {
  const fields = [varint(heightOf(node)), varint(sizeOf(node)), varint(node.version)]
  if (node.left === undefined) {
    const key = Buffer.from(node.key, 'hex')
    const value = sha256(node.value as Buffer)
    return sha256(...fields, uvarint(key.length), key, uvarint(32), value)
  }
  const left = hashOf(node.left)
  return sha256(...fields, uvarint(32), left, uvarint(32), hashOf(node.right as Node))
}

/** An inner node's key is the smallest key on its right. */
function join(left: Node, right: Node, version: number): Node {
  return { key: keysOf(right)[0] as string, value: undefined, version, left, right }
}

function rebalance(left: Node, right: Node, version: number): Node {
  const lean = heightOf(left) - heightOf(right)
  if (lean > 1) {
    const [outer, inner] = [left.left as Node, left.right as Node]
    if (heightOf(outer) >= heightOf(inner)) {
      return join(outer, join(inner, right, version), version)
    }
    const [near, far] = [inner.left as Node, inner.right as Node]
    return join(join(outer, near, version), join(far, right, version), version)
  }
  if (lean < -1) {
    const [inner, outer] = [right.left as Node, right.right as Node]
    if (heightOf(outer) >= heightOf(inner)) {
      return join(join(left, inner, version), outer, version)
    }
    const [far, near] = [inner.left as Node, inner.right as Node]
    return join(join(left, far, version), join(near, outer, version), version)
  }
  return join(left, right, version)
}

function insert(node: Node | undefined, key: string, value: Buffer, version: number): Node {
  const leaf: Node = { key, value, version, left: undefined, right: undefined }
  if (node === undefined || (node.left === undefined && node.key === key)) return leaf
  if (node.left === undefined) {
    return key < node.key ? join(leaf, node, version) : join(node, leaf, version)
  }
  const right = node.right as Node
  return key < node.key
    ? rebalance(insert(node.left, key, value, version), right, version)
    : rebalance(node.left, insert(right, key, value, version), version)
}

function erase(node: Node, key: string, version: number): Node | undefined {
  if (node.left === undefined) return undefined
  const right = node.right as Node
  if (key < node.key) {
    const left = erase(node.left, key, version)
    return left === undefined ? right : rebalance(left, right, version)
  }
  const rest = erase(right, key, version)
  return rest === undefined ? node.left : rebalance(node.left, rest, version)
}

/** RFC 6962, section 2.1. */
export function merkleOracle(items: readonly Uint8Array[]): Buffer {
  if (items.length === 0) return sha256()
  if (items.length === 1) return sha256(Buffer.from([0]), items[0] as Uint8Array)
  const split = 2 ** Math.ceil(Math.log2(items.length) - 1)
  const [left, right] = [merkleOracle(items.slice(0, split)), merkleOracle(items.slice(split))]
  return sha256(Buffer.from([1]), left, right)
}

const be64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

const le32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** FlatKV rows by physical key in hex. */
export class OracleFlatKv {
  readonly rows = new Map<string, Buffer>()
  readonly #code = new Map<string, Buffer>()
  /**
   * Lattice element of each row, cached because hashing it takes most of the time. Rows are replaced, never modified.
   */
  readonly #limbs = new WeakMap<Buffer, Uint16Array>()

  write({ height, evm, legacy }: Changeset): void {
    const stamp = Buffer.concat([Buffer.from([0]), be64(height)])
    const put = (type: string, key: Uint8Array, value: Uint8Array | undefined): void => {
      const physical = Buffer.concat([Buffer.from(`evm/${type}`, 'latin1'), key]).toString('hex')
      if (value === undefined) this.rows.delete(physical)
      else this.rows.set(physical, Buffer.concat([stamp, value]))
    }
    for (const { codeHash, code } of evm.codes) {
      this.#code.set(Buffer.from(codeHash).toString('hex'), Buffer.from(code))
    }
    for (let at = 0; at < evm.accounts.length; at += 92) {
      const row = Buffer.from(evm.accounts.subarray(at, at + 92))
      const [address, nonce] = [row.subarray(0, 20), row.subarray(20, 28)]
      const [balance, codeHash] = [row.subarray(28, 60), row.subarray(60)]
      const hash = codeHash.toString('hex')
      const code = hash === EMPTY_CODE || /^0*$/.test(hash) ? undefined : this.#code.get(hash)
      const before = this.rows
        .get(`65766d2f0a${address.toString('hex')}`)
        ?.subarray(49)
        .toString('hex')
      if (code === undefined) put('\x07', address, undefined)
      else if (before !== hash) put('\x07', address, code)
      const plain = Buffer.concat([balance, nonce])
      if (code !== undefined) put('\x0a', address, Buffer.concat([plain, codeHash]))
      else put('\x0a', address, /^0*$/.test(plain.toString('hex')) ? undefined : plain)
    }
    for (let at = 0; at < evm.cleared.length; at += 20) {
      const address = Buffer.from(evm.cleared.subarray(at, at + 20)).toString('hex')
      for (const key of this.rows.keys()) {
        if (key.startsWith(`65766d2f03${address}`) && key.length === 114) this.rows.delete(key)
      }
    }
    for (let at = 0; at < evm.storage.length; at += 84) {
      const value = evm.storage.subarray(at + 52, at + 84)
      put(
        '\x03',
        evm.storage.subarray(at, at + 52),
        value.some((byte) => byte > 0) ? value : undefined,
      )
    }
    for (const { key, value } of legacy) put('', key, value)
  }

  root(): Uint8Array {
    const sum = new Uint16Array(1024)
    for (const [physical, row] of this.rows) {
      let limbs = this.#limbs.get(row)
      if (limbs === undefined) {
        const key = Buffer.from(physical, 'hex')
        const element = Buffer.concat([le32(key.length), key, le32(row.length), row])
        const output = Buffer.from(blake3(element, { dkLen: 2048 }))
        limbs = Uint16Array.from({ length: 1024 }, (_, i) => output.readUInt16LE(2 * i))
        this.#limbs.set(row, limbs)
      }
      for (let i = 0; i < 1024; i++) sum[i] = (sum[i] as number) + (limbs[i] as number)
    }
    const bytes = Buffer.alloc(2048)
    sum.forEach((limb, i) => void bytes.writeUInt16LE(limb, 2 * i))
    return blake3(bytes)
  }
}

/** The state that the app hash covers. */
class OracleState {
  readonly #evm = new OracleFlatKv()
  readonly #trees = new Map<string, OracleTree>()

  write(changeset: Changeset): void {
    this.#evm.write(changeset)
    for (const { module, writes } of changeset.modules) {
      const tree = this.#trees.get(module) ?? new OracleTree()
      this.#trees.set(module, tree)
      tree.write(changeset.height, writes)
    }
  }

  appHash(): string {
    const roots = new Map<string, Uint8Array>([['evm_lattice', this.#evm.root()]])
    for (const [module, tree] of this.#trees) roots.set(module, tree.root())
    const items = [...roots]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, root]) => {
        const bytes = Buffer.from(name)
        return Buffer.concat([uvarint(bytes.length), bytes, uvarint(32), sha256(root)])
      })
    return merkleOracle(items).toString('hex')
  }
}

/** Returns the app hash of each height, computed from the changesets alone. */
export function oracleAppHashes(changesets: readonly Changeset[]): string[] {
  const state = new OracleState()
  return changesets.map((changeset) => {
    state.write(changeset)
    return state.appHash()
  })
}

/** Returns the app hash of the latest height, computed from the changesets alone. */
export function oracleAppHash(changesets: readonly Changeset[]): string {
  const state = new OracleState()
  for (const changeset of changesets) state.write(changeset)
  return state.appHash()
}
