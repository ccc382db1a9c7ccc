import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll } from 'vitest'

/** Bytes that a process may hold before it is made to free what nobody needs. */
const LEAST_HELD = 400 * 2 ** 20
/** What it may grow by, until it is made to again. */
const GROWTH = 1.4

interface Collection {
  readonly type: 'major'
  readonly execution: 'sync'
  /** That which gives freed pages back. */
  readonly flavor: 'last-resort'
}

/** What this process held after it was made to free memory: the files of tests come and go. */
interface Holding {
  lockstepTestBytes?: number
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (collection: Collection) => void

// To start a process takes longer, the more memory its parent has: 5 ms with 50 MB; with 1.6 GB, which a process of tests
// would reach, 140 ms, and 360 ms of processor for the pages that it writes anew. V8 keeps the pages of a heap that was
// large once.
afterAll(() => {
  const holding = process as Holding
  const most = Math.max(LEAST_HELD, (holding.lockstepTestBytes ?? 0) * GROWTH)
  if (process.memoryUsage.rss() < most) return
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  holding.lockstepTestBytes = process.memoryUsage.rss()
})
