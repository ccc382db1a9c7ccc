import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type StopSignal = (typeof SIGNALS)[number]

/**
 * A script runner forwards a signal that the terminal has already sent to the process group, so one Ctrl-C may arrive
 * twice within moments. A deliberate second press takes longer.
 */
const SAME_PRESS_MS = 250

/**
 * Calls `onFirst` at the first stop signal. A later one ends the process at once with 128 plus the signal's number:
 * 130 for Ctrl-C.
 * @returns a function that restores the previous handling of signals
 */
export function onStopSignal(
  onFirst: (signal: NodeJS.Signals) => void,
  signals: readonly StopSignal[] = SIGNALS,
): () => void {
  let firstAt: number | undefined
  const listener = (signal: NodeJS.Signals): void => {
    if (firstAt === undefined) {
      firstAt = performance.now()
      onFirst(signal)
    } else if (performance.now() - firstAt > SAME_PRESS_MS) {
      process.exit(128 + constants.signals[signal])
    }
  }
  for (const signal of signals) process.on(signal, listener)
  return () => {
    for (const signal of signals) process.off(signal, listener)
  }
}

/** Resolves at the first stop signal. A later one ends the process, as with `onStopSignal`. */
export function untilStopSignal(signals?: readonly StopSignal[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    onStopSignal(resolve, signals)
  })
}
