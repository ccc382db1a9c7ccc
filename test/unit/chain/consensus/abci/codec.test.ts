import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EMPTY_BYTES } from '../../../../../host/base/bytes.ts'
import { LockstepError } from '../../../../../host/base/error.ts'
import { hexDigits } from '../../../../../host/base/hex.ts'
import { AbciFrameReader } from '../../../../../host/chain/consensus/abci/frame-reader.ts'
import type { AbciRequest } from '../../../../../host/chain/consensus/abci/request.ts'
import { decodeRequest } from '../../../../../host/chain/consensus/abci/request-codec.ts'
import {
  encodeApply,
  encodeCheckTx,
  encodeCommitResponse,
  encodeEcho,
  encodeException,
  encodeExtendVote,
  encodeFinalizeBlock,
  encodeFlush,
  encodeInfo,
  encodeInitChain,
  encodeListSnapshots,
  encodeLoad,
  encodeOffer,
  encodePrepare,
  encodeProcess,
  encodeQuery,
  encodeVerifyVoteExtension,
} from '../../../../../host/chain/consensus/abci/response-codec.ts'

/** Messages as CometBFT 0.38.19 writes them after their length (`abci/types/messages.go`, `WriteMessage`). */
const VECTORS: {
  readonly requests: Readonly<Record<string, string>>
  readonly responses: Readonly<Record<string, string>>
} = JSON.parse(readFileSync(new URL('cometbft-0.38.19.json', import.meta.url), 'utf8'))

const fill = (byte: number, length: number) => new Uint8Array(length).fill(byte)
const TIME = 1_700_000_000_123_456_789n
const TRANSACTIONS = [fill(1, 1), fill(2, 200), EMPTY_BYTES]
const MISBEHAVIOR = [
  { kind: 'duplicate-vote', validatorAddress: fill(1, 20), power: 10, height: 7, time: TIME },
  {
    kind: 'light-client-attack',
    validatorAddress: fill(2, 20),
    power: 2 ** 40,
    height: 8,
    time: TIME + 1_000_000_000n,
  },
] as const
const BLOCK = {
  height: 20,
  time: TIME,
  proposerAddress: fill(11, 20),
  transactions: TRANSACTIONS,
  misbehavior: MISBEHAVIOR,
}
/** Of the same validator, in a commit with a vote and in one without. */
const VOTES = [
  { validatorAddress: fill(1, 20), isAbsent: false },
  { validatorAddress: fill(1, 20), isAbsent: true },
]
const SNAPSHOT = {
  height: 3 * 2 ** 33,
  format: 1,
  chunks: 300,
  hash: fill(5, 32),
  metadata: new TextEncoder().encode('{}'),
}

const REQUESTS: Readonly<Record<string, AbciRequest>> = {
  echo: { method: 'echo', message: 'héllo' },
  flush: { method: 'flush' },
  info: {
    method: 'info',
    request: { version: '0.38.19', blockVersion: 11, p2pVersion: 8, abciVersion: '2.0.0' },
  },
  initChain: {
    method: 'init_chain',
    request: {
      chainId: 'chain-1',
      time: TIME,
      initialHeight: 17,
      validators: [
        { publicKey: fill(4, 32), power: 10 },
        { publicKey: fill(6, 32), power: 1 },
      ],
    },
  },
  query: {
    method: 'query',
    request: { data: new Uint8Array([1, 2]), path: '/store/bank/key', height: 300, prove: true },
  },
  checkTx: { method: 'check_tx', request: { transaction: fill(7, 300), isRecheck: false } },
  recheckTx: { method: 'check_tx', request: { transaction: fill(7, 1), isRecheck: true } },
  commit: { method: 'commit' },
  listSnapshots: { method: 'list_snapshots' },
  offerSnapshot: {
    method: 'offer_snapshot',
    request: { snapshot: SNAPSHOT, appHash: fill(8, 32) },
  },
  loadSnapshotChunk: {
    method: 'load_snapshot_chunk',
    request: { height: 300, format: 1, index: 200 },
  },
  applySnapshotChunk: {
    method: 'apply_snapshot_chunk',
    request: { index: 2, chunk: fill(9, 130), sender: 'peer' },
  },
  prepareProposal: { method: 'prepare_proposal', request: { ...BLOCK, maxTxBytes: 2 ** 20 } },
  processProposal: {
    method: 'process_proposal',
    request: { ...BLOCK, votes: VOTES, hash: fill(12, 32) },
  },
  extendVote: { method: 'extend_vote' },
  verifyVoteExtension: { method: 'verify_vote_extension', extension: fill(1, 1) },
  finalizeBlock: {
    method: 'finalize_block',
    request: { ...BLOCK, votes: VOTES, hash: fill(12, 32) },
  },
}

const KEY = { publicKey: fill(4, 32), power: 10 }
const EVENT = {
  type: 'transfer',
  attributes: [
    { key: 'sender', value: '0xab', index: true },
    { key: 'data', value: 'f'.repeat(200), index: false },
  ],
}
const CHECKED = { code: 0, codespace: '', log: '', gasWanted: 21_000n }
const ANSWERED = { code: 0, codespace: '', log: '', key: EMPTY_BYTES, value: EMPTY_BYTES }

const RESPONSES: Readonly<Record<string, Uint8Array>> = {
  exception: encodeException('wrong'),
  echo: encodeEcho('héllo'),
  flush: encodeFlush(),
  info: encodeInfo({
    data: 'lockstep',
    version: '0.1.0',
    appVersion: 0,
    lastBlockHeight: 12,
    lastBlockAppHash: fill(1, 32),
  }),
  initChain: encodeInitChain({ validators: [KEY], appHash: fill(2, 32) }),
  query: encodeQuery({
    ...ANSWERED,
    key: fill(1, 1),
    value: fill(2, 200),
    proofOps: [
      { type: 'ics23:iavl', key: fill(1, 1), data: fill(2, 150) },
      { type: 'ics23:simple', key: new TextEncoder().encode('bank'), data: fill(3, 1) },
    ],
    height: 9,
  }),
  queryRefused: encodeQuery({
    ...ANSWERED,
    code: 18,
    codespace: 'sdk',
    log: 'data is empty',
    proofOps: [],
    height: 0,
  }),
  checkTx: encodeCheckTx(CHECKED),
  checkTxRefused: encodeCheckTx({
    code: 1,
    codespace: 'evm',
    log: 'nonce too low',
    gasWanted: 0n,
  }),
  commit: encodeCommitResponse({ retainHeight: 5 }),
  listSnapshots: encodeListSnapshots([
    SNAPSHOT,
    { height: 1, format: 1, chunks: 1, hash: EMPTY_BYTES, metadata: EMPTY_BYTES },
  ]),
  offerSnapshot: encodeOffer('reject-sender'),
  loadSnapshotChunk: encodeLoad(fill(7, 1000)),
  applySnapshotChunk: encodeApply({
    result: 'retry',
    refetchChunks: [0, 300],
    rejectSenders: ['a', 'b'],
  }),
  prepareProposal: encodePrepare(TRANSACTIONS),
  processProposal: encodeProcess(false),
  extendVote: encodeExtendVote(),
  verifyVoteExtension: encodeVerifyVoteExtension(true),
  finalizeBlock: encodeFinalizeBlock({
    events: [EVENT],
    txResults: [
      {
        code: 0,
        data: fill(3, 32),
        log: '',
        gasWanted: 21_000n,
        gasUsed: 21_000n,
        events: [EVENT, EVENT],
        codespace: '',
      },
      {
        code: 1,
        data: EMPTY_BYTES,
        log: 'execution failed',
        gasWanted: 1n << 40n,
        gasUsed: 30_000n,
        events: [],
        codespace: 'evm',
      },
    ],
    validatorUpdates: [KEY, { publicKey: fill(6, 32), power: 0 }],
    appHash: fill(4, 32),
  }),
}

const bytesOf = (name: string) => new Uint8Array(Buffer.from(VECTORS.requests[name] ?? '', 'hex'))

/** Returns the messages of bytes that arrive in these pieces. */
function framesOf(pieces: readonly Uint8Array[], limit = 1 << 20): Uint8Array[] {
  const reader = new AbciFrameReader(limit)
  return pieces.flatMap((piece) => [...reader.push(piece)])
}

const plain = (bytes: Uint8Array) => new Uint8Array(bytes)

describe('requests of ABCI', () => {
  test('cover all messages of CometBFT 0.38', () => {
    expect(Object.keys(REQUESTS).sort()).toEqual(Object.keys(VECTORS.requests).sort())
  })

  test.each(Object.entries(REQUESTS))('%s is decoded as CometBFT encodes it', (name, request) => {
    const [message, ...others] = framesOf([bytesOf(name)])
    expect(others).toEqual([])
    expect(decodeRequest(message as Uint8Array)).toEqual(request)
  })

  test.each([
    ['an unknown method', [0xaa, 0x01, 0x00]],
    ['a method that 0.38 has no more', [0x3a, 0x00]],
    ['no method', []],
    ['a method of another wire type', [0x18, 0x01]],
  ])('%s is refused', (_, bytes) => {
    expect(() => decodeRequest(new Uint8Array(bytes))).toThrow('a message has an unknown method')
  })

  test.each([
    ['a field that ends behind its message', [0x42, 0x03, 0x0a, 0x05, 0x01], 'premature EOF'],
    ['a transaction that is a number', [0x42, 0x02, 0x08, 0x01], 'wire type 0, not 2'],
    [
      'a height above 2^53',
      [0xa2, 0x01, 0x0a, 0x28, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
      'is above 2^53',
    ],
    ['a tag that never ends', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 'cannot be read'],
    [
      'an offence of an unknown type',
      [0xa2, 0x01, 0x04, 0x1a, 0x02, 0x08, 0x03],
      'unknown type of misbehavior: 3',
    ],
    [
      'a validator with a key of another curve',
      [0x2a, 0x06, 0x22, 0x04, 0x0a, 0x02, 0x12, 0x00],
      'no ed25519 key of 32 bytes',
    ],
  ])('%s is refused', (_, bytes, text) => {
    expect(() => decodeRequest(new Uint8Array(bytes))).toThrow(text)
  })

  test('decode any bytes or refuse them with their own error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        try {
          decodeRequest(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(LockstepError)
          expect((error as LockstepError).code).toBe('PEER_INVALID')
        }
      }),
      { numRuns: 5_000 },
    )
  })

  test('decode a request with any byte changed or refuse it with their own error', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(VECTORS.requests)),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (name, at, change) => {
          const bytes = bytesOf(name)
          const index = at % bytes.length
          bytes[index] = (bytes[index] as number) ^ change
          try {
            for (const message of framesOf([bytes])) decodeRequest(message)
          } catch (error) {
            expect(error).toBeInstanceOf(LockstepError)
          }
        },
      ),
      { numRuns: 5_000 },
    )
  })
})

describe('responses of ABCI', () => {
  test('cover all messages of CometBFT 0.38', () => {
    expect(Object.keys(RESPONSES).sort()).toEqual(Object.keys(VECTORS.responses).sort())
  })

  test.each(Object.entries(RESPONSES))(
    'include %s, encoded as CometBFT encodes it',
    (name, encoded) => {
      expect(hexDigits(encoded)).toBe(VECTORS.responses[name])
    },
  )
})

describe('messages of a connection', () => {
  const all = Object.keys(VECTORS.requests).map(bytesOf)
  const expected = framesOf(all).map(plain)

  test('are decoded to the same values however the bytes are split', () => {
    const bytes = Buffer.concat(all)
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 40 }), (cuts) => {
        const ends = [...cuts, bytes.length].sort((a, b) => a - b)
        const pieces = ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))
        expect(framesOf(pieces).map(plain)).toEqual(expected)
      }),
      { numRuns: 200 },
    )
    expect(framesOf([...bytes].map((byte) => new Uint8Array([byte]))).map(plain)).toEqual(expected)
  })

  test('use no memory for bytes that have not arrived', () => {
    const before = process.memoryUsage().arrayBuffers
    const readers = Array.from({ length: 64 }, () => new AbciFrameReader(2 ** 27))
    // 2^27 bytes are announced 64 times, and one byte arrives.
    for (const reader of readers) {
      expect([...reader.push(new Uint8Array([0x80, 0x80, 0x80, 0x40, 1]))]).toEqual([])
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 24)
  })

  test.each([
    ['a length of six bytes', [0x80, 0x80, 0x80, 0x80, 0x80, 0x01], 'has more than 5 bytes'],
    ['a length above the limit', [0x81, 0x80, 0x40], 'of 1048577 bytes is above the limit'],
    ['2^35 - 1 bytes', [0xff, 0xff, 0xff, 0xff, 0x7f], 'of 34359738367 bytes is above the limit'],
  ])('%s is refused', (_, bytes, text) => {
    expect(() => framesOf([new Uint8Array(bytes)])).toThrow(text)
  })

  test('are bytes that share no memory with the received ones, also from sockets', () => {
    const chunk = Buffer.from([2, 7, 8, 2, 9])
    const reader = new AbciFrameReader(10)
    const messages = [...reader.push(chunk), ...reader.push(Buffer.from([10]))]
    expect(messages).toEqual([Uint8Array.of(7, 8), Uint8Array.of(9, 10)])
    const copy = messages[0]?.slice()
    chunk[1] = 0
    expect(copy).toEqual(Uint8Array.of(7, 8))
  })

  test('may be empty', () => {
    expect(framesOf([new Uint8Array([0, 0])])).toHaveLength(2)
  })
})
