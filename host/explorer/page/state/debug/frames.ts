import type { CallNode } from '../../../browser/step/stepper.ts'

/** Maps steps to their frames. */
export class Frames {
  readonly nodes: readonly CallNode[]
  readonly steps: number

  /** `nodes` must be in order of entry, so that first steps never decrease. */
  constructor(nodes: readonly CallNode[], steps: number) {
    this.nodes = nodes
    this.steps = steps
  }

  /** Returns the innermost frame of a step; undefined if the transaction runs no code. */
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

  /** Returns the frames open at a step, innermost first. */
  stackAt(step: number): readonly CallNode[] {
    const open: CallNode[] = []
    let node = this.at(step)
    while (node !== undefined) {
      open.push(node)
      node = this.parentOf(node)
    }
    return open
  }

  /** Returns the first step of the next frame after a step, at most `end`. */
  firstStepAfter(step: number, end: number): number {
    let low = 0
    let high = this.nodes.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.nodes[middle] as CallNode).firstStep <= step) low = middle + 1
      else high = middle
    }
    return Math.min(this.nodes[low]?.firstStep ?? end, end)
  }

  /** Returns the last step of the frames below `above` before a step of it; undefined if there is none. */
  lastStepBefore(step: number, above: CallNode): number | undefined {
    const child = above.children.findLast((index) => {
      const node = this.nodes[index]
      return node !== undefined && node.endStep <= step && node.firstStep < node.endStep
    })
    const node = child === undefined ? undefined : this.nodes[child]
    return node && node.endStep - 1
  }

  /** Returns the child of `above` that contains a step; undefined if the step is in `above` itself, or outside. */
  childAt(above: CallNode, step: number): CallNode | undefined {
    let node = this.at(step)
    while (node !== undefined && node.parent !== above.index) node = this.parentOf(node)
    return node
  }
}
