import { expect, test } from 'vitest'
import { Engine } from '../../../../host/evm/engine/engine.ts'
import { openEngineModule } from '../../../../host/evm/engine/module.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { readModule } from '../../../../host/node/wasm.ts'
import { BLOCK, stateWith, transaction } from '../../../support/engine/engine-fixture.ts'

test('a trap is reported as an engine error, and makes the instance unusable', async () => {
  const { exports } = await openEngineModule(await readModule('engine'))
  const run = () => {
    throw new WebAssembly.RuntimeError('unreachable')
  }
  const engine = new Engine({ ...exports, run })
  engine.beginBlock(BLOCK)
  expect(engine.isUsable).toBe(true)
  const state = stateWith(new Uint8Array(0))
  const fault = { code: 'ENGINE_FAULT', message: 'the engine trapped: unreachable' }
  expect(() => answerFrom(engine.transact(transaction()), state)).toThrow(
    expect.objectContaining(fault),
  )
  expect(engine.isUsable).toBe(false)
  const refused = expect.objectContaining({ code: 'ENGINE_FAULT' })
  expect(() => engine.diff()).toThrow(refused)
  expect(() => engine.beginBlock(BLOCK)).toThrow(refused)
  expect(() => answerFrom(engine.transact(transaction()), state)).toThrow(refused)
})
