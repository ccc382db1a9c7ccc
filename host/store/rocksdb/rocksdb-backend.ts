import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FlushRequest, StateBackend, StateMember } from '../state/state-backend.ts'
import type { TableName } from '../state/table-rows.ts'
import type { LoggedRecord } from '../store-messages.ts'
import { RocksMember } from './rocksdb-member.ts'
import type { FlushTarget } from './rocksdb-messages.ts'
import { loadRocks, type RocksModule } from './rocksdb-module.ts'
import { RocksThread } from './rocksdb-thread.ts'

/**
 * The state store on RocksDB, through the optional package `@nxtedition/rocksdb`. Rows are keys with the
 * inverted height behind them; a thread of its own writes them through RocksDB's log, which keeps their
 * order, and the heights last and synced.
 */
export class RocksBackend implements StateBackend {
  readonly #rocks: RocksModule
  readonly #onFailure: (thrown: unknown) => void
  readonly #members = new Set<RocksMember>()
  #thread: RocksThread | undefined

  /**
   * @param onFailure told what failed in the background.
   * @throws UNSUPPORTED where the package is not installed; nothing is changed on disk.
   */
  static load(onFailure: (thrown: unknown) => void): RocksBackend {
    return new RocksBackend(loadRocks(), onFailure)
  }

  private constructor(rocks: RocksModule, onFailure: (thrown: unknown) => void) {
    this.#rocks = rocks
    this.#onFailure = onFailure
  }

  async open(dir: string, tables: readonly TableName[]): Promise<StateMember> {
    const member = await RocksMember.open(this.#rocks, dir, tables, this.#onFailure)
    this.#members.add(member)
    return member
  }

  holds(dir: string): boolean {
    return existsSync(join(dir, 'CURRENT'))
  }

  async flush(members: readonly StateMember[], request: FlushRequest): Promise<void> {
    const { first, to, also } = request
    const own = members.map((member) => this.#own(member))
    this.#thread ??= new RocksThread()
    await this.#writeRows(this.#thread, own, request)
    for (const member of own) {
      if (member.latest < to) await member.mark(first, to, also(member))
    }
    for (const member of own) await member.prune()
  }

  /** RocksDB holds back the thread that writes when its merges are behind, and does not say by how much. */
  mergeBacklog(): number {
    return 0
  }

  async settle(): Promise<void> {
    await this.#thread?.run({ kind: 'settle' })
    for (const member of this.#members) await member.settle()
  }

  async close(): Promise<void> {
    for (const member of this.#members) await member.release()
    await this.#thread?.close()
    this.#thread = undefined
  }

  async #writeRows(
    thread: RocksThread,
    members: readonly RocksMember[],
    { log, first, to }: FlushRequest,
  ): Promise<void> {
    const targets: FlushTarget[] = []
    for (const member of members) {
      targets.push({ member: await member.attach(thread), above: member.latest })
    }
    const from = Math.min(...targets.map(({ above }) => (above < 0 ? first : above + 1)))
    const records: LoggedRecord[] = []
    for (let height = from; height <= to; height++) {
      records.push({ height, ...log.location(height) })
    }
    if (records.length > 0) await thread.run({ kind: 'write', records, targets })
  }

  #own(member: StateMember): RocksMember {
    if (member instanceof RocksMember && this.#members.has(member)) return member
    throw new TypeError(`database ${member.dir} was opened by another backend`)
  }
}
