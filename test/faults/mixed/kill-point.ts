/** Phases of the load in which a process can be killed, with the maximum occurrence that a kill may wait for. */
export const PHASES = [
  ['answer', 40],
  ['transaction sent', 16],
  ['proof sent', 6],
  ['wallet request sent', 4],
  ['trace asked', 6],
] as const

export type Phase = (typeof PHASES)[number][0]

/** Counts occurrences of one phase, and kills at a random one. */
export class KillPoint {
  #phase: Phase | undefined
  #left = 0
  #kill: () => void = () => {}

  /** Resolves after `kill` was called, at this occurrence of the phase, counted from 1. */
  arm(phase: Phase, occurrence: number, kill: () => void): Promise<void> {
    this.#phase = phase
    this.#left = occurrence
    return new Promise((resolve) => {
      this.#kill = () => {
        kill()
        resolve()
      }
    })
  }

  note(phase: Phase): void {
    if (phase !== this.#phase || --this.#left > 0) return
    this.#phase = undefined
    this.#kill()
  }
}
