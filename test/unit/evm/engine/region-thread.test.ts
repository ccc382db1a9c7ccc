import { describe, expect, test } from 'vitest'
import { bigintToBytes } from '../../../../host/base/bytes.ts'
import type {
  CompiledCodeSettings,
  CompiledRegion,
  HotCode,
  RegionThread,
} from '../../../../host/evm/engine/compiled-code.ts'
import type { Engine } from '../../../../host/evm/engine/engine.ts'
import { RegionCompiler } from '../../../../host/evm/engine/region-compiler.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { readModule } from '../../../../host/node/wasm.ts'
import {
  BLOCK,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'
import { EVERY_JUMP } from '../../../support/engine/every-jump.ts'
import { summingLoop } from '../../../support/engine/summing-loop.ts'

const compiler = new WebAssembly.Module(await readModule('compile'))
const BLOCK_WITHOUT_FEE = { ...BLOCK, baseFee: 0n }

/** A thread whose answers the test gives, in any order. */
class HeldThread implements RegionThread {
  readonly asked: { readonly hot: HotCode; answer(): Promise<void>; fail(): Promise<void> }[] = []
  readonly #regions = new RegionCompiler({ compiler, ...EVERY_JUMP })

  compile(hot: HotCode): Promise<CompiledRegion> {
    const { promise, resolve, reject } = Promise.withResolvers<CompiledRegion>()
    const settled = () => promise.then(afterwards, afterwards)
    this.asked.push({
      hot,
      answer: () => {
        resolve(this.#regions.compile(hot))
        return settled()
      },
      fail: () => {
        reject(new Error('the thread died'))
        return settled()
      },
    })
    return promise
  }
}

/** What awaits the promise has run too after the next task. */
async function afterwards(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

async function openWith(
  thread: RegionThread,
  settings: Partial<CompiledCodeSettings> = {},
): Promise<Engine> {
  return engineInBlock(BLOCK_WITHOUT_FEE, {
    compiledCode: { compiler, ...EVERY_JUMP, ...settings, thread },
  })
}

function sum(engine: Engine, step: number, turns = 200): bigint {
  const input = transaction({ gas: 100_000n, maxFeePerGas: 0n })
  const state = stateWith(summingLoop(step, turns))
  engine.beginBlock(BLOCK_WITHOUT_FEE)
  const { output, gasUsed } = executed(answerFrom(engine.transact(input), state))
  expect(output).toEqual(bigintToBytes(BigInt(step * turns), 32))
  return gasUsed
}

describe('compiling on another thread', () => {
  test('lets the run continue, and uses the result in later runs', async () => {
    const thread = new HeldThread()
    const engine = await openWith(thread)
    const gas = sum(engine, 3)
    expect(engine.compiledCode).toMatchObject({ compiled: 0, bytes: 0 })
    for (const { answer } of thread.asked) await answer()
    const { compiled } = engine.compiledCode ?? { compiled: 0 }
    expect(compiled).toBe(thread.asked.length)
    expect(compiled).toBeGreaterThan(0)
    expect(sum(engine, 3)).toBe(gas)
  })

  test('asks once for a region, however often it becomes hot meanwhile', async () => {
    const thread = new HeldThread()
    const engine = await openWith(thread)
    for (let i = 0; i < 5; i++) sum(engine, 3)
    const offsets = thread.asked.map(({ hot }) => hot.offset)
    expect(new Set(offsets).size).toBe(offsets.length)
  })

  test('sends copies, which a later run does not change', async () => {
    const thread = new HeldThread()
    const engine = await openWith(thread)
    sum(engine, 3)
    engine.forgetCode()
    sum(engine, 9)
    const code = summingLoop(3, 200)
    expect(thread.asked[0]?.hot.code.subarray(0, code.length)).toEqual(code)
  })

  test('drops an answer for code that the engine has dropped meanwhile', async () => {
    const thread = new HeldThread()
    const engine = await openWith(thread)
    sum(engine, 3)
    engine.forgetCode()
    // Other code at the same address
    sum(engine, 5)
    const before = thread.asked.length
    for (const { answer } of thread.asked.slice(0, 1)) await answer()
    expect(engine.compiledCode?.bytes).toBe(0)
    for (let i = 0; i < 3; i++) sum(engine, 5)
    expect(thread.asked.length).toBeGreaterThanOrEqual(before)
    for (const { answer } of thread.asked) await answer()
    for (let i = 0; i < 3; i++) sum(engine, 5)
  })

  test('has at most eight regions in progress', async () => {
    const thread = new HeldThread()
    const engine = await openWith(thread)
    for (let step = 1; step <= 40; step++) sum(engine, step)
    expect(thread.asked).toHaveLength(8)
  })

  test('interprets all code if the thread dies', async () => {
    const thread = new HeldThread()
    const engine = await openWith(thread)
    sum(engine, 3)
    const before = thread.asked.length
    for (const { fail } of thread.asked) await fail()
    for (let step = 1; step <= 5; step++) sum(engine, step)
    expect(thread.asked).toHaveLength(before)
    expect(engine.compiledCode).toMatchObject({ compiled: 0, refused: before })
  })

  test('yields within a loop whose region never comes', async () => {
    const thread: RegionThread = { compile: () => new Promise(() => {}) }
    const engine = await engineInBlock(BLOCK_WITHOUT_FEE, {
      fuel: 100,
      compiledCode: { compiler, ...EVERY_JUMP, share: 0, thread },
    })
    let yields = 0
    const input = transaction({ gas: 5_000_000n, maxFeePerGas: 0n })
    const state = stateWith(summingLoop(1, 0xffff))
    answerFrom(engine.transact(input), state, { onYield: () => yields++ })
    expect(yields).toBeGreaterThan(600)
  })
})

test('a loop that stays hot after the share of time is used up yields', async () => {
  const engine = await engineInBlock(BLOCK_WITHOUT_FEE, {
    fuel: 1000,
    // Nothing may be compiled, and every second jump asks for it
    compiledCode: { compiler, sample: 1, threshold: 2, share: -1000 },
  })
  let yields = 0
  const input = transaction({ gas: 5_000_000n, maxFeePerGas: 0n })
  const state = stateWith(summingLoop(1, 0xffff))
  answerFrom(engine.transact(input), state, { onYield: () => yields++ })
  expect(engine.compiledCode).toMatchObject({ compiled: 0, refused: 0 })
  expect(yields).toBeGreaterThan(60)
})
