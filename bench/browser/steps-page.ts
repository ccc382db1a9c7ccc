// Steps through a long transaction in a tab, with the engine in a worker: what the page asks, and how long it waits.
import * as lockstep from '../../host/entry/browser.ts'

/** Milliseconds, except for `steps`. */
export interface StepTimes {
  readonly steps: number
  /** From the bundle's text to summary, calls and the rows and step of the failure. */
  readonly first: number
  readonly any: readonly number[]
  readonly back: readonly number[]
  readonly writer: readonly number[]
  /** To a breakpoint that is never hit: through all steps. */
  readonly find: number
  /** Longest time for which the page's own thread was blocked. */
  readonly stall: number
}

const ROWS = 50

let stepper: lockstep.Stepper | undefined

/** Returns a function that tells the longest time between two iterations of the event loop since this call. */
function watchStalls(): () => number {
  const { port1, port2 } = new MessageChannel()
  let last = performance.now()
  let longest = 0
  port1.onmessage = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    port2.postMessage(0)
  }
  port2.postMessage(0)
  return () => {
    port1.close()
    return longest
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Leaves the tab with the stepper open, so that its memory can be read. */
async function steps(url: string, places: readonly number[]): Promise<StepTimes> {
  const text = await (await fetch(url)).text()
  const stalls = watchStalls()
  const start = performance.now()
  const opened = await lockstep.openBundle(text)
  const run = await lockstep.openStepper(opened)
  stepper = run
  const summary = await run.summary()
  const calls = await run.calls()
  const failed = summary.fault?.step ?? 0
  await run.rows(Math.max(0, failed - ROWS / 2), ROWS)
  await run.step(failed)
  const first = performance.now() - start

  const count = summary.steps
  const any: number[] = []
  for (const place of places) {
    any.push(await timed(() => run.step(Math.floor(place * (count - 1)))))
  }
  const back: number[] = []
  const from = calls.at(-1)?.endStep ?? count
  for (let i = 1; i <= 100; i++) back.push(await timed(() => run.step(from - i)))
  const writer: number[] = []
  const { address } = await run.step(from - 1)
  const slot = `0x${'00'.repeat(32)}` as const
  for (const place of [from - 1, Math.floor(from / 2)]) {
    writer.push(await timed(() => run.lastWriter({ kind: 'slot', address, slot }, place)))
  }
  const find = await timed(() => run.find([{ gasBelow: 0 }], 0, 'forward'))
  return { steps: count, first, any, back, writer, find, stall: stalls() }
}

async function closeSteps(): Promise<void> {
  await stepper?.close()
}

const program = { steps, closeSteps }

export type StepsPage = typeof program

Object.assign(globalThis, program)
