import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll } from 'vitest'

/** Bytes that a process may use before it must free unused memory. */
const LEAST_HELD = 400 * 2 ** 20
/** Factor of growth after which it must free memory again. */
const GROWTH = 1.4

interface Collection {
  readonly type: 'major'
  readonly execution: 'sync'
  /** The kind of collection that returns freed pages to the system. */
  readonly flavor: 'last-resort'
}

/** Memory of this process after the last collection, shared by its test files. */
interface Holding {
  lockstepTestBytes?: number
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (collection: Collection) => void

// A process starts more slowly the more memory its parent has: 5 ms with 50 MB, but 140 ms with 1.6 GB, which a test
// process would reach, and 360 ms of CPU for copied pages. V8 retains the pages of a heap that was large once.
afterAll(() => {
  const holding = process as Holding
  const most = Math.max(LEAST_HELD, (holding.lockstepTestBytes ?? 0) * GROWTH)
  if (process.memoryUsage.rss() < most) return
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  holding.lockstepTestBytes = process.memoryUsage.rss()
})
