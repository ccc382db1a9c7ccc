import type { StepOptions } from '../../engine/trace-event.ts'

// The parts of steps that are recorded for a script. Known without the engine of scripts, which comes later.

/** The parts that are recorded at first: a script hardly reads a part that its source does not name. */
export function likelySteps(source: string): StepOptions {
  return { stack: /\bstack\b/.test(source), memory: /\bmemory\b/.test(source), each: false }
}

/**
 * Thrown out of a run by a script that reads a part of its steps that was not recorded. A script has no clock
 * and no randomness: under a tracer opened with `steps` it comes to the same place and goes on. Part of the
 * message may have run or all of it, so the block is to be begun again, up to the message.
 */
export class RerunNeeded extends Error {
  override readonly name = 'RerunNeeded'
  readonly steps: StepOptions

  constructor(steps: StepOptions) {
    super('the script tracer reads what its steps were not recorded with')
    this.steps = steps
  }
}
