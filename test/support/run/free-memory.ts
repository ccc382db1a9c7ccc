import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll } from 'vitest'

/** Bytes that a process holds before it is made to free what nobody needs; it needs some 250 MB. */
const MOST_HELD = 400 * 2 ** 20

interface Collection {
  readonly type: 'major'
  readonly execution: 'sync'
  /** That which gives freed pages back. */
  readonly flavor: 'last-resort'
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (collection: Collection) => void

// To start a process takes longer, the more memory its parent has: 5 ms with 50 MB; with 1.6 GB, which a process of tests
// would reach, 140 ms, and 360 ms of processor for the pages that it writes anew. V8 keeps the pages of a heap that was
// large once.
afterAll(() => {
  if (process.memoryUsage.rss() < MOST_HELD) return
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
})
