import type { ClockState } from './chain-clock.ts'
import type { DevSettings } from './dev-chain.ts'

/** Where a development chain stood at a snapshot. */
export interface Mark {
  readonly height: number
  /** Amendments that the state of `height` had. */
  readonly amendments: number
  readonly clock: ClockState
  readonly settings: Readonly<DevSettings>
}

/** What a development chain goes on with after a restart, beside its blocks and amendments. */
export interface DevRecord {
  readonly snapshots: ReadonlyMap<bigint, Mark>
  /** Id of the next snapshot: none is given twice. */
  readonly nextSnapshot: bigint
  /** The chain's time less the machine's, in nanoseconds. */
  readonly offset: bigint
  readonly settings: Readonly<DevSettings>
}

/** What a chain is taken back to: all of it at once, whenever the process ends. */
export interface Cut {
  /** The newest height that stays. */
  readonly height: number
  /** How many amendments of its state stay: the first so many. */
  readonly amendments: number
  /** What the chain goes on with. */
  readonly record: DevRecord
}

/** Keeps the record. */
export interface DevMemory {
  /** As the last run has left it; undefined on a new chain. */
  readonly record: DevRecord | undefined
  save(record: DevRecord): void
}
