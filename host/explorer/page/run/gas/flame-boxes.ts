import type { Flame } from '../../decode/flame/flame.ts'

/** A box as it is drawn: in parts of the width of what is zoomed to. */
export interface FlameBox {
  readonly flame: Flame
  /** 0 to 1. */
  readonly left: number
  readonly width: number
  /** 0 for the whole, which stays at the bottom of the way to what is zoomed to. */
  readonly row: number
}

/** Narrower boxes are not seen: a hundred thousand calls are some hundreds of boxes. */
const NARROWEST = 1 / 1_000

/** The box of a key, and those that it lies in, from the whole on; the whole alone where no box has the key. */
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

/** The boxes that are seen when zoomed to `key`: what it lies in over the whole width, below it what it is made of. */
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

/** Where an arrow key leads from a box: to its side, up to what it lies in, down to its first part. */
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
