import fc from 'fast-check'
import { formatData, type Hex } from '../../../host/base/hex.ts'
import { decodeDigests, encodeDigests } from '../../../host/evm/trace/bundle/step-digest.ts'
import {
  type ClaimRow,
  decodeClaim,
  decodeKey,
  decodeSale,
  decodeUnit,
  encodeClaim,
  encodeKey,
  encodeSale,
  encodeTimeKey,
  encodeUnit,
} from '../../../host/payments/claim/claim-codec.ts'
import { decodeProof } from '../../../host/payments/protocol/decode-proof.ts'
import {
  encodeAuthorizationProof,
  encodeTransferProof,
} from '../../../host/payments/protocol/encode-proof.ts'
import { formatCursor, parseCursor } from '../../../host/wallet/pipeline/transaction-cursor.ts'
import { filledText, storedFilling } from '../../../host/wallet/pipeline/transaction-store.ts'
import { encodeFrame, SignerFrameReader } from '../../../host/wallet/signer/frame.ts'
import { type Codec, codec } from './codec.ts'
import { bytes, count, flag, integer, optional, text } from './hostile.ts'

const hex = (length: number) => bytes(length).map(formatData)
const plainHex = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map(formatData)

const key = fc.record({
  chainId: integer(64),
  kind: fc.constantFrom('transfer' as const, 'authorization' as const),
  id: hex(32),
})

const claim: fc.Arbitrary<ClaimRow> = fc
  .record({
    phase: fc.constantFrom('held' as const, 'released' as const, 'delivered' as const),
    isSettled: flag,
    owner: bytes(8).map((owner) => Buffer.from(owner).toString('hex')),
    claimedAt: count(),
    deliveredAt: count(),
    sale: count(2 ** 32 - 1),
    request: text,
    body: optional(fc.oneof(hex(32), fc.constant<Hex>('0x'))),
    attempts: count(),
    payer: hex(20),
    amount: integer(),
    txHash: optional(hex(32)),
    refund: optional(fc.record({ txHash: hex(32), at: count() })),
  })
  .map((row) => ({
    ...row,
    owner: row.phase === 'held' ? row.owner : undefined,
    deliveredAt: row.phase === 'delivered' ? row.deliveredAt : undefined,
  }))

const sale = fc.record({
  resource: text,
  chainId: integer(64),
  asset: hex(20),
  payTo: hex(20),
  payments: count(),
  amount: integer(),
  delivered: count(),
  refunds: count(),
  refunded: integer(),
})

const NETWORK = { chainId: 31_337n, network: 'eip155:31337' } as never

/** Returns the headers of a request with this value. */
const shown = (value: string) => (name: string) => (name === 'x-payment' ? [value] : [])

export const SERVICE_CODECS: readonly Codec[] = [
  codec({
    name: 'keys of claims',
    file: 'host/payments/claim/claim-codec.ts',
    values: key,
    encode: encodeKey,
    decode: decodeKey,
  }),
  codec({
    name: 'claims',
    file: 'host/payments/claim/claim-codec.ts',
    values: claim,
    encode: encodeClaim,
    decode: decodeClaim,
    runs: 600,
  }),
  codec({
    name: 'sales',
    file: 'host/payments/claim/claim-codec.ts',
    values: sale,
    encode: encodeSale,
    decode: decodeSale,
  }),
  codec({
    name: 'times of claims',
    file: 'host/payments/claim/claim-codec.ts',
    values: count(2 ** 48 - 1),
    encode: (time) => encodeTimeKey(time, new Uint8Array(0)),
    decode: (written) => written.readUIntBE(0, 6),
  }),
  codec({
    name: 'units of tokens',
    file: 'host/payments/claim/claim-codec.ts',
    values: fc.record({ symbol: text, decimals: count(255) }),
    encode: encodeUnit,
    decode: decodeUnit,
  }),
  codec({
    name: 'proofs of transfers',
    file: 'host/payments/protocol/encode-proof.ts',
    values: fc.record({
      kind: fc.constant('transfer' as const),
      txHash: plainHex(32),
      amount: integer(),
      from: plainHex(20),
    }),
    encode: (proof) => encodeTransferProof(proof, 'eip155:31337'),
    decode: (value) => decodeProof(shown(value), NETWORK),
    runs: 100,
  }),
  codec({
    name: 'proofs of authorizations',
    file: 'host/payments/protocol/encode-proof.ts',
    values: fc.record({
      kind: fc.constant('authorization' as const),
      version: fc.constant(1 as const),
      from: plainHex(20),
      to: plainHex(20),
      value: integer(),
      validAfter: integer(),
      validBefore: integer(),
      nonce: plainHex(32),
      signature: plainHex(65),
    }),
    encode: (proof) => encodeAuthorizationProof(proof, 'eip155:31337'),
    decode: (value) => decodeProof(shown(value), NETWORK),
    runs: 100,
  }),
  codec({
    name: 'frames of the wallet signer',
    file: 'host/wallet/signer/frame.ts',
    values: fc.oneof(
      fc.jsonValue(),
      fc.record({ text }),
      fc.constantFrom(undefined, 'x'.repeat(5_000_000)),
    ),
    encode: encodeFrame,
    decode: (frame) => new SignerFrameReader().push(frame)[0],
  }),
  codec({
    name: 'cursors of transactions',
    file: 'host/wallet/pipeline/transaction-cursor.ts',
    values: fc.record({ createdAt: count(10 ** 15 - 1), id: fc.oneof(fc.uuid(), text) }),
    encode: ({ createdAt, id }) => formatCursor(createdAt, id),
    decode: (cursor) => {
      const [createdAt, id] = parseCursor(cursor)
      return { createdAt, id }
    },
  }),
  codec({
    name: 'what was filled into transactions',
    file: 'host/wallet/pipeline/transaction-store.ts',
    values: fc.record({
      chainId: integer(),
      nonce: integer(64),
      gas: integer(64),
      gasPrice: optional(integer()),
      maxFeePerGas: optional(integer()),
    }),
    encode: (filled) => filledText(filled as never),
    decode: storedFilling,
  }),
  codec({
    name: 'digests of steps in bundles',
    file: 'host/evm/trace/bundle/step-digest.ts',
    values: fc.uint32Array({ maxLength: 40 }),
    encode: encodeDigests,
    decode: (written) => Array.from(decodeDigests({ text: () => written } as never)),
    kept: (digests) => Array.from(digests),
  }),
]
