import { ElementList } from '../hash/element-list.ts'
import { addLattice, LATTICE_BYTES, type LatticeHasher } from '../hash/lattice-hasher.ts'
import { DATABASES, type DatabaseName, KEY_PREFIXES } from './flatkv.ts'

/** Bytes of elements hashed per call. */
const BATCH = 256 * 1024

/** One lattice per FlatKV database. */
export type Lattices = Readonly<Record<DatabaseName, Uint8Array>>

/** Computes the LtHash of FlatKV's rows from scratch, to verify a root. */
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

  /** Returns the lattices of the rows added, which then belong to the caller. */
  finish(): Lattices {
    this.#hash()
    return this.#lattices
  }

  #hash(): void {
    this.#hasher.add(this.#lattices[this.#database], this.#elements.bytes)
    this.#elements.clear()
  }
}

/** Returns FlatKV's root over its databases, 32 bytes. */
export function flatRoot(lattices: Lattices, hasher: LatticeHasher): Uint8Array {
  const sum = new Uint8Array(LATTICE_BYTES)
  for (const database of DATABASES) addLattice(sum, lattices[database])
  return hasher.root(sum)
}
