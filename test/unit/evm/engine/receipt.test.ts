import { keccak_256 } from '@noble/hashes/sha3.js'
import { beforeAll, expect, test } from 'vitest'
import { concatBytes } from '../../../../host/base/bytes.ts'
import { encodeBlockResults } from '../../../../host/chain/consensus/comet/block-results.ts'
import { IMPERSONATED_S } from '../../../../host/evm/chain-types/impersonation.ts'
import { encodeReceipt } from '../../../../host/evm/chain-types/receipt.ts'
import type { Transaction } from '../../../../host/evm/chain-types/transaction.ts'
import type { BatchOutcome, PackedResults } from '../../../../host/evm/engine/batch.ts'
import type { Engine } from '../../../../host/evm/engine/engine.ts'
import type { BlockEnv } from '../../../../host/evm/engine/message.ts'
import type { Executed } from '../../../../host/evm/engine/outcome.ts'
import { makeReceipt } from '../../../../host/evm/execute/receipt.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import type { StateView } from '../../../../host/evm/state/view.ts'
import {
  decodeReceipts,
  encodeReceipts,
} from '../../../../host/storage/store/codec/receipt-codec.ts'
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

const HASH = new Uint8Array(32).fill(7)

/** Returns a transaction of a batch, changed by `fields`. */
function batched(fields: Partial<Transaction> = {}): Transaction {
  return {
    ...transaction(),
    chainId: 1n,
    v: 0n,
    yParity: 0,
    r: 1n,
    s: 1n,
    hash: HASH,
    raw: new Uint8Array(100),
    ...fields,
  }
}

function transact(input: Transaction, state: StateView, env: Partial<BlockEnv> = {}): Executed {
  engine.beginBlock({ ...BLOCK, ...env })
  return executed(answerFrom(engine.transact(input), state))
}

/** Returns the results of a batch of one transaction. */
function batch(input: Transaction, state: StateView, env: Partial<BlockEnv> = {}): BatchOutcome {
  engine.beginBlock({ ...BLOCK, ...env })
  return answerFrom(engine.executeBatch([input]), state)
}

/** Encodes an outcome as the host's codecs do. */
function byCodec(input: Transaction, outcome: Executed, cumulativeGasUsed = outcome.gasUsed) {
  const receipt = makeReceipt(input, outcome, cumulativeGasUsed, BLOCK, keccak_256)
  const stored = encodeReceipts([receipt])
  expect(decodeReceipts(stored)[0]?.logs).toEqual(outcome.logs)
  const result = {
    code: 1 - receipt.status,
    data: keccak_256(encodeReceipt(receipt)),
    gasWanted: input.gas,
    gasUsed: outcome.gasUsed,
  }
  // The first byte is the number of receipts
  return {
    receipts: stored.subarray(1),
    results: encodeBlockResults([result]),
    hashes: input.hash,
    bloom: receipt.logsBloom,
  }
}

function partsOf({ receipts, results, hashes }: PackedResults) {
  return { receipts, results, hashes, bloom: engine.blockBloom() }
}

/** Compares the results of a call of `code` in a batch with those of the same call alone, encoded by the codecs. */
function expectEncoded(code: Uint8Array, fields: Partial<Transaction> = {}): Executed {
  const input = batched(fields)
  const outcome = transact(input, stateWith(code))
  const expected = byCodec(input, outcome)
  const results = batch(input, stateWith(code))
  expect(partsOf(results)).toEqual(expected)
  expect(results).toMatchObject({ exclusions: [undefined], included: 1, gasUsed: outcome.gasUsed })
  return outcome
}

/** Returns code that logs `length` bytes of memory, which begins with `first`, with `topics`. */
function log(length: number, first: number, ...topics: number[]): Uint8Array {
  return assemble(
    ...[first, 0, 'MSTORE8'],
    ...[...topics].reverse(),
    ...[length, 0, `LOG${topics.length}`],
  )
}

test("the engine's encoding of a receipt and of a result equals the codecs', for each type", () => {
  const code = log(40, 9, 1, 2, 3)
  const address = new Uint8Array(20).fill(5)
  const authorization = { chainId: 9n, address, nonce: 0n, yParity: 0n, r: 1n, s: 1n }
  expectEncoded(code, { type: 0, maxPriorityFeePerGas: 7n })
  expectEncoded(code, { type: 1, accessList: [{ address, storageKeys: [HASH, HASH] }] })
  expectEncoded(code, { type: 2, maxFeePerGas: 2n ** 40n, maxPriorityFeePerGas: 3n })
  expectEncoded(code, { type: 4, authorizations: [authorization, authorization] })
  expectEncoded(code, { to: undefined, data: assemble(code, 0, 0, 'RETURN') })
  expectEncoded(code, { to: undefined, data: assemble(code, 0, 0, 'REVERT') })
})

test('a receipt has the gas that the block has used so far, and a result its own', () => {
  const state = stateWith(assemble('INVALID'))
  const spent = [21_001n, 2n ** 16n, 2n ** 24n, 2n ** 40n]
  const inputs = spent.map((gas, nonce) => {
    return batched({ gas, nonce: BigInt(nonce), maxFeePerGas: 0n, hash: HASH.map(() => nonce) })
  })
  const env = { revision: 'Prague', baseFee: 0n, gasLimit: 2n ** 50n } as const
  engine.beginBlock({ ...BLOCK, ...env })
  let used = 0n
  const expected = inputs.map((input) => {
    const outcome = executed(answerFrom(engine.transact(input), state))
    used += outcome.gasUsed
    return byCodec(input, outcome, used)
  })
  engine.beginBlock({ ...BLOCK, ...env })
  const outcome = answerFrom(engine.executeBatch(inputs), state)
  expect(outcome.gasUsed).toBe(spent.reduce((sum, gas) => sum + gas))
  expect(partsOf(outcome)).toEqual({
    receipts: concatBytes(expected.map(({ receipts }) => receipts)),
    results: concatBytes(expected.map(({ results }) => results)),
    hashes: concatBytes(expected.map(({ hashes }) => hashes)),
    bloom: new Uint8Array(256),
  })
})

test.each([0, 1, 2, 8, 9, 55, 56, 127, 128, 255, 256, 257, 65_535, 65_536, 100_000])(
  "the engine's encoding of %i bytes of log data equals the codecs'",
  (length) => {
    for (const first of [0, 1, 0x7f, 0x80, 0xff]) expectEncoded(log(length, first, 7))
  },
)

test('an encoded receipt has its logs in order, with none to four topics', () => {
  const logs = [log(0, 0), log(1, 5, 1), log(33, 1, 2 ** 31, 3), log(64, 2, 3, 4, 5)]
  const outcome = expectEncoded(assemble(...logs, log(7, 1, 6, 7, 8, 9), log(300, 1)))
  expect(outcome.logs.map(({ topics }) => topics.length)).toEqual([0, 1, 2, 3, 4, 0])
  expectEncoded(assemble(...Array.from({ length: 300 }, (_, i) => log(i, 1, i))))
})

test('a bloom contains repeated items, and distinguishes an address from a topic with the same bytes', () => {
  for (let round = 0; round < 2; round++) {
    for (let topic = 0; topic < 1500; topic += 300) {
      const logs = Array.from({ length: 300 }, (_, i) => log(0, 0, topic + i, topic + i))
      expectEncoded(assemble(...logs))
    }
  }
  // CONTRACT, the address of the logs, without topics or data
  expectEncoded(log(0, 0))
  const alike = assemble(Uint8Array.of(0x7f), CONTRACT, new Uint8Array(12), 0, 0, 'LOG1')
  expectEncoded(alike)
})

test('a transaction without logs has an empty bloom, and a failed one has status 0', () => {
  expectEncoded(assemble('STOP'))
  expect(expectEncoded(assemble(log(8, 1, 2), 0, 0, 'REVERT')).success).toBe(false)
  expectEncoded(assemble('INVALID'))
})

test('the receipt of an applied speculative execution is encoded like any other', () => {
  const input = batched({ hash: HASH.map((_, i) => i) })
  const state = stateWith(assemble(log(40, 9, 1, 2, 3), log(3, 1)))
  const outcome = transact(input, state)
  const footprint = engine.readWriteSet() as Uint8Array
  batch(batched({ to: SENDER, value: 1n }), stateWith(assemble('STOP')))
  engine.beginBlock(BLOCK)
  expect(engine.applySet(footprint)).toEqual(outcome)
  expect(partsOf(engine.includeApplied(input))).toEqual(byCodec(input, outcome))
})

/** Prague does not yet limit the gas of a transaction. */
const LARGE = { revision: 'Prague', gasLimit: 10n ** 9n } as const

test('a receipt with more data than the host passes at once is encoded correctly', () => {
  const input = batched({ gas: 10n ** 9n })
  const state = stateWith(log(3 << 20, 1))
  const outcome = transact(input, state, LARGE)
  expect(outcome.logs[0]?.data.length).toBe(3 << 20)
  const expected = byCodec(input, outcome)
  expect(partsOf(batch(input, state, LARGE))).toEqual(expected)
})

test('a transaction whose logs exceed the buffer has no effect, and those before it remain', () => {
  const state = stateWith(log((8 << 20) - 100, 1))
  const first = batched({ to: SENDER, gas: 21_000n })
  batch(first, state, LARGE)
  const before = engine.diff()
  engine.beginBlock({ ...BLOCK, ...LARGE })
  const large = batched({ gas: 9n * 10n ** 8n, nonce: 1n })
  const outcome = answerFrom(engine.executeBatch([first, large]), state)
  expect(outcome).toMatchObject({ exclusions: [undefined], included: 1, gasUsed: 21_000n })
  expect(outcome.fault).toMatchObject({ code: 'ENGINE_FAULT' })
  expect(engine.diff()).toEqual(before)
})

test('a batch reports why each transaction is excluded, and continues after it', () => {
  const state = stateWith(assemble('STOP'))
  engine.beginBlock({ ...BLOCK, gasLimit: 50_000n })
  const small = batched({ to: SENDER, gas: 21_000n })
  const outcome = answerFrom(
    engine.executeBatch([
      batched({ ...small, nonce: 1n }),
      small,
      batched({ ...small, nonce: 1n, gas: 30_000n }),
      batched({ ...small, nonce: 1n, maxFeePerGas: 6n }),
      batched({ ...small, nonce: 1n, hash: HASH.map(() => 1) }),
      small,
    ]),
    state,
  )
  expect(outcome.exclusions).toEqual([
    'nonceTooHigh',
    undefined,
    'blockFull',
    'feeCapBelowBaseFee',
    undefined,
    'blockFull',
  ])
  expect(outcome.hashes).toEqual(concatBytes([HASH, HASH.map(() => 1)]))
  expect(outcome.gasUsed).toBe(42_000n)
})

test('an impersonated transaction may have a sender with code, a signed one may not', () => {
  const state = stateWith(assemble('STOP'))
  state.setAccount(CONTRACT, 0n, 10n ** 18n, assemble('STOP'))
  const input = batched({ from: CONTRACT, to: SENDER, gas: 21_000n })
  expect(batch(input, state).exclusions).toEqual(['senderHasCode'])
  expect(batch({ ...input, s: IMPERSONATED_S }, state).exclusions).toEqual([undefined])
})

test('a batch holds what fits, and a transaction that fits into no message is refused', () => {
  const state = stateWith(assemble('STOP'))
  const data = new Uint8Array(3 << 20)
  const input = (nonce: number) =>
    batched({ data, raw: data, nonce: BigInt(nonce), gas: 2n * 10n ** 8n })
  engine.beginBlock({ ...BLOCK, ...LARGE })
  const outcome = answerFrom(engine.executeBatch([input(0), input(1), input(2)]), state)
  expect(outcome.exclusions).toEqual([undefined, undefined])
  const small = Array.from({ length: 300 }, (_, nonce) => batched({ nonce: BigInt(nonce + 2) }))
  expect(answerFrom(engine.executeBatch(small), state).exclusions).toHaveLength(256)
  const large = batched({ data: new Uint8Array(8 << 20) })
  expect(() => answerFrom(engine.executeBatch([large]), state)).toThrow('exceeds the engine')
})
