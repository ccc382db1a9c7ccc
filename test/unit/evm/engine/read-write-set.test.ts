import { beforeEach, describe, expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint } from '../../../../host/base/bytes.ts'
import { LockstepError } from '../../../../host/base/error.ts'
import type { Engine } from '../../../../host/evm/engine/engine.ts'
import type { TransactionInput } from '../../../../host/evm/engine/message.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import type { StateView } from '../../../../host/evm/state/view.ts'
import type { TestState } from '../../../support/chain/test-state.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  BLOCK,
  COINBASE,
  engineInBlock,
  executed,
  SENDER,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'

const OTHER = bigintToBytes(0x3333n, 20)
const coinbase = bytesToBigint(COINBASE)
const FEES = { maxFeePerGas: 20n, maxPriorityFeePerGas: 2n }

let one: Engine
let other: Engine
beforeEach(async () => {
  one = await engineInBlock()
  other = await engineInBlock()
})

function run(engine: Engine, state: TestState, fields: Partial<TransactionInput> = {}) {
  return executed(answerFrom(engine.transact(transaction({ ...FEES, ...fields })), state))
}

/** Increments slot 0 and logs. */
const COUNTER = assemble(...[0, 'SLOAD', 1, 'ADD', 0, 'SSTORE'], ...[7, 0, 0, 'LOG1'])

/** Creates a contract of one byte. */
const INITCODE = assemble(1, 0, 'RETURN')
const CREATING = assemble(
  ...[bytesToBigint(INITCODE), 0, 'MSTORE'],
  ...[INITCODE.length, 32 - INITCODE.length, 0, 'CREATE'],
)

describe('the recorded read/write set of a transaction', () => {
  test('applies the outcome and the changes on another engine, without the output', () => {
    const state = stateWith(assemble(COUNTER, 32, 0, 'RETURN'))
    const outcome = run(one, state, { value: 3n })
    const footprint = one.readWriteSet() as Uint8Array
    expect(other.applySet(footprint)).toEqual({ ...outcome, output: new Uint8Array(0) })
    expect(other.diff()).toEqual(one.diff())
    // The block continues on this engine
    expect(run(other, state, { nonce: 1n }).success).toBe(true)
    expect(run(one, state, { nonce: 1n }).success).toBe(true)
    expect(other.diff()).toEqual(one.diff())
  })

  test('adds its fee to the fees of earlier transactions', () => {
    const state = stateWith(COUNTER)
    state.setAccount(OTHER, 0n, 10n ** 24n, new Uint8Array(0))
    run(one, state)
    const footprint = one.readWriteSet() as Uint8Array
    const before = { from: OTHER, to: bigintToBytes(0x4444n, 20) }
    run(other, state, before)
    expect(other.applySet(footprint)).toBeDefined()
    one.beginBlock(BLOCK)
    run(one, state, before)
    run(one, state)
    expect(other.diff()).toEqual(one.diff())
  })

  test.each([
    ['nonce', { from: SENDER, to: OTHER }],
    ['slot', { from: OTHER }],
  ])('is refused without a trace if a %s has changed', (_, before) => {
    const state = stateWith(COUNTER)
    state.setAccount(OTHER, 0n, 10n ** 24n, new Uint8Array(0))
    run(one, state, { accessList: [{ address: bigintToBytes(0x9999n, 20), storageKeys: [] }] })
    const footprint = one.readWriteSet() as Uint8Array
    run(other, state, before)
    const diff = other.diff()
    expect(other.applySet(footprint)).toBeUndefined()
    expect(other.diff()).toEqual(diff)
    const nonce = before.from === SENDER ? 1n : 0n
    expect(run(other, state, { nonce }).success).toBe(true)
  })

  test.each([
    ['asks for its balance', assemble('COINBASE', 'BALANCE', 'POP')],
    ['asks for its code', assemble('COINBASE', 'EXTCODEHASH', 'POP')],
    ['pays it', assemble(0, 0, 0, 0, 1, coinbase, 'GAS', 'CALL')],
    ['calls it and fails', assemble(0, 0, 0, 0, 0, coinbase, 'GAS', 'CALL', 'INVALID')],
    ['leaves it its balance', assemble(coinbase, 'SELFDESTRUCT')],
    ['changes code', CREATING],
    ['creates a contract without code', assemble(0, 0, 0, 'CREATE')],
  ])('is not recorded for a transaction that %s (the fee recipient)', (_, code) => {
    run(one, stateWith(code))
    expect(one.readWriteSet()).toBeUndefined()
  })

  test.each([
    ['sends', { from: COINBASE }],
    ['receives', { to: COINBASE, value: 1n }],
    ['is in the access list', { accessList: [{ address: COINBASE, storageKeys: [] }] }],
  ])('is not recorded if the fee recipient %s', (_, fields) => {
    const state = stateWith(COUNTER)
    state.setAccount(COINBASE, 0n, 10n ** 24n, new Uint8Array(0))
    run(one, state, fields)
    expect(one.readWriteSet()).toBeUndefined()
  })

  test('is refused if its length is wrong', () => {
    expect(() => other.applySet(new Uint8Array(95))).toThrow('95 bytes are not a read/write set')
    expect(() => other.applySet(new Uint8Array(97))).toThrow('97 bytes are not a read/write set')
  })
})

test('an abandoned transaction that created a contract without code leaves no code in the diff', async () => {
  const revision = 'Shanghai'
  const gone = assemble(0, 'SELFDESTRUCT')
  const state = stateWith(gone)
  state.setAccount(OTHER, 1n, 0n, assemble(0, 0, 0, 'CREATE', 1, 'SLOAD'))
  one.beginBlock({ ...BLOCK, revision })
  other.beginBlock({ ...BLOCK, revision })
  // The account gets the code hash of empty code
  run(one, state)
  run(other, state)
  const broken: StateView = {
    account: (address) => state.account(address),
    storage: () => {
      throw new LockstepError('ENGINE_FAULT', 'the arena is full')
    },
    code: (codeHash) => state.code(codeHash),
    blockHash: () => undefined,
  }
  const creating = transaction({ ...FEES, nonce: 1n, to: OTHER })
  expect(() => answerFrom(other.transact(creating), broken)).toThrow('the arena is full')
  expect(one.diff().codes).toEqual([])
  expect(other.diff().codes).toEqual([])
})
