import { planMerge } from '../../table/merge-plan.ts'
import type { Segment } from '../../table/segment.ts'
import type { FlushRequest, StateBackend, StateMember } from '../state/state-backend.ts'
import type { TableName } from '../state/table-rows.ts'
import type { FlushOutput } from '../store-messages.ts'
import type { StoreThread } from '../store-thread.ts'
import { SegmentMember } from './segment-member.ts'

/** The default: segments written by a thread of their own, listed by LMDB. */
export class SegmentBackend implements StateBackend {
  readonly #thread: StoreThread
  readonly #members = new Set<SegmentMember>()
  readonly #onFailure: (thrown: unknown) => void
  #merging: Promise<void> | undefined
  #isClosed = false

  /**
   * @param thread does the work; its owner closes it, first.
   * @param onFailure told why merging was given up.
   */
  constructor(thread: StoreThread, onFailure: (thrown: unknown) => void) {
    this.#thread = thread
    this.#onFailure = onFailure
  }

  async open(dir: string, tables: readonly TableName[]): Promise<StateMember> {
    const member = new SegmentMember(dir, tables)
    this.#members.add(member)
    return member
  }

  holds(dir: string): boolean {
    return SegmentMember.isIn(dir)
  }

  async flush(members: readonly StateMember[], request: FlushRequest): Promise<void> {
    const { log, first, to, also } = request
    const behind = members.filter(({ latest }) => latest < to).map((member) => this.#own(member))
    if (behind.length === 0) return
    // A member may lack heights below the floor, whose rows the floor is made of.
    const from = Math.min(...behind.map(({ latest }) => (latest < 0 ? first : latest + 1)))
    const records = []
    for (let height = from; height <= to; height++) {
      records.push({ height, ...log.location(height) })
    }
    const outputs = behind.map((member) => outputsOf(member))
    const written = new Set(
      await this.#thread.run({ kind: 'flush', records, outputs: outputs.flat() }),
    )
    behind.forEach((member, i) => {
      const paths = (outputs[i] as readonly FlushOutput[])
        .map(({ path }) => path)
        .filter((path) => written.has(path))
      member.install(paths, first, to, also(member))
    })
    this.#startMerging()
  }

  mergeBacklog(): number {
    let bytes = 0
    for (const member of this.#members) {
      for (const table of member.tables) {
        for (const { summary } of planOf(member, table).merged) bytes += summary.bytes
      }
    }
    return bytes
  }

  async settle(): Promise<void> {
    this.#startMerging()
    await this.#merging
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#merging
  }

  #own(member: StateMember): SegmentMember {
    if (member instanceof SegmentMember && this.#members.has(member)) return member
    throw new TypeError(`database ${member.dir} was opened by another backend`)
  }

  #startMerging(): void {
    if (this.#isClosed || this.#merging !== undefined) return
    this.#merging = this.#merge()
      .catch((thrown) => {
        if (!this.#isClosed) this.#onFailure(thrown)
      })
      .finally(() => {
        this.#merging = undefined
      })
  }

  /** Merges one group of segments after another, until no table has any that are worth it. */
  async #merge(): Promise<void> {
    for (let isDone = false; !isDone; ) {
      isDone = true
      for (const member of this.#members) {
        for (const table of member.tables) {
          if (this.#isClosed) return
          if (await this.#mergeTable(member, table)) isDone = false
        }
      }
    }
  }

  async #mergeTable(member: SegmentMember, table: TableName): Promise<boolean> {
    const { merged, isBottom } = planOf(member, table)
    if (merged.length === 0) return false
    const path = member.newFile(table)
    const [written] = await this.#thread.run({
      kind: 'merge',
      inputs: merged.map((segment) => segment.path),
      path,
      floor: member.earliest,
      isBottom,
    })
    if (this.#isClosed) return false
    member.replace(table, merged, written)
    return true
  }
}

/** The next segments of a table to merge; none where nothing is to do. */
function planOf(
  member: SegmentMember,
  table: TableName,
): { readonly merged: readonly Segment[]; readonly isBottom: boolean } {
  const { segments } = member.table(table)
  const plan = planMerge(
    segments.map(({ summary }) => summary),
    member.earliest,
  )
  if (plan === undefined) return { merged: [], isBottom: false }
  const end = plan.from + plan.count
  return { merged: segments.slice(plan.from, end), isBottom: end === segments.length }
}

function outputsOf(member: SegmentMember): FlushOutput[] {
  return member.tables.map((table) => ({
    table,
    path: member.newFile(table),
    above: member.latest,
  }))
}
