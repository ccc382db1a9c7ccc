import { setTimeout as delay } from 'node:timers/promises'

const LOOK_MS = 5

/**
 * Resolves when a condition holds, which is checked every few milliseconds.
 * @throws Error if it does not hold within the time limit, which only a fault reaches
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
