import type { CallNode } from '../../browser/stepper.ts'

/** Which frame a step belongs to, and what lies above it. */
export class Frames {
  readonly nodes: readonly CallNode[]
  readonly steps: number

  /** `nodes` in the order in which the frames were entered, so that their first steps never fall. */
  constructor(nodes: readonly CallNode[], steps: number) {
    this.nodes = nodes
    this.steps = steps
  }

  /** The innermost frame that a step belongs to; undefined in a transaction that runs no code. */
  at(step: number): CallNode | undefined {
    let low = 0
    let high = this.nodes.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.nodes[middle] as CallNode).firstStep <= step) low = middle + 1
      else high = middle
    }
    let node = this.nodes[low - 1]
    while (node !== undefined && node.endStep <= step) node = this.parentOf(node)
    return node
  }

  parentOf(node: CallNode): CallNode | undefined {
    return node.parent === undefined ? undefined : this.nodes[node.parent]
  }

  /** The frames that are open at a step, the innermost first. */
  stackAt(step: number): readonly CallNode[] {
    const open: CallNode[] = []
    let node = this.at(step)
    while (node !== undefined) {
      open.push(node)
      node = this.parentOf(node)
    }
    return open
  }

  /** The frame directly under `above` that a step lies in or below; undefined where it lies in `above` itself, or outside. */
  childAt(above: CallNode, step: number): CallNode | undefined {
    let node = this.at(step)
    while (node !== undefined && node.parent !== above.index) node = this.parentOf(node)
    return node
  }
}
