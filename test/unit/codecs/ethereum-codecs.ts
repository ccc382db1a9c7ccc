import fc from 'fast-check'
import {
  decodeRlp,
  encodeRlp,
  type RlpItem,
  readRlpInteger,
  rlpInteger,
} from '../../../host/base/rlp.ts'
import {
  decodeBody,
  decodeEthereumBlock,
  encodeBody,
  encodeEthereumBlock,
} from '../../../host/evm/chain-types/ethereum-block.ts'
import {
  decodeRlpHeader,
  encodeRlpHeader,
  requireHeader,
} from '../../../host/evm/chain-types/ethereum-header.ts'
import { nobleRecovery } from '../../../host/evm/chain-types/noble-recovery.ts'
import {
  decodeSigned,
  encodeTransaction,
  type UnsignedTransaction,
} from '../../../host/evm/chain-types/transaction-codec.ts'
import { type Codec, codec } from './codec.ts'
import { bytes, count, data, few, integer, optional } from './hostile.ts'

/** Fields added by forks, of which a header has the first few. */
const FORKS = [
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
] as const
const FORK_COUNTS = [0, 1, 2, 5, 6]

export const ethereumHeader = fc
  .record({
    parentHash: bytes(32),
    ommersHash: bytes(32),
    coinbase: bytes(20),
    stateRoot: bytes(32),
    transactionsRoot: bytes(32),
    receiptsRoot: bytes(32),
    logsBloom: bytes(256),
    difficulty: integer(),
    number: integer(64),
    gasLimit: integer(64),
    gasUsed: integer(64),
    timestamp: integer(64),
    extraData: data(40),
    mixHash: bytes(32),
    nonce: bytes(8),
    baseFeePerGas: integer(),
    withdrawalsRoot: bytes(32),
    blobGasUsed: integer(64),
    excessBlobGas: integer(64),
    parentBeaconBlockRoot: bytes(32),
    requestsHash: bytes(32),
  })
  .chain((header) =>
    fc
      .record({
        kept: fc.oneof(
          { weight: 10, arbitrary: fc.constantFrom(...FORK_COUNTS) },
          { weight: 1, arbitrary: fc.constantFrom(3, 4) },
        ),
        gap: fc.oneof(
          { weight: 20, arbitrary: fc.constant(-1) },
          { weight: 1, arbitrary: fc.nat(5) },
        ),
      })
      .map(({ kept, gap }) => {
        const absent = FORKS.filter((_, i) => i >= kept || i === gap)
        return {
          ...header,
          ...Object.fromEntries(absent.map((name) => [name, undefined])),
        } as typeof header
      }),
  )

const withdrawal = fc.record({
  index: integer(64),
  validatorIndex: integer(64),
  address: bytes(20),
  amount: integer(64),
})

export const body = fc.record({
  ommers: few(ethereumHeader, 1),
  withdrawals: optional(few(withdrawal, 2)),
})

const { item } = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof({ depthSize: 'small' }, data(70), few(tie('item'), 4)),
}))

/** Nested lists, up to and beyond the reader's limit. */
const nested = fc.nat(80).map((depth) => {
  let list: RlpItem = new Uint8Array()
  for (let i = 0; i < depth; i++) list = [list]
  return list
})

const unsigned = fc
  .record({
    type: fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom(0, 1, 2, 3, 4) },
      { weight: 1, arbitrary: fc.constantFrom(5, -1, 127) },
    ),
    chainId: integer(),
    nonce: integer(64),
    maxPriorityFeePerGas: integer(),
    maxFeePerGas: integer(),
    gas: integer(64),
    to: optional(bytes(20)),
    value: integer(),
    data: data(),
    accessList: few(fc.record({ address: bytes(20), storageKeys: few(bytes(32), 2) }), 2),
    authorizations: few(
      fc.record({
        chainId: integer(),
        address: bytes(20),
        nonce: integer(64),
        yParity: integer(8),
        r: integer(),
        s: integer(),
      }),
      2,
    ),
    maxFeePerBlobGas: integer(),
    blobHashes: few(bytes(32), 2),
    r: integer(),
    s: integer(),
    parity: fc.constantFrom(0n, 1n),
  })
  // Fields that a type lacks have the values that a reader returns.
  .map((all) => ({
    ...all,
    chainId: all.type === 0 ? undefined : all.chainId,
    maxFeePerGas: all.type >= 2 ? all.maxFeePerGas : all.maxPriorityFeePerGas,
    accessList: all.type === 0 ? [] : all.accessList,
    authorizations: all.type === 4 ? all.authorizations : [],
    maxFeePerBlobGas: all.type === 3 ? all.maxFeePerBlobGas : 0n,
    blobHashes: all.type === 3 ? all.blobHashes : [],
  }))

export const ETHEREUM_CODECS: readonly Codec[] = [
  codec({
    name: 'RLP',
    file: 'host/base/rlp.ts',
    values: fc.oneof(item, nested),
    encode: (value) => encodeRlp(value),
    decode: decodeRlp,
  }),
  codec({
    name: 'integers of RLP',
    file: 'host/base/rlp.ts',
    values: fc.oneof(integer(), count()),
    encode: (value) => rlpInteger(value),
    decode: (written) => readRlpInteger(written, 4_096),
    kept: (value) => BigInt(value),
  }),
  codec({
    name: 'headers of Ethereum',
    file: 'host/evm/chain-types/ethereum-header.ts',
    values: ethereumHeader,
    encode: (header) => {
      requireHeader(header)
      return encodeRlpHeader(header)
    },
    decode: (written) => decodeRlpHeader(decodeRlp(written)),
  }),
  codec({
    name: 'bodies of Ethereum',
    file: 'host/evm/chain-types/ethereum-block.ts',
    values: body,
    encode: encodeBody,
    decode: decodeBody,
  }),
  codec({
    name: 'blocks of Ethereum',
    file: 'host/evm/chain-types/ethereum-block.ts',
    values: fc.record({
      header: ethereumHeader,
      transactions: few(fc.constantFrom(Uint8Array.of(2, 0xc0), Uint8Array.of(0xc0))),
      body,
    }),
    encode: ({ header, transactions, body: rest }) =>
      encodeEthereumBlock(header, transactions, rest),
    decode: (written) => {
      const { header, transactions, ommers, withdrawals } = decodeEthereumBlock(written)
      return { header, transactions, body: { ommers, withdrawals } }
    },
  }),
  codec({
    name: 'transactions',
    file: 'host/evm/chain-types/transaction-codec.ts',
    values: unsigned,
    encode: (one) => {
      const v = one.type === 0 ? 27n + one.parity : one.parity
      return encodeTransaction(one as unknown as UnsignedTransaction, { v, r: one.r, s: one.s })
    },
    decode: (raw) => {
      const {
        hash: _,
        raw: __,
        from: ___,
        v: ____,
        yParity,
        ...fields
      } = decodeSigned(raw, nobleRecovery.keccak256) as ReturnType<typeof decodeSigned> & {
        from: unknown
      }
      return { ...fields, parity: BigInt(yParity) }
    },
    runs: 600,
  }),
]
