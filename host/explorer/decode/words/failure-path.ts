import type { CallNode } from '../../../browser/stepper.ts'

/** How a failure went up. */
export interface FailurePath {
  /** Frames from the one that failed first to the outermost that failed because of it. */
  readonly failed: readonly CallNode[]
  /** The frame that went on nevertheless; undefined where the transaction itself failed. */
  readonly caughtBy: CallNode | undefined
}

/** The last child of a frame that failed, and did so as the last thing the frame did but revert. */
function failedChild(nodes: readonly CallNode[], node: CallNode): CallNode | undefined {
  const last = node.children.at(-1)
  const child = last === undefined ? undefined : nodes[last]
  return child?.fault === undefined ? undefined : child
}

/**
 * The frame where a failure began: below a frame that reverted, its last call as long as that failed too. What a
 * frame gives up for by itself has nothing below.
 */
function pathFrom(nodes: readonly CallNode[], top: CallNode): CallNode[] {
  const path = [top]
  for (let node: CallNode | undefined = top; node !== undefined; ) {
    if (node.fault?.error !== 'execution reverted') break
    node = failedChild(nodes, node)
    if (node !== undefined) path.push(node)
  }
  return path.reverse()
}

/** All failures of a run in the order of the frames that they began in: caught ones, and that of the transaction. */
export function failurePaths(nodes: readonly CallNode[]): FailurePath[] {
  const tops = nodes.filter((node) => {
    if (node.fault === undefined) return false
    const above = node.parent === undefined ? undefined : nodes[node.parent]
    return above === undefined || above.fault === undefined || failedChild(nodes, above) !== node
  })
  return tops.map((top) => ({
    failed: pathFrom(nodes, top),
    caughtBy: top.parent === undefined ? undefined : nodes[top.parent],
  }))
}
