import { afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { TracePool, type TracePoolOptions } from '../../../../host/api/trace-pool/trace-pool.ts'
import { formatData } from '../../../../host/base/hex.ts'
import type { EngineModules } from '../../../../host/evm/engine/engine-modules.ts'
import { ACCOUNT_ROW, STORAGE_ROW } from '../../../../host/evm/engine/state-diff.ts'
import { compileEngine } from '../../../../host/node/wasm.ts'
import type { BlockRecord } from '../../../../host/storage/store/codec/block-record.ts'
import type { NodeStorage } from '../../../../host/storage/store/node-storage.ts'
import { HeightView } from '../../../../host/storage/store/state/height-view.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import { BLOCK, CONTRACT } from '../../../support/engine/engine-fixture.ts'
import { callJob, drain, readingLoop, request } from '../../../support/node/pool-request.ts'
import {
  account,
  blockRecord,
  codeHashOf,
  header,
  slot,
  word,
} from '../../storage/store/chain/block-records.ts'
import { openAt, temporaryDir } from '../../storage/store/temporary-storage.ts'

const TURNS = 12
const LOOP = readingLoop(TURNS)

let modules: EngineModules

beforeAll(async () => {
  modules = await compileEngine()
})

afterEach(() => vi.restoreAllMocks())

/** Each block sets each slot of the contract to its own height. */
function record(height: number, code: Uint8Array): BlockRecord {
  const accounts = new Uint8Array(ACCOUNT_ROW)
  accounts.set(CONTRACT)
  accounts.set(account(1, 0, codeHashOf(code)), CONTRACT.length)
  const storage = new Uint8Array(TURNS * STORAGE_ROW)
  for (let i = 0; i < TURNS; i++) {
    storage.set(CONTRACT, i * STORAGE_ROW)
    storage.set(slot(i), i * STORAGE_ROW + 20)
    storage.set(word(1_000 * height + i + 1), i * STORAGE_ROW + 52)
  }
  const { executed, changeset } = blockRecord(height, { codes: [code] })
  return { executed, changeset: { ...changeset, evm: { ...changeset.evm, accounts, storage } } }
}

async function storageOf(code: Uint8Array, blocks: number): Promise<NodeStorage> {
  const storage = await openAt(temporaryDir(), { flushInterval: 3 })
  onTestFinished(() => storage.close())
  for (let height = 0; height < blocks; height++) await storage.append(record(height, code))
  return storage
}

function poolOver(options: Partial<TracePoolOptions>): TracePool {
  const pool = new TracePool({
    modules,
    turnMs: 100,
    threads: 1,
    scriptThreads: 1,
    scriptBytes: 64 << 20,
    maxTraces: 0,
    observer: { onLoad: () => {}, onEnd: () => {}, onDifference: () => {}, onDeath: () => {} },
    ...options,
  })
  onTestFinished(() => pool.close())
  return pool
}

/** Returns the trace of a call of the contract in a block of this number, on the state of a height. */
async function traceAt(
  pool: TracePool,
  storage: NodeStorage,
  height: number,
  number: number = BLOCK.number,
): Promise<string> {
  const plain = callJob('opcodeTracer')
  const { target } = plain
  if (target.kind !== 'call') throw new TypeError('the job is of a call')
  const call = { ...target.call, env: { ...target.call.env, number } }
  const asked = request(new Uint8Array(0), { job: { ...plain, target: { ...target, call } } })
  const output = await pool.start({ ...asked, view: storage.state.view(height) })
  return (await drain(output)).text
}

/** Returns the words of the contract's slots in a trace. */
function slotsIn(text: string): string[] {
  const { structLogs } = JSON.parse(text) as { structLogs: { storage?: Record<string, string> }[] }
  return Object.values(structLogs.findLast(({ storage }) => storage !== undefined)?.storage ?? {})
}

test('a thread reads each stored height itself while blocks are added', async () => {
  const storage = await storageOf(LOOP, 8)
  const pool = poolOver({ states: storage.publisher })
  const asked = vi.spyOn(HeightView.prototype, 'storage')
  for (let height = 8; height < 40; height++) {
    const traces = [height - 1, height - 2, height >> 1, 0].map(async (at) => {
      const words = Array.from({ length: TURNS }, (_, i) => formatData(word(1_000 * at + i + 1)))
      expect(slotsIn(await traceAt(pool, storage, at))).toEqual(words)
    })
    await storage.append(record(height, LOOP))
    await Promise.all(traces)
  }
  expect(asked).not.toHaveBeenCalled()
})

test('a thread returns the same as the main thread', async () => {
  const storage = await storageOf(LOOP, 8)
  const [own, asking] = [poolOver({ states: storage.publisher }), poolOver({})]
  const asked = vi.spyOn(HeightView.prototype, 'storage')
  for (let height = 0; height < 8; height++) {
    const text = await traceAt(own, storage, height)
    expect(asked).not.toHaveBeenCalled()
    expect(await traceAt(asking, storage, height)).toBe(text)
    expect(asked).toHaveBeenCalled()
    asked.mockClear()
  }
})

test('block hashes come from the main thread', async () => {
  const storage = await storageOf(assemble(3, 'BLOCKHASH', 0, 'MSTORE', 32, 0, 'RETURN'), 6)
  const pool = poolOver({ states: storage.publisher })
  const { returnValue } = JSON.parse(await traceAt(pool, storage, 5, 6))
  expect(returnValue).toBe(formatData(header(3).hash))
})
