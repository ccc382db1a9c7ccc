import { expect, test } from 'vitest'
import { ConsoleDetector } from '../../../../host/chain/dev/console-watch.ts'
import type { TransactionInput } from '../../../../host/evm/engine/message.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { CONSOLE_ADDRESS } from '../../../../host/evm/trace/tracers/console-call.ts'
import { LOGGER, LOGGER_THAT_REVERTS } from '../../../support/contracts/console-logger.ts'
import {
  BLOCK,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'

const engine = await engineInBlock(BLOCK)

/** Tells whether a block with one transaction that runs the code is detected as a console call. */
function isNoted(
  watch: ConsoleDetector,
  code: Uint8Array,
  fields: Partial<TransactionInput> = {},
): boolean {
  engine.beginBlock(BLOCK)
  executed(answerFrom(engine.transact(transaction(fields)), watch.over(stateWith(code))))
  return watch.take()
}

test('a block in which a contract calls the console is detected, also if the call is reverted', () => {
  const watch = new ConsoleDetector()
  const silent = Uint8Array.of(0)
  for (let block = 0; block < 3; block++) {
    expect(isNoted(watch, LOGGER)).toBe(true)
    expect(watch.take()).toBe(false)
    expect(isNoted(watch, silent)).toBe(false)
  }
  expect(isNoted(watch, LOGGER_THAT_REVERTS)).toBe(true)
  expect(isNoted(watch, silent)).toBe(false)
})

test('a console call is detected if it is the transaction itself or its address is warm', () => {
  const watch = new ConsoleDetector()
  expect(isNoted(watch, LOGGER, { to: CONSOLE_ADDRESS })).toBe(true)
  const accessList = [{ address: CONSOLE_ADDRESS, storageKeys: [] }]
  expect(isNoted(watch, LOGGER, { accessList })).toBe(true)
})
