/** Moments of the load at which something can be killed, with how many of each a kill may wait for. */
export const PHASES = [
  ['answer', 40],
  ['transaction sent', 16],
  ['proof sent', 6],
  ['wallet request sent', 4],
  ['trace asked', 6],
] as const

export type Phase = (typeof PHASES)[number][0]

/** Counts moments of one phase, and kills at the one that was drawn. */
export class KillPoint {
  #phase: Phase | undefined
  #left = 0
  #kill: () => void = () => {}

  /** Resolves once `kill` was called, at the moment of this number, from 1. */
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
