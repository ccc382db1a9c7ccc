import type { CallNode, InternalCall } from '../../../browser/step/stepper.ts'

/** A frame, or an internal function in one, in the order of entry. */
export type NestedCall = {
  /** 0 for the transaction's own frame. */
  readonly level: number
  readonly firstStep: number
  /** With everything that it called. */
  readonly gasUsed: bigint
} & (
  | { readonly kind: 'frame'; readonly frame: CallNode }
  | { readonly kind: 'function'; readonly inner: InternalCall }
)

/** Returns all frames and internal functions, each below what called it. */
export function nestedCalls(
  frames: readonly CallNode[],
  internal: readonly InternalCall[],
): readonly NestedCall[] {
  const rows: NestedCall[] = []
  /** Ends of what is open. */
  const ends: number[] = []
  let [nextFrame, nextInner] = [0, 0]
  for (;;) {
    const frame = frames[nextFrame]
    const inner = internal[nextInner]
    if (frame === undefined && inner === undefined) return rows
    // A frame begins before the functions in it.
    const isFrame =
      inner === undefined || (frame !== undefined && frame.firstStep <= inner.firstStep)
    const { firstStep, endStep } = (isFrame ? frame : inner) as CallNode | InternalCall
    while (ends.length > 0 && (ends.at(-1) as number) <= firstStep) ends.pop()
    const shared = { level: ends.length, firstStep }
    if (isFrame) {
      const { gasUsed } = frame as CallNode
      rows.push({ ...shared, kind: 'frame', frame: frame as CallNode, gasUsed })
      nextFrame++
    } else {
      const gasUsed = BigInt(Math.max(0, Math.round((inner as InternalCall).gasUsed)))
      rows.push({ ...shared, kind: 'function', inner: inner as InternalCall, gasUsed })
      nextInner++
    }
    ends.push(endStep)
  }
}
