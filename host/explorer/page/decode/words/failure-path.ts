import type { CallNode } from '../../../browser/step/stepper.ts'
import { REVERTED } from './fault-words.ts'

/**
 * How a frame's failure follows from that of the frame below: it forwarded the same data, failed with its own error,
 * or ran out of gas too.
 */
export type FailureLink = 'passed on' | 'replaced' | 'out of gas'

/** The propagation of a failure. */
export interface FailurePath {
  /** Frames from the first to fail to the outermost that failed because of it. */
  readonly failed: readonly [CallNode, ...CallNode[]]
  /** How each failure led to the next. */
  readonly links: readonly FailureLink[]
  /** The frame that continued anyway; undefined if the transaction itself failed. */
  readonly caughtBy: CallNode | undefined
}

/** Maximum steps from a failed call to the caller's own failure because of it. */
const GIVE_UP_STEPS = 1_500

const OUT_OF_GAS = /^out of gas/

function linkBetween(child: CallNode, parent: CallNode): FailureLink | undefined {
  if (child.fault === undefined || parent.fault === undefined) return undefined
  if (OUT_OF_GAS.test(parent.fault.error)) {
    return OUT_OF_GAS.test(child.fault.error) ? 'out of gas' : undefined
  }
  if (parent.fault.error !== REVERTED) return undefined
  if (parent.output !== '0x' && parent.output === child.output) return 'passed on'
  if (parent.endStep - child.endStep > GIVE_UP_STEPS) return undefined
  return parent.output === child.output && child.fault.error === REVERTED ? 'passed on' : 'replaced'
}

/** Returns the call that caused a frame's failure: its last one, if that failed. */
function causeOf(
  nodes: readonly CallNode[],
  parent: CallNode,
): { readonly child: CallNode; readonly link: FailureLink } | undefined {
  const index = parent.children.at(-1)
  const child = index === undefined ? undefined : nodes[index]
  const link = child === undefined ? undefined : linkBetween(child, parent)
  return child === undefined || link === undefined ? undefined : { child, link }
}

function pathFrom(
  nodes: readonly CallNode[],
  top: CallNode,
): Pick<FailurePath, 'failed' | 'links'> {
  const above: CallNode[] = []
  const links: FailureLink[] = []
  let node = top
  for (let cause = causeOf(nodes, node); cause !== undefined; cause = causeOf(nodes, node)) {
    above.push(node)
    links.push(cause.link)
    node = cause.child
  }
  return { failed: [node, ...above.reverse()], links: links.reverse() }
}

/** Returns all failures of a run in the order of their outermost frames: that of the transaction, and caught ones. */
export function failurePaths(nodes: readonly CallNode[]): FailurePath[] {
  const tops = nodes.filter((node) => {
    if (node.fault === undefined) return false
    const above = node.parent === undefined ? undefined : nodes[node.parent]
    return above === undefined || causeOf(nodes, above)?.child !== node
  })
  return tops.map((top) => ({
    ...pathFrom(nodes, top),
    caughtBy: top.parent === undefined ? undefined : nodes[top.parent],
  }))
}

/** Returns the innermost call that caused the transaction's failure; undefined if it succeeded. */
export function failingCall(calls: readonly CallNode[]): CallNode | undefined {
  return failurePaths(calls).find(({ caughtBy }) => caughtBy === undefined)?.failed[0]
}
