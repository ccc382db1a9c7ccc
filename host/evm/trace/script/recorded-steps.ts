import type { StepOptions } from '../../engine/trace-event.ts'

// Parts of steps recorded for a script. In its own file so that it works before the script engine is loaded.

/** Returns the parts recorded at first: a script rarely reads a part that its source does not mention. */
export function likelySteps(source: string): StepOptions {
  return { stack: /\bstack\b/.test(source), memory: /\bmemory\b/.test(source), each: false }
}

/**
 * Thrown from a run when a script reads a part of its steps that was not recorded. Scripts are deterministic, so a
 * tracer opened with `steps` reaches the same point and continues. The message may have run in part or in whole:
 * begin the block again and replay up to the message.
 */
export class RerunNeeded extends Error {
  override readonly name = 'RerunNeeded'
  readonly steps: StepOptions

  constructor(steps: StepOptions) {
    super('the script tracer reads a part of its steps that was not recorded')
    this.steps = steps
  }
}
