import { describe, expect, test } from 'vitest'
import { CONFIG_FILES } from '../../../../host/base/config/schema.ts'
import { rpcWorkerCount } from '../../../../host/node/serve/wanted-threads.ts'

const { type, fallback } = CONFIG_FILES['app.toml'].sections.evm.serving_threads

describe('the number of RPC workers', () => {
  test.each([
    [1, 0],
    [2, 2],
    [8, 8],
    [17, 16],
    [128, 16],
  ])('on %i processors is %i by default', (processors, threads) => {
    const servingThreads = type.decode(fallback) as number
    expect(rpcWorkerCount({ servingThreads }, processors)).toBe(threads)
  })

  test.each([0, 1, 16])('is %i if the configuration says so', (servingThreads) => {
    expect(rpcWorkerCount({ servingThreads }, 1)).toBe(servingThreads)
    expect(rpcWorkerCount({ servingThreads }, 64)).toBe(servingThreads)
  })

  test.each([-2, 17, 1.5, 'auto'])('cannot be %s', (value) => {
    expect(type.decode(value)).toBeUndefined()
  })
})
