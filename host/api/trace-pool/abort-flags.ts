/** `abort` cancels a run; `preempt` preempts it, to restart later, because others wait. */
export type AbortFlag = 'abort' | 'makeWay'

/** One word per lane of a thread, written by the main thread. */
export type AbortFlagArea = SharedArrayBuffer

export function newAbortFlagArea(lanes: number): AbortFlagArea {
  return new SharedArrayBuffer(4 * lanes)
}

/**
 * Abort flags that stop a run on a thread that cannot read messages, such as during a script. Everything else is sent
 * as a message.
 */
export class AbortFlags {
  readonly area: AbortFlagArea
  readonly #lanes: Int32Array

  constructor(area: AbortFlagArea) {
    this.area = area
    this.#lanes = new Int32Array(area)
  }

  raise(lane: number, run: number, sign: AbortFlag): void {
    Atomics.store(this.#lanes, lane, wordOf(run, sign))
  }

  /** Returns the flag for this run in its lane, ignoring flags of earlier runs. */
  of(lane: number, run: number): AbortFlag | undefined {
    const word = Atomics.load(this.#lanes, lane)
    if (word === wordOf(run, 'abort')) return 'abort'
    return word === wordOf(run, 'makeWay') ? 'makeWay' : undefined
  }
}

/** Never 0, the initial value. */
function wordOf(run: number, sign: AbortFlag): number {
  return ((run + 1) << 1) | (sign === 'abort' ? 1 : 0)
}
