import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { type ClientQuota, WorkScheduler } from '../../../../host/api/server/work-scheduler.ts'

const REMOTE = '192.0.2.1'
const OTHER = '192.0.2.2'

/** Time of the schedulers in these tests. The tests define how long work takes, however busy the machine is. */
let time = 0

function newScheduler(): WorkScheduler {
  return new WorkScheduler(1, () => time)
}

/** Occupies the thread for some milliseconds. */
function spin(milliseconds: number): void {
  time += milliseconds
}

/** Does `pieces` short pieces of work, with a yield before each. */
async function work(account: ClientQuota, pieces: number, onPiece: () => void): Promise<void> {
  for (let i = 0; i < pieces; i++) {
    const turn = account.yield()
    if (turn !== undefined) await turn
    spin(1)
    onPiece()
  }
}

describe('the work scheduler', () => {
  test('runs the event loop between slices, however long the work is', async () => {
    const scheduler = newScheduler()
    let turns = 0
    let ended = false
    const count = async () => {
      while (!ended) {
        await nextTurn()
        turns++
      }
    }
    const counting = count()
    await work(scheduler.account(REMOTE), 60, () => {})
    ended = true
    await counting
    // Sixty milliseconds in slices of two.
    expect(turns).toBeGreaterThanOrEqual(20)
  })

  test('yields once per slice, even if the system suspends the process for long', async () => {
    let now = 0
    const scheduler = new WorkScheduler(1, () => {
      now += 10
      return now
    })
    const [first, second] = [scheduler.account(REMOTE), scheduler.account(OTHER)]
    expect(first.yield()).toBeUndefined()
    await Promise.all([first.yield(), second.yield()])
    expect(scheduler.load.waiting).toBe(0)
  })

  test('alternates between two clients with unlimited work', async () => {
    const scheduler = newScheduler()
    const order: string[] = []
    await Promise.all([
      work(scheduler.account(REMOTE), 40, () => order.push('a')),
      work(scheduler.account(OTHER), 40, () => order.push('b')),
    ])
    const half = order.slice(0, 40)
    for (const name of ['a', 'b']) {
      expect(half.filter((one) => one === name).length).toBeGreaterThanOrEqual(12)
    }
  })

  test('runs one item of a light client before thousands of a heavy one', async () => {
    const scheduler = newScheduler()
    let done = 0
    let ended = false
    const flood = Promise.all(
      Array.from({ length: 200 }, () => work(scheduler.account(REMOTE), 1, () => done++)),
    ).then(() => {
      ended = true
    })
    while (done < 20) await nextTurn()
    const before = done
    await scheduler.account(OTHER).yield(0.1)
    expect(ended).toBe(false)
    // At most the rest of the current slice, and one more.
    expect(done - before).toBeLessThanOrEqual(20)
    await flood
  })

  test('runs work that is expected to be short first', async () => {
    const scheduler = newScheduler()
    const order: string[] = []
    const running = work(scheduler.account(REMOTE), 8, () => {})
    const ask = (name: string, expectedMs: number) =>
      scheduler
        .account('127.0.0.1')
        .yield(expectedMs)
        ?.then(() => order.push(name))
    const asked = [ask('long', 50), ask('middle', 5), ask('short', 0.1)]
    expect(asked).not.toContain(undefined)
    await Promise.all([...asked, running])
    expect(order).toEqual(['short', 'middle', 'long'])
  })

  test('runs work that has waited as long as its own duration before later, shorter work', async () => {
    const scheduler = newScheduler()
    const order: string[] = []
    const running = work(scheduler.account(REMOTE), 12, () => {})
    const ask = (name: string, expectedMs: number) =>
      scheduler
        .account('127.0.0.1')
        .yield(expectedMs)
        ?.then(() => order.push(name))
    const first = ask('first', 2)
    spin(3)
    const asked = [first, ask('later', 0.1), ask('latest', 0.05)]
    expect(asked).not.toContain(undefined)
    await Promise.all([...asked, running])
    expect(order).toEqual(['first', 'latest', 'later'])
  })

  test('serves other clients before one that was just served, for as long as its work took', async () => {
    const scheduler = newScheduler()
    const order: string[] = []
    const running = work(scheduler.account(REMOTE), 16, () => {})
    const ask = (account: ClientQuota, name: string) =>
      account.yield(0.1)?.then(() => order.push(name))
    const known = scheduler.account(OTHER)
    known.use(5)
    const asked = [ask(known, 'known'), ask(scheduler.account('127.0.0.1'), 'early')]
    spin(6)
    asked.push(ask(scheduler.account('127.0.0.1'), 'late'))
    expect(asked).not.toContain(undefined)
    await Promise.all([...asked, running])
    expect(order.indexOf('known')).toBeLessThan(order.indexOf('late'))
  })

  test('lets a client that waited long run one item, not all of its work at once', async () => {
    const scheduler = newScheduler()
    let done = 0
    const running = work(scheduler.account('192.0.2.3'), 8, () => {})
    const flood = Promise.all(
      Array.from({ length: 200 }, () => work(scheduler.account(REMOTE), 1, () => done++)),
    )
    spin(1000)
    await scheduler.account(OTHER).yield(0.1)
    expect(done).toBeLessThanOrEqual(20)
    await Promise.all([running, flood])
  })

  test('delays neither short work behind hundreds of long items, nor long items behind many short ones', async () => {
    const scheduler = newScheduler()
    let done = 0
    const piece = async (account: ClientQuota) => {
      await account.yield()
      spin(8)
      done++
    }
    const clients = Array.from({ length: 200 }, () => scheduler.account('127.0.0.1'))
    const flood = Promise.all(clients.flatMap((client) => [piece(client), piece(client)]))
    spin(1000)
    const ask = () => scheduler.account('127.0.0.1').yield(0.01)
    for (let asked = 0; asked < 10; asked++) {
      const before = done
      await ask()
      expect(done - before).toBeLessThanOrEqual(3)
    }
    // Many concurrent short calls leave every other slice to the others.
    const before = done
    await Promise.all(Array.from({ length: 40 }, ask))
    expect(done - before).toBeGreaterThanOrEqual(15)
    await flood
  })

  test('answers short requests at once until those of one event loop turn take too long', async () => {
    const scheduler = newScheduler()
    // The first 64 may belong to earlier event loop turns. Then 64 of this turn are accepted, and any within its
    // first 2 ms.
    for (let i = 0; i < 64; i++) expect(scheduler.hasTimeForShort).toBe(true)
    for (let i = 0; i < 65; i++) expect(scheduler.hasTimeForShort).toBe(true)
    spin(3)
    for (let i = 0; i < 3; i++) expect(scheduler.hasTimeForShort).toBe(false)
    await nextTurn()
    expect(scheduler.hasTimeForShort).toBe(true)
  })

  test('treats an address as one client, and all local clients as one', () => {
    const scheduler = newScheduler()
    expect(scheduler.account(REMOTE)).toBe(scheduler.account(REMOTE))
    expect(scheduler.account(REMOTE)).not.toBe(scheduler.account(OTHER))
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      expect(scheduler.account(address)).not.toBe(scheduler.account(address))
    }
  })
})

describe('the memory limit of a client', () => {
  const KB = 1024

  test('shrinks with the free memory of all clients, and never to zero', () => {
    const scheduler = new WorkScheduler(1000 * KB)
    const first = scheduler.account(REMOTE)
    expect(first.admits(1000 * KB)).toBe(true)
    expect(first.admits(1000 * KB + 1)).toBe(false)
    first.reserve(500 * KB)
    expect(first.admits(0)).toBe(true)
    expect(first.admits(1)).toBe(false)
    const second = scheduler.account(OTHER)
    expect(second.admits(500 * KB)).toBe(true)
    second.reserve(400 * KB)
    expect(scheduler.account('192.0.2.3').admits(100 * KB)).toBe(true)
    expect(scheduler.account('192.0.2.3').admits(101 * KB)).toBe(false)
    scheduler.account('192.0.2.3').reserve(100 * KB)
    expect(scheduler.account('192.0.2.4').admits(16 * KB)).toBe(true)
    expect(scheduler.account('192.0.2.4').admits(17 * KB)).toBe(false)
    expect(scheduler.load).toEqual({ reservedBytes: 1000 * KB, waiting: 0 })
    first.reserve(-500 * KB)
    expect(scheduler.account('192.0.2.4').admits(500 * KB)).toBe(true)
  })
})
