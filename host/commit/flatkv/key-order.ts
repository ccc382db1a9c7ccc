/** Characters of a key that are compared at once, behind those that all keys begin with. */
const HEAD = 3
/** Values of a character, all below 256, and that of the end before it. */
const VALUES = 257
/** Fewer are compared one with another. */
const FEW = 16

/** What is put in order: no two keys are the same. */
interface Keyed {
  /** Characters below 256. */
  readonly key: string
}

/**
 * Rows in the order of their keys. The heads of the keys, each above the number of its row, are sorted as numbers beside
 * JavaScript, and what is alike in them by what follows.
 */
export function inOrder<Row extends Keyed>(rows: readonly Row[], depth = 0): readonly Row[] {
  if (rows.length < FEW) return rows.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const shared = sharedLength(rows, depth)
  const { length } = rows
  const order = new Float64Array(length)
  for (let i = 0; i < length; i++) order[i] = headOf((rows[i] as Row).key, shared) * length + i
  order.sort()
  const sorted: Row[] = []
  for (let first = 0, end = 0; first < length; first = end) {
    const base = Math.floor((order[first] as number) / length) * length
    while (end < length && (order[end] as number) < base + length) end++
    if (end - first === 1) {
      sorted.push(rows[(order[first] as number) - base] as Row)
      continue
    }
    const alike = Array.from(order.subarray(first, end), (one) => rows[one - base] as Row)
    for (const row of inOrder(alike, shared + HEAD)) sorted.push(row)
  }
  return sorted
}

function headOf(key: string, start: number): number {
  let head = 0
  for (let at = start; at < start + HEAD; at++) {
    head = head * VALUES + (at < key.length ? key.charCodeAt(at) + 1 : 0)
  }
  return head
}

/** Characters that all keys begin with. The first `depth` are known to be shared. */
function sharedLength(rows: readonly Keyed[], depth: number): number {
  const first = rows[0]?.key ?? ''
  let shared = first.length
  for (const { key } of rows) {
    let at = depth
    while (at < shared && key.charCodeAt(at) === first.charCodeAt(at)) at++
    shared = at
  }
  return shared
}
