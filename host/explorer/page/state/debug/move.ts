import type { CallNode } from '../../../browser/step/stepper.ts'
import type { Frames } from './frames.ts'

export type Direction = 'forward' | 'back'

/** One step; one step over calls; to the caller. */
export type Move = 'into' | 'over' | 'out'

/** Returns the target of a move from a step; undefined at the end or start of the transaction. */
export function moveTarget(
  frames: Frames,
  from: number,
  move: Move,
  direction: Direction,
): number | undefined {
  const target = direction === 'forward' ? ahead(frames, from, move) : behind(frames, from, move)
  return target !== undefined && target >= 0 && target < frames.steps ? target : undefined
}

function ahead(frames: Frames, from: number, move: Move): number | undefined {
  const frame = frames.at(from)
  if (frame === undefined || move === 'into') return from + 1
  if (move === 'out') return frame.endStep
  return childOf(frames, frame, from + 1)?.endStep ?? from + 1
}

/** Moving backwards out of a frame leads to the call: the caller's last step before it. */
function behind(frames: Frames, from: number, move: Move): number | undefined {
  const frame = frames.at(from)
  if (frame === undefined || move === 'into') return from - 1
  if (move === 'out') return frame.firstStep - 1
  const child = childOf(frames, frame, from - 1)
  return child === undefined ? from - 1 : child.firstStep - 1
}

function childOf(frames: Frames, frame: CallNode, step: number): CallNode | undefined {
  return step < frame.firstStep || step >= frame.endStep ? undefined : frames.childAt(frame, step)
}
