import type { CallNode, InternalCall } from '../../../browser/step/stepper.ts'
import { type Flame, type FlameNode, functionKey, mergedFlame } from './flame.ts'

/** Returns a name for an internal function, the same for all of its calls. */
export type FunctionName = (inner: InternalCall) => string

/**
 * Returns the flame graph of frames and of the internal functions in them. Calls of one function by the same caller
 * share a box.
 */
export function flameByFunction(
  nodes: readonly CallNode[],
  internal: readonly InternalCall[],
  nameOf: FunctionName,
  intrinsic = 0n,
): Flame | undefined {
  const [root] = nodes
  if (root === undefined) return undefined
  const inFrame = new Map<number, InternalCall[]>()
  const inFunction = new Map<number, InternalCall[]>()
  for (const inner of internal) {
    const above = inner.parent === undefined ? undefined : internal[inner.parent]
    if (above?.call === inner.call) push(inFunction, above.index, inner)
    else push(inFrame, inner.call, inner)
  }
  const frameNode = (node: CallNode): FlameNode => ({
    key: `${node.index}`,
    group: functionKey(node),
    call: node.index,
    isFailed: node.fault !== undefined,
    gasUsed: node.gasUsed,
    children: () => below(node, inFrame.get(node.index) ?? [], node.firstStep, node.endStep),
  })
  const functionNode = (frame: CallNode, inner: InternalCall): FlameNode => ({
    key: `function ${inner.index}`,
    group: `function ${nameOf(inner)}`,
    call: undefined,
    isFailed: false,
    gasUsed: BigInt(Math.max(0, Math.round(inner.gasUsed))),
    children: () => below(frame, inFunction.get(inner.index) ?? [], inner.firstStep, inner.endStep),
  })
  /** The functions called in a range of a frame, and the frames that it entered outside of them. */
  const below = (
    frame: CallNode,
    inner: readonly InternalCall[],
    first: number,
    end: number,
  ): FlameNode[] => {
    const { children } = frame
    const enteredAt = (index: number) => (nodes[index]?.firstStep ?? 0) - 1
    const frames = children
      .slice(
        countBefore(children, (index) => enteredAt(index) < first),
        countBefore(children, (index) => enteredAt(index) < end),
      )
      .map((index) => nodes[index])
      .filter((node) => node !== undefined)
      .filter(({ firstStep }) => !isAround(inner, firstStep - 1))
    const entries = [
      ...inner.map((one) => ({ at: one.firstStep, node: functionNode(frame, one) })),
      ...frames.map((one) => ({ at: one.firstStep, node: frameNode(one) })),
    ]
    return entries.sort((a, b) => a.at - b.at).map(({ node }) => node)
  }
  return mergedFlame(frameNode(root), intrinsic)
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

/** Returns true if a step is in one of functions that follow each other. */
function isAround(inner: readonly InternalCall[], step: number): boolean {
  const before = inner[countBefore(inner, ({ firstStep }) => firstStep <= step) - 1]
  return before !== undefined && step < before.endStep
}

/** Returns how many of the first values hold; the others must not. */
function countBefore<Value>(values: readonly Value[], holds: (value: Value) => boolean): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(values[middle] as Value)) low = middle + 1
    else high = middle
  }
  return low
}
