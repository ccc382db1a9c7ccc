import { expect, test } from 'vitest'
import type { WorkScheduler } from '../../../../host/api/server/work-scheduler.ts'
import { createMetrics } from '../../../../host/base/metrics/metrics.ts'
import type { Mempool } from '../../../../host/chain/consensus/mempool/mempool.ts'
import type { CompiledCodeCounts } from '../../../../host/evm/engine/compiled-code.ts'
import {
  observeClients,
  observeCompiledCode,
  observePool,
  observeStore,
} from '../../../../host/node/run/observe.ts'
import type { NodeStorage } from '../../../../host/storage/store/node-storage.ts'

function changeable() {
  const dropped = { expired: 3, replaced: 0 }
  const table = { member: 'chain', table: 'blocks', rows: 1, bytes: 10, logicalBytes: 100 }
  const figures = {
    tables: [{ ...table, writtenBytes: 200 }],
    pendingBytes: 7,
    pendingHeights: 2,
    compactionBacklog: 0,
  }
  return {
    pool: { size: 4, queuedCount: 1, bytes: 400, memoryBytes: 900, dropped },
    work: { load: { reservedBytes: 5, waiting: 0 } },
    figures,
  }
}

test('the figures of pool, clients and store are current when they are read, even without a new block', async () => {
  const metrics = createMetrics()
  const { pool, work, figures } = changeable()
  observePool(pool as unknown as Mempool, metrics)
  observeClients(work as unknown as WorkScheduler, metrics)
  observeStore({ figures: () => figures } as unknown as NodeStorage, metrics)
  const read = async () => {
    const lines = (await metrics.render()).split('\n')
    return lines.filter((line) => /^lockstep_(mempool|client|store)_/.test(line))
  }

  const before = await read()
  expect(before).toContain('lockstep_mempool_transactions 4')
  expect(before).toContain('lockstep_mempool_memory_bytes 900')
  expect(before).toContain('lockstep_client_held_bytes 5')
  expect(before).toContain('lockstep_store_pending_bytes 7')
  expect(before).toContain('lockstep_store_written_bytes_total{member="chain",table="blocks"} 200')

  pool.size = 9
  pool.dropped.expired = 5
  pool.dropped.replaced = 1
  work.load.waiting = 6
  figures.pendingBytes = 0
  for (const table of figures.tables) table.writtenBytes = 250
  const after = await read()
  expect(after).toContain('lockstep_mempool_transactions 9')
  expect(after).toContain('lockstep_mempool_dropped_total{reason="expired"} 2')
  expect(after).toContain('lockstep_mempool_dropped_total{reason="replaced"} 1')
  expect(after).toContain('lockstep_client_work_waiting 6')
  expect(after).toContain('lockstep_store_pending_bytes 0')
  expect(after).toContain('lockstep_store_written_bytes_total{member="chain",table="blocks"} 250')
  expect(await read()).toEqual(after)
})

test('the counts of compiled code are those of the engine, and absent if it compiles nothing', async () => {
  const metrics = createMetrics()
  let counts: CompiledCodeCounts | undefined
  observeCompiledCode(() => counts, metrics)
  const read = async () => {
    const lines = (await metrics.render()).split('\n')
    return lines.filter((line) => /^lockstep_compiled_code_/.test(line))
  }
  expect(await read()).not.toContain('lockstep_compiled_code_total{outcome="compiled"} 0')
  counts = { regions: 3, bytes: 70_000, compiled: 4, refused: 2, evicted: 3 }
  expect(await read()).toEqual([
    'lockstep_compiled_code_bytes 70000',
    'lockstep_compiled_code_regions 3',
    'lockstep_compiled_code_total{outcome="compiled"} 4',
    'lockstep_compiled_code_total{outcome="refused"} 2',
    'lockstep_compiled_code_total{outcome="evicted"} 3',
  ])
  counts = { regions: 1, bytes: 20_000, compiled: 9, refused: 2, evicted: 8 }
  expect(await read()).toContain('lockstep_compiled_code_total{outcome="compiled"} 9')
})
