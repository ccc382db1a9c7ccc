import { describe, expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint } from '../../../../host/base/bytes.ts'
import { formatData, parseData } from '../../../../host/base/hex.ts'
import type { TransactionInput } from '../../../../host/evm/engine/message.ts'
import type { Executed, Outcome } from '../../../../host/evm/engine/outcome.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import {
  BLOCK,
  CONTRACT,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'
import { AMSTERDAM_CASES, type AmsterdamCase } from './amsterdam-cases.ts'

const engine = await engineInBlock()
const word = (value: number): Uint8Array => bigintToBytes(BigInt(value), 32)

function inputOf({ to, initcode, data, value, gas, accessList }: AmsterdamCase): TransactionInput {
  return transaction({
    type: 1,
    gas: gas ?? 10_000_000n,
    value: value ?? 0n,
    data: parseData(data ?? `0x${initcode ?? ''}`),
    to: initcode === undefined ? parseData(to ?? formatData(CONTRACT)) : undefined,
    accessList: (accessList ?? []).map(([address, slots]) => ({
      address: parseData(address),
      storageKeys: Array.from({ length: slots }, (_, slot) => word(slot)),
    })),
  })
}

function run(one: AmsterdamCase): Outcome {
  const state = stateWith(parseData(`0x${one.code}`))
  state.setStorage(CONTRACT, word(1), word(1))
  engine.beginBlock({ ...BLOCK, revision: 'Amsterdam', slotNumber: 77n })
  return answerFrom(engine.transact(inputOf(one)), state)
}

describe('a transaction under Amsterdam costs', () => {
  test.each(AMSTERDAM_CASES)('$used gas for $what, and $block and $state of the block', (one) => {
    const outcome = executed(run(one))
    expect(outcome.error).toBe(one.error)
    expect([outcome.gasUsed, outcome.blockGas, outcome.stateGas]).toEqual([
      one.used,
      one.block,
      one.state,
    ])
    if (one.logs !== undefined) expect(outcome.logs).toHaveLength(one.logs)
  })
})

/** Runs code that returns the word on top of its stack. */
function topAfter(code: string): bigint {
  const outcome: Executed = executed(
    run({ what: '', code: `${code}5f5260205ff3`, used: 0n, block: 0n, state: 0n }),
  )
  expect(outcome.error).toBeUndefined()
  return bytesToBigint(outcome.output)
}

/** Pushes the numbers from 1 to `count`. */
const numbers = (count: number): string =>
  Array.from({ length: count }, (_, i) => `60${(i + 1).toString(16).padStart(2, '0')}`).join('')

describe('EIP-8024 and EIP-7843', () => {
  test('SLOTNUM pushes the slot number of the block', () => {
    expect(topAfter('4b')).toBe(77n)
  })

  test('DUPN with the operand 0x80 copies the 17th word', () => {
    expect(topAfter(`${numbers(20)}e680`)).toBe(4n)
  })

  test('SWAPN with the operand 0x80 swaps the first word with the 18th', () => {
    expect(topAfter(`${numbers(20)}e780`)).toBe(3n)
  })

  test('EXCHANGE with the operand 0x8e swaps the second word with the third', () => {
    expect(topAfter(`${numbers(20)}e88e50`)).toBe(18n)
  })

  test('a missing operand is zero: DUPN then copies the 145th word', () => {
    const outcome = executed(
      run({ what: '', code: `${numbers(144)}e6`, used: 0n, block: 0n, state: 0n }),
    )
    expect(outcome.error).toBe('stack underflow (144 <=> 145)')
  })

  test('a forbidden operand stays a jump destination', () => {
    // 0: PUSH1 5, JUMP, STOP, DUPN, JUMPDEST, PUSH1 9
    expect(topAfter('60055600e65b6009')).toBe(9n)
  })

  test('an allowed operand that looks like a superinstruction or an unknown opcode is no opcode', () => {
    // 0x0c and 0x26 are no opcodes; 0x80 0x51 would be DUP1 MLOAD
    expect(topAfter(`${numbers(160)}e60c`)).toBe(4n)
    expect(topAfter(`${numbers(185)}e626`)).toBe(3n)
    expect(topAfter(`${numbers(20)}e68051`)).toBe(0n)
  })
})

describe('the access list of a block', () => {
  test('has what failed frames loaded, but only what transactions changed', () => {
    const state = stateWith(parseData('0x60025f5460015560016101015561dead31505f5ffd'))
    engine.beginBlock({ ...BLOCK, revision: 'Amsterdam' })
    answerFrom(engine.transact(transaction({ type: 0 })), state)
    const { accounts, slots, changes } = engine.accessList()
    expect(accounts.map(formatData).sort()).toEqual(
      ['1111', '2222', 'cccc', 'dead'].map((low) => `0x${low.padStart(40, '0')}`),
    )
    expect(slots.map(([, slot]) => Number(bytesToBigint(slot)))).toEqual([0, 1, 0x101])
    expect(changes.map(({ kind, index }) => `${kind} ${index}`).sort()).toEqual([
      'balance 1',
      'nonce 1',
    ])
  })

  test('forgets a message that is aborted', () => {
    const state = stateWith(parseData('0x61dead315060015f5500'))
    engine.beginBlock({ ...BLOCK, revision: 'Amsterdam' })
    answerFrom(engine.transact(transaction({ type: 0 }), { discard: true }), state)
    expect(engine.accessList()).toEqual({ accounts: [], slots: [], changes: [] })
    answerFrom(engine.transact(transaction({ type: 0 })), state)
    expect(engine.accessList().changes.every(({ index }) => index === 1)).toBe(true)
  })

  test('is empty before Amsterdam', () => {
    const state = stateWith(parseData('0x60015f5500'))
    engine.beginBlock({ ...BLOCK, revision: 'Osaka' })
    answerFrom(engine.transact(transaction({ type: 0 })), state)
    expect(engine.accessList()).toEqual({ accounts: [], slots: [], changes: [] })
  })
})
