import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { StateDiff } from '../../evm/engine/state-diff.ts'
import type { Amendments } from '../../evm/state/amendments.ts'
import { decodeChangeset, encodeChangeset } from '../../storage/store/codec/changeset-codec.ts'
import { LateLog } from '../../storage/store/wal/late-log.ts'
import type { Cut, DevMemory, DevRecord, Mark } from './dev-memory.ts'

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

/** The journal is written anew once it has this many bytes more than it had after the last time. */
const GROWTH = 4 * 1024 * 1024

/** A removal of blocks; without a record what a recovery takes back, which changes nothing else. */
export type DevCut = Omit<Cut, 'record'> & Partial<Pick<Cut, 'record'>>

/** What has changed of the record since it was saved before. */
interface RecordChange extends Omit<DevRecord, 'snapshots'> {
  readonly added: ReadonlyMap<bigint, Mark>
  readonly forgotten: readonly bigint[]
}

/** A removal of blocks as the journal keeps it. */
interface WrittenCut extends Pick<Cut, 'height' | 'amendments'> {
  readonly change: RecordChange | undefined
}

/**
 * What a developer's hand has done to a chain beside its blocks, in `data/dev/journal`: amendments by height, snapshots,
 * time and settings, and the removal of blocks that is under way. It outlives the process, and the machine once it was
 * closed.
 */
export class DevJournal implements DevMemory, Amendments {
  readonly #path: string
  #log: LateLog
  readonly #amendments = new Map<number, StateDiff[]>()
  #saved = new Map<bigint, Mark>()
  #record: Omit<DevRecord, 'snapshots'> | undefined
  #unfinished: WrittenCut | undefined
  #isLate = false
  #rewriteAt: number

  /** @param dir `data/dev`, which is made where it is missing. @throws STORE_CORRUPTED, STORE_FULL */
  constructor(dir: string) {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    this.#path = join(dir, 'journal')
    this.#log = new LateLog(this.#path)
    for (const record of this.#log.records) this.#replay(record)
    this.#rewriteAt = GROWTH
    this.#rewriteIfGrown()
  }

  /**
   * Says how the stores are written from now on: late ones (`isLate`) may be left with different newest blocks. On disk
   * when this returns: the machine may go down before anything else is written here.
   */
  open(isLate: boolean): void {
    this.#isLate = isLate
    this.#append(isLate ? KIND.openedLate : KIND.openedSynced, new Uint8Array(0))
    this.#log.sync()
  }

  get record(): DevRecord | undefined {
    return this.#record && { ...this.#record, snapshots: this.#saved }
  }

  /** A removal of blocks that a crash has cut short: all that is above its height has to go. */
  get unfinishedCut(): Pick<Cut, 'height' | 'amendments'> | undefined {
    return this.#unfinished
  }

  /** True where a process that wrote its stores late was killed, or its machine went down. */
  get mayBeUneven(): boolean {
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

  /** Says that the blocks above a height are about to be removed; forgets what was done to their state. */
  beginCut({ height, amendments, record }: DevCut): void {
    const change = record && this.#changeTo(record)
    const cut: WrittenCut = { height, amendments, change }
    this.#append(KIND.cut, serialize(cut))
    this.#cut(cut)
  }

  /** Says that they are. */
  endCut(): void {
    this.#append(KIND.cutDone, new Uint8Array(0))
    this.#unfinished = undefined
    this.#rewriteIfGrown()
  }

  /** Forgets the amendments of heights whose state is not kept. */
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
    // What a recovery takes back it does not name.
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
   * Leaves out what is gone: after a crash the journal is the old one or the new. While blocks are being removed it has
   * to say so.
   */
  #rewriteIfGrown(): void {
    if (this.#log.bytes < this.#rewriteAt || this.#unfinished !== undefined) return
    const path = `${this.#path}.new`
    rmSync(path, { force: true })
    const log = new LateLog(path)
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

function append(log: LateLog, kind: number, body: Uint8Array): void {
  const record = new Uint8Array(1 + body.length)
  record[0] = kind
  record.set(body, 1)
  log.append(record)
}
