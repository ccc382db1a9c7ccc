import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { StateDiff } from '../../evm/engine/state-diff.ts'
import type { Amendments } from '../../evm/state/amendments.ts'
import { decodeChangeset, encodeChangeset } from '../../storage/store/codec/changeset-codec.ts'
import { UnsyncedLog } from '../../storage/store/wal/unsynced-log.ts'
import type { BlockRemoval, DevRecord, DevRecordStore, DevSnapshot } from './dev-memory.ts'

/** First byte of a record. */
const KIND = {
  amendment: 1,
  record: 2,
  cut: 3,
  cutDone: 4,
  closed: 5,
  openedLate: 6,
  openedSynced: 7,
} as const

/** Growth in bytes after which the journal is rewritten. */
const GROWTH = 4 * 1024 * 1024

/** A removal of blocks. Without a record, it is one by a recovery, which changes nothing else. */
export type DevBlockRemoval = Omit<BlockRemoval, 'record'> & Partial<Pick<BlockRemoval, 'record'>>

/** Changes of the record since it was last saved. */
interface RecordChange extends Omit<DevRecord, 'snapshots'> {
  readonly added: ReadonlyMap<bigint, DevSnapshot>
  readonly forgotten: readonly bigint[]
}

/** A removal of blocks as the journal stores it. */
interface WrittenCut extends Pick<BlockRemoval, 'height' | 'amendments'> {
  readonly change: RecordChange | undefined
}

/**
 * Journal in `data/dev/journal` of a developer's changes outside blocks: amendments by height, snapshots, time,
 * settings, and a removal of blocks in progress. It survives a crash of the process, and one of the machine only
 * after `close`.
 */
export class DevJournal implements DevRecordStore, Amendments {
  readonly #path: string
  #log: UnsyncedLog
  readonly #amendments = new Map<number, StateDiff[]>()
  #saved = new Map<bigint, DevSnapshot>()
  #record: Omit<DevRecord, 'snapshots'> | undefined
  #unfinished: WrittenCut | undefined
  #isLate = false
  #rewriteAt: number

  /**
   * @param dir `data/dev`, created if missing
   * @throws STORE_CORRUPTED, STORE_FULL
   */
  constructor(dir: string) {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    this.#path = join(dir, 'journal')
    this.#log = new UnsyncedLog(this.#path)
    for (const record of this.#log.records) this.#replay(record)
    this.#rewriteAt = GROWTH
    this.#rewriteIfGrown()
  }

  /**
   * Records how the stores are written from now on. After a crash, late ones (`isLate`) may have different latest
   * blocks. The record is on disk when this returns, since the machine may crash before the next write here.
   */
  open(isLate: boolean): void {
    this.#isLate = isLate
    this.#append(isLate ? KIND.openedLate : KIND.openedSynced, new Uint8Array(0))
    this.#log.sync()
  }

  get record(): DevRecord | undefined {
    return this.#record && { ...this.#record, snapshots: this.#saved }
  }

  /** A removal of blocks that a crash interrupted: everything above its height must be removed. */
  get unfinishedRemoval(): Pick<BlockRemoval, 'height' | 'amendments'> | undefined {
    return this.#unfinished
  }

  /** True if a process with late stores, or its machine, crashed. */
  get mayDiverge(): boolean {
    return this.#isLate
  }

  diffs(height: number): readonly StateDiff[] {
    return this.#amendments.get(height) ?? []
  }

  amend(height: number, diff: StateDiff): void {
    const changeset = encodeChangeset({ height, evm: diff, legacy: [], modules: [] })
    this.#append(KIND.amendment, changeset)
    this.#add(height, diff)
    this.#rewriteIfGrown()
  }

  save(record: DevRecord): void {
    const change = this.#changeTo(record)
    this.#append(KIND.record, serialize(change))
    this.#take(change)
    this.#rewriteIfGrown()
  }

  /** Records that the blocks above a height are about to be removed, and drops the amendments of their state. */
  beginRemoval({ height, amendments, record }: DevBlockRemoval): void {
    const change = record && this.#changeTo(record)
    const cut: WrittenCut = { height, amendments, change }
    this.#append(KIND.cut, serialize(cut))
    this.#cut(cut)
  }

  /** Records that the removal is complete. */
  endRemoval(): void {
    this.#append(KIND.cutDone, new Uint8Array(0))
    this.#unfinished = undefined
    this.#rewriteIfGrown()
  }

  /** Drops the amendments of heights below `earliest`, whose state is pruned. */
  prune(earliest: number): void {
    for (const height of this.#amendments.keys()) {
      if (height < earliest) this.#amendments.delete(height)
    }
  }

  close(): void {
    this.#append(KIND.closed, new Uint8Array(0))
    this.#log.sync()
    this.#log.close()
  }

  #replay(record: Uint8Array): void {
    const body = record.subarray(1)
    switch (record[0]) {
      case KIND.amendment: {
        const { height, evm } = decodeChangeset(body)
        this.#add(height, evm)
        return
      }
      case KIND.record: {
        this.#take(deserialize(body) as RecordChange)
        return
      }
      case KIND.cut:
        this.#cut(deserialize(body) as WrittenCut)
        return
      case KIND.cutDone:
        this.#unfinished = undefined
        return
      case KIND.openedLate:
        this.#isLate = true
        return
      case KIND.openedSynced:
      case KIND.closed:
        this.#isLate = false
    }
  }

  #add(height: number, diff: StateDiff): void {
    this.#amendments.set(height, [...this.diffs(height), diff])
  }

  #changeTo({ snapshots, ...record }: DevRecord): RecordChange {
    const added = new Map([...snapshots].filter(([id, mark]) => this.#saved.get(id) !== mark))
    const forgotten = [...this.#saved.keys()].filter((id) => !snapshots.has(id))
    return { ...record, added, forgotten }
  }

  #take({ added, forgotten, ...record }: RecordChange): void {
    for (const id of forgotten) this.#saved.delete(id)
    for (const [id, mark] of added) this.#saved.set(id, mark)
    this.#record = record
  }

  #cut(cut: WrittenCut): void {
    this.#unfinished = cut
    for (const [height, diffs] of this.#amendments) {
      if (height > cut.height) this.#amendments.delete(height)
      else if (height === cut.height) this.#amendments.set(height, diffs.slice(0, cut.amendments))
    }
    if (cut.change !== undefined) this.#take(cut.change)
    // A removal by a recovery does not list the snapshots that it invalidates.
    for (const [id, mark] of this.#saved) {
      const isKept =
        mark.height < cut.height ||
        (mark.height === cut.height && mark.amendments <= cut.amendments)
      if (!isKept) this.#saved.delete(id)
    }
  }

  #append(kind: number, body: Uint8Array): void {
    append(this.#log, kind, body)
  }

  /**
   * Rewrites the journal without outdated records; a crash leaves either the old or the new one. Not during a removal
   * of blocks, whose record must stay.
   */
  #rewriteIfGrown(): void {
    if (this.#log.bytes < this.#rewriteAt || this.#unfinished !== undefined) return
    const path = `${this.#path}.new`
    rmSync(path, { force: true })
    const log = new UnsyncedLog(path)
    for (const [height, diffs] of this.#amendments) {
      for (const evm of diffs) {
        append(log, KIND.amendment, encodeChangeset({ height, evm, legacy: [], modules: [] }))
      }
    }
    if (this.#record !== undefined) {
      const change: RecordChange = { ...this.#record, added: this.#saved, forgotten: [] }
      append(log, KIND.record, serialize(change))
    }
    if (this.#isLate) append(log, KIND.openedLate, new Uint8Array(0))
    log.sync()
    renameSync(path, this.#path)
    this.#log.close()
    this.#log = log
    this.#rewriteAt = log.bytes + GROWTH
  }
}

function append(log: UnsyncedLog, kind: number, body: Uint8Array): void {
  const record = new Uint8Array(1 + body.length)
  record[0] = kind
  record.set(body, 1)
  log.append(record)
}
