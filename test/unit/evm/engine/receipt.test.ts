import { keccak_256 } from '@noble/hashes/sha3.js'
import { beforeAll, expect, test } from 'vitest'
import { logsBloom } from '../../../../host/evm/chain-types/bloom.ts'
import { encodeReceipt } from '../../../../host/evm/chain-types/receipt.ts'
import type { TransactionType } from '../../../../host/evm/chain-types/transaction.ts'
import type { Engine } from '../../../../host/evm/engine/engine.ts'
import type { Executed } from '../../../../host/evm/engine/outcome.ts'
import { receiptUnder } from '../../../../host/evm/execute/receipt.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import {
  decodeReceipts,
  encodeReceipts,
} from '../../../../host/storage/store/codec/receipt-codec.ts'
import { plainReceipt } from '../../../support/chain/plain-receipt.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  BLOCK,
  CONTRACT,
  engineInBlock,
  executed,
  SENDER,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'

let engine: Engine
beforeAll(async () => {
  engine = await engineInBlock()
})

function run(code: Uint8Array): Executed {
  engine.beginBlock(BLOCK)
  return executed(answerFrom(engine.transact(transaction()), stateWith(code)))
}

/**
 * Encodes the same outcome with the receipt codecs. Also checks that the store's codec writes the engine's encoded
 * logs unchanged and decodes the same logs.
 */
function sealedByCodec(outcome: Executed, type: TransactionType, cumulativeGasUsed: bigint) {
  const bloom = logsBloom(outcome.logs, keccak_256)
  const received = {
    ...transaction({ type }),
    hash: new Uint8Array(32),
    from: SENDER,
    to: CONTRACT,
  }
  const receipt = receiptUnder(bloom, received, outcome, cumulativeGasUsed, BLOCK)
  const stored = encodeReceipts([receipt])
  expect(stored).toEqual(encodeReceipts([plainReceipt(receipt)]))
  expect(decodeReceipts(stored)[0]?.logs).toEqual(outcome.logs)
  return { hash: keccak_256(encodeReceipt(receipt)), logsBloom: bloom }
}

function expectSealed(outcome: Executed, type: TransactionType = 2, cumulative = 21_000n): void {
  expect(engine.sealReceipt(type, cumulative)).toEqual(sealedByCodec(outcome, type, cumulative))
}

/** Returns code that logs `length` bytes of memory, which begins with `first`, with `topics`. */
function log(length: number, first: number, ...topics: number[]): Uint8Array {
  return assemble(
    ...[first, 0, 'MSTORE8'],
    ...[...topics].reverse(),
    ...[length, 0, `LOG${topics.length}`],
  )
}

test("the engine's encoding of a receipt equals the codec's, for each type and any gas", () => {
  const outcome = run(log(40, 9, 1, 2, 3))
  for (const type of [0, 1, 2, 3, 4] as const) expectSealed(outcome, type)
  for (const gas of [0n, 1n, 127n, 128n, 255n, 256n, 65_536n, 2n ** 40n, 2n ** 64n - 1n]) {
    expectSealed(outcome, 2, gas)
  }
})

test.each([0, 1, 2, 8, 9, 55, 56, 255, 256, 257, 65_535, 65_536, 100_000])(
  "the engine's encoding of a receipt with %i bytes of log data equals the codec's",
  (length) => {
    for (const first of [0, 1, 0x7f, 0x80, 0xff]) expectSealed(run(log(length, first, 7)))
  },
)

test('an encoded receipt has its logs in order, with none to four topics', () => {
  const logs = [log(0, 0), log(1, 5, 1), log(33, 1, 2 ** 31, 3), log(64, 2, 3, 4, 5)]
  const outcome = run(assemble(...logs, log(7, 1, 6, 7, 8, 9), log(300, 1)))
  expect(outcome.logs.map(({ topics }) => topics.length)).toEqual([0, 1, 2, 3, 4, 0])
  expectSealed(outcome)
  expectSealed(run(assemble(...Array.from({ length: 300 }, (_, i) => log(i, 1, i)))))
})

test('a bloom contains repeated items, and distinguishes an address from a topic with the same bytes', () => {
  for (let round = 0; round < 2; round++) {
    for (let topic = 0; topic < 1500; topic += 300) {
      const logs = Array.from({ length: 300 }, (_, i) => log(0, 0, topic + i, topic + i))
      expectSealed(run(assemble(...logs)))
    }
  }
  // CONTRACT, the address of the logs, without topics or data
  expectSealed(run(log(0, 0)))
  const alike = assemble(Uint8Array.of(0x7f), CONTRACT, new Uint8Array(12), 0, 0, 'LOG1')
  expectSealed(run(alike))
})

test('a transaction without logs shares the empty bloom, and a failed one has status 0', () => {
  expectSealed(run(assemble('STOP')))
  const failed = run(assemble(log(8, 1, 2), 0, 0, 'REVERT'))
  expect(failed.success).toBe(false)
  expectSealed(failed)
  const broken = run(assemble('INVALID'))
  expectSealed(broken)
})

test('the receipt of an applied speculative execution is encoded like any other', async () => {
  const outcome = run(assemble(log(40, 9, 1, 2, 3), log(3, 1)))
  const footprint = engine.readWriteSet() as Uint8Array
  engine.beginBlock(BLOCK)
  answerFrom(engine.transact(transaction({ to: SENDER, value: 1n })), stateWith(assemble('STOP')))
  engine.beginBlock(BLOCK)
  expect(engine.applySet(footprint)).toEqual(outcome)
  expectSealed(outcome)
})

test('a receipt with more data than the host passes at once is encoded correctly', () => {
  const outcome = executed(runWith(3 << 20))
  expect(outcome.logs[0]?.data.length).toBe(3 << 20)
  expectSealed(outcome)
})

/** Prague does not yet limit the gas of a transaction. */
function runWith(length: number) {
  engine.beginBlock({ ...BLOCK, revision: 'Prague', gasLimit: 10n ** 9n })
  const state = stateWith(log(length, 1))
  return answerFrom(engine.transact(transaction({ gas: 10n ** 9n })), state)
}

test('logs that exceed the buffer cause an engine error', () => {
  executed(runWith((8 << 20) - 100))
  expect(() => engine.sealReceipt(2, 1n)).toThrow('exceed 8 MiB')
})
