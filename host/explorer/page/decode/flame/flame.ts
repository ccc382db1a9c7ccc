import type { CallNode } from '../../../browser/step/stepper.ts'

/** A box of a flame graph: as wide as its gas, its children side by side above it. */
export interface Flame {
  /** Stable across renderings. */
  readonly key: string
  readonly call: number | undefined
  readonly total: bigint
  /** Without that of the children. */
  readonly self: bigint
  /** Left edge and width as fractions of the whole: 0 to 1. */
  readonly start: number
  readonly width: number
  readonly depth: number
  readonly children: readonly Flame[]
}

/** Returns gas as a fraction of the whole, exact to one part in 2^40. Works for amounts above 2^53. */
export function share(gas: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((gas << 40n) / whole) / 2 ** 40
}

/** Returns the flame graph of frames, each as wide as the gas that it used with its nested frames. */
export function flameByCall(nodes: readonly CallNode[]): Flame | undefined {
  const root = nodes[0]
  if (root === undefined) return undefined
  const build = (node: CallNode, start: bigint, depth: number): Flame => {
    const children: Flame[] = []
    let at = start
    for (const index of node.children) {
      const child = nodes[index]
      if (child === undefined) continue
      children.push(build(child, at, depth + 1))
      at += child.gasUsed
    }
    const below = at - start
    return {
      key: `${node.index}`,
      call: node.index,
      total: node.gasUsed,
      self: node.gasUsed > below ? node.gasUsed - below : 0n,
      start: share(start, root.gasUsed),
      width: share(node.gasUsed, root.gasUsed),
      depth,
      children,
    }
  }
  return build(root, 0n, 0)
}
