/** Which files of the slow set run, and in which order. */
export interface Choice {
  /** Run regardless of the budget. */
  readonly always: readonly string[]
  /** Run one after the other until the budget is used up. */
  readonly queue: readonly ChosenFile[]
}

/** Why a file is in the queue. */
export interface ChosenFile {
  readonly path: string
  readonly reason: 'affected' | 'drawn'
}

/** For a file that no complete run has timed yet. */
const UNKNOWN_SECONDS = 30

/**
 * Share of the budget for the most related files if not all affected ones fit. The other affected files are drawn at
 * random.
 */
const RELATED_SHARE = 2 / 3

/** Seconds of each file of the slow set in its last complete run, with several at a time. */
export type SecondsTable = ReadonlyMap<string, number>

/** Returns the wall-clock seconds of files, `workers` at a time: at least those of the longest. */
export function estimateSeconds(
  paths: readonly string[],
  table: SecondsTable,
  workers: number,
): number {
  const each = paths.map((path) => table.get(path) ?? UNKNOWN_SECONDS)
  const sum = each.reduce((total, seconds) => total + seconds, 0)
  return Math.max(sum / workers, 0, ...each)
}

function shuffle<Value>(values: readonly Value[], random: () => number): Value[] {
  const keyed = values.map((value) => ({ value, key: random() }))
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value)
}

/**
 * Orders the slow set. If all affected files fit into the budget they come first, followed by a random draw of the
 * rest. If not, the most related take two thirds of the budget. The other affected ones are drawn after them, so that
 * each runs sometimes.
 * @param slow all files of the slow set
 * @param always those of them that run regardless of the change
 * @param affected the most related first; undefined if the change is not known
 */
export function choose({
  slow,
  always,
  affected,
  table,
  workers,
  budget,
  random,
}: {
  slow: readonly string[]
  always: readonly string[]
  affected: readonly string[] | undefined
  table: SecondsTable
  workers: number
  budget: number
  random: () => number
}): Choice {
  const optional = slow.filter((path) => !always.includes(path))
  const isOptional = new Set(optional)
  const related = (affected ?? []).filter((path) => isOptional.has(path))
  const unrelated = optional.filter((path) => !related.includes(path))
  const share = estimateSeconds(related, table, workers) > budget ? budget * RELATED_SHARE : budget
  const nearest: string[] = []
  for (const path of related) {
    if (estimateSeconds([...nearest, path], table, workers) <= share) nearest.push(path)
  }
  const farther = related.filter((path) => !nearest.includes(path))
  const queue = [
    ...nearest.map((path) => ({ path, reason: 'affected' }) as const),
    ...shuffle(farther, random).map((path) => ({ path, reason: 'affected' }) as const),
    ...shuffle(unrelated, random).map(
      (path) => ({ path, reason: affected === undefined ? 'affected' : 'drawn' }) as const,
    ),
  ]
  return { always, queue }
}

/**
 * Takes the next batch from the head of a queue: files that fit in `batchSeconds` and the remaining budget. A file
 * that is too long for the budget is skipped, and a shorter one after it may run.
 */
export function takeBatch(
  queue: readonly ChosenFile[],
  {
    table,
    workers,
    left,
    batchSeconds,
  }: { table: SecondsTable; workers: number; left: number; batchSeconds: number },
): { readonly batch: readonly ChosenFile[]; readonly rest: readonly ChosenFile[] } {
  const batch: ChosenFile[] = []
  const rest: ChosenFile[] = []
  const paths: string[] = []
  for (const file of queue) {
    const seconds = estimateSeconds([...paths, file.path], table, workers)
    const isFirst = batch.length === 0
    if (seconds <= left && (isFirst || seconds <= batchSeconds)) {
      batch.push(file)
      paths.push(file.path)
    } else rest.push(file)
  }
  return { batch, rest }
}
