import { afterAll, expect, test } from 'vitest'
import { bigintToBytes } from '../../../../host/base/bytes.ts'
import { loadEngine } from '../../../../host/evm/engine/engine.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { Disposables } from '../../../../host/node/disposables.ts'
import { openCompiledCode } from '../../../../host/node/open/region-compiling-thread.ts'
import { compileEngine } from '../../../../host/node/wasm.ts'
import { BLOCK, executed, stateWith, transaction } from '../../../support/engine/engine-fixture.ts'
import { EVERY_JUMP } from '../../../support/engine/every-jump.ts'
import { summingLoop } from '../../../support/engine/summing-loop.ts'

const TURNS = 0xffff
const closers = new Disposables()
afterAll(() => closers.close())

const failures: unknown[] = []
const onDeath = (error: unknown) => void failures.push(error)

test('modules without a compiler leave all code to the interpreter', async () => {
  const modules = await compileEngine({ compiledCode: false, compiledCodeBytes: 1 })
  expect(modules.compiledCode).toBeUndefined()
  expect(openCompiledCode(modules, onDeath, closers)).toBeUndefined()
})

test('the thread compiles what becomes hot, and the engine uses it from its next turn on', async () => {
  const modules = await compileEngine({ compiledCode: true, compiledCodeBytes: 1 << 20 })
  const compiledCode = openCompiledCode(modules, onDeath, closers)
  if (compiledCode === undefined) throw new Error('no compiler')
  const engine = await loadEngine(modules.engine, {
    compiledCode: { ...compiledCode, ...EVERY_JUMP },
  })
  const state = stateWith(summingLoop(3, TURNS))
  const run = () => {
    engine.beginBlock({ ...BLOCK, baseFee: 0n })
    const input = transaction({ gas: 5_000_000n, maxFeePerGas: 0n })
    return executed(answerFrom(engine.transact(input), state))
  }
  const interpreted = run()
  expect(engine.compiledCode).toMatchObject({ compiled: 0 })
  await expect.poll(() => engine.compiledCode?.compiled, { timeout: 60_000 }).toBeGreaterThan(0)
  const compiled = run()
  expect(compiled).toEqual(interpreted)
  expect(compiled.output).toEqual(bigintToBytes(BigInt(3 * TURNS), 32))
  expect(failures).toEqual([])
})
