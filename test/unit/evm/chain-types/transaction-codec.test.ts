import { Transaction as EthersTransaction, Wallet } from 'ethers'
import * as fc from 'fast-check'
import { type Hex, serializeTransaction, type TransactionSerializable } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { bigintToBytes } from '../../../../host/base/bytes.ts'
import { formatData, parseData } from '../../../../host/base/hex.ts'
import { decodeRlp, encodeRlp, type RlpItem, rlpInteger } from '../../../../host/base/rlp.ts'
import { nobleRecovery } from '../../../../host/evm/chain-types/noble-recovery.ts'
import type { Transaction } from '../../../../host/evm/chain-types/transaction.ts'
import {
  decodeSigned,
  decodeTransaction,
  encodeTransaction,
  recoverSender,
  type SenderSignature,
  type SignedTransaction,
  senderSignature,
  signingDigest,
} from '../../../../host/evm/chain-types/transaction-codec.ts'

const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const ACCOUNT = privateKeyToAccount(KEY)

const decode = (raw: Hex | Uint8Array) =>
  decodeTransaction(typeof raw === 'string' ? parseData(raw) : raw, nobleRecovery)

const hexBytes = (min: number, max: number) =>
  fc.uint8Array({ minLength: min, maxLength: max }).map(formatData)
const address = hexBytes(20, 20)
const amount = fc.bigInt({ min: 0n, max: 2n ** 120n })
const accessList = fc.array(
  fc.record({ address, storageKeys: fc.array(hexBytes(32, 32), { maxLength: 3 }) }),
  { maxLength: 3 },
)
const common = {
  chainId: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  nonce: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  gas: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  value: amount,
  data: hexBytes(0, 80),
}
const recipient = fc.option(address, { nil: undefined })
const fees = fc
  .tuple(amount, amount)
  .map(([a, b]) =>
    a < b
      ? { maxPriorityFeePerGas: a, maxFeePerGas: b }
      : { maxPriorityFeePerGas: b, maxFeePerGas: a },
  )

const legacy = fc.record({
  ...common,
  type: fc.constant('legacy' as const),
  to: recipient,
  gasPrice: amount,
})
const listed = fc.record({
  ...common,
  type: fc.constant('eip2930' as const),
  to: recipient,
  gasPrice: amount,
  accessList,
})
const dynamic = fc
  .record({ ...common, type: fc.constant('eip1559' as const), to: recipient, accessList, fees })
  .map(({ fees: caps, ...fields }) => ({ ...fields, ...caps }))
const blob = fc
  .record({
    ...common,
    type: fc.constant('eip4844' as const),
    to: address,
    accessList,
    fees,
    maxFeePerBlobGas: fc.bigInt({ min: 1n, max: 2n ** 100n }),
    blobVersionedHashes: fc.array(
      hexBytes(31, 31).map((tail): Hex => `0x01${tail.slice(2)}`),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ fees: caps, ...fields }) => ({ ...fields, ...caps }))

function expectFields(decoded: Transaction, sent: TransactionSerializable): void {
  expect(decoded.chainId).toBe(BigInt(sent.chainId as number))
  expect(decoded.nonce).toBe(BigInt(sent.nonce as number))
  expect(decoded.gas).toBe(sent.gas)
  expect(decoded.value).toBe(sent.value)
  expect(formatData(decoded.data)).toBe(sent.data)
  expect(decoded.to === undefined ? undefined : formatData(decoded.to)).toBe(sent.to)
  expect(decoded.maxFeePerGas).toBe(sent.gasPrice ?? sent.maxFeePerGas)
  expect(decoded.maxPriorityFeePerGas).toBe(sent.gasPrice ?? sent.maxPriorityFeePerGas)
  expect(
    decoded.accessList.map((entry) => ({
      address: formatData(entry.address),
      storageKeys: entry.storageKeys.map(formatData),
    })),
  ).toEqual(sent.accessList ?? [])
}

describe('a transaction signed by viem and read by ethers', () => {
  test.each([
    ['0 (legacy, EIP-155)', legacy, 0],
    ['1 (EIP-2930)', listed, 1],
    ['2 (EIP-1559)', dynamic, 2],
    ['3 (EIP-4844, without sidecar)', blob, 3],
  ] as const)('type %s has the same hash, sender and fields', async (_, arbitrary, type) => {
    await fc.assert(
      fc.asyncProperty(arbitrary as fc.Arbitrary<TransactionSerializable>, async (sent) => {
        const raw = await ACCOUNT.signTransaction(sent as never)
        const decoded = decode(raw)
        const ethers = EthersTransaction.from(raw)
        expect(decoded.type).toBe(type)
        expect(formatData(decoded.hash)).toBe(ethers.hash)
        expect(formatData(decoded.from)).toBe(ACCOUNT.address.toLowerCase())
        expect(ethers.from).toBe(ACCOUNT.address)
        expect(decoded.nonce).toBe(BigInt(ethers.nonce))
        expect(decoded.yParity).toBe(ethers.signature?.yParity)
        expect(decoded.r).toBe(BigInt(ethers.signature?.r as string))
        expect(decoded.s).toBe(BigInt(ethers.signature?.s as string))
        expect(formatData(signingDigest(decoded, nobleRecovery.keccak256))).toBe(
          ethers.unsignedHash,
        )
        expectFields(decoded, sent)
        expect(formatData(encodeTransaction(decoded, decoded))).toBe(raw)
      }),
      { numRuns: 40 },
    )
  })

  test('yields the signing hash and signature of its fields, after any change to them', async () => {
    const any = fc.oneof(legacy, listed, dynamic, blob) as fc.Arbitrary<TransactionSerializable>
    const { keccak256 } = nobleRecovery
    let decodable = 0
    await fc.assert(
      fc.asyncProperty(any, fc.nat(), fc.nat({ max: 255 }), async (sent, place, by) => {
        const raw = parseData(await ACCOUNT.signTransaction(sent as never))
        const at = place % raw.length
        raw[at] = (raw[at] as number) ^ by
        let signed: SignedTransaction
        try {
          signed = decodeSigned(raw, keccak256)
          recoverSender(signed, { ...nobleRecovery, recoverAddress: () => new Uint8Array(20) })
        } catch {
          return
        }
        decodable++
        const { r, s, yParity } = signed
        const expected: SenderSignature = [
          signingDigest(signed, keccak256),
          yParity,
          bigintToBytes(r, 32),
          bigintToBytes(s, 32),
        ]
        expect(senderSignature(signed, keccak256)).toEqual(expected)
      }),
      { numRuns: 200 },
    )
    expect(decodable).toBeGreaterThan(20)
  })

  test('type 4 (EIP-7702) includes its authorizations', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          ...common,
          to: address,
          accessList,
          fees,
          delegate: address,
          count: fc.integer({ min: 0, max: 3 }),
        }),
        async ({ fees: caps, delegate, count, ...fields }) => {
          const authorization = await ACCOUNT.signAuthorization({
            address: delegate,
            chainId: fields.chainId,
            nonce: fields.nonce,
          })
          const sent = {
            ...fields,
            ...caps,
            type: 'eip7702' as const,
            authorizationList: Array.from({ length: count }, () => authorization),
          }
          const raw = await ACCOUNT.signTransaction(sent)
          const decoded = decode(raw)
          expect(formatData(decoded.hash)).toBe(EthersTransaction.from(raw).hash)
          expect(formatData(decoded.from)).toBe(ACCOUNT.address.toLowerCase())
          expectFields(decoded, sent)
          expect(decoded.authorizations).toEqual(
            sent.authorizationList.map(() => ({
              chainId: BigInt(fields.chainId),
              address: parseData(delegate),
              nonce: BigInt(fields.nonce),
              yParity: BigInt(authorization.yParity as number),
              r: BigInt(authorization.r),
              s: BigInt(authorization.s),
            })),
          )
          expect(formatData(encodeTransaction(decoded, decoded))).toBe(raw)
        },
      ),
      { numRuns: 30 },
    )
  })

  test('is decoded here if ethers signed it', async () => {
    const raw = await new Wallet(KEY).signTransaction({
      type: 2,
      chainId: 1329,
      nonce: 7,
      to: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      value: 5n,
      gasLimit: 21000,
      maxFeePerGas: 3n,
      maxPriorityFeePerGas: 2n,
    })
    expect(decode(raw as Hex)).toMatchObject({ type: 2, chainId: 1329n, nonce: 7n, value: 5n })
  })

  test('has no chain id if it is a legacy transaction without EIP-155', async () => {
    const raw = await ACCOUNT.signTransaction({
      type: 'legacy',
      nonce: 0,
      gas: 21000n,
      gasPrice: 1n,
      to: ACCOUNT.address,
    })
    const decoded = decode(raw)
    expect(decoded.chainId).toBeUndefined()
    expect([27n, 28n]).toContain(decoded.v)
    expect(formatData(decoded.from)).toBe(ACCOUNT.address.toLowerCase())
  })
})

describe('a malformed transaction', () => {
  const signed: Promise<Hex> = ACCOUNT.signTransaction({
    type: 'eip1559',
    chainId: 1,
    nonce: 1,
    gas: 21000n,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
    to: ACCOUNT.address,
    value: 1n,
  })
  const items = async () => [...(decodeRlp(parseData(await signed).subarray(1)) as RlpItem[])]
  const rebuilt = async (change: (fields: RlpItem[]) => void) => {
    const fields = await items()
    change(fields)
    return Uint8Array.from([2, ...encodeRlp(fields)])
  }
  const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

  const cases: [string, (fields: RlpItem[]) => void, string][] = [
    ['one element short', (f) => f.pop(), 'rlp: too few elements for types.DynamicFeeTx'],
    [
      'one element long',
      (f) => f.push(rlpInteger(1)),
      'rlp: input list has too many elements for types.DynamicFeeTx',
    ],
    [
      'a 19-byte recipient',
      (f) => {
        f[5] = new Uint8Array(19)
      },
      'rlp: input string too short for common.Address',
    ],
    [
      'a 21-byte recipient',
      (f) => {
        f[5] = new Uint8Array(21)
      },
      'rlp: input string too long for common.Address',
    ],
    [
      'a nonce of nine bytes',
      (f) => {
        f[1] = new Uint8Array(9).fill(1)
      },
      'rlp: input string too long for a 64-bit integer',
    ],
    [
      'a value with leading zeros',
      (f) => {
        f[6] = Uint8Array.of(0, 1)
      },
      'rlp: non-canonical integer (leading zero bytes)',
    ],
    [
      'data that is a list',
      (f) => {
        f[7] = []
      },
      'rlp: expected input string or byte',
    ],
    [
      'an access list that is bytes',
      (f) => {
        f[8] = Uint8Array.of(1)
      },
      'rlp: expected input list for types.AccessList',
    ],
    [
      'a parity of 2',
      (f) => {
        f[9] = rlpInteger(2)
      },
      'invalid transaction v, r, s values',
    ],
    [
      'r = 0',
      (f) => {
        f[10] = rlpInteger(0)
      },
      'invalid transaction v, r, s values',
    ],
    [
      'r = the group order',
      (f) => {
        f[10] = rlpInteger(ORDER)
      },
      'invalid transaction v, r, s values',
    ],
    [
      's above half the group order (EIP-2)',
      (f) => {
        f[11] = rlpInteger(ORDER / 2n + 1n)
      },
      'invalid transaction v, r, s values',
    ],
  ]
  test.each(cases)('with %s is refused', async (_, change, text) => {
    const raw = await rebuilt(change)
    expect(() => decode(raw)).toThrow(
      expect.objectContaining({ code: 'TRANSACTION_REJECTED', message: text }),
    )
  })

  test.each([
    ['0x', 'typed transaction too short'],
    ['0x02', 'typed transaction too short'],
    ['0x00c0', 'transaction type not supported'],
    ['0x05c0', 'transaction type not supported'],
    ['0x7fc0', 'transaction type not supported'],
    ['0x80', 'rlp: expected input list for types.LegacyTx'],
    ['0xc0', 'rlp: too few elements for types.LegacyTx'],
    ['0xc1', 'rlp: value size exceeds available input length'],
    ['0xc0c0', 'rlp: input contains more than one value'],
  ] as const)('%s is refused', (raw, text) => {
    expect(() => decode(raw)).toThrow(
      expect.objectContaining({ code: 'TRANSACTION_REJECTED', message: text }),
    )
  })

  test('has another sender if the parity of its EIP-155 v is flipped', async () => {
    const raw = await ACCOUNT.signTransaction({
      type: 'legacy',
      chainId: 1329,
      nonce: 0,
      gas: 21000n,
      gasPrice: 1n,
      to: ACCOUNT.address,
    })
    const decoded = decode(raw)
    const other = encodeTransaction(decoded, { ...decoded, v: decoded.v === 2693n ? 2694n : 2693n })
    expect(formatData(decode(other).from)).not.toBe(ACCOUNT.address.toLowerCase())
  })

  test('of random bytes is refused and never causes another error', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 255 }),
        fc.uint8Array({ maxLength: 120 }),
        (first, rest) => {
          expect(() => decode(Uint8Array.from([first, ...rest]))).toThrow(
            expect.objectContaining({ code: 'TRANSACTION_REJECTED' }),
          )
        },
      ),
    )
  })

  test('is refused if it is unsigned, as viem serializes it', () => {
    const unsigned = serializeTransaction({ type: 'eip1559', chainId: 1, to: ACCOUNT.address })
    expect(() => decode(unsigned)).toThrow('rlp: too few elements for types.DynamicFeeTx')
  })
})
