import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * A script runner passes on a signal that the terminal has already sent to the whole process group, so
 * that one Ctrl-C arrives twice within moments. A person's second one takes longer.
 */
const SAME_PRESS_MS = 250

/**
 * Calls `onFirst` at the first signal to stop. A later one ends the process at once with 128 and the
 * signal's number: 130 for Ctrl-C.
 * @returns what lets signals do again what they did before
 */
export function onStopSignal(onFirst: (signal: NodeJS.Signals) => void): () => void {
  let firstAt: number | undefined
  const listener = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = performance.now()
      onFirst(signal)
    } else if (performance.now() - firstAt > SAME_PRESS_MS) {
      process.exit(128 + constants.signals[signal])
    }
  }
  for (const signal of SIGNALS) process.on(signal, listener)
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener)
  }
}

/** Resolves at the first signal to stop. A later one ends the process, as `onStopSignal` says. */
export function untilStopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    onStopSignal(resolve)
  })
}
