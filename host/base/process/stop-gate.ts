import {
  getEnvironmentData,
  isMainThread,
  setEnvironmentData,
  type Worker,
} from 'node:worker_threads'

// LMDB's binding locks a mutex for a transaction. A thread that is stopped inside waits for this mutex when its
// environment is cleaned up: the thread never ends, and neither does a process that exits. So code that stops a thread
// shuts a gate first. Each gate has two words; a worker has the gates of the threads that started it, and its own.

/** Name of the gates among the environment data of workers. */
const GATES = 'lockstep stop gates'

/** Number of threads inside `runWhole`. */
const INSIDE = 0
/** 1 once no thread may enter. */
const SHUT = 1

const MOST_MS = 10_000

type Gate = Int32Array<SharedArrayBuffer>

function openGate(): Gate {
  return new Int32Array(new SharedArrayBuffer(8))
}

function gatesOfWorkers(): readonly Gate[] {
  return (getEnvironmentData(GATES) ?? []) as readonly Gate[]
}

/**
 * Makes the process wait when it exits until no worker is inside `runWhole`, for at most ten seconds. Workers that start
 * later take part. Call it on the main thread.
 * @returns a function that undoes it
 */
export function openExitGate(): () => void {
  const gate = openGate()
  setEnvironmentData(GATES, [...gatesOfWorkers(), gate])
  const close = (): void => {
    Atomics.store(gate, SHUT, 1)
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
    setEnvironmentData(
      GATES,
      gatesOfWorkers().filter((other) => other !== gate),
    )
  }
}

/** A worker that can be stopped at any moment. */
export interface StoppableWorker {
  readonly worker: Worker
  /** Stops the worker once it is outside of `runWhole`, or after ten seconds. */
  stop(): Promise<void>
}

/** Starts a worker with a gate of its own. */
export function startStoppable(start: () => Worker): StoppableWorker {
  const gate = openGate()
  const outer = gatesOfWorkers()
  setEnvironmentData(GATES, [...outer, gate])
  let worker: Worker
  try {
    worker = start()
  } finally {
    setEnvironmentData(GATES, outer)
  }
  // A worker that ended by itself leaves nothing to wait for.
  worker.once('exit', () => {
    Atomics.store(gate, INSIDE, 0)
    Atomics.notify(gate, INSIDE)
  })
  const stop = async (): Promise<void> => {
    Atomics.store(gate, SHUT, 1)
    const until = performance.now() + MOST_MS
    let inside = Atomics.load(gate, INSIDE)
    while (inside > 0 && performance.now() < until) {
      await Atomics.waitAsync(gate, INSIDE, inside, until - performance.now()).value
      inside = Atomics.load(gate, INSIDE)
    }
    await worker.terminate()
  }
  return { worker, stop }
}

/** Runs work that must not be cut short when its thread is stopped or the process exits. */
export function runWhole<Result>(work: () => Result): Result {
  const gates = isMainThread ? [] : gatesOfWorkers()
  for (const gate of gates) Atomics.add(gate, INSIDE, 1)
  try {
    const shut = gates.find((gate) => Atomics.load(gate, SHUT) === 1)
    if (shut !== undefined) {
      leave(gates)
      // Until the thread is stopped.
      Atomics.wait(shut, SHUT, 1)
    }
    return work()
  } finally {
    leave(gates)
  }
}

function leave(gates: readonly Gate[]): void {
  for (const gate of gates) {
    Atomics.sub(gate, INSIDE, 1)
    Atomics.notify(gate, INSIDE)
  }
}
