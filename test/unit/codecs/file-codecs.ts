import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { formatData } from '../../../host/base/hex.ts'
import {
  readSignState,
  writeSignState,
} from '../../../host/chain/consensus/validator/sign-state.ts'
import { DevJournal } from '../../../host/chain/dev/dev-journal.ts'
import {
  decodeForkResponses,
  encodeForkResponses,
} from '../../../host/chain/dev/fork/fork-responses.ts'
import { decodeState, encodeState } from '../../../host/chain/dev/state-file.ts'
import { EMPTY_CODE_HASH, encodeAccount } from '../../../host/evm/state/account.ts'
import { readRollback, writeRollback } from '../../../host/node/home/unfinished-rollback.ts'
import { readMarkerWord, writeWords } from '../../../host/storage/commit/commit-markers.ts'
import { readIavlRow, writeIavlRow } from '../../../host/storage/commit/iavl/iavl-store.ts'
import { NoteWriter, readNotes, UNDO_TABLES } from '../../../host/storage/commit/undo/undo-note.ts'
import { decodeNumber, encodeNumbers } from '../../../host/storage/store/rocksdb/rocksdb-columns.ts'
import {
  decodeFooter,
  encodeFooter,
  FOOTER_BYTES,
  indexBytes,
} from '../../../host/storage/table/segment-format.ts'
import { type Codec, codec } from './codec.ts'
import { bytes, count, data, few, flag, integer, optional, text, time } from './hostile.ts'

/** Runs the work in a temporary folder. */
async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-codec-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Returns a function with the reader's result. It throws the reader's error, which must not count as a refusal of the
 * writer.
 */
async function readingOf<Read>(read: () => Read | Promise<Read>): Promise<() => Read> {
  try {
    const value = await read()
    return () => value
  } catch (thrown) {
    return () => {
      throw thrown
    }
  }
}

const settings = fc.record({
  baseFee: optional(integer()),
  prevRandao: optional(bytes(32)),
  coinbase: optional(bytes(20)),
  gasLimit: optional(integer(64)),
  minGasPrice: integer(),
})

const mark = fc.record({
  height: fc.nat(100),
  amendments: fc.nat(3),
  clock: fc.record({ now: time, nextTime: optional(time), interval: optional(count()) }),
  settings,
})

const devRecord = fc.record({
  snapshots: few(fc.tuple(fc.bigInt({ min: 1n, max: 99n }), mark)).map((pairs) => new Map(pairs)),
  nextSnapshot: integer(64),
  offset: time,
  settings,
})

const footer = fc
  .record({
    rows: count(),
    keys: count(),
    lowest: count(),
    highest: count(),
    blocks: count(1_000),
    separatorBytes: count(10_000),
    filterBytes: fc.nat(10).map((blocks) => 64 * (blocks + 1)),
    indexOffset: count(2 ** 40),
    indexCrc: count(2 ** 32 - 1),
    filterCrc: count(2 ** 32 - 1),
    filterSeed: count(2 ** 32 - 1),
  })
  .map(({ filterBytes, ...parts }) => ({
    filterBytes,
    footer: {
      ...parts,
      filterOffset: parts.indexOffset + indexBytes(parts.blocks, parts.separatorBytes),
    },
  }))

const account = fc.record({ nonce: integer(64), balance: integer() })

export const FILE_CODECS: readonly Codec[] = [
  codec({
    name: 'what a validator has signed',
    file: 'host/chain/consensus/validator/sign-state.ts',
    values: fc.record({
      height: count(),
      round: count(),
      step: count(3),
      signature: bytes(64),
      signBytes: data(),
    }),
    encode: (state) =>
      inFolder(async (folder) => {
        const path = join(folder, 'state.json')
        await writeSignState(path, state)
        return readingOf(() => readSignState(path))
      }),
    decode: (read) => read(),
  }),
  codec({
    name: 'rollbacks that are not finished',
    file: 'host/node/home/unfinished-rollback.ts',
    values: fc.record({ target: count(), hard: flag, signAgain: flag }),
    encode: (rollback) =>
      inFolder(async (folder) => {
        await writeRollback(folder, rollback)
        return readingOf(() => readRollback(folder))
      }),
    decode: (read) => read(),
    runs: 100,
  }),
  codec({
    name: 'the journal of a development chain',
    file: 'host/chain/dev/dev-journal.ts',
    values: devRecord,
    encode: (record) =>
      inFolder(async (folder) => {
        const first = new DevJournal(folder)
        first.save(record)
        first.close()
        return readingOf(() => {
          const second = new DevJournal(folder)
          const { record: read } = second
          second.close()
          return read
        })
      }),
    decode: (read) => read(),
    runs: 60,
  }),
  codec({
    name: 'state files',
    file: 'host/chain/dev/state-file.ts',
    values: account,
    encode: ({ nonce, balance }) => {
      const address = new Uint8Array(20).fill(7)
      const record = encodeAccount({ nonce, balance, codeHash: EMPTY_CODE_HASH })
      const view = { account: () => record, code: () => new Uint8Array(0) }
      return encodeState(
        view as never,
        { accounts: () => [address], slots: () => [] },
        () => undefined,
      )
    },
    decode: async (file) => {
      const [read] = await decodeState(file)
      return { nonce: read?.nonce, balance: read?.balance }
    },
    runs: 100,
  }),
  codec({
    name: 'answers of a forked node',
    file: 'host/chain/dev/fork/fork-responses.ts',
    values: fc.record({
      chainId: integer(),
      kind: fc.constant('geth'),
      block: fc.record({ hash: text, number: fc.constant('0x1') }),
      receipts: few(fc.record({ status: text })),
      isPublic: flag,
      revision: fc.constant('prague'),
      blobs: optional(
        fc.record({ target: integer(64), max: integer(64), updateFraction: integer(64) }),
      ),
    }),
    encode: (answers) => encodeForkResponses(answers as never),
    decode: decodeForkResponses,
  }),
  codec({
    name: 'footers of segments',
    file: 'host/storage/table/segment-format.ts',
    values: footer,
    encode: ({ footer: one, filterBytes }) => ({
      bytes: encodeFooter(one),
      size: one.filterOffset + filterBytes + FOOTER_BYTES,
    }),
    decode: ({ bytes: written, size }) => decodeFooter('segment', written, size),
    kept: ({ footer: one }) => one,
  }),
  codec({
    name: 'numbers of RocksDB',
    file: 'host/storage/store/rocksdb/rocksdb-columns.ts',
    values: fc.tuple(count(), count()),
    encode: (numbers) => encodeNumbers(...numbers),
    decode: (written) => [decodeNumber(written, 0), decodeNumber(written, 1)],
  }),
  codec({
    name: 'markers of the state commit',
    file: 'host/storage/commit/commit-markers.ts',
    values: fc.tuple(count(), count()),
    encode: (words) => writeWords(...words),
    decode: (written) => [readMarkerWord(written, 0), readMarkerWord(written, 8)],
  }),
  codec({
    name: 'nodes of IAVL trees',
    file: 'host/storage/commit/iavl/iavl-store.ts',
    values: fc.record({
      key: data(),
      value: optional(data()),
      version: count(),
      height: fc.oneof(fc.constant(0), count(255)),
      size: count(),
      left: count(),
      right: count(),
      hash: bytes(32),
    }),
    encode: (node) => {
      let row: Uint8Array | undefined
      writeIavlRow(
        { put: (_: unknown, value: Uint8Array) => (row = value) } as never,
        'bank',
        1,
        node,
      )
      return row
    },
    decode: (row) => readIavlRow({ get: () => row } as never, 'bank', 1),
  }),
  codec({
    name: 'notes of a flush',
    file: 'host/storage/commit/undo/undo-note.ts',
    values: few(
      fc.record({ table: fc.constantFrom(...UNDO_TABLES), key: data(), old: optional(data()) }),
    ),
    encode: (notes) => {
      const writer = new NoteWriter()
      for (const note of notes) writer.add(note)
      return writer.take()
    },
    decode: (chunks) => chunks.flatMap((chunk) => readNotes(chunk)),
  }),
  codec({
    name: 'data as hex',
    file: 'host/base/hex.ts',
    values: data(),
    encode: formatData,
    decode: (hex) => Buffer.from(hex.slice(2), 'hex'),
  }),
]
