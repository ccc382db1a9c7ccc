import { setTimeout as delay } from 'node:timers/promises'

const LOOK_MS = 5

/**
 * Resolves once a condition holds, which is looked at every few milliseconds.
 * @throws Error when it does not within the time, whose bound only a fault reaches
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs = 180_000,
): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${condition}`)
    await delay(LOOK_MS)
  }
}
