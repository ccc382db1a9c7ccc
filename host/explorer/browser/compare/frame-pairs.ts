import type { CallNode } from '../step/stepper.ts'
import type { Both, FrameDifference } from './comparison.ts'

type Calls = Both<readonly CallNode[]>

/** Pairs the frames of two runs and returns those with different gas. */
export function compareFrames(calls: Calls): FrameDifference[] {
  const [first, second] = calls.map(([root]) => root)
  if (first === undefined || second === undefined) return []
  const found: FrameDifference[] = []
  comparePair(calls, first, second, found)
  return found
}

function comparePair(calls: Calls, a: CallNode, b: CallNode, found: FrameDifference[]): void {
  if (a.gasUsed !== b.gasUsed) {
    found.push({ calls: [a.index, b.index], gasUsed: [a.gasUsed, b.gasUsed] })
  }
  const others = b.children.map((index) => calls[1][index] as CallNode)
  let next = 0
  const alone = (one: CallNode) =>
    found.push({ calls: [undefined, one.index], gasUsed: [0n, one.gasUsed] })
  for (const index of a.children) {
    const child = calls[0][index] as CallNode
    const at = others.findIndex((one, place) => place >= next && isAlike(child, one))
    if (at < 0) {
      found.push({ calls: [child.index, undefined], gasUsed: [child.gasUsed, 0n] })
      continue
    }
    for (const one of others.slice(next, at)) alone(one)
    comparePair(calls, child, others[at] as CallNode, found)
    next = at + 1
  }
  for (const one of others.slice(next)) alone(one)
}

/** Returns true for the same type of call to the same function of the same account. */
function isAlike(a: CallNode, b: CallNode): boolean {
  if (a.type !== b.type) return false
  const isCreation = a.type === 'CREATE' || a.type === 'CREATE2'
  return isCreation || (a.to === b.to && a.input.slice(0, 10) === b.input.slice(0, 10))
}
