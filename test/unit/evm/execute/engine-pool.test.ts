import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { EnginePool } from '../../../../host/evm/execute/engine-pool.ts'

/** Borrows an engine until `release`. */
function lease<Engine>(pool: EnginePool<Engine>) {
  return new Promise<{ engine: Engine; release: () => Promise<void> }>((resolve, reject) => {
    const work = (engine: Engine) =>
      new Promise<void>((end) => {
        const release = () => {
          end()
          return done
        }
        resolve({ engine, release })
      })
    const done = pool.use(work)
    done.catch(reject)
  })
}

describe('a pool of engines', () => {
  test('opens as many engines as are used concurrently, and reuses them', async () => {
    let opened = 0
    const pool = new EnginePool(async () => ++opened, 2, 0)
    const first = await lease(pool)
    const second = await lease(pool)
    expect([first.engine, second.engine]).toEqual([1, 2])
    await first.release()
    expect((await lease(pool)).engine).toBe(1)
    expect(opened).toBe(2)
  })

  test('lends an idle engine synchronously to synchronous work, and takes it back', async () => {
    const pool = new EnginePool(async () => 'engine', 1, 0)
    expect(await pool.use(() => 'opened first')).toBe('opened first')
    expect(pool.use((engine) => `${engine} at once`)).toBe('engine at once')
    expect(() =>
      pool.use((): string => {
        throw new Error('work failed')
      }),
    ).toThrow('work failed')
    expect(pool.use(() => 1)).toBe(1)
    const slow = pool.use(() => Promise.resolve('slow'))
    await expect(lease(pool)).rejects.toMatchObject({ code: 'SERVER_BUSY' })
    expect(await slow).toBe('slow')
    expect(pool.use(() => 2)).toBe(2)
  })

  test('queues a limited number of callers and refuses further ones', async () => {
    const pool = new EnginePool(async () => 'engine', 1, 2)
    const borrowed = await lease(pool)
    const order: number[] = []
    const waiting = [1, 2].map((turn) =>
      pool.use(async () => {
        order.push(turn)
      }),
    )
    await expect(lease(pool)).rejects.toMatchObject({ code: 'SERVER_BUSY' })
    borrowed.release()
    await Promise.all(waiting)
    expect(order).toEqual([1, 2])
  })

  test('waits for the yield of queued work, and takes the engine back if the yield fails', async () => {
    const pool = new EnginePool(async () => 'engine', 1, 2)
    const borrowed = await lease(pool)
    const turns: (() => void)[] = []
    const turn = () => new Promise<void>((resolve) => turns.push(resolve))
    const done: number[] = []
    const first = pool.use(() => done.push(1), turn)
    const second = pool.use(
      () => done.push(2),
      () => Promise.reject(new Error('gone')),
    )
    borrowed.release()
    await nextTurn()
    expect([done, turns.length]).toEqual([[], 1])
    turns[0]?.()
    await first
    await expect(second).rejects.toThrow('gone')
    expect(pool.use(() => done.push(3), turn)).toBe(2)
    expect(done).toEqual([1, 3])
  })

  test('takes the engine back from work that fails', async () => {
    const pool = new EnginePool(async () => 'engine', 1, 0)
    await expect(
      pool.use(async () => {
        throw new Error('work failed')
      }),
    ).rejects.toThrow('work failed')
    const borrowed = await lease(pool)
    await borrowed.release()
    await lease(pool)
    await expect(lease(pool)).rejects.toMatchObject({ code: 'SERVER_BUSY' })
  })

  test('discards an unusable engine and opens another for the next caller', async () => {
    let opened = 0
    const usable = (engine: number) => engine !== 1
    const pool = new EnginePool(async () => ++opened, 1, 1, usable)
    const first = await lease(pool)
    const waiting = lease(pool)
    first.release()
    const second = await waiting
    expect(second.engine).toBe(2)
    await second.release()
    expect((await lease(pool)).engine).toBe(2)
    expect(opened).toBe(2)
  })

  test('retries after an engine that failed to open', async () => {
    let attempts = 0
    const pool = new EnginePool(
      async () => {
        attempts++
        if (attempts === 1) throw new Error('no memory')
        return attempts
      },
      1,
      0,
    )
    await expect(lease(pool)).rejects.toThrow('no memory')
    expect((await lease(pool)).engine).toBe(2)
  })
})
