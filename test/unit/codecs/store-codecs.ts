import fc from 'fast-check'
import { EMPTY_BLOOM } from '../../../host/evm/chain-types/bloom.ts'
import { ACCOUNT_ROW, CLEARED_ROW, STORAGE_ROW } from '../../../host/evm/engine/state-diff.ts'
import { decodeBaseFee, encodeBaseFee } from '../../../host/evm/execute/lockstep/base-fee.ts'
import { decodeAccount, encodeAccount } from '../../../host/evm/state/account.ts'
import {
  encodeAddressBlock,
  hashIn,
  keysIn,
  placeIn,
  placeKey,
} from '../../../host/storage/store/address/address-rows.ts'
import {
  decodeHeaderRow,
  decodeTransactions,
  encodeHeaderRow,
  encodeTransactions,
} from '../../../host/storage/store/codec/block-codec.ts'
import { ByteReader } from '../../../host/storage/store/codec/byte-reader.ts'
import { ByteWriter } from '../../../host/storage/store/codec/byte-writer.ts'
import {
  decodeChangeset,
  encodeChangeset,
} from '../../../host/storage/store/codec/changeset-codec.ts'
import {
  decodeHeight,
  decodeOrderedPart,
  encodeHeight,
  encodeOrderedKey,
} from '../../../host/storage/store/codec/ordered-key.ts'
import {
  decodeReceipts,
  encodeReceipts,
  locateLogs,
  receiptHashes,
} from '../../../host/storage/store/codec/receipt-codec.ts'
import { decodeRecord, encodeRecord } from '../../../host/storage/store/codec/record-codec.ts'
import { decodeLive, encodeLive } from '../../../host/storage/store/state/table-rows.ts'
import { frameAt, frameHeader } from '../../../host/storage/store/wal/wal-frame.ts'
import { readVersion, writeVersion } from '../../../host/storage/table/version.ts'
import { type Codec, codec } from './codec.ts'
import { body, ethereumHeader } from './ethereum-codecs.ts'
import { bytes, count, data, few, flag, integer, optional, text } from './hostile.ts'

const bloom = fc.oneof(fc.constant(EMPTY_BLOOM), bytes(256))

const header = fc
  .record({
    number: count(),
    hash: bytes(32),
    parentHash: bytes(32),
    stateRoot: bytes(32),
    transactionsRoot: bytes(32),
    receiptsRoot: bytes(32),
    logsBloom: bloom,
    miner: bytes(20),
    prevRandao: bytes(32),
    timestamp: count(),
    gasLimit: integer(64),
    gasUsed: integer(64),
    baseFeePerGas: integer(),
    size: count(),
  })
  .chain((fields) =>
    fc.oneof(
      fc.constant(fields),
      bytes(32).map((resultsHash) => ({ ...fields, resultsHash })),
      fc
        .record({ header: ethereumHeader, totalDifficulty: integer() })
        .map((ethereum) => ({ ...fields, ethereum })),
    ),
  )

/** A header whose size, the memory reserved for its block, is small. */
const smallHeader = fc
  .record({ header, size: fc.nat(10_000) })
  .map(({ header: one, size }) => ({ ...one, size }))

const block = fc.record({
  header: smallHeader,
  transactions: few(data()),
  ethereum: optional(body),
})

const receipt = fc.record({
  type: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(0, 1, 2, 3, 4) },
    { weight: 1, arbitrary: fc.constantFrom(5, 7, -1, 8) },
  ),
  transactionHash: bytes(32),
  from: bytes(20),
  to: optional(bytes(20)),
  contractAddress: optional(bytes(20)),
  status: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(0, 1) },
    { weight: 1, arbitrary: fc.constantFrom(2, -1) },
  ),
  gasUsed: integer(64),
  cumulativeGasUsed: integer(64),
  effectiveGasPrice: integer(),
  logs: few(fc.record({ address: bytes(20), topics: few(bytes(32)), data: data() }), 3),
  logsBloom: bloom,
  stateRoot: optional(bytes(32)),
  blobGas: optional(fc.record({ used: integer(64), price: integer() })),
}) as fc.Arbitrary<never>

const rows = (width: number) =>
  fc.oneof(
    {
      weight: 20,
      arbitrary: fc
        .nat(3)
        .chain((n) => fc.uint8Array({ minLength: n * width, maxLength: n * width })),
    },
    { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: width - 1 }) },
  )

const keys = few(fc.record({ key: data(30), value: optional(data()) }))

const changeset = fc.record({
  height: count(),
  evm: fc.record({
    accounts: rows(ACCOUNT_ROW),
    cleared: rows(CLEARED_ROW),
    storage: rows(STORAGE_ROW),
    codes: few(fc.record({ codeHash: bytes(32), code: data() })),
  }),
  legacy: keys,
  modules: few(fc.record({ module: text, writes: keys })),
})

const record = fc.record({ block, receipts: few(receipt, 2), changeset }).map((parts) => ({
  executed: {
    block: parts.block,
    transactionHashes: parts.block.transactions.map((_, i) => new Uint8Array(32).fill(i)),
    receipts: parts.receipts,
  },
  changeset: parts.changeset,
}))

export const executedBlock = fc.record({ block, receipts: few(receipt, 2) }).map((parts) => ({
  ...parts,
  transactionHashes: parts.block.transactions.map((_, i) => new Uint8Array(32).fill(i)),
}))

const market = { initialBaseFee: 1n } as never

export const STORE_CODECS: readonly Codec[] = [
  codec({
    name: 'integers and bytes of stores',
    file: 'host/storage/store/codec/byte-writer.ts',
    values: fc.record({
      uint: count(),
      big: integer(2040),
      timestamp: count(),
      bytes: data(),
      tail: flag,
    }),
    encode: ({ uint, big, timestamp, bytes, tail }) => {
      const writer = new ByteWriter(4)
      writer.uint(uint)
      writer.big(big)
      writer.timestamp(timestamp)
      writer.bytes(bytes)
      writer.byte(tail ? 1 : 0)
      return writer.finish()
    },
    decode: (written) => {
      const reader = new ByteReader(written)
      const read = { uint: reader.uint(), big: reader.big(), timestamp: reader.timestamp() }
      const rest = { bytes: reader.bytes(), tail: reader.byte() === 1 }
      reader.finish()
      return { ...read, ...rest }
    },
  }),
  codec({
    name: 'headers of blocks',
    file: 'host/storage/store/codec/block-codec.ts',
    values: header,
    encode: encodeHeaderRow,
    decode: decodeHeaderRow,
  }),
  codec({
    name: 'transactions of blocks',
    file: 'host/storage/store/codec/block-codec.ts',
    values: block,
    encode: (one) => encodeTransactions(one as never),
    decode: decodeTransactions,
    kept: ({ transactions, ethereum }) => ({ transactions, ethereum }),
  }),
  codec({
    name: 'receipts',
    file: 'host/storage/store/codec/receipt-codec.ts',
    values: few(receipt, 3),
    encode: encodeReceipts,
    decode: (written) => {
      const receipts = decodeReceipts(written)
      // Functions that read without decoding return the same.
      const hashes = receiptHashes(written)
      if (hashes.length !== receipts.length) throw new Error('other hashes')
      locateLogs(written)
      return receipts
    },
  }),
  codec({
    name: 'changesets',
    file: 'host/storage/store/codec/changeset-codec.ts',
    values: changeset,
    encode: encodeChangeset,
    decode: decodeChangeset,
  }),
  codec({
    name: 'records of the write-ahead log',
    file: 'host/storage/store/codec/record-codec.ts',
    values: record,
    encode: (one) => ({ height: one.changeset.height, bytes: encodeRecord(one as never).bytes }),
    decode: ({ height, bytes: written }) => {
      const parts = decodeRecord(height, written)
      return {
        header: decodeHeaderRow(parts.header),
        transactions: decodeTransactions(parts.transactions),
        receipts: decodeReceipts(parts.receipts),
        changeset: decodeChangeset(parts.changeset),
      }
    },
    kept: ({ executed: { block: one, receipts }, changeset: changes }) => ({
      header: one.header,
      transactions: { transactions: one.transactions, ethereum: one.ethereum },
      receipts,
      changeset: changes,
    }),
    runs: 500,
  }),
  codec({
    name: 'frames of the write-ahead log',
    file: 'host/storage/store/wal/wal-frame.ts',
    values: fc.record({ mark: bytes(8), height: count(), record: data() }),
    encode: ({ mark, height, record: one }) => Buffer.concat([frameHeader(mark, height, one), one]),
    decode: (written) => ({ mark: written.subarray(0, 8), ...frameAt(written, 0) }),
    kept: ({ mark, height, record: one }) => ({ mark, height, length: one.length }),
  }),
  codec({
    name: 'heights of keys',
    file: 'host/storage/store/codec/ordered-key.ts',
    values: count(),
    encode: encodeHeight,
    decode: decodeHeight,
  }),
  codec({
    name: 'ordered keys',
    file: 'host/storage/store/codec/ordered-key.ts',
    values: fc.record({ first: data(40), second: data(3_000) }),
    encode: ({ first, second }) => ({
      key: encodeOrderedKey(first, second),
      at: encodeOrderedKey(first).length,
    }),
    decode: ({ key, at }) => ({
      first: decodeOrderedPart(key, 0),
      second: decodeOrderedPart(key, at),
    }),
  }),
  codec({
    name: 'values of rows',
    file: 'host/storage/store/state/table-rows.ts',
    values: optional(data()),
    encode: encodeLive,
    decode: decodeLive,
  }),
  codec({
    name: 'versions of rows',
    file: 'host/storage/table/version.ts',
    values: count(),
    encode: (height) => {
      const row = new Uint8Array(8)
      writeVersion(row, 0, height)
      return row
    },
    decode: (row) => readVersion(row, 0),
  }),
  codec({
    name: 'accounts',
    file: 'host/evm/state/account.ts',
    values: fc.record({ nonce: integer(64), balance: integer(), codeHash: bytes(32) }),
    encode: encodeAccount,
    decode: decodeAccount,
  }),
  codec({
    name: 'base fees between blocks',
    file: 'host/evm/execute/lockstep/base-fee.ts',
    values: integer(),
    encode: encodeBaseFee,
    decode: (row) => decodeBaseFee(row, market),
  }),
  codec({
    name: 'places by address',
    file: 'host/storage/store/address/address-rows.ts',
    values: fc.record({ height: count(2 ** 48 - 1), index: count(2 ** 32 - 1) }),
    encode: (place) => placeKey(new Uint8Array(20), place),
    decode: placeIn,
  }),
  codec({
    name: 'blocks of the address index',
    file: 'host/storage/store/address/address-rows.ts',
    values: fc.record({
      height: fc.constant(7),
      hash: bytes(32),
      rows: few(
        fc.record({
          table: count(2),
          item: fc.oneof(bytes(20), bytes(28)),
          index: count(2 ** 32 - 1),
          value: data(),
        }),
        1,
      ),
    }),
    encode: encodeAddressBlock,
    decode: (record) => ({
      hash: hashIn(record),
      rows: [...keysIn(record, 7)].map(({ table, key }) => ({
        table,
        item: key.subarray(0, key.length - 10),
        index: placeIn(key).index,
      })),
    }),
    kept: ({ hash, rows: found }) => ({
      hash,
      rows: found.map(({ table, item, index }) => ({ table, item, index })),
    }),
  }),
]
