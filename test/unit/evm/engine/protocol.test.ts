import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint } from '../../../../host/base/bytes.ts'
import type { Need } from '../../../../host/evm/engine/need.ts'
import type { Outcome } from '../../../../host/evm/engine/outcome.ts'
import { answerFrom, answerFromAsync } from '../../../../host/evm/state/answer.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  address,
  BLOCK,
  CONTRACT,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'

const LIBRARY = address(0x3333)

/** Touches state in every way that can pause a run, and returns a word made of all answers. */
const READER = assemble(
  ...[address(0x4444), address(0x5555)].flatMap((who) => [bytesToBigint(who), 'BALANCE', 'POP']),
  ...[1, 'SLOAD', 2, 'SLOAD', 'ADD'],
  ...[999, 'BLOCKHASH', 'ADD'],
  ...[bytesToBigint(LIBRARY), 'EXTCODESIZE', 'ADD'],
  ...[32, 0, 0, 0, 0, bytesToBigint(LIBRARY), 200_000, 'CALL', 'POP', 0, 'MLOAD', 'ADD'],
  // An account with init code that returns nothing
  ...[0, 0, 0, 'CREATE', 'ADD'],
  ...[0, 'MSTORE', 7, 3, 'SSTORE', 32, 0, 'RETURN'],
)

function readerState() {
  const state = stateWith(READER)
  state.setStorage(CONTRACT, bigintToBytes(1n, 32), bigintToBytes(100n, 32))
  state.setStorage(CONTRACT, bigintToBytes(2n, 32), bigintToBytes(20n, 32))
  state.setAccount(LIBRARY, 1n, 0n, assemble(5, 'SLOAD', 0, 'MSTORE', 32, 0, 'RETURN'))
  state.setStorage(LIBRARY, bigintToBytes(5n, 32), bigintToBytes(3n, 32))
  return state
}

describe('the run protocol', () => {
  test('pauses for each kind of read and gives the result of a run that never pauses', async () => {
    const engine = await engineInBlock()
    const state = readerState()
    const kinds: string[] = []
    const run = engine.transact(transaction(), { discard: true })
    let step = run.next(undefined)
    while (!step.done) {
      const need: Need = step.value
      kinds.push(need.kind)
      step = run.next(
        need.kind === 'account'
          ? state.account(need.address)
          : need.kind === 'storage'
            ? state.storage(need.address, need.slot)
            : need.kind === 'code'
              ? state.code(need.codeHash)
              : need.kind === 'blockHash'
                ? state.blockHash(need.number)
                : undefined,
      )
    }
    expect(new Set(kinds)).toEqual(new Set(['account', 'storage', 'code', 'blockHash']))
    // Everything is cached now: the same message never pauses
    const again = engine.transact(transaction(), { discard: true }).next(undefined)
    expect(again.done).toBe(true)
    expect(again.value).toEqual(step.value)
    expect(executed(step.value as Outcome).success).toBe(true)
  })

  test('gives the same outcome and diff in slices of one unit of fuel', async () => {
    const code = assemble(
      ...[0, 'JUMPDEST', 1, 'ADD', 'DUP1', 'DUP1', 'SSTORE', 'DUP1', 50, 'GT', 2, 'JUMPI'],
      ...[0, 'MSTORE', 32, 0, 'RETURN'],
    )
    const outcomes = []
    for (const fuel of [1, 7, 1 << 20]) {
      const engine = await engineInBlock({}, { fuel })
      const state = stateWith(code)
      let yields = 0
      const outcome = answerFrom(engine.transact(transaction()), state, {
        onYield: () => {
          yields++
        },
      })
      // Each new slot pauses the run, which then gets its full fuel again
      expect(yields > 0).toBe(fuel === 1)
      outcomes.push({ outcome, diff: engine.diff() })
    }
    expect(outcomes[1]).toEqual(outcomes[0])
    expect(outcomes[2]).toEqual(outcomes[0])
    expect(bytesToBigint(executed(outcomes[0]?.outcome as Outcome).output)).toBe(50n)
  })

  test('gives the same result for an asynchronous view as for a synchronous one', async () => {
    const state = readerState()
    const sync = answerFrom((await engineInBlock()).transact(transaction()), state)
    const later = {
      account: async (who: Uint8Array) => state.account(who),
      storage: async (who: Uint8Array, slot: Uint8Array) => state.storage(who, slot),
      code: async (hash: Uint8Array) => state.code(hash),
      blockHash: async (number: number) => state.blockHash(number),
    }
    const engine = await engineInBlock({}, { fuel: 1 })
    expect(await answerFromAsync(engine.transact(transaction()), later)).toEqual(sync)
  })

  test('ends a run when the yield hook throws, and continues with the next run', async () => {
    const engine = await engineInBlock({}, { fuel: 10 })
    const state = stateWith(assemble('JUMPDEST', 0, 'JUMP'))
    const endless = engine.transact(transaction())
    const onYield = () => {
      throw new Error('deadline')
    }
    expect(() => answerFrom(endless, state, { onYield })).toThrow('deadline')
    expect(engine.diff().accounts).toHaveLength(0)
    const next = executed(answerFrom(engine.transact(transaction({ to: address(9999) })), state))
    expect(next.gasUsed).toBe(21_000n)
  })

  test('refuses an answer whose size does not match the request', async () => {
    const engine = await engineInBlock()
    const run = engine.transact(transaction())
    expect(run.next(undefined).value).toMatchObject({ kind: 'account' })
    expect(() => run.next(new Uint8Array(5))).toThrow(
      'the need of account was answered with 5 bytes',
    )
  })

  test('refuses to resume a message after another has started', async () => {
    const engine = await engineInBlock()
    const state = stateWith(READER)
    const first = engine.transact(transaction())
    first.next(undefined)
    expect(executed(answerFrom(engine.transact(transaction()), state)).kind).toBe('executed')
    expect(() => first.next(undefined)).toThrow('another message was started on this engine')
  })

  test('forwards a call to a host address, and applies the gas and output of the answer', async () => {
    const host = { first: 0x1001, last: 0x1001 }
    const engine = await engineInBlock({}, { hostAddresses: host })
    const code = assemble(
      ...[0xabcd, 0, 'MSTORE', 32, 32, 32, 0, 0, 0x1001, 50_000, 'CALL'],
      ...[64, 'MSTORE', 'RETURNDATASIZE', 96, 'MSTORE', 96, 32, 'RETURN'],
    )
    const calls: unknown[] = []
    const outcome = executed(
      answerFrom(engine.transact(transaction()), stateWith(code), {
        onHostCall: ({ call }) => {
          calls.push(call)
          return { success: true, gasUsed: 1234n, output: bigintToBytes(77n, 32) }
        },
      }),
    )
    expect(calls).toEqual([
      {
        address: address(0x1001),
        caller: CONTRACT,
        input: bigintToBytes(0xabcdn, 32),
        gas: 50_000n,
        value: 0n,
        isStatic: false,
      },
    ])
    const words = [0, 32, 64].map((at) => bytesToBigint(outcome.output.subarray(at, at + 32)))
    expect(words).toEqual([77n, 1n, 32n])
  })

  test('reports memory exhaustion as an engine error and keeps no effect', async () => {
    const gasLimit = 1n << 50n
    const engine = await engineInBlock({ gasLimit, revision: 'Prague', baseFee: 0n })
    // An instance can have four gigabytes. This requests one byte less.
    const state = stateWith(assemble(1, 1, 'SSTORE', 1, 2 ** 32 - 33, 'MSTORE'))
    const huge = transaction({ gas: gasLimit, maxFeePerGas: 0n })
    expect(() => answerFrom(engine.transact(huge), state)).toThrow('the engine ran out of memory')
    expect(engine.diff()).toMatchObject({ accounts: new Uint8Array(0), storage: new Uint8Array(0) })
    const next = transaction({ to: address(9999), maxFeePerGas: 0n })
    expect(executed(answerFrom(engine.transact(next), state)).success).toBe(true)
  })

  test('discards the effects of a message that is run with discard', async () => {
    const engine = await engineInBlock()
    const state = stateWith(assemble(1, 1, 'SSTORE', 0, 0, 'LOG0'))
    const outcome = executed(answerFrom(engine.transact(transaction(), { discard: true }), state))
    expect(outcome.logs).toHaveLength(1)
    expect(engine.diff()).toEqual({
      accounts: new Uint8Array(0),
      cleared: new Uint8Array(0),
      storage: new Uint8Array(0),
      codes: [],
    })
  })

  test('hashes data, and recovers no signer from an invalid signature', async () => {
    const engine = await engineInBlock()
    const bytes = new Uint8Array(200).fill(7)
    expect(engine.keccak256(bytes)).toEqual(keccak_256(bytes))
    const zero = new Uint8Array(32)
    expect(engine.recoverAddress(zero, 0, zero, zero)).toBeUndefined()
  })

  test('runs a system call without fee, nonce or a funded sender', async () => {
    const engine = await engineInBlock()
    const state = stateWith(assemble('CALLER', 0, 'MSTORE', 'GAS', 1, 'SSTORE', 32, 0, 'RETURN'))
    const outcome = answerFrom(engine.systemCall(CONTRACT, new Uint8Array(0)), state)
    expect(outcome.success).toBe(true)
    expect(bytesToBigint(outcome.output)).toBe(0xfffffffffffffffffffffffffffffffffffffffen)
    const { accounts, storage } = engine.diff()
    expect(accounts).toHaveLength(0)
    // 30 million, minus the gas of CALLER, MSTORE and GAS
    expect(bytesToBigint(storage.subarray(52, 84))).toBe(30_000_000n - 2n - 3n - 6n - 2n)
  })

  test('requests the code of earlier blocks again after forgetCode', async () => {
    const engine = await engineInBlock()
    const state = stateWith(assemble('STOP'))
    const countCodes = () => {
      let count = 0
      const view = {
        account: (who: Uint8Array) => state.account(who),
        storage: () => undefined,
        blockHash: () => undefined,
        code: (hash: Uint8Array) => {
          count++
          return state.code(hash)
        },
      }
      answerFrom(engine.transact(transaction(), { discard: true }), view)
      return count
    }
    expect(countCodes()).toBe(1)
    engine.beginBlock(BLOCK)
    expect(countCodes()).toBe(0)
    engine.beginBlock(BLOCK)
    engine.forgetCode()
    expect(countCodes()).toBe(1)
  })
})
