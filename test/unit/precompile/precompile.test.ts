import { secp256k1 } from '@noble/curves/secp256k1.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint, concatBytes } from '../../../host/base/bytes.ts'
import { formatData, parseData } from '../../../host/base/hex.ts'
import {
  atLeast,
  REVISIONS,
  type Revision,
  revisionNumber,
} from '../../../host/evm/chain-types/revision.ts'
import { PrecompileModule } from './precompile-module.ts'

const EMPTY = new Uint8Array(0)
const ECRECOVER = 0x01
const SHA256 = 0x02
const RIPEMD160 = 0x03
const IDENTITY = 0x04
const BLAKE2F = 0x09
const P256_VERIFY = 0x100

let table: PrecompileModule

beforeAll(async () => {
  table = await PrecompileModule.open()
})

const run = (id: number, input: Uint8Array): string | undefined => {
  const output = table.run(id, input)
  return output === undefined ? undefined : formatData(output)
}
const gas = (id: number, input: Uint8Array, revision: Revision): bigint | undefined =>
  table.gas(id, input, revisionNumber(revision))
const word = (value: bigint | number): Uint8Array => bigintToBytes(BigInt(value), 32)

describe('the precompile addresses', () => {
  const address = (value: number): Uint8Array => bigintToBytes(BigInt(value), 20)

  test('become precompiles with their revision', () => {
    const highest: Readonly<Record<Revision, number>> = {
      Frontier: 4,
      Homestead: 4,
      TangerineWhistle: 4,
      SpuriousDragon: 4,
      Byzantium: 8,
      Constantinople: 8,
      Petersburg: 8,
      Istanbul: 9,
      Berlin: 9,
      London: 9,
      Paris: 9,
      Shanghai: 9,
      Cancun: 10,
      Prague: 17,
      Osaka: 17,
      Amsterdam: 17,
    }
    for (const revision of REVISIONS) {
      const number = revisionNumber(revision)
      for (let value = 0; value <= 0x120; value++) {
        const isPrecompile =
          (value >= 1 && value <= highest[revision]) ||
          (value === P256_VERIFY && atLeast(revision, 'Osaka'))
        expect(table.id(address(value), number), `${revision} ${value}`).toBe(
          isPrecompile ? value : 0,
        )
      }
    }
  })

  test('are compared by all twenty bytes', () => {
    for (let i = 0; i < 19; i++) {
      const bytes = address(1)
      bytes[i] = 1
      expect(table.id(bytes, revisionNumber('Cancun')), `byte ${i}`).toBe(0)
    }
  })

  test('are marked if the precompile runs in the host', () => {
    const inHost = Array.from({ length: 0x12 }, (_, id) => id).filter((id) => table.isHost(id))
    expect(inHost).toEqual([10, 11, 12, 13, 14, 15, 16, 17])
    expect(table.isHost(P256_VERIFY)).toBe(false)
    for (const id of inHost) expect(run(id, EMPTY)).toBeUndefined()
  })
})

describe('the gas of a precompile', () => {
  test('is charged per word', () => {
    for (const [length, words] of [
      [0, 0],
      [1, 1],
      [32, 1],
      [33, 2],
      [1000, 32],
    ] as const) {
      const input = new Uint8Array(length)
      expect(gas(SHA256, input, 'Frontier')).toBe(BigInt(60 + 12 * words))
      expect(gas(RIPEMD160, input, 'Frontier')).toBe(BigInt(600 + 120 * words))
      expect(gas(IDENTITY, input, 'Frontier')).toBe(BigInt(15 + 3 * words))
      expect(gas(ECRECOVER, input, 'Frontier')).toBe(3000n)
    }
  })

  test('of BN254 falls at Istanbul (EIP-1108)', () => {
    const pairs = (count: number) => new Uint8Array(192 * count)
    expect([6, 7, 8].map((id) => gas(id, pairs(3), 'Petersburg'))).toEqual([
      500n,
      40_000n,
      340_000n,
    ])
    expect([6, 7, 8].map((id) => gas(id, pairs(3), 'Istanbul'))).toEqual([150n, 6_000n, 147_000n])
    expect(gas(8, EMPTY, 'Istanbul')).toBe(45_000n)
  })

  test('of BLS12-381 follows EIP-2537', () => {
    const cost = (id: number, length: number) => gas(id, new Uint8Array(length), 'Prague')
    expect(cost(0x0b, 256)).toBe(375n)
    expect([1, 2, 3, 128, 129].map((k) => cost(0x0c, 160 * k))).toEqual([
      12_000n,
      22_776n,
      30_528n,
      797_184n,
      803_412n,
    ])
    expect(cost(0x0d, 512)).toBe(600n)
    expect([1, 2, 3, 128, 129].map((k) => cost(0x0e, 288 * k))).toEqual([
      22_500n,
      45_000n,
      62_302n,
      1_509_120n,
      1_520_910n,
    ])
    expect([0, 1, 2].map((k) => cost(0x0f, 384 * k))).toEqual([37_700n, 70_300n, 102_900n])
    expect([0x10, 0x11].map((id) => cost(id, 64))).toEqual([5_500n, 23_800n])
    expect([0x0c, 0x0e].map((id) => cost(id, 0))).toEqual([0n, 0n])
  })

  test('of point evaluation and P-256 is fixed', () => {
    expect(gas(0x0a, EMPTY, 'Cancun')).toBe(50_000n)
    expect(gas(P256_VERIFY, EMPTY, 'Osaka')).toBe(6_900n)
  })
})

describe('ECRECOVER', () => {
  const digest = sha256(Uint8Array.of(1, 2, 3))
  const secret = new Uint8Array(32).fill(0x46)
  const signature = secp256k1.sign(digest, secret, { prehash: false, format: 'recovered' })
  const v = 27 + (signature[0] as number)
  const r = signature.slice(1, 33)
  const s = signature.slice(33)
  const signer = '0x0000000000000000000000009d8a62f656a8d1615c1294fd71e9cfb3e4855a4f'
  const order = secp256k1.Point.Fn.ORDER

  test('returns the signer as a word', () => {
    expect(run(ECRECOVER, concatBytes([digest, word(v), r, s]))).toBe(signer)
  })

  test('ignores input after 128 bytes and pads missing bytes with zeros', () => {
    const input = concatBytes([digest, word(v), r, s])
    expect(run(ECRECOVER, concatBytes([input, Uint8Array.of(1, 2)]))).toBe(signer)
    for (const length of [0, 1, 64, 96, 127]) {
      const short = run(ECRECOVER, input.subarray(0, length))
      const padded = concatBytes([input.subarray(0, length), new Uint8Array(128 - length)])
      expect(short, `${length} bytes`).toBe(run(ECRECOVER, padded))
    }
  })

  test('accepts a high s (EIP-2 binds transactions only)', () => {
    const large = word(order - bytesToBigint(s))
    expect(run(ECRECOVER, concatBytes([digest, word(55 - v), r, large]))).toBe(signer)
  })

  test('returns nothing, without failing, for an invalid signature', () => {
    const wrong = [
      ...[0, 1, 26, 29, 27 + 256, 28 + 2 ** 32].map((value) => [word(value), r, s] as const),
      [word((1n << 255n) + 27n), r, s] as const,
      [word(v), word(0), s] as const,
      [word(v), r, word(0)] as const,
      [word(v), word(order), s] as const,
      [word(v), r, word(order)] as const,
      [word(v), word(5), s] as const,
    ]
    for (const parts of wrong) {
      expect(run(ECRECOVER, concatBytes([digest, ...parts])), formatData(parts[0])).toBe('0x')
    }
  })
})

describe('the hash precompiles and IDENTITY', () => {
  test('return the hash as a word, or the input', () => {
    const data = new TextEncoder().encode('lockstep')
    expect(run(SHA256, data)).toBe(formatData(sha256(data)))
    expect(run(RIPEMD160, data)).toBe(
      formatData(concatBytes([new Uint8Array(12), ripemd160(data)])),
    )
    expect(run(IDENTITY, data)).toBe(formatData(data))
    expect(run(IDENTITY, EMPTY)).toBe('0x')
  })
})

describe('the BLAKE2F precompile', () => {
  const state =
    '48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5' +
    'd182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b'
  const makeInput = (rounds: string, last: string): Uint8Array =>
    parseData(`0x${rounds}${state}616263${'00'.repeat(125)}03${'00'.repeat(15)}${last}`)

  test('returns the vectors of EIP-152', () => {
    expect(run(BLAKE2F, makeInput('00000000', '01'))).toBe(
      '0x08c9bcf367e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5' +
        'd282e6ad7f520e511f6c3e2b8c68059b9442be0454267ce079217e1319cde05b',
    )
    expect(run(BLAKE2F, makeInput('0000000c', '01'))).toBe(
      '0xba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1' +
        '7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923',
    )
    expect(run(BLAKE2F, makeInput('0000000c', '00'))).toBe(
      '0x75ab69d3190a562c51aef8d88f1c2775876944407270c42c9844252c26d28752' +
        '98743e7f6d5ea2f2d3e8d226039cd31b4e426ac4f2d3d666a610c2116fde4735',
    )
  })

  test('costs one gas a round', () => {
    expect(gas(BLAKE2F, makeInput('00000000', '01'), 'Istanbul')).toBe(0n)
    expect(gas(BLAKE2F, makeInput('ffffffff', '01'), 'Istanbul')).toBe(4_294_967_295n)
  })

  test('fails for any other length and any other final flag', () => {
    const input = makeInput('0000000c', '01')
    for (const wrong of [EMPTY, input.subarray(1), concatBytes([input, Uint8Array.of(0)])]) {
      expect(run(BLAKE2F, wrong)).toBeUndefined()
      expect(gas(BLAKE2F, wrong, 'Istanbul')).toBe(0n)
    }
    expect(run(BLAKE2F, makeInput('0000000c', '02'))).toBeUndefined()
  })
})

describe('the P256VERIFY precompile', () => {
  const valid = parseData(
    '0x4cee90eb86eaa050036147a12d49004b6b9c72bd725d39d4785011fe190f0b4d' +
      'a73bd4903f0ce3b639bbbf6e8e80d16931ff4bcf5993d58468e8fb19086e8cac' +
      '36dbcd03009df8c59286b162af3bd7fcc0450c9aa81be5d10d312af6c66b1d60' +
      '4aebd3099c618202fcfe16ae7770b0c49ab5eadf74b754204a3bb6060e44eff3' +
      '7618b065f9832de4ca6ca971a7a1adc826d0f7c00181a5fb2ddf79ae00b4e10e',
  )

  test('returns 1 as a word for a valid signature', () => {
    expect(run(P256_VERIFY, valid)).toBe(formatData(word(1)))
  })

  test('returns nothing, without failing, for anything else', () => {
    for (let i = 0; i < 160; i += 7) {
      const changed = valid.slice()
      changed[i] = (changed[i] as number) ^ 0x10
      expect(run(P256_VERIFY, changed), `byte ${i}`).toBe('0x')
    }
    for (const wrong of [EMPTY, valid.subarray(1), concatBytes([valid, Uint8Array.of(0)])]) {
      expect(run(P256_VERIFY, wrong)).toBe('0x')
    }
  })
})
