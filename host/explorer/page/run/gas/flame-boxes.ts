import type { Flame } from '../../decode/flame/flame.ts'

/** A rendered box, in fractions of the width of the zoomed box. */
export interface FlameBox {
  readonly flame: Flame
  /** 0 to 1. */
  readonly left: number
  readonly width: number
  /** 0 for the whole, which stays at the bottom of the path to the zoomed box. */
  readonly row: number
}

/** Narrower boxes are not drawn: a hundred thousand calls become a few hundred boxes. */
const NARROWEST = 1 / 1_000

/** Returns the box with a key and its ancestors, starting with the whole; only the whole if there is no such box. */
export function wayTo(root: Flame, key: string): readonly Flame[] {
  const way: Flame[] = []
  const left: Flame[] = [root]
  for (let flame = left.pop(); flame !== undefined; flame = left.pop()) {
    way.length = flame.depth
    way.push(flame)
    if (flame.key === key) return way
    left.push(...flame.children)
  }
  return [root]
}

/** Returns the visible boxes when zoomed to `key`: its ancestors over the whole width, and its descendants. */
export function flameBoxes(root: Flame, key: string): readonly FlameBox[] {
  const way = wayTo(root, key)
  const target = way.at(-1) ?? root
  const boxes: FlameBox[] = way.map((flame) => ({ flame, left: 0, width: 1, row: flame.depth }))
  const left = [...target.children]
  for (let flame = left.pop(); flame !== undefined; flame = left.pop()) {
    const width = target.width === 0 ? 0 : flame.width / target.width
    if (width < NARROWEST) continue
    boxes.push({
      flame,
      left: (flame.start - target.start) / target.width,
      width,
      row: flame.depth,
    })
    left.push(...flame.children)
  }
  return boxes.sort((a, b) => a.row - b.row || a.left - b.left)
}

/** Returns the target of an arrow key from a box: its neighbour, its parent or its first child. */
export function boxBeside(boxes: readonly FlameBox[], at: number, key: string): number | undefined {
  const box = boxes[at]
  if (box === undefined) return undefined
  const find = (wanted: (other: FlameBox, place: number) => boolean): number | undefined => {
    const found = boxes.findIndex(wanted)
    return found < 0 ? undefined : found
  }
  const middle = box.left + box.width / 2
  switch (key) {
    case 'ArrowRight':
      return boxes[at + 1]?.row === box.row ? at + 1 : undefined
    case 'ArrowLeft':
      return boxes[at - 1]?.row === box.row ? at - 1 : undefined
    case 'ArrowUp':
      return find(
        ({ row, left, width }) => row === box.row - 1 && left <= middle && middle <= left + width,
      )
    case 'ArrowDown':
      return find(
        ({ row, left, width }) =>
          row === box.row + 1 &&
          left + width / 2 >= box.left &&
          left + width / 2 <= box.left + box.width,
      )
    default:
      return undefined
  }
}
