import { expect, test } from 'vitest'
import { formatData } from '../../../../../host/base/hex.ts'
import { TouchedSink } from '../../../../../host/evm/execute/simulate/touched-sink.ts'
import { answerFrom } from '../../../../../host/evm/state/answer.ts'
import { assemble } from '../../../../support/engine/bytecode.ts'
import {
  address,
  CONTRACT,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../../support/engine/engine-fixture.ts'

test('the touched set has the operands of opcodes, also of failed steps, but no created account', async () => {
  const engine = await engineInBlock()
  const call = [0, 0, 0, 0, 0x5555, 700, 'STATICCALL', 'POP']
  const code = [7, 'SLOAD', 'POP', 0x3333, 'BALANCE', 'POP', 0, 0, 0, 'CREATE', 'POP', ...call]
  const state = stateWith(assemble(...code, 'STOP'))
  // It cannot pay for its read of slot 9
  state.setAccount(address(0x5555), 1n, 0n, assemble(9, 'SLOAD', 'STOP'))
  const touched = new TouchedSink((one) => formatData(one) === formatData(CONTRACT))
  executed(answerFrom(engine.transact(transaction(), { trace: touched, discard: true }), state))
  const list = touched.list().map((entry) => ({
    address: formatData(entry.address),
    storageKeys: entry.storageKeys.map((key) => Number(BigInt(formatData(key)))),
  }))
  expect(list).toEqual([
    { address: formatData(CONTRACT), storageKeys: [7] },
    { address: formatData(address(0x3333)), storageKeys: [] },
    { address: formatData(address(0x5555)), storageKeys: [9] },
  ])
})
