import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Engine } from '../../../../host/evm/engine/engine.ts'
import type { StateDiff } from '../../../../host/evm/engine/state-diff.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import type { StateView } from '../../../../host/evm/state/view.ts'
import {
  BLOCK,
  engineInBlock,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'
import { EVERY_JUMP } from '../../../support/engine/every-jump.ts'
import { codePiece, filling, linkCode } from '../../../support/engine/random-code.ts'
import { bySet } from '../../../support/run/by-set.ts'

const INTRINSIC = 21_000
const path = fileURLToPath(new URL('../../../../build/compile.wasm', import.meta.url))
const compiler = new WebAssembly.Module(readFileSync(path))
const BLOCK_WITHOUT_FEE = { ...BLOCK, baseFee: 0n }

/** Outcome and changes of a transaction that is alone in its block. */
function runIn(engine: Engine, state: StateView, gas: number): unknown {
  engine.beginBlock(BLOCK_WITHOUT_FEE)
  const input = transaction({
    gas: BigInt(gas),
    maxFeePerGas: 0n,
    data: new Uint8Array(70).fill(0xa5),
  })
  const outcome = answerFrom(engine.transact(input), state)
  const diff: StateDiff = structuredClone(engine.diff())
  return {
    outcome: structuredClone({ ...outcome, logs: 'logs' in outcome ? [...outcome.logs] : [] }),
    diff,
  }
}

describe('compiled code', async () => {
  const interpreted = await engineInBlock(BLOCK_WITHOUT_FEE, {})
  // Every destination of a jump is hot at once, and compiled at the next jump
  const hot = { compiler, ...EVERY_JUMP }
  const compiled = await engineInBlock(BLOCK_WITHOUT_FEE, { compiledCode: hot })
  const sliced = await engineInBlock(BLOCK_WITHOUT_FEE, { compiledCode: hot, fuel: 3 })

  /** Compares the engines at a gas limit, and returns the gas used. */
  function expectSame(code: Uint8Array, state: StateView, gas: number): number {
    const expected = runIn(interpreted, state, gas) as { outcome: { gasUsed: bigint } }
    for (const engine of [compiled, sliced]) {
      const found = runIn(engine, state, gas)
      if (!isDeepStrictEqual(found, expected)) {
        expect(found, `gas ${gas} of ${Buffer.from(code).toString('hex')}`).toEqual(expected)
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
        (before, list, turns, parts) => {
          const code = linkCode(before, list, turns)
          const state = stateWith(code)
          const gas = 60_000
          // The first run compiles, and the second one runs what it has compiled
          expectSame(code, state, gas)
          const used = expectSame(code, state, gas)
          for (const part of parts) {
            expectSame(code, state, INTRINSIC + 700 + Math.floor(part * (used - INTRINSIC)))
          }
        },
      ),
      { numRuns: bySet(200, 3000) },
    )
    const counts = compiled.compiledCode
    expect(counts?.compiled).toBeGreaterThan(30)
  })
})
