import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'
import { bigintToBytes } from '../../host/base/bytes.ts'
import { type Hex, parseData } from '../../host/base/hex.ts'
import type { BlockEnv, TransactionInput } from '../../host/engine/message.ts'
import { readModule } from '../../host/node/wasm.ts'
import { answerFrom } from '../../host/state/answer.ts'
import type { StateView } from '../../host/state/view.ts'
import { openState } from '../fuzz/lockstep.ts'
import { generateScenario, toInput } from '../fuzz/scenario.ts'
import { BLOCK, CONTRACT, stateWith, transaction } from '../support/engine-fixture.ts'
import { buildRecordable, openRecorder, type RecordedCall } from '../support/recorded-engine.ts'

/** What the package of wasmtime 8 for Node offers: functions from integers to an integer. */
interface Wasmtime {
  readonly Config: new () => object
  readonly Engine: new (config: object) => object
  readonly Module: { fromFile(engine: object, path: string): object }
  readonly Store: new (engine: object) => object
  readonly Instance: new (
    store: object,
    module: object,
  ) => {
    getFunc(
      store: object,
      name: string,
    ): { call(store: object, args: readonly number[]): number } | null
  }
}

function loadWasmtime(): Wasmtime | undefined {
  try {
    return createRequire(import.meta.url)('wasmtime') as Wasmtime
  } catch {
    // The package has binaries for a few platforms only
    return undefined
  }
}

interface Job {
  readonly env: BlockEnv
  readonly state: StateView
  readonly inputs: readonly TransactionInput[]
}

interface BenchCase {
  readonly name: string
  readonly runtime: Hex
  readonly storage: Readonly<Record<string, string>>
  readonly calldata: Hex
}

function benchJob(row: BenchCase): Job {
  const gas = 1n << 40n
  const state = stateWith(parseData(row.runtime))
  for (const [slot, value] of Object.entries(row.storage)) {
    state.setStorage(CONTRACT, bigintToBytes(BigInt(slot), 32), bigintToBytes(BigInt(value), 32))
  }
  return {
    env: { ...BLOCK, revision: 'Prague', gasLimit: gas, baseFee: 0n },
    state,
    inputs: [transaction({ gas, maxFeePerGas: 0n, data: parseData(row.calldata) })],
  }
}

const wasmtime = loadWasmtime()
const path = wasmtime === undefined ? '' : await buildRecordable()
const module = path === '' ? undefined : new WebAssembly.Module(readFileSync(path))
const pairing = new WebAssembly.Module(await readModule('pairing'))
const runtime = wasmtime && new wasmtime.Engine(new wasmtime.Config())
const compiled = runtime && wasmtime.Module.fromFile(runtime, path)

/** Runs the job on V8; every call made there, the last being a digest of the memory. */
async function record({ env, state, inputs }: Job): Promise<readonly RecordedCall[]> {
  const { engine, calls, digest } = await openRecorder(module as WebAssembly.Module, {
    pairing,
  })
  engine.beginBlock(env)
  for (const input of inputs) answerFrom(engine.transact(input), state)
  engine.diff()
  digest()
  return calls
}

/** Makes the same calls on wasmtime; the first that returned something else. */
function replay(calls: readonly RecordedCall[]): string | undefined {
  const { Store, Instance } = wasmtime as Wasmtime
  const store = new Store(runtime as object)
  const instance = new Instance(store, compiled as object)
  const functions = new Map(
    [...new Set(calls.map(({ name }) => name))].map((name) => [
      name,
      instance.getFunc(store, name),
    ]),
  )
  for (const [i, { name, args, result }] of calls.entries()) {
    const got = functions.get(name)?.call(store, args)
    if (got !== result) return `call ${i}, ${name}(${args}): ${got} on wasmtime, ${result} on V8`
  }
  return undefined
}

describe.skipIf(wasmtime === undefined)('on wasmtime every byte of memory is as on V8', () => {
  it('after generated blocks', { timeout: 120_000 }, async () => {
    for (let seed = 50_000; seed < 50_008; seed++) {
      const { env, ...scenario } = generateScenario(seed)
      const state = openState({ env, ...scenario })
      const calls = await record({ env, state, inputs: scenario.transactions.map(toInput) })
      expect(calls.filter(({ name }) => name === 'run').length).toBeGreaterThan(0)
      expect(replay(calls), `seed ${seed}`).toBeUndefined()
    }
  })

  it('and a call that returned something else would be seen', async () => {
    const { env, ...scenario } = generateScenario(50_000)
    const state = openState({ env, ...scenario })
    const calls = await record({ env, state, inputs: scenario.transactions.map(toInput) })
    const last = calls.at(-1) as RecordedCall
    expect(replay([...calls.slice(0, -1), { ...last, result: last.result ^ 1 }])).toContain(
      'digest',
    )
  })

  const vectors = process.env.LOCKSTEP_VECTORS
  const rows =
    vectors === undefined
      ? []
      : (JSON.parse(readFileSync(`${vectors}/bench/cases.json`, 'utf8')) as readonly BenchCase[])
  it.each(rows)('after $name', { timeout: 120_000 }, async (row) => {
    expect(replay(await record(benchJob(row)))).toBeUndefined()
  })
})
