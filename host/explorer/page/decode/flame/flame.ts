import type { CallNode } from '../../../browser/step/stepper.ts'

/** A box of a flame graph: as wide as its gas, its children side by side above it. */
export interface Flame {
  /** Stable across renderings. */
  readonly key: string
  /** The first of its frames; undefined for a box of none. */
  readonly call: number | undefined
  /** Number of merged frames. */
  readonly count: number
  /** One of its frames failed. */
  readonly isFailed: boolean
  readonly total: bigint
  /** Without that of the children. */
  readonly self: bigint
  /** Left edge and width as fractions of the whole: 0 to 1. */
  readonly start: number
  readonly width: number
  readonly depth: number
  readonly children: readonly Flame[]
}

/** Keys of the boxes that are not calls. */
export const TRANSACTION_BOX = 'transaction'
export const INTRINSIC_BOX = 'intrinsic'

/** Returns gas as a fraction of the whole, exact to one part in 2^40. Works for amounts above 2^53. */
export function share(gas: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((gas << 40n) / whole) / 2 ** 40
}

/** A call to be drawn; calls of one group by the same caller share a box. */
export interface FlameNode {
  readonly key: string
  readonly group: string
  /** Index of its frame; undefined for an internal function. */
  readonly call: number | undefined
  readonly isFailed: boolean
  readonly gasUsed: bigint
  children(): readonly FlameNode[]
}

/**
 * Returns the flame graph of frames, each as wide as the gas that it used with its nested frames. Calls of one function
 * by the same caller share a box, so many small ones are seen. `intrinsic` is the gas before the first step.
 */
export function flameByCall(nodes: readonly CallNode[], intrinsic = 0n): Flame | undefined {
  const [root] = nodes
  const nodeOf = (node: CallNode): FlameNode => ({
    key: `${node.index}`,
    group: functionKey(node),
    call: node.index,
    isFailed: node.fault !== undefined,
    gasUsed: node.gasUsed,
    children: () => node.children.flatMap((index) => nodes[index] ?? []).map(nodeOf),
  })
  return root && mergedFlame(nodeOf(root), intrinsic)
}

/** Returns the flame graph of a call, beside the gas before its first step. */
export function mergedFlame(root: FlameNode, intrinsic: bigint): Flame {
  const whole = root.gasUsed + intrinsic
  const build = (merged: readonly FlameNode[], start: bigint, depth: number): Flame => {
    const [first] = merged as [FlameNode]
    const total = merged.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)
    const children: Flame[] = []
    let at = start
    for (const group of byGroup(merged.flatMap((node) => node.children()))) {
      const child = build(group, at, depth + 1)
      children.push(child)
      at += child.total
    }
    const below = at - start
    return {
      key: first.key,
      call: first.call,
      count: merged.length,
      isFailed: merged.some(({ isFailed }) => isFailed),
      total,
      self: total > below ? total - below : 0n,
      start: share(start, whole),
      width: share(total, whole),
      depth,
      children,
    }
  }
  if (intrinsic === 0n) return build([root], 0n, 0)
  const box = { call: undefined, count: 0, isFailed: root.isFailed, start: 0 }
  const before: Flame = {
    ...box,
    key: INTRINSIC_BOX,
    isFailed: false,
    total: intrinsic,
    self: intrinsic,
    width: share(intrinsic, whole),
    depth: 1,
    children: [],
  }
  const children = [before, build([root], intrinsic, 1)]
  return { ...box, key: TRANSACTION_BOX, total: whole, self: 0n, width: 1, depth: 0, children }
}

/** Groups calls, in the order of the first of each group. */
function byGroup(calls: readonly FlameNode[]): Iterable<readonly FlameNode[]> {
  const groups = new Map<string, FlameNode[]>()
  for (const call of calls) {
    const group = groups.get(call.group)
    if (group === undefined) groups.set(call.group, [call])
    else group.push(call)
  }
  return groups.values()
}

/** Returns the same text for calls of one function. Data of accounts without code, such as precompiles, begins with no selector; creations differ in their address. */
export function functionKey({
  type,
  to,
  codeAddress,
  input,
  firstStep,
  endStep,
}: CallNode): string {
  if (type === 'CREATE' || type === 'CREATE2') return `${type} ${input.slice(0, 130)}`
  return `${to} ${codeAddress} ${firstStep === endStep ? '' : input.slice(0, 10)}`
}
