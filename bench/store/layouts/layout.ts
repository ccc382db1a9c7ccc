import type { BlockRecord } from '../../../host/storage/store/codec/block-record.ts'
import type { TableRow } from '../../../host/storage/store/state/table-rows.ts'

/** A way to store every version of accounts and slots on disk. */
export interface StoreLayout {
  readonly name: string
  /** Writes accounts of height 0 into an empty `dir`, with ascending keys. */
  preload(dir: string, rows: Iterable<TableRow>): Promise<void>
  open(dir: string): Promise<OpenedLayout>
}

export interface OpenedLayout {
  /** Appends one block. Resolves when its writes are on disk. */
  append(record: BlockRecord): Promise<void>
  /** Returns the record of an account at a height. */
  account(
    address: Uint8Array,
    height: number,
  ): Promise<Uint8Array | undefined> | Uint8Array | undefined
  /** Heights that are durable, but not yet in the files that reads use. */
  readonly lag: number
  /** Resolves when all writes are done. */
  settle(): Promise<void>
  close(): Promise<void>
}
