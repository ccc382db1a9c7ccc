import type { ClockState } from './chain-clock.ts'
import type { DevSettings } from './dev-chain.ts'

/** State of a development chain at a snapshot. */
export interface DevSnapshot {
  readonly height: number
  /** Number of amendments of the state of `height`. */
  readonly amendments: number
  readonly clock: ClockState
  readonly settings: Readonly<DevSettings>
}

/** State of a development chain that survives a restart, besides blocks and amendments. */
export interface DevRecord {
  readonly snapshots: ReadonlyMap<bigint, DevSnapshot>
  /** Id of the next snapshot. Ids are never reused. */
  readonly nextSnapshot: bigint
  /** Offset of the chain's time from the machine's, in nanoseconds. */
  readonly offset: bigint
  readonly settings: Readonly<DevSettings>
}

/** Target of a removal of blocks, applied atomically in case of a crash. */
export interface BlockRemoval {
  /** The last height that stays. */
  readonly height: number
  /** Number of amendments of its state that stay, from the first. */
  readonly amendments: number
  /** The record after the removal. */
  readonly record: DevRecord
}

/** Stores the record. */
export interface DevRecordStore {
  /** The record of the last run; undefined on a new chain. */
  readonly record: DevRecord | undefined
  save(record: DevRecord): void
}
