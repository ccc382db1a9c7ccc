import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bigintToBytes, concatBytes, EMPTY_BYTES } from '../../../../host/base/bytes.ts'
import { formatData, parseData } from '../../../../host/base/hex.ts'
import { changedAccounts } from '../../../../host/chain/dev/account-change.ts'
import { decodeState, encodeState } from '../../../../host/chain/dev/state-file.ts'
import { readStateOnWorker } from '../../../../host/chain/dev/state-thread.ts'
import { OverlayState } from '../../../../host/evm/state/overlay-state.ts'
import { withAmended } from '../../../../host/evm/state/written-keys.ts'
import { keccak256 } from '../../../support/chain/fake-chain.ts'
import { TestState } from '../../../support/chain/test-state.ts'

const WHO = '0x00000000000000000000000000000000000000aa'
const BARE = '0x00000000000000000000000000000000000000bb'
const word = (value: bigint) => formatData(bigintToBytes(value, 32))
const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const NONE = { accounts: () => [], slots: () => [] }

/** As anvil 1.7.1 writes it, including the members that are ignored. */
const DUMP = {
  block: { number: '0x9', timestamp: '0x6afd86c0', gas_limit: 30_000_000 },
  accounts: {
    [WHO]: {
      nonce: 5,
      balance: '0x64',
      code: '0x6001',
      storage: { [word(7n)]: word(9n), [word(8n)]: word(0n) },
    },
    [BARE]: { nonce: 0, balance: '0x0', code: '0x', storage: { [word(1n)]: word(2n) } },
  },
  best_block_number: 9,
  blocks: [{}],
  transactions: [],
  historical_states: null,
}

const ACCOUNTS = [
  {
    address: parseData(WHO),
    nonce: 5n,
    balance: 100n,
    code: parseData('0x6001'),
    storage: [
      { slot: bigintToBytes(7n, 32), value: bigintToBytes(9n, 32) },
      { slot: bigintToBytes(8n, 32), value: bigintToBytes(0n, 32) },
    ],
  },
  {
    address: parseData(BARE),
    nonce: 0n,
    balance: 0n,
    code: EMPTY_BYTES,
    storage: [{ slot: bigintToBytes(1n, 32), value: bigintToBytes(2n, 32) }],
  },
]

test('an anvil dump is loaded with its accounts, compressed or not', () => {
  expect(decodeState(text(DUMP))).toEqual(ACCOUNTS)
  expect(decodeState(gzipSync(text(DUMP)))).toEqual(ACCOUNTS)
})

test.each([
  ['{', 'Failed to decode state dump: '],
  ['[]', 'Failed to decode state dump: '],
  ['{}', 'Failed to decode state dump: accounts: '],
  ['{"accounts":{"0x12":{}}}', 'Failed to decode state dump: accounts.0x12: '],
  [
    JSON.stringify({ accounts: { [WHO]: { nonce: -1, balance: '0x0', code: '0x' } } }),
    `Failed to decode state dump: accounts.${WHO}.nonce: `,
  ],
  [
    JSON.stringify({ accounts: { [WHO]: { nonce: 0, balance: '0x0', code: '0x123' } } }),
    `Failed to decode state dump: accounts.${WHO}.code: want bytes as hex`,
  ],
  [
    JSON.stringify({
      accounts: { [WHO]: { nonce: 0, balance: '0x0', code: '0x', storage: { '0x1': 'x' } } },
    }),
    `Failed to decode state dump: accounts.${WHO}.storage.0x1: want at most 32 bytes of hex`,
  ],
])('the state file %s is refused', async (json, message) => {
  const refusal = readStateOnWorker({ file: new TextEncoder().encode(json), most: 1000 })
  await expect(refusal).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  await expect(refusal).rejects.toThrow(message)
})

test('gzip data that is invalid after a valid beginning is refused', () => {
  const broken = gzipSync(text(DUMP)).subarray(0, 40)
  expect(() => decodeState(broken)).toThrow('Failed to decode state dump: ')
  expect(() => decodeState(broken.subarray(0, 3))).toThrow('Failed to decode state dump: ')
})

/** Pads a state with leading spaces, which gzip compresses to a thousandth. */
const padded = (length: number) => Buffer.concat([Buffer.alloc(length, ' '), text(DUMP)])

test('a gzip file is inflated no further than allowed or than it declares', () => {
  const whole = padded(100_000)
  const file = gzipSync(whole)
  expect(file.length).toBeLessThan(1000)
  expect(decodeState(file, whole.length)).toEqual(ACCOUNTS)
  expect(() => decodeState(file, whole.length - 1)).toThrow(
    `it expands to ${whole.length} bytes, but at most ${whole.length - 1} are accepted from a client`,
  )
  const lying = Buffer.from(file)
  lying.writeUInt32LE(1000, lying.length - 4)
  expect(() => decodeState(lying, whole.length)).toThrow('Cannot create a Buffer larger than 1000')
})

test('a thread loads the same state from a file as the main thread', async () => {
  const file = gzipSync(padded(1000))
  const { accounts, diff } = await readStateOnWorker({ file, most: 10_000 })
  expect(accounts).toBe(2)
  const state = new OverlayState(new TestState(keccak256))
  expect(diff).toEqual(await changedAccounts(state, ACCOUNTS, keccak256))
})

test('the thread that loads a file ends when its client disconnects', async () => {
  const leaving = new AbortController()
  const file = gzipSync(padded(30_000_000))
  const reading = readStateOnWorker({ file, most: 1 << 30 }, leaving.signal)
  leaving.abort(new Error('gone'))
  await expect(reading).rejects.toThrow('gone')
})

test('a state is dumped once, in the format in which it is loaded', async () => {
  const state = new OverlayState(new TestState(keccak256))
  const diff = await changedAccounts(state, ACCOUNTS, keccak256)
  state.apply(diff)
  const gone = { ...diff, accounts: concatBytes([new Uint8Array(20).fill(1), new Uint8Array(72)]) }
  const written = withAmended(withAmended(NONE, [diff, gone]), [diff])
  const bytes = await encodeState(state, written, () => undefined)
  const json = JSON.parse(gunzipSync(bytes).toString())
  expect(json).toEqual({
    block: null,
    accounts: {
      [WHO]: { ...DUMP.accounts[WHO], storage: { [word(7n)]: word(9n) } },
      [BARE]: DUMP.accounts[BARE],
    },
    best_block_number: null,
    blocks: [],
    transactions: [],
    historical_states: null,
  })
  const again = new OverlayState(new TestState(keccak256))
  again.apply(await changedAccounts(again, decodeState(bytes), keccak256))
  expect(await encodeState(again, written, () => undefined)).toEqual(bytes)
})
