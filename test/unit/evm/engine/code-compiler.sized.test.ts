import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bigintToBytes, concatBytes } from '../../../../host/base/bytes.ts'
import type { Revision } from '../../../../host/evm/chain-types/revision.ts'
import type { Engine } from '../../../../host/evm/engine/engine.ts'
import type { TraceEvent, TraceSink } from '../../../../host/evm/engine/trace-event.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import type { StateView } from '../../../../host/evm/state/view.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  BLOCK,
  compilingEngine,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'
import { codePiece, filling, linkCode } from '../../../support/engine/random-code.ts'
import { summingLoop } from '../../../support/engine/summing-loop.ts'
import { bySet } from '../../../support/run/by-set.ts'

/** Calldata that ends within a word, and the gas that a call with it costs at least (EIP-7623). */
const DATA = new Uint8Array(36).fill(0xa5)
const INTRINSIC = 21_000 + 36 * 40
const BLOCK_WITHOUT_FEE = { ...BLOCK, baseFee: 0n }

/** Copies an event, because the engine's memory holds its data only until the next one. */
function copyEvent(event: TraceEvent): TraceEvent {
  const copy: Record<string, unknown> = { ...event }
  for (const [name, value] of Object.entries(copy)) {
    if (value instanceof Uint8Array) copy[name] = value.slice()
    else if (typeof value === 'object') copy[name] = structuredClone(value)
  }
  return copy as unknown as TraceEvent
}

/** Runs a transaction alone in its block. Returns its outcome, the events of its calls and logs, and its changes. */
function runIn(engine: Engine, state: StateView, gas: number, revision: Revision = 'Osaka') {
  engine.beginBlock({ ...BLOCK_WITHOUT_FEE, revision })
  const events: TraceEvent[] = []
  const trace: TraceSink = { onEvent: (event) => void events.push(copyEvent(event)) }
  const input = transaction({ gas: BigInt(gas), maxFeePerGas: 0n, data: DATA })
  const outcome = executed(answerFrom(engine.transact(input, { trace }), state))
  const copied = structuredClone({ ...outcome, logs: [...outcome.logs] })
  return { outcome: copied, events, diff: structuredClone(engine.diff()) }
}

describe('compiled code', async () => {
  const interpreted = await engineInBlock(BLOCK_WITHOUT_FEE, {})
  const compiled = await compilingEngine(BLOCK_WITHOUT_FEE)
  const sliced = await compilingEngine(BLOCK_WITHOUT_FEE, { fuel: 3 })

  /** Compares the engines at a gas limit, and returns the gas used. */
  function expectSame(
    code: Uint8Array,
    state: StateView,
    gas: number,
    revision: Revision = 'Osaka',
  ): number {
    const expected = runIn(interpreted, state, gas, revision)
    for (const engine of [compiled, sliced]) {
      const found = runIn(engine, state, gas, revision)
      if (!isDeepStrictEqual(found, expected)) {
        expect(found, `${revision}, gas ${gas} of ${Buffer.from(code).toString('hex')}`).toEqual(
          expected,
        )
      }
    }
    return Number(expected.outcome.gasUsed)
  }

  test('gives the outcome and the changes of the interpreter for random code at any gas limit', () => {
    const pieces = fc.array(codePiece, { minLength: 1, maxLength: 14 })
    const limits = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 })
    fc.assert(
      fc.property(
        filling,
        pieces,
        fc.integer({ min: 2, max: 9 }),
        limits,
        fc.constantFrom('Osaka', 'Amsterdam'),
        (before, list, turns, parts, revision) => {
          const code = linkCode(before, list, turns)
          const state = stateWith(code)
          const gas = 60_000
          // The first run compiles, and the second one runs what it has compiled
          expectSame(code, state, gas, revision)
          const used = expectSame(code, state, gas, revision)
          for (const part of parts) {
            const limit = INTRINSIC + Math.floor(part * (used - INTRINSIC))
            expectSame(code, state, limit, revision)
          }
        },
      ),
      { numRuns: bySet(200, 3000) },
    )
    const counts = compiled.compiledCode
    expect(counts?.compiled).toBeGreaterThan(30)
  })

  test('evicts what was used least recently when the modules exceed their bound', async () => {
    const cacheBytes = 500_000
    const engine = await compilingEngine(BLOCK_WITHOUT_FEE, { cacheBytes })
    for (let round = 0; round < 2; round++) {
      for (let step = 1; step <= 60; step++) {
        const code = summingLoop(step, 200)
        const outcome = runIn(engine, stateWith(code), 100_000)
        expect(outcome).toMatchObject({
          outcome: { output: bigintToBytes(BigInt(step * 200), 32) },
        })
      }
    }
    const counts = engine.compiledCode
    expect(counts?.bytes).toBeLessThanOrEqual(cacheBytes)
    expect(counts?.evicted).toBeGreaterThan(60)
  })

  test('stops compiling when it has taken its share of the time', async () => {
    const engine = await compilingEngine(BLOCK_WITHOUT_FEE, { share: 0 })
    for (let step = 1; step <= 250; step++)
      runIn(engine, stateWith(summingLoop(step, 200)), 100_000)
    expect(engine.compiledCode?.compiled).toBeLessThan(250)
  })

  test('divides constants of more than 64 bits', () => {
    const divisions = ['DIV', 'SDIV', 'MOD', 'SMOD'].flatMap((name) => [17, 1n << 64n, name, 'ADD'])
    const code = assemble(0, ...divisions, 5, 1n << 70n, 1n << 80n, 'ADDMOD', 'ADD')
    const output = assemble(0, 'MSTORE', 32, 0, 'RETURN')
    const state = stateWith(concatBytes([code, output]))
    for (let i = 0; i < 3; i++) expectSame(code, state, 100_000)
  })

  test('keeps the hash of 4 KiB, which ends the region to charge fuel', () => {
    const code = assemble('CALLDATASIZE', 5000, 9, 'KECCAK256', 0, 'MSTORE', 32, 0, 'RETURN')
    for (let i = 0; i < 3; i++) expectSame(code, stateWith(code), 100_000)
  })

  test('keeps DUPN, SWAPN, EXCHANGE and SLOTNUM of Amsterdam in a region', async () => {
    // Code that is left within the loop has none, and is too short to be compiled
    const engine = await compilingEngine(BLOCK_WITHOUT_FEE, { opcodes: 64 })
    const words = Array.from({ length: 20 }, (_, i) => i + 1)
    // DUPN 17, SWAPN 18, EXCHANGE 1 and 2, each turn
    const far = Uint8Array.of(0xe6, 0x80, 0x50, 0xe7, 0x81, 0xe8, 0x8e, 0x4b, 0x50)
    const code = concatBytes([
      assemble(...words, 'JUMPDEST'),
      far,
      assemble('DUP1', 0, 'MSTORE', 'GAS', 30_000, 'LT', 40, 'JUMPI', 32, 0, 'RETURN'),
    ])
    const state = stateWith(code)
    const run = (one: Engine) => runIn(one, state, 100_000, 'Amsterdam')
    const expected = run(interpreted)
    expect(expected.outcome.success).toBe(true)
    for (let i = 0; i < 3; i++) expect(run(engine)).toEqual(expected)
    expect(engine.compiledCode?.compiled).toBeGreaterThan(0)
  })

  test('leaves all code to the interpreter if the runtime refuses to compile', async () => {
    const engine = await compilingEngine(BLOCK_WITHOUT_FEE)
    const { Module } = WebAssembly
    class Refusing {
      constructor() {
        throw new WebAssembly.CompileError('the policy of the page forbids it')
      }
    }
    Object.assign(WebAssembly, { Module: Refusing })
    try {
      const code = summingLoop(7, 200)
      for (let i = 0; i < 3; i++) {
        const { outcome } = runIn(engine, stateWith(code), 100_000)
        expect(outcome.output).toEqual(bigintToBytes(1400n, 32))
      }
    } finally {
      Object.assign(WebAssembly, { Module })
    }
    expect(engine.compiledCode).toMatchObject({ compiled: 0, refused: 1 })
  })

  test('begins at the start of code that has no jumps', async () => {
    const engine = await compilingEngine(BLOCK_WITHOUT_FEE)
    const additions = Array.from({ length: 40 }, () => ['DUP1', 'ADD']).flat()
    const code = assemble(3, ...additions, 0, 'MSTORE', 32, 0, 'RETURN')
    for (let i = 0; i < 3; i++) {
      const { outcome } = runIn(engine, stateWith(code), 100_000)
      expect(outcome.output).toEqual(bigintToBytes(3n << 40n, 32))
    }
    expect(engine.compiledCode?.regions).toBe(1)
  })

  test('yields within a loop', async () => {
    const engine = await compilingEngine(BLOCK_WITHOUT_FEE, { fuel: 100 })
    const state = stateWith(summingLoop(1, 0xffff))
    let yields = 0
    const input = transaction({ gas: 5_000_000n, maxFeePerGas: 0n })
    answerFrom(engine.transact(input), state, { onYield: () => yields++ })
    expect(engine.compiledCode?.compiled).toBeGreaterThan(0)
    expect(yields).toBeGreaterThan(600)
  })

  test('gives the same results in batches', async () => {
    const signed = {
      chainId: 1n,
      v: 0n,
      yParity: 0,
      r: 1n,
      s: 1n,
      raw: new Uint8Array(100),
    } as const
    const transactions = Array.from({ length: 20 }, (_, i) => ({
      ...transaction({ nonce: BigInt(i), gas: 60_000n, maxFeePerGas: 0n }),
      ...signed,
      hash: bigintToBytes(BigInt(i), 32),
    }))
    // The turns of the loop grow with each call, until one runs out of gas in it
    const start = assemble(0, 'SLOAD', 1, 'ADD', 'DUP1', 0, 'SSTORE', 100, 'MUL')
    const loop = assemble('JUMPDEST', 1, 'SWAP1', 'SUB', 'DUP1', start.length, 'JUMPI')
    const code = concatBytes([start, loop, assemble(0, 0, 'LOG0')])
    const runBatch = (engine: Engine) => {
      engine.beginBlock(BLOCK_WITHOUT_FEE)
      const { fault, ...results } = answerFrom(engine.executeBatch(transactions), stateWith(code))
      expect(fault).toBeUndefined()
      return structuredClone({ ...results, diff: engine.diff() })
    }
    const expected = runBatch(interpreted)
    expect(expected.included).toBe(20)
    expect(expected.gasUsed).toBeGreaterThan(10n * 40_000n)
    const whole = await compilingEngine(BLOCK_WITHOUT_FEE)
    const short = await compilingEngine(BLOCK_WITHOUT_FEE, { fuel: 3 })
    for (const engine of [whole, short, whole, short]) expect(runBatch(engine)).toEqual(expected)
    expect(whole.compiledCode?.compiled).toBeGreaterThan(0)
  })

  test('is not used by a traced run', () => {
    const state = stateWith(summingLoop(3, 50))
    runIn(compiled, state, 100_000)
    const steps: unknown[] = []
    compiled.beginBlock(BLOCK_WITHOUT_FEE)
    const trace: TraceSink = {
      steps: { stack: false, memory: false },
      onEvent: () => undefined,
      onStep: ({ pc, gas }) => void steps.push([pc, gas]),
    }
    answerFrom(
      compiled.transact(transaction({ gas: 100_000n, maxFeePerGas: 0n }), { trace }),
      state,
    )
    expect(steps).toHaveLength(2 + 50 * 11 + 6)
  })
})
