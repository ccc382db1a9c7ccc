import type { BlockRecord } from '../../../host/storage/store/codec/block-record.ts'
import type { TableRow } from '../../../host/storage/store/state/table-rows.ts'

/** A way to keep every version of accounts and slots on disk. */
export interface StoreLayout {
  readonly name: string
  /** Writes accounts of height 0 into an empty `dir`, keys ascending. */
  preload(dir: string, rows: Iterable<TableRow>): Promise<void>
  open(dir: string): Promise<OpenedLayout>
}

export interface OpenedLayout {
  /** Takes in one block; what it wrote is on disk when this resolves. */
  append(record: BlockRecord): Promise<void>
  /** The record of an account at a height. */
  account(
    address: Uint8Array,
    height: number,
  ): Promise<Uint8Array | undefined> | Uint8Array | undefined
  /** Heights that are durable, but not yet where reads find them on disk. */
  readonly lag: number
  /** Resolves when nothing is left to be written. */
  settle(): Promise<void>
  close(): Promise<void>
}
