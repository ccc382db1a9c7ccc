import fc from 'fast-check'
import { decodePlace, encodeRow, ROW_KIND } from '../../../host/api/transaction-index/hash-rows.ts'
import { formatTime, parseTime } from '../../../host/base/time.ts'
import { decodeCometBlock, encodeCometBlock } from '../../../host/chain/consensus/comet/block.ts'
import { decodeBlockId, encodeBlockId } from '../../../host/chain/consensus/comet/block-id.ts'
import {
  decodeBlockResults,
  encodeBlockResults,
} from '../../../host/chain/consensus/comet/block-results.ts'
import { decodeCommit, encodeCommit } from '../../../host/chain/consensus/comet/commit.ts'
import { decodeCometHeader, encodeCometHeader } from '../../../host/chain/consensus/comet/header.ts'
import { decodeTimestamp, encodeTimestamp } from '../../../host/chain/consensus/comet/timestamp.ts'
import {
  decodeSettings,
  encodeSettings,
} from '../../../host/chain/consensus/embedded/settings-codec.ts'
import { encodeRecords, readRecords } from '../../../host/chain/consensus/mempool/journal-record.ts'
import type { PoolSubmission } from '../../../host/chain/consensus/mempool/transaction-pool.ts'
import {
  decodePrivval,
  encodePrivval,
} from '../../../host/chain/consensus/privval/message-codec.ts'
import {
  decodePublicKey,
  encodePublicKey,
} from '../../../host/chain/consensus/privval/public-key.ts'
import {
  decodeBlockRecord,
  decodeDecidedRecord,
  encodeBlockRecord,
  encodeDecidedRecord,
} from '../../../host/chain/snapshot/chain-record.ts'
import { readItems, type SnapshotItem, writeItem } from '../../../host/chain/snapshot/item-codec.ts'
import {
  decodeMetadata,
  encodeMetadata,
  sealMetadata,
} from '../../../host/chain/snapshot/metadata.ts'
import { decodeTransaction } from '../../../host/evm/chain-types/transaction-codec.ts'
import { engineRecord, RecordedTransaction } from '../../../host/evm/engine/transaction-record.ts'
import { decodeSubmissions, encodeSubmissions } from '../../../host/node/serve/submissions.ts'
import { decodeHeaderRow as decodeStoredHeader } from '../../../host/storage/store/codec/block-codec.ts'
import { ByteWriter } from '../../../host/storage/store/codec/byte-writer.ts'
import { decodeReceipts } from '../../../host/storage/store/codec/receipt-codec.ts'
import { encodeFrom, senderInR } from '../../support/engine/unsigned-sender.ts'
import { type Codec, codec } from './codec.ts'
import { bytes, count, data, few, integer, optional, text, time } from './hostile.ts'
import { executedBlock } from './store-codecs.ts'

/** Returns what the pool receives of submissions. */
function submittedParts(submissions: readonly PoolSubmission[]): unknown {
  return submissions.map(({ raw, checked }) => ({ raw, record: checked?.record }))
}

const blockId = fc.record({
  hash: bytes(32),
  parts: fc.record({ total: count(2 ** 32 - 1), hash: bytes(32) }),
})

const header = fc.record({
  version: fc.record({ block: count(), app: count() }),
  chainId: text,
  height: count(),
  time,
  lastBlockId: blockId,
  lastCommitHash: bytes(32),
  dataHash: bytes(32),
  validatorsHash: bytes(32),
  nextValidatorsHash: bytes(32),
  consensusHash: bytes(32),
  appHash: bytes(32),
  lastResultsHash: bytes(32),
  evidenceHash: bytes(32),
  proposerAddress: bytes(20),
})

const commit = fc.record({
  height: count(),
  round: count(2 ** 31 - 1),
  blockId,
  signatures: few(
    fc.record({
      blockIdFlag: count(3),
      validatorAddress: bytes(20),
      timestamp: time,
      signature: bytes(64),
    }),
    2,
  ),
})

const vote = fc.record({
  type: count(3),
  height: count(),
  round: count(2 ** 31 - 1),
  blockId,
  timestamp: time,
  validatorAddress: bytes(20),
  validatorIndex: count(2 ** 31 - 1),
  signature: bytes(64),
  extension: data(),
  extensionSignature: bytes(64),
})

const proposal = fc.record({
  type: count(32),
  height: count(),
  round: count(2 ** 31 - 1),
  polRound: fc.integer({ min: -2, max: 5 }),
  blockId,
  timestamp: time,
  signature: bytes(64),
})

const refusal = optional(fc.record({ code: count(2 ** 31 - 1), description: text }))

const privval = fc.oneof(
  fc.record({ kind: fc.constant('pubKeyRequest' as const), chainId: text }),
  fc.record({ kind: fc.constant('pubKeyResponse' as const), publicKey: bytes(32), refusal }),
  fc.record({ kind: fc.constant('signVoteRequest' as const), vote, chainId: text }),
  fc.record({ kind: fc.constant('signedVoteResponse' as const), vote, refusal }),
  fc.record({ kind: fc.constant('signProposalRequest' as const), proposal, chainId: text }),
  fc.record({ kind: fc.constant('signedProposalResponse' as const), proposal, refusal }),
  fc.constant({ kind: 'pingRequest' as const }),
  fc.constant({ kind: 'pingResponse' as const }),
)

const block = fc.record({ header, transactions: few(data()), lastCommit: commit })

const results = few(
  fc.record({
    code: count(2 ** 32 - 1),
    data: data(),
    gasWanted: integer(63),
    gasUsed: integer(63),
  }),
)

const item: fc.Arbitrary<SnapshotItem> = fc.oneof(
  fc.record({ kind: fc.constant('store' as const), name: text }),
  fc.record({ kind: fc.constant('extension' as const), name: text, format: count() }),
  fc.record({ kind: fc.constant('payload' as const), payload: data() }),
  fc.record({
    kind: fc.constant('node' as const),
    key: data(),
    value: optional(data()),
    version: count(),
    height: fc.oneof(fc.constant(0), count()),
  }),
)

const digest = fc.oneof(
  {
    weight: 30,
    arbitrary: fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((hash) => Buffer.from(hash).toString('hex')),
  },
  { weight: 1, arbitrary: fc.constantFrom('', 'F'.repeat(64), '0'.repeat(63)) },
)

export const CONSENSUS_CODECS: readonly Codec[] = [
  codec({
    name: 'messages of a remote signer',
    file: 'host/chain/consensus/privval/message-codec.ts',
    values: privval,
    // `refusal: undefined` is not a message of ours.
    encode: (value) => encodePrivval(value as Parameters<typeof encodePrivval>[0]),
    decode: decodePrivval,
  }),
  codec({
    name: 'public keys of validators',
    file: 'host/chain/consensus/privval/public-key.ts',
    values: bytes(32),
    encode: encodePublicKey,
    decode: (written) => decodePublicKey(written) ?? new Uint8Array(),
  }),
  codec({
    name: 'times of consensus',
    file: 'host/chain/consensus/comet/timestamp.ts',
    values: time,
    encode: encodeTimestamp,
    decode: decodeTimestamp,
  }),
  codec({
    name: 'times as text',
    file: 'host/base/time.ts',
    values: time,
    encode: formatTime,
    decode: parseTime,
  }),
  codec({
    name: 'ids of blocks',
    file: 'host/chain/consensus/comet/block-id.ts',
    values: blockId,
    encode: encodeBlockId,
    decode: decodeBlockId,
  }),
  codec({
    name: 'headers of consensus',
    file: 'host/chain/consensus/comet/header.ts',
    values: header,
    encode: encodeCometHeader,
    decode: decodeCometHeader,
  }),
  codec({
    name: 'commits',
    file: 'host/chain/consensus/comet/commit.ts',
    values: commit,
    encode: encodeCommit,
    decode: decodeCommit,
  }),
  codec({
    name: 'blocks of consensus',
    file: 'host/chain/consensus/comet/block.ts',
    values: block,
    encode: encodeCometBlock,
    decode: decodeCometBlock,
  }),
  codec({
    name: 'results of blocks',
    file: 'host/chain/consensus/comet/block-results.ts',
    values: results,
    encode: encodeBlockResults,
    decode: decodeBlockResults,
  }),
  codec({
    name: 'settings of blocks',
    file: 'host/chain/consensus/embedded/settings-codec.ts',
    values: fc.record({
      baseFee: optional(integer()),
      coinbase: optional(bytes(20)),
      prevRandao: optional(bytes(32)),
      gasLimit: optional(integer()),
    }),
    encode: (settings) => encodeSettings(settings),
    decode: (row) => (row === undefined ? {} : decodeSettings(row)),
  }),
  codec({
    name: 'records of the mempool journal',
    file: 'host/chain/consensus/mempool/journal-record.ts',
    values: few(fc.record({ raw: data(), from: bytes(20), time: count(), height: count() })),
    encode: encodeRecords,
    decode: (written) => {
      const { records, lost } = readRecords(Buffer.from(written))
      if (lost !== 0) throw new Error(`${lost} bytes are lost`)
      return records
    },
  }),
  codec({
    name: 'rows of the transaction index',
    file: 'host/api/transaction-index/hash-rows.ts',
    values: fc.record({ height: count(4096 * 2 ** 32 - 1), index: count(2 ** 32 - 1) }),
    encode: (place) => encodeRow(ROW_KIND.SENDER, new Uint8Array(20), place),
    decode: decodePlace,
  }),
  codec({
    name: 'submissions of threads',
    file: 'host/node/serve/submissions.ts',
    values: few(
      fc.oneof(
        data().map((raw): PoolSubmission => ({ raw, checked: undefined })),
        data().map((input): PoolSubmission => {
          const raw = encodeFrom(new Uint8Array(20).fill(3), { data: input })
          const record = engineRecord(decodeTransaction(raw, senderInR))
          return { raw, checked: new RecordedTransaction(record) }
        }),
      ),
    ),
    encode: encodeSubmissions,
    decode: (written) => submittedParts(decodeSubmissions(written)),
    kept: submittedParts,
  }),
  codec({
    name: 'items of snapshots',
    file: 'host/chain/snapshot/item-codec.ts',
    values: few(item),
    encode: (items) => {
      const writer = new ByteWriter()
      for (const one of items) writeItem(writer, one)
      return writer.finish()
    },
    decode: (written) => [...readItems(written)],
  }),
  codec({
    name: 'blocks of snapshots',
    file: 'host/chain/snapshot/chain-record.ts',
    values: executedBlock,
    encode: (executed) => encodeBlockRecord(executed as never),
    decode: (written) => {
      const { parts } = decodeBlockRecord(written)
      return { header: decodeStoredHeader(parts.header), receipts: decodeReceipts(parts.receipts) }
    },
    kept: ({ block: one, receipts }) => ({ header: one.header, receipts }),
  }),
  codec({
    name: 'decided blocks of snapshots',
    file: 'host/chain/snapshot/chain-record.ts',
    values: fc.record({ block, commit, results }),
    encode: ({ block: one, commit: decided, results: found }) =>
      encodeDecidedRecord({
        decided: {
          block: one,
          encoded: encodeCometBlock(one),
          blockId: decided.blockId,
          commit: decided,
        },
        results: found,
      }),
    decode: (written) => {
      const { decided, results: found } = decodeDecidedRecord(written)
      return { block: decided.block, commit: decided.commit, results: found }
    },
  }),
  codec({
    name: 'metadata of snapshots',
    file: 'host/chain/snapshot/metadata.ts',
    values: fc.record({
      format: fc.constantFrom(1, 1, 1, 1, 1, 1, 2),
      height: count(),
      chainId: text,
      appHash: digest,
      chunks: few(
        fc.record({ sha256: digest, size: count(10_000_000), contentSize: count(2 ** 23) }),
      ),
    }),
    encode: (metadata) => encodeMetadata(sealMetadata(metadata)),
    decode: (written) => {
      const { hash: _, ...metadata } = decodeMetadata(written, 'metadata')
      return metadata
    },
  }),
]
