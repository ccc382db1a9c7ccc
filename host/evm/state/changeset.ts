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

/** All changes of one block: the content of a write-ahead log record, which both stores replay. */
export interface Changeset {
  readonly height: number
  readonly evm: StateDiff
  /** Other EVM rows (base fee, ...), for the `legacy` sub-database. */
  readonly legacy: readonly KeyWrite[]
  /** General modules, sorted by name. */
  readonly modules: readonly ModuleWrites[]
}
