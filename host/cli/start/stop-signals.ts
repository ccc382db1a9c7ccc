import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * A script runner passes on a signal that the terminal has already sent to the whole process group, so
 * that one Ctrl-C arrives twice within moments. A person's second one takes longer.
 */
const SAME_PRESS_MS = 250

/**
 * Resolves at the first signal to stop. A later one ends the process at once with 128 and the signal's
 * number: 130 for Ctrl-C.
 */
export function untilStopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (firstAt === undefined) {
          firstAt = performance.now()
          resolve(signal)
        } else if (performance.now() - firstAt > SAME_PRESS_MS) {
          process.exit(128 + constants.signals[signal])
        }
      })
    }
  })
}
