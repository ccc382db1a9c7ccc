import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'

// Name of the gate among the environment data of workers, and its words.
const GATE = 'lockstep exit gate'
const INSIDE = 0
const EXITING = 1

const MOST_MS = 10_000

/**
 * Makes the process wait when it exits until no worker is inside `runWhole`, for at most ten seconds. Workers that start
 * later take part. Call it on the main thread.
 * @returns a function that undoes it
 */
export function openExitGate(): () => void {
  const gate = new Int32Array(new SharedArrayBuffer(8))
  setEnvironmentData(GATE, gate)
  const close = (): void => {
    Atomics.store(gate, EXITING, 1)
    const until = performance.now() + MOST_MS
    let inside = Atomics.load(gate, INSIDE)
    while (inside > 0 && performance.now() < until) {
      Atomics.wait(gate, INSIDE, inside, until - performance.now())
      inside = Atomics.load(gate, INSIDE)
    }
  }
  process.on('exit', close)
  return () => {
    process.off('exit', close)
    if (getEnvironmentData(GATE) === gate) setEnvironmentData(GATE, undefined)
  }
}

/**
 * Runs work that the exit of the process must not cut short on a worker. LMDB's binding locks a mutex for a
 * transaction. A thread that is stopped inside waits for this mutex when its environment is cleaned up, and the exit
 * of the process waits for the thread.
 */
export function runWhole<Result>(work: () => Result): Result {
  const gate = isMainThread ? undefined : getEnvironmentData(GATE)
  if (!(gate instanceof Int32Array)) return work()
  Atomics.add(gate, INSIDE, 1)
  try {
    if (Atomics.load(gate, EXITING) === 1) stayOutside(gate)
    return work()
  } finally {
    leave(gate)
  }
}

/** Waits until the exiting process stops this thread. */
function stayOutside(gate: Int32Array<ArrayBufferLike>): void {
  leave(gate)
  Atomics.wait(gate, EXITING, 1)
}

function leave(gate: Int32Array<ArrayBufferLike>): void {
  Atomics.sub(gate, INSIDE, 1)
  Atomics.notify(gate, INSIDE)
}
