import type { StateDiff } from '../engine/state-diff.ts'

/** One write to an iterable module store; an undefined value deletes the key. */
export interface KeyWrite {
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
}

/** Writes to one module's store, in key order. */
export interface ModuleWrites {
  /** Store name, for example `staking`. */
  readonly module: string
  readonly writes: readonly KeyWrite[]
}

/** All that one block changed: what the write-ahead log holds and both store members replay. */
export interface Changeset {
  readonly height: number
  readonly evm: StateDiff
  /** EVM rows of no other kind (base fee, ...), for the `legacy` sub-database. */
  readonly legacy: readonly KeyWrite[]
  /** General modules, sorted by name. */
  readonly modules: readonly ModuleWrites[]
}
