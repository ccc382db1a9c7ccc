import type { CallNode } from '../../../browser/step/stepper.ts'

/** A visible line of the call tree. */
export interface TreeRow {
  readonly call: CallNode
  /** 1 for the transaction's own call. */
  readonly level: number
  /** Undefined for a call without nested calls. */
  readonly isOpen: boolean | undefined
  /** Its position among its siblings, from 1, and their number. */
  readonly place: number
  readonly siblings: number
}

/** Maximum calls of an initially fully open tree. */
const OPEN_WHOLE = 100

/**
 * Returns true if a call is initially open: all of a small tree; in a large one the first two levels and the path to
 * the failure.
 */
export function opensItself(
  calls: readonly CallNode[],
  failing: CallNode | undefined,
): (index: number) => boolean {
  if (calls.length <= OPEN_WHOLE) return () => true
  const way = new Set<number>()
  for (let call = failing; call !== undefined; call = calls[call.parent ?? -1]) way.add(call.index)
  return (index) => way.has(index) || (calls[index]?.depth ?? 0) <= 1
}

/** Returns the visible lines. `toggled` calls are open or closed contrary to their initial state. */
export function treeRows(
  calls: readonly CallNode[],
  opens: (index: number) => boolean,
  toggled: readonly number[],
): readonly TreeRow[] {
  const rows: TreeRow[] = []
  const changed = new Set(toggled)
  const isOpen = (index: number) => opens(index) !== changed.has(index)
  // An explicit stack: calls nest up to 1,024 deep.
  const left: TreeRow[] = []
  const put = (siblings: readonly number[], level: number) => {
    for (let i = siblings.length - 1; i >= 0; i--) {
      const call = calls[siblings[i] as number]
      if (call === undefined) continue
      const open = call.children.length === 0 ? undefined : isOpen(call.index)
      left.push({ call, level, isOpen: open, place: i + 1, siblings: siblings.length })
    }
  }
  if (calls.length > 0) put([0], 1)
  for (let row = left.pop(); row !== undefined; row = left.pop()) {
    rows.push(row)
    if (row.isOpen === true) put(row.call.children, row.level + 1)
  }
  return rows
}

/** Returns `toggled` with one call changed, in ascending order, so that equal trees have equal links. */
export function toggle(toggled: readonly number[], index: number): readonly number[] {
  return toggled.includes(index)
    ? toggled.filter((other) => other !== index)
    : [...toggled, index].sort((a, b) => a - b)
}

/** Returns the ancestors of `index` to toggle so that it becomes visible. */
export function reveal(
  calls: readonly CallNode[],
  opens: (index: number) => boolean,
  toggled: readonly number[],
  index: number,
): readonly number[] {
  let result = toggled
  for (
    let call = calls[calls[index]?.parent ?? -1];
    call !== undefined;
    call = calls[call.parent ?? -1]
  ) {
    if (opens(call.index) === result.includes(call.index)) result = toggle(result, call.index)
  }
  return result
}

/** Returns the action of a key in the tree: selecting, opening or closing a line. Undefined for other keys. */
export function keyInTree(
  rows: readonly TreeRow[],
  at: number,
  key: string,
): { readonly select: number } | { readonly toggle: number } | undefined {
  const row = rows[at]
  if (row === undefined) return undefined
  const select = (place: number) => {
    const target = rows[Math.max(0, Math.min(place, rows.length - 1))]
    return target === undefined ? undefined : { select: target.call.index }
  }
  switch (key) {
    case 'ArrowDown':
      return select(at + 1)
    case 'ArrowUp':
      return select(at - 1)
    case 'Home':
      return select(0)
    case 'End':
      return select(rows.length - 1)
    case 'PageDown':
      return select(at + 10)
    case 'PageUp':
      return select(at - 10)
    case 'ArrowRight':
      if (row.isOpen === false) return { toggle: row.call.index }
      return row.isOpen === true ? select(at + 1) : undefined
    case 'ArrowLeft':
      if (row.isOpen === true) return { toggle: row.call.index }
      return row.call.parent === undefined ? undefined : { select: row.call.parent }
    case ' ':
      return row.isOpen === undefined ? undefined : { toggle: row.call.index }
    default:
      return undefined
  }
}
