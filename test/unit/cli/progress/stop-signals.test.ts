import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'

const MODULE = fileURLToPath(
  new URL('../../../../host/cli/progress/stop-signals.ts', import.meta.url),
)

/** Waits for a signal, prints its name, and continues. */
const WAITER = `
  const { untilStopSignal } = await import(${JSON.stringify(MODULE)})
  const stopped = untilStopSignal()
  const alive = setInterval(() => {}, 1000)
  process.stdout.write('ready')
  process.stdout.write(await stopped)
`

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
})

async function spawnWaiter(): Promise<{ child: ChildProcess; word: () => Promise<string> }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', WAITER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const { stdout } = child
  if (stdout === null) throw new Error('the child has no output')
  const word = async () => String((await once(stdout, 'data'))[0])
  expect(await word()).toBe('ready')
  return { child, word }
}

describe('untilStopSignal', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('resolves with %s', async (signal) => {
    const { child, word } = await spawnWaiter()
    child.kill(signal)
    expect(await word()).toBe(signal)
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'ends the process at a second %s with %d, but not within the same key press',
    async (signal, code) => {
      const { child, word } = await spawnWaiter()
      const exit = once(child, 'exit')
      child.kill(signal)
      expect(await word()).toBe(signal)
      const heard = performance.now()
      // Simulates held keys: the process ends at the first signal that counts as another press.
      while (child.exitCode === null) {
        child.kill(signal)
        await turn()
      }
      expect(await exit).toEqual([code, null])
      expect(performance.now() - heard).toBeGreaterThan(200)
    },
  )
})
