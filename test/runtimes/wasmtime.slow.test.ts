import { parse } from '@bytecodealliance/jco'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, test } from 'vitest'
import { bigintToBytes, concatBytes } from '../../host/base/bytes.ts'
import { Engine } from '../../host/evm/engine/engine.ts'
import type { LiveState } from '../../host/evm/engine/live-state.ts'
import { type EngineExports, openEngineModule } from '../../host/evm/engine/module.ts'
import { Pairing } from '../../host/evm/engine/pairing.ts'
import type { TraceSink } from '../../host/evm/engine/trace-event.ts'
import { answerFrom } from '../../host/evm/state/answer.ts'
import { readModule } from '../../host/node/wasm.ts'
import {
  append,
  detach,
  readBodies,
  readExports,
  readSections,
  SECTION,
} from '../../tools/wasm-module.ts'
import { makeDice } from '../fuzz/dice.ts'
import { runLockstep } from '../fuzz/lockstep.ts'
import { generateScenario } from '../fuzz/scenario.ts'
import { BENCH_CASES, type BlockJob, benchJob } from '../support/engine/bench-cases.ts'
import { assemble } from '../support/engine/bytecode.ts'
import {
  address,
  BLOCK,
  CONTRACT,
  SENDER,
  stateWith,
  transaction,
} from '../support/engine/engine-fixture.ts'
import { keepStep } from '../support/trace/kept-step.ts'
import { assembleAccess, DIGEST, hasWasmtime, WasmtimeModule } from './wasmtime/wasmtime.ts'
import { wasmtimeExports } from './wasmtime/wasmtime-engine.ts'
import { callPairing } from './wasmtime/wasmtime-pairing.ts'

const MEMORY_BYTES = 4672 << 16
const HASH_SEED = 0x5eedn
const EXTENDED: readonly number[] = [SECTION.type, SECTION.function, SECTION.export, SECTION.code]

const bytes = {
  engine: await readModule('engine'),
  pairing: await readModule('pairing'),
  commit: await readModule('commit'),
  modules: await readModule('modules'),
}
const pairing = new WebAssembly.Module(bytes.pairing)

describe.each(['engine', 'pairing', 'commit', 'modules'] as const)(
  '%s.wasm with the added access functions',
  (name) => {
    test('is the same file with functions appended', async () => {
      const original = bytes[name]
      const additions = await assembleAccess(original)
      const extended = append(original, additions)

      expect(Buffer.compare(detach(extended, additions), original)).toBe(0)
      expect(readSections(extended).map(({ id }) => id)).toEqual(
        readSections(original).map(({ id }) => id),
      )
      const untouched = (module: Uint8Array) =>
        readSections(module).filter(({ id }) => !EXTENDED.includes(id))
      expect(untouched(extended)).toEqual(untouched(original))
      const bodies = readBodies(original)
      expect(readBodies(extended).slice(0, bodies.length)).toEqual(bodies)
      const exported = readExports(original)
      expect(readExports(extended).slice(0, exported.length)).toEqual(exported)
    })
  },
)

/** Returns an engine with a fixed hash seed, so that equal tables have equal memory, and the statuses of its runs. */
function watch(exports: EngineExports): { engine: Engine; stops: number[] } {
  const stops: number[] = []
  const data = new DataView(exports.memory.buffer)
  const engine = new Engine(
    {
      ...exports,
      beginBlock() {
        data.setBigUint64(exports.blockAt.value + 32, HASH_SEED, true)
        exports.beginBlock()
      },
      run(fuel) {
        const status = exports.run(fuel)
        stops.push(status)
        return status
      },
    },
    { pairing },
  )
  return { engine, stops }
}

const digestModule = new WebAssembly.Module(
  new Uint8Array(await parse(`(module (import "engine" "memory" (memory 4672 65536)) ${DIGEST})`)),
)

/** Opens engine.wasm itself on V8. A second module hashes its memory. */
async function openV8() {
  const { exports } = await openEngineModule(bytes.engine)
  const beside = new WebAssembly.Instance(digestModule, { engine: { memory: exports.memory } })
  const hash = beside.exports.digest as (at: number, length: number) => number
  return { ...watch(exports), digest: () => hash(0, MEMORY_BYTES) }
}

const compiled = hasWasmtime ? await WasmtimeModule.compile('engine', bytes.engine) : undefined

function openWasmtime() {
  const instance = (compiled as WasmtimeModule).instantiate()
  const exports = wasmtimeExports(instance)
  exports._initialize()
  return { ...watch(exports), digest: () => instance.call('digest', 0, MEMORY_BYTES) }
}

/** Does the same work on both and expects the same results, statuses and memory. */
async function expectEqualRuns(work: (engine: Engine) => unknown): Promise<void> {
  const here = await openV8()
  const there = openWasmtime()
  const expected = work(here.engine)
  expect(work(there.engine)).toEqual(expected)
  expect(there.stops).toEqual(here.stops)
  expect(there.digest()).toBe(here.digest())
}

/** Returns outcomes, with output, logs and accesses, and the diff of the block. */
function runJob(engine: Engine, { env, inputs, openState }: BlockJob): unknown {
  const state = openState()
  engine.beginBlock(env)
  const outcomes = inputs.map((input) =>
    answerFrom(engine.transact(input, { recordAccess: true }), state),
  )
  return { outcomes, diff: engine.diff() }
}

describe.skipIf(!hasWasmtime)('engine.wasm on wasmtime gives the same results as on V8', () => {
  test.each([
    ['plain', 6],
    // Fewer, since each word of a trace is read by a call
    ['traced', 2],
  ] as const)('for generated blocks in the %s loop', async (loop, count) => {
    let transactions = 0
    for (let seed = 50_000; seed < 50_000 + count; seed++) {
      const scenario = generateScenario(seed)
      transactions += scenario.transactions.length
      await expectEqualRuns((engine) => runLockstep(engine, scenario, loop))
    }
    expect(transactions).toBeGreaterThan(count)
  })

  test.each(BENCH_CASES)('for the benchmark $name', async (row) => {
    await expectEqualRuns((engine) => runJob(engine, benchJob(row)))
  })
  test.skipIf(BENCH_CASES.length === 0)('for the benchmark set, if LOCKSTEP_VECTORS is set', () => {
    expect(BENCH_CASES.length).toBeGreaterThan(10)
  })

  test('for the state that a tracer sees while paused at each step', async () => {
    const slot = bigintToBytes(1n, 32)
    const code = assemble(9, 1, 'SSTORE', 8, 1, 'SSTORE', 7, 0, 'MSTORE', 32, 0, 'RETURN')
    await expectEqualRuns((engine) => {
      const state = stateWith(code)
      const seen: unknown[] = []
      let live: LiveState | undefined
      const trace: TraceSink = {
        steps: { stack: true, memory: true, each: true },
        wantsState: true,
        onBegin(opened) {
          live = opened
        },
        onEvent: (event) => void seen.push(event),
        onStep(step) {
          seen.push(keepStep(step), live?.account(SENDER), live?.storage(CONTRACT, slot))
          seen.push(live?.code(keccak_256(code)))
          const text = step.encode(true)
          seen.push(text.bytes.slice(text.start, text.end))
        },
        onMemory: (depth, offset, bytes) => void seen.push([depth, offset, bytes.slice()]),
      }
      engine.beginBlock(BLOCK)
      const outcome = answerFrom(engine.transact(transaction(), { trace }), state)
      expect(seen).toContainEqual(bigintToBytes(9n, 32))
      expect(seen).toContainEqual(code)
      return { seen, outcome }
    })
  })

  test('and a different memory digest for another message', async () => {
    const here = await openV8()
    const there = openWasmtime()
    const job = (data: Uint8Array) => ({
      env: BLOCK,
      inputs: [transaction({ data })],
      openState: () => stateWith(new Uint8Array(1)),
    })
    runJob(here.engine, job(new Uint8Array([0])))
    runJob(there.engine, job(new Uint8Array([1])))
    expect(there.digest()).not.toBe(here.digest())
  })
})

/** Returns points of both subgroups, mapped from field elements. The G2 point has 256 bytes. */
function mapPoints(pairing: Pairing) {
  const map = (id: number, input: Uint8Array) => pairing.call(address(id), input) as Uint8Array
  const g1 = [1, 2].map((value) => map(0x10, bigintToBytes(BigInt(value), 64)))
  const g2 = [1, 2].map((value) => map(0x11, bigintToBytes(BigInt(value), 128)))
  return { g1, g2 }
}

/** Returns valid inputs of each precompile of pairing.wasm. */
function validInputs(pairing: Pairing): readonly (readonly [id: number, input: Uint8Array])[] {
  const { g1, g2 } = mapPoints(pairing)
  const scalars = [3n, (1n << 255n) - 19n].map((scalar) => bigintToBytes(scalar, 32))
  const sum = (points: readonly Uint8Array[]) =>
    concatBytes(points.flatMap((point, i) => [point, scalars[i] as Uint8Array]))
  // The zero polynomial, whose commitment and proof are the point at infinity
  const infinity = new Uint8Array(48).fill(0xc0, 0, 1)
  const versionedHash = sha256(infinity).fill(1, 0, 1)
  const evaluation = [versionedHash, bigintToBytes(7n, 32), new Uint8Array(32), infinity, infinity]
  return [
    [0x0a, concatBytes(evaluation)],
    [0x0b, concatBytes(g1)],
    [0x0c, sum(g1)],
    [0x0d, concatBytes(g2)],
    [0x0e, sum(g2)],
    [0x0f, concatBytes(g1.flatMap((point, i) => [point, g2[i] as Uint8Array]))],
    [0x10, bigintToBytes(5n, 64)],
    [0x11, bigintToBytes(5n, 128)],
  ]
}

describe.skipIf(!hasWasmtime)('pairing.wasm on wasmtime gives the same results as on V8', () => {
  const here = new Pairing(pairing)

  test('for each precompile, with valid input and with one byte changed', async () => {
    const instance = (await WasmtimeModule.compile('pairing', bytes.pairing)).instantiate()
    instance.call('do:_initialize')
    const valid = validInputs(here)
    for (const [id, input] of valid) {
      const output = here.call(address(id), input)
      expect(output?.length, `precompile ${id}`).toBeGreaterThan(0)
      expect(callPairing(instance, id, input)).toEqual(output)
    }
    const dice = makeDice(60_000)
    for (let i = 0; i < 200; i++) {
      const [id, input] = dice.pick(valid)
      const changed = input.with(dice.below(input.length), dice.below(256))
      const expected = here.call(address(id), changed)
      expect(callPairing(instance, id, changed), `input ${i}`).toEqual(expected)
    }
  })
})
