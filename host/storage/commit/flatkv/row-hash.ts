import { ElementList } from '../hash/element-list.ts'
import { addLattice, LATTICE_BYTES, type LatticeHasher } from '../hash/lattice-hasher.ts'
import { DATABASES, type DatabaseName, KEY_PREFIXES } from './flatkv.ts'

/** Bytes of elements that are hashed in one call. */
const BATCH = 256 * 1024

/** One lattice for each of FlatKV's databases. */
export type Lattices = Readonly<Record<DatabaseName, Uint8Array>>

/** The LtHash of FlatKV's rows, from nothing: what a root is checked with. */
export class RowHash {
  readonly #hasher: LatticeHasher
  readonly #elements = new ElementList()
  readonly #lattices: Lattices
  #database: DatabaseName = 'account'

  constructor(hasher: LatticeHasher) {
    this.#hasher = hasher
    const empty = (): Uint8Array => new Uint8Array(LATTICE_BYTES)
    this.#lattices = { account: empty(), code: empty(), storage: empty(), misc: empty() }
  }

  add(database: DatabaseName, key: Uint8Array, row: Uint8Array): void {
    if (database !== this.#database || this.#elements.bytes.length >= BATCH) this.#hash()
    this.#database = database
    this.#elements.add(KEY_PREFIXES[database], key, row)
  }

  /** The lattices of what was added; those of the caller from now on. */
  finish(): Lattices {
    this.#hash()
    return this.#lattices
  }

  #hash(): void {
    this.#hasher.add(this.#lattices[this.#database], this.#elements.bytes)
    this.#elements.clear()
  }
}

/** FlatKV's root over its databases, 32 bytes. */
export function flatRoot(lattices: Lattices, hasher: LatticeHasher): Uint8Array {
  const sum = new Uint8Array(LATTICE_BYTES)
  for (const database of DATABASES) addLattice(sum, lattices[database])
  return hasher.root(sum)
}
