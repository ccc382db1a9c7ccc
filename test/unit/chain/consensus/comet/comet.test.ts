import { sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { concatBytes, EMPTY_BYTES } from '../../../../../host/base/bytes.ts'
import { hexDigits } from '../../../../../host/base/hex.ts'
import {
  blockIdOf,
  type CometBlock,
  decodeCometBlock,
  encodeCometBlock,
  hashNoEvidence,
  hashTransactions,
  maxDataBytes,
  transactionBytes,
} from '../../../../../host/chain/consensus/comet/block.ts'
import { type BlockId, NO_BLOCK_ID } from '../../../../../host/chain/consensus/comet/block-id.ts'
import {
  decodeBlockResults,
  encodeBlockResults,
  hashResults,
} from '../../../../../host/chain/consensus/comet/block-results.ts'
import {
  BLOCK_ID_FLAG,
  type Commit,
  decodeCommit,
  encodeCommit,
  hashCommit,
  NO_COMMIT,
} from '../../../../../host/chain/consensus/comet/commit.ts'
import { hashConsensusParams } from '../../../../../host/chain/consensus/comet/consensus-params.ts'
import { keyFromSeed } from '../../../../../host/chain/consensus/comet/ed25519.ts'
import {
  type CometHeader,
  encodeCometHeader,
  hashCometHeader,
} from '../../../../../host/chain/consensus/comet/header.ts'
import { merkleRoot } from '../../../../../host/chain/consensus/comet/merkle.ts'
import { sha256 } from '../../../../../host/chain/consensus/comet/sha256.ts'
import { ZERO_TIME } from '../../../../../host/chain/consensus/comet/timestamp.ts'
import {
  hashValidators,
  validatorSet,
} from '../../../../../host/chain/consensus/comet/validator-set.ts'
import {
  timestampOfSignBytes,
  VOTE_TYPE,
  voteSignBytes,
} from '../../../../../host/chain/consensus/comet/vote.ts'

/** Computed with the Go packages of CometBFT v0.38.17 from the values below. */
const VECTORS = JSON.parse(
  readFileSync(new URL('./cometbft-0.38.17.json', import.meta.url), 'utf8'),
)

function fill(value: number, length: number): Uint8Array {
  return new Uint8Array(length).fill(value)
}

function unhex(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'hex'))
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

const T0 = BigInt(Date.UTC(2026, 10, 21, 2)) * 1_000_000n + 123_456_789n
const SECOND = 1_000_000_000n

const ID: BlockId = { hash: fill(1, 32), parts: { total: 6, hash: fill(2, 32) } }

const COMMIT: Commit = {
  height: 41,
  round: 2,
  blockId: ID,
  signatures: [
    {
      blockIdFlag: BLOCK_ID_FLAG.COMMIT,
      validatorAddress: fill(8, 20),
      timestamp: T0,
      signature: fill(10, 64),
    },
    {
      blockIdFlag: BLOCK_ID_FLAG.ABSENT,
      validatorAddress: EMPTY_BYTES,
      timestamp: ZERO_TIME,
      signature: EMPTY_BYTES,
    },
    {
      blockIdFlag: BLOCK_ID_FLAG.NIL,
      validatorAddress: fill(11, 20),
      timestamp: T0 + SECOND,
      signature: fill(12, 64),
    },
  ],
}

function makeBlock(
  height: number,
  transactions: readonly Uint8Array[],
  lastCommit: Commit,
  lastBlockId: BlockId,
  time: bigint,
): CometBlock {
  const header: CometHeader = {
    version: { block: 11, app: 3 },
    chainId: 'lockstep-1',
    height,
    time,
    lastBlockId,
    lastCommitHash: hashCommit(lastCommit),
    dataHash: hashTransactions(transactions),
    validatorsHash: fill(3, 32),
    nextValidatorsHash: fill(4, 32),
    consensusHash: fill(5, 32),
    appHash: fill(6, 32),
    lastResultsHash: fill(7, 32),
    evidenceHash: hashNoEvidence(),
    proposerAddress: fill(8, 20),
  }
  return { header, transactions, lastCommit }
}

const BLOCKS: Record<string, CometBlock> = {
  first: makeBlock(1, [], NO_COMMIT, NO_BLOCK_ID, T0),
  second: makeBlock(42, [utf8('a'), EMPTY_BYTES, fill(1, 300)], COMMIT, ID, T0),
  large: makeBlock(
    42,
    [fill(0, 60_000), fill(1, 60_000), fill(2, 60_000)],
    COMMIT,
    ID,
    -SECOND + 5n,
  ),
}

describe('the encoding, compared with CometBFT 0.38.17,', () => {
  test('computes the root of trees of 0 to 17 leaves', () => {
    const roots = Array.from({ length: 18 }, (_, count) =>
      merkleRoot(Array.from({ length: count }, (_, i) => Uint8Array.of(i, 0xff))),
    )
    expect(roots.map(hexDigits)).toEqual(VECTORS.merkle)
  })

  test.each(Object.entries(BLOCKS))('encodes and hashes the %s block', (name, block) => {
    const expected = VECTORS.blocks[name]
    const encoded = encodeCometBlock(block)
    const id = blockIdOf(block.header, encoded)
    expect(hexDigits(encodeCometHeader(block.header))).toBe(expected.header)
    expect(encoded.length).toBe(expected.size)
    if (expected.encoded !== undefined) expect(hexDigits(encoded)).toBe(expected.encoded)
    expect({
      hash: hexDigits(id.hash),
      partsTotal: id.parts.total,
      partsHash: hexDigits(id.parts.hash),
      dataHash: hexDigits(block.header.dataHash),
      lastCommitHash: hexDigits(block.header.lastCommitHash),
      evidenceHash: hexDigits(block.header.evidenceHash),
    }).toEqual({
      hash: expected.hash,
      partsTotal: expected.partsTotal,
      partsHash: expected.partsHash,
      dataHash: expected.dataHash,
      lastCommitHash: expected.lastCommitHash,
      evidenceHash: expected.evidenceHash,
    })
    expect(decodeCometBlock(encoded)).toEqual(block)
  })

  test('encodes and hashes a commit with absent and nil votes', () => {
    expect(hexDigits(encodeCommit(COMMIT))).toBe(VECTORS.commit.encoded)
    expect(hexDigits(hashCommit(COMMIT))).toBe(VECTORS.commit.hash)
    expect(decodeCommit(unhex(VECTORS.commit.encoded))).toEqual(COMMIT)
  })

  test('signs the canonical vote', () => {
    const vote = { type: VOTE_TYPE.PRECOMMIT, height: 42, round: 1, blockId: ID, timestamp: T0 }
    const signBytes = voteSignBytes('lockstep-1', vote)
    expect(hexDigits(signBytes)).toBe(VECTORS.vote.signBytes)
    expect(timestampOfSignBytes(signBytes)).toBe(T0)
    const key = keyFromSeed(unhex(VECTORS.vote.seed))
    expect(sign(null, signBytes, key.signer).toString('hex')).toBe(VECTORS.vote.signature)
  })

  test('orders and hashes a validator set', () => {
    const members = VECTORS.validators.members.map(
      (member: { publicKey: string; power: number }) => ({
        publicKey: unhex(member.publicKey),
        power: member.power,
      }),
    )
    const set = validatorSet(members)
    expect(set.map(({ address }) => hexDigits(address))).toEqual(VECTORS.validators.order)
    expect(hexDigits(hashValidators(set))).toBe(VECTORS.validators.hash)
  })

  test('hashes consensus parameters', () => {
    for (const { maxBytes, maxGas, hash } of VECTORS.params) {
      expect(hexDigits(hashConsensusParams({ maxBytes, maxGas: BigInt(maxGas) }))).toBe(hash)
    }
  })

  test('encodes and hashes results', () => {
    const txResults = [
      { code: 0, data: EMPTY_BYTES, gasWanted: 0n, gasUsed: 0n },
      { code: 1, data: utf8('d'), gasWanted: 21_000n, gasUsed: 20_000n },
      { code: 0, data: fill(9, 32), gasWanted: 0n, gasUsed: 2n ** 40n },
    ]
    expect(hexDigits(hashResults(txResults))).toBe(VECTORS.results.hash)
    // CometBFT appends the app hash to the results (here all bytes are 5). This field is not stored.
    const appHash = concatBytes([Uint8Array.of(0x2a, 32), fill(5, 32)])
    const stored = concatBytes([encodeBlockResults(txResults), appHash])
    expect(hexDigits(stored)).toBe(VECTORS.blockResults)
    expect(decodeBlockResults(unhex(VECTORS.blockResults))).toEqual(txResults)
  })

  test('leaves the same number of bytes of a block to transactions', () => {
    expect([maxDataBytes(22_020_096, 1), maxDataBytes(200_000, 4)]).toEqual(VECTORS.maxData)
  })
})

describe('published vectors of CometBFT', () => {
  test('match the header hash of types/block_test.go', () => {
    const header: CometHeader = {
      version: { block: 1, app: 2 },
      chainId: 'chainId',
      height: 3,
      time: BigInt(Date.UTC(2019, 9, 13, 16, 14, 44)) * 1_000_000n,
      lastBlockId: { hash: fill(0, 32), parts: { total: 6, hash: fill(0, 32) } },
      lastCommitHash: sha256(utf8('last_commit_hash')),
      dataHash: sha256(utf8('data_hash')),
      validatorsHash: sha256(utf8('validators_hash')),
      nextValidatorsHash: sha256(utf8('next_validators_hash')),
      consensusHash: sha256(utf8('consensus_hash')),
      appHash: sha256(utf8('app_hash')),
      lastResultsHash: sha256(utf8('last_results_hash')),
      evidenceHash: sha256(utf8('evidence_hash')),
      proposerAddress: sha256(utf8('proposer_address')).slice(0, 20),
    }
    expect(hexDigits(hashCometHeader(header)).toUpperCase()).toBe(
      'F740121F553B5418C3EFBD343C2DBFE9E007BB67B0D020A0741374BAB65242A4',
    )
  })

  const zeroTime = '2a0b088092b8c398feffffff01'
  const one = '0100000000000000'
  test.each([
    ['an empty vote', '', 0, 0, `0d${zeroTime}`],
    ['a precommit', '', 2, 1, `210802${`11${one}19${one}`}${zeroTime}`],
    ['a prevote', '', 1, 1, `210801${`11${one}19${one}`}${zeroTime}`],
    ['no type', '', 0, 1, `1f11${one}19${one}${zeroTime}`],
    [
      'a chain id',
      'test_chain_id',
      0,
      1,
      `2e11${one}19${one}${zeroTime}320d746573745f636861696e5f6964`,
    ],
  ])('match the sign bytes of types/vote_test.go: %s', (_, chainId, type, at, expected) => {
    const vote = { type, height: at, round: at, blockId: NO_BLOCK_ID, timestamp: ZERO_TIME }
    expect(hexDigits(voteSignBytes(chainId, vote))).toBe(expected)
  })
})

describe('the encoding of a block', () => {
  const bytes = fc.uint8Array({ maxLength: 40 })
  const height = fc.maxSafeInteger().map(Math.abs)
  const time = fc.bigInt({ min: ZERO_TIME, max: 2n ** 62n })
  const blockId = fc.record({
    hash: bytes,
    parts: fc.record({ total: fc.nat(), hash: bytes }),
  })
  const commit = fc.record({
    height,
    round: fc.nat(),
    blockId,
    signatures: fc.array(
      fc.record({
        blockIdFlag: fc.constantFrom(1, 2, 3),
        validatorAddress: bytes,
        timestamp: time,
        signature: bytes,
      }),
      { maxLength: 4 },
    ),
  })
  const header = fc.record({
    version: fc.record({ block: height, app: height }),
    chainId: fc.string(),
    height,
    time,
    lastBlockId: blockId,
    lastCommitHash: bytes,
    dataHash: bytes,
    validatorsHash: bytes,
    nextValidatorsHash: bytes,
    consensusHash: bytes,
    appHash: bytes,
    lastResultsHash: bytes,
    evidenceHash: bytes,
    proposerAddress: bytes,
  })

  test('decodes to the same block', () => {
    fc.assert(
      fc.property(header, fc.array(bytes), commit, (header, transactions, lastCommit) => {
        const block: CometBlock = { header, transactions, lastCommit }
        expect(decodeCometBlock(encodeCometBlock(block))).toEqual(block)
      }),
    )
  })

  test('counts the bytes of a transaction in a block', () => {
    for (const length of [0, 1, 127, 128, 16_383, 16_384]) {
      const block = makeBlock(1, [fill(0, length)], NO_COMMIT, NO_BLOCK_ID, T0)
      const without = encodeCometBlock({ ...block, transactions: [] }).length
      const lengthOfData = transactionBytes(fill(0, length))
      const tagGrowth = lengthOfData < 128 ? 0 : lengthOfData < 16_384 ? 1 : 2
      expect(encodeCometBlock(block).length - without).toBe(lengthOfData + tagGrowth)
    }
  })

  test('throws on truncated or foreign bytes and never hangs', () => {
    const encoded = encodeCometBlock(BLOCKS.second as CometBlock)
    for (let length = 0; length < encoded.length; length += 7) {
      const cut = encoded.subarray(0, length)
      try {
        expect(decodeCometBlock(cut)).not.toEqual(BLOCKS.second)
      } catch (error) {
        expect(error).toBeInstanceOf(Error)
      }
    }
    expect(() => decodeCometBlock(EMPTY_BYTES)).toThrow('the block has no header')
    expect(() => decodeCometBlock(fill(0xff, 64))).toThrow()
  })
})
