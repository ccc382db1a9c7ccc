/** `abort` ends a run for good; `makeWay` has it begin again later, since others wait. */
export type StopSign = 'abort' | 'makeWay'

/** A word for each lane of a thread, written by the thread that holds its runs. */
export type StopArea = SharedArrayBuffer

export function newStopArea(lanes: number): StopArea {
  return new SharedArrayBuffer(4 * lanes)
}

/**
 * Tells a thread to stop a run while it reads no messages, as within a script. Everything else that the
 * run is told comes as a message.
 */
export class StopSigns {
  readonly area: StopArea
  readonly #lanes: Int32Array

  constructor(area: StopArea) {
    this.area = area
    this.#lanes = new Int32Array(area)
  }

  raise(lane: number, run: number, sign: StopSign): void {
    Atomics.store(this.#lanes, lane, wordOf(run, sign))
  }

  /** The sign for this run in its lane; a sign left for an earlier run of the lane does not count. */
  of(lane: number, run: number): StopSign | undefined {
    const word = Atomics.load(this.#lanes, lane)
    if (word === wordOf(run, 'abort')) return 'abort'
    return word === wordOf(run, 'makeWay') ? 'makeWay' : undefined
  }
}

/** Never 0, the value that the area begins with. */
function wordOf(run: number, sign: StopSign): number {
  return ((run + 1) << 1) | (sign === 'abort' ? 1 : 0)
}
