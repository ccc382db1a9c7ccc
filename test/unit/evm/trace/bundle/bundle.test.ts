import { keccak_256 } from '@noble/hashes/sha3.js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesKey } from '../../../../../host/base/bytes.ts'
import { encodeRlp, rlpInteger } from '../../../../../host/base/rlp.ts'
import { REVISIONS } from '../../../../../host/evm/chain-types/revision.ts'
import {
  noReads,
  type RecordedReads,
  slotKey,
} from '../../../../../host/evm/state/recorded-state.ts'
import {
  type Bundle,
  decodeBundle,
  encodeBundle,
} from '../../../../../host/evm/trace/bundle/bundle.ts'
import { transaction } from '../../../../support/chain/fake-chain.ts'

const keccak256 = (bytes: Uint8Array) => keccak_256(bytes)
const decode = (json: unknown) => decodeBundle(json, keccak256)
const asJson = (bundle: Bundle) =>
  JSON.parse(JSON.stringify(encodeBundle(bundle, { tendermint: [], receipt: [] })))

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const word = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n })
const count = fc.nat({ max: 2 ** 31 - 1 })

const receipt = fc
  .record({
    type: fc.nat({ max: 4 }),
    status: fc.oneof(fc.constantFrom(new Uint8Array(), Uint8Array.of(1)), bytes(32)),
    gas: word(64),
    bloom: bytes(256),
    logs: fc.array(
      fc.record({
        address: bytes(20),
        topics: fc.array(bytes(32), { maxLength: 4 }),
        data: fc.uint8Array({ maxLength: 40 }),
      }),
      { maxLength: 3 },
    ),
  })
  .map(({ type, status, gas, bloom, logs }) => {
    const items = logs.map(({ address, topics, data }) => [address, topics, data])
    const payload = encodeRlp([status, rlpInteger(gas), bloom, items])
    return type === 0 ? payload : Uint8Array.of(type, ...payload)
  })

/** Accounts, some absent, some with storage, and each code with an account that has it. */
const reads: fc.Arbitrary<RecordedReads> = fc
  .record({
    accounts: fc.uniqueArray(
      fc.record({
        address: bytes(20),
        record: fc.option(
          fc.oneof(
            bytes(72),
            bytes(72).map((record) => Uint8Array.of(...record, 1)),
          ),
          { nil: undefined },
        ),
        code: fc.option(fc.uint8Array({ maxLength: 50 }), { nil: undefined }),
      }),
      { selector: ({ address }) => bytesKey(address), maxLength: 8 },
    ),
    slots: fc.array(
      fc.record({
        address: bytes(20),
        slot: bytes(32),
        value: fc.option(bytes(32), { nil: undefined }),
      }),
      { maxLength: 8 },
    ),
    blockHashes: fc.array(fc.tuple(count, fc.option(bytes(32), { nil: undefined })), {
      maxLength: 3,
    }),
  })
  .map(({ accounts, slots, blockHashes }) => {
    const made = { ...noReads(), blockHashes: new Map(blockHashes) }
    for (const { address, record, code } of accounts) {
      made.accounts.set(bytesKey(address), { address, ...(record !== undefined && { record }) })
      if (record === undefined || code === undefined) continue
      const codeHash = record.slice(40, 72)
      if (!made.codes.has(bytesKey(codeHash))) {
        made.codes.set(bytesKey(codeHash), { codeHash, code })
      }
    }
    for (const { address, slot, value } of slots) {
      const read = { address, slot, ...(value !== undefined && { value }) }
      made.slots.set(slotKey(address, slot), read)
    }
    return made
  })

const planned = fc.record({
  transaction: fc
    .record({ nonce: word(64), gas: word(64), data: fc.uint8Array({ maxLength: 60 }) })
    .map((fields) => transaction(fields)),
  gasUsed: word(64),
})

const outcome = fc.record({
  receipt,
  digests: fc.option(fc.uint32Array({ maxLength: 20 }), { nil: undefined }),
})

const bundle: fc.Arbitrary<Bundle> = fc
  .record({
    engineHash: bytes(32).map((hash) => Buffer.from(hash).toString('hex')),
    reads,
    env: fc.record({
      revision: fc.constantFrom(...REVISIONS),
      chainId: word(256),
      number: count,
      timestamp: fc.oneof(count, fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n })),
      gasLimit: word(64),
      baseFee: word(256),
      coinbase: bytes(20),
      prevRandao: bytes(32),
      blobBaseFee: word(256),
      burnBaseFee: fc.boolean(),
    }),
    blockHash: bytes(32),
    systemCalls: fc.array(fc.record({ to: bytes(20), data: fc.uint8Array({ maxLength: 40 }) }), {
      maxLength: 2,
    }),
    first: fc.record({ index: count, logIndex: count, cumulativeGasUsed: word(64) }),
    ran: fc.array(fc.tuple(planned, outcome), { maxLength: 4 }),
  })
  .map(({ engineHash, reads, env, blockHash, systemCalls, first, ran }) => ({
    engineHash,
    scope: ran.length === 1 ? 'transaction' : 'block',
    reads,
    plan: {
      height: env.number,
      blockHash,
      env,
      systemCalls,
      first,
      transactions: ran.map(([one]) => one),
    },
    outcomes: ran.map(([, what]) => what),
  }))

describe('a bundle', () => {
  test('is decoded from its JSON unchanged', () => {
    // fast-check reports the seed and the smallest counterexample if a case fails.
    fc.assert(
      fc.property(bundle, (one) => {
        expect(decode(asJson(one))).toEqual(one)
      }),
    )
  })

  test('fails only with BUNDLE_INVALID, whatever replaces a member', () => {
    const hostile = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<unknown>(
        undefined,
        '',
        '0x',
        '0x0',
        '0xg0',
        `0x${'f'.repeat(65)}`,
        1e308,
        -1,
        '__proto__',
      ),
    )
    fc.assert(
      fc.property(bundle, hostile, fc.nat(), (one, value, at) => {
        const json = asJson(one)
        const places = memberPlaces(json)
        const [owner, name] = places[at % places.length] as [Record<string, unknown>, string]
        owner[name] = value
        try {
          decode(json)
        } catch (thrown) {
          expect(thrown).toMatchObject({ name: 'LockstepError', code: 'BUNDLE_INVALID' })
        }
      }),
      { numRuns: 500 },
    )
  })
})

/** Returns every member and element below a value, as its owner and key. */
function memberPlaces(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== 'object' || value === null) return []
  const owner = value as Record<string, unknown>
  return Object.keys(owner).flatMap((name) => [
    [owner, name] as [Record<string, unknown>, string],
    ...memberPlaces(owner[name]),
  ])
}

const ADDRESS = '11'.repeat(20)
const KEYS = { nonce: `0a${ADDRESS}`, codeHash: `08${ADDRESS}`, code: `07${ADDRESS}` }

/** A bundle of one transaction and one account, as JSON that a test may modify. */
function simple() {
  const record = new Uint8Array(72).fill(1)
  const address = new Uint8Array(20).fill(0x11)
  const empty = encodeRlp([Uint8Array.of(1), rlpInteger(1n), new Uint8Array(256), []])
  return asJson({
    engineHash: 'ab'.repeat(32),
    scope: 'transaction',
    plan: {
      height: 7,
      blockHash: new Uint8Array(32),
      env: {
        revision: 'Prague',
        chainId: 1n,
        number: 7,
        timestamp: 8,
        gasLimit: 9n,
        baseFee: 1n,
        coinbase: new Uint8Array(20),
        prevRandao: new Uint8Array(32),
        blobBaseFee: 1n,
        burnBaseFee: true,
      },
      systemCalls: [],
      transactions: [{ transaction: transaction(), gasUsed: 21_000n }],
      first: { index: 0, logIndex: 0, cumulativeGasUsed: 0n },
    },
    reads: {
      ...noReads(),
      accounts: new Map([['x', { address, record }]]),
      codes: new Map([['y', { codeHash: record.slice(40), code: Uint8Array.of(0x5f) }]]),
    },
    outcomes: [{ receipt: empty, digests: Uint32Array.of(1, 2) }],
  })
}

describe('the rules of a bundle', () => {
  test('are stated in the error, with the path of the member', () => {
    const cases: [(json: ReturnType<typeof simple>) => void, string][] = [
      [(json) => delete json.bundle, 'bundle: want an object, got nothing'],
      [
        (json) => {
          json.bundle.format = 'har'
        },
        'bundle.format: want "lockstep-bundle", got "har"',
      ],
      [
        (json) => {
          json.bundle.version = 2
        },
        'bundle.version: want 1, got 2',
      ],
      [
        (json) => {
          json.bundle.block.gasLimit = `0x1${'0'.repeat(16)}`
        },
        'bundle.block.gasLimit: want a hex quantity of at most 64 bits, got "0x10000000000000000"',
      ],
      [
        (json) => {
          json.bundle.block.coinbase = '0x12'
        },
        'bundle.block.coinbase: want 0x and hex digits of 20 bytes, got "0x12"',
      ],
      [
        (json) => {
          json.bundle.transactions = []
        },
        'bundle.transactions: want one transaction, as stated by scope, got an array of 0',
      ],
      [
        (json) => {
          json.bundle.transactions[0].raw = '0x02c0'
        },
        'bundle.transactions[0].raw: want a transaction (rlp: too few elements for types.DynamicFeeTx), got "0x02c0"',
      ],
      [
        (json) => {
          json.bundle.transactions[0].receipt = '0xc0'
        },
        'bundle.transactions[0].receipt: want the consensus encoding of a receipt (it is not a list of 4), got "0xc0"',
      ],
      [
        (json) => {
          json.bundle.transactions[0].steps = 'AAA='
        },
        'bundle.transactions[0].steps: want base64 of four bytes a step, got "AAA="',
      ],
      [
        (json) => {
          json.app.modules.evm.reads['0aff'] = ''
        },
        'app.modules.evm.reads: want a key of 0a, 08 or 07 and an address, or of 03, an address and a slot, got "0aff"',
      ],
      [
        (json) => {
          json.app.modules.evm.reads[KEYS.nonce] = ''
        },
        `app.modules.evm.reads.${KEYS.nonce}: want nonce, code hash and balance of an account all given or all empty, got ""`,
      ],
      [
        (json) => delete json.app.modules.evm.reads[KEYS.codeHash],
        `app.modules.evm.reads.${KEYS.codeHash}: want hex digits without 0x of 32 or 0 bytes, got nothing`,
      ],
    ]
    for (const [change, message] of cases) {
      const json = simple()
      change(json)
      expect(() => decode(json)).toThrow(expect.objectContaining({ message }))
    }
  })

  test('allow only one spelling of a key', () => {
    const json = simple()
    const key = `03${'aB'.repeat(20)}${'00'.repeat(32)}`
    json.app.modules.evm.reads[key] = ''
    expect(() => decode(json)).toThrow('want lower-case hex digits')
  })

  test('allow a recording without steps', () => {
    const json = simple()
    delete json.bundle.transactions[0].steps
    expect(decode(json).outcomes).toMatchObject([{ digests: undefined }])
  })
})

describe('the keys of recorded reads', () => {
  test('are those of the modules evm and bank', () => {
    expect(simple().app.modules).toEqual({
      evm: {
        reads: {
          [KEYS.nonce]: '01'.repeat(8),
          [KEYS.codeHash]: '01'.repeat(32),
          [KEYS.code]: '5f',
        },
        has: [],
      },
      bank: { reads: { [`0214${ADDRESS}`]: '01'.repeat(32) }, has: [] },
    })
  })
})
