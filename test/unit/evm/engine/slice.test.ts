import { describe, expect, test } from 'vitest'
import { loadEngine } from '../../../../host/evm/engine/engine.ts'
import type { TraceEvent, TraceSink } from '../../../../host/evm/engine/trace-event.ts'
import { answerFrom, answerFromAsync } from '../../../../host/evm/state/answer.ts'
import { compileEngine } from '../../../../host/node/wasm.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  BLOCK,
  engineInBlock,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'

const GAS = 20_000_000n
const ENV = { ...BLOCK, revision: 'Prague' as const }
const INPUT = transaction({ gas: GAS })
const MEBIBYTE = 1 << 20

type Item = string | number

/** Repeats the opcodes without a jump between them. */
const times = (count: number, ...items: Item[]) =>
  assemble(...Array.from({ length: count }, () => items).flat(), 'STOP')

/** Returns a call of a precompile with `size` zero bytes. */
const calling = (precompile: number, size: number): Item[] => [
  ...[0, 0, size, 0, precompile, 'GAS', 'STATICCALL', 'POP'],
]

/** Returns the outcome, the steps with their costs, and how often the run yielded. */
async function runWith(code: Uint8Array, fuel: number | undefined, isTraced: boolean) {
  const engine = await engineInBlock(ENV, fuel === undefined ? {} : { fuel })
  const steps: unknown[] = []
  const events: TraceEvent[] = []
  const trace: TraceSink = {
    steps: { stack: true, memory: false, each: true },
    onEvent: (event) => void events.push(event),
    onStep: ({ pc, gas, cost }) => void steps.push([pc, gas, cost]),
  }
  let yields = 0
  const run = engine.transact(INPUT, isTraced ? { trace } : {})
  const outcome = answerFrom(run, stateWith(code), {
    onYield: () => {
      yields++
    },
  })
  return { told: { outcome, steps, events }, yields }
}

describe('a run yields', () => {
  // 60 hashes of a mebibyte cost 12 million gas. 2^17 units of fuel are 65,536 gas.
  const HASHES = times(60, MEBIBYTE, 0, 'KECCAK256', 'POP')
  // 40 calls of SHA-256 at 393,276 gas each, and ECRECOVER at 3,000.
  const DIGESTS = times(40, ...calling(2, MEBIBYTE))
  const RECOVERIES = times(1000, ...calling(1, 128))

  test.each([
    ['between long hashes', HASHES, 59],
    ['between precompiles', DIGESTS, 39],
    ['after some short precompiles', RECOVERIES, 40],
  ])('%s, although the code never jumps', async (_, code, least) => {
    const { told, yields } = await runWith(code, undefined, false)
    expect(told.outcome).toMatchObject({ kind: 'executed', success: true })
    expect(yields).toBeGreaterThanOrEqual(least)
    const never = await runWith(code, 0x7fff_ffff, false)
    expect(never.yields).toBe(0)
    expect(never.told).toEqual(told)
  })

  test.each([
    ['hashes', times(5, MEBIBYTE, 0, 'KECCAK256', 'POP')],
    ['short hashes', times(5, 4095, 0, 'KECCAK256', 'POP', 4096, 0, 'KECCAK256', 'POP')],
    ['precompiles', times(5, ...calling(2, 65_536))],
    ['one that fails', times(3, ...calling(8, 7))],
  ])('without any effect on its steps and costs: %s', async (_, code) => {
    const often = await runWith(code, 1, true)
    const never = await runWith(code, 0x7fff_ffff, true)
    expect(often.told).toEqual(never.told)
    expect(often.told.steps.length).toBeGreaterThan(10)
  })

  test('after each precompile that another module computes', async () => {
    const { engine: module, pairing } = await compileEngine()
    const engine = await loadEngine(module, { pairing })
    engine.beginBlock(ENV)
    let yields = 0
    // BLS12-381 G1ADD of two points at infinity.
    const state = stateWith(times(7, ...calling(0x0b, 256)))
    answerFrom(engine.transact(INPUT), state, {
      onYield: () => {
        yields++
      },
    })
    expect(yields).toBe(7)
  })
})

describe('a run over a slow view', () => {
  test('lets other work run between reads', async () => {
    const code = assemble(
      ...[0, 'JUMPDEST', 'DUP1', 'SLOAD', 'POP', 1, 'ADD', 'DUP1', 200, 'GT', 2, 'JUMPI', 'STOP'],
    )
    const state = stateWith(code)
    const slow = {
      account: (address: Uint8Array) => state.account(address),
      code: (hash: Uint8Array) => state.code(hash),
      blockHash: (number: number) => state.blockHash(number),
      storage: (address: Uint8Array, slot: Uint8Array) => {
        const end = performance.now() + 0.5
        while (performance.now() < end);
        return state.storage(address, slot)
      },
    }
    let turns = 0
    let isOver = false
    const count = () => {
      turns++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const outcome = await answerFromAsync((await engineInBlock(ENV)).transact(INPUT), slow)
    isOver = true
    expect(outcome).toMatchObject({ kind: 'executed', success: true })
    // 100 ms of reads in slices of 2 ms; fewer slices if the machine is busy.
    expect(turns).toBeGreaterThan(3)
  })
})
