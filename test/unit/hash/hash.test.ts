import { createHash } from 'node:crypto'
import { blake3 } from '@noble/hashes/blake3.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { formatData, parseData } from '../../../host/base/hex.ts'
import { compileAssembly } from '../../support/engine/assembly.ts'
import { makeRandom } from '../../support/random.ts'

const SOURCE = `
import { blake2f as compress } from './assembly/hash/blake2f'
import { blake3 as hashBlake3 } from './assembly/hash/blake3'
import { keccak256 as hashKeccak } from './assembly/hash/keccak'
import { ripemd160 as hashRipemd } from './assembly/hash/ripemd160'
import { sha256 as hashSha } from './assembly/hash/sha256'
export const INPUT: usize = memory.data(131072)
export const OUTPUT: usize = memory.data(64)
export function keccak256(length: u32): void { hashKeccak(INPUT, length, OUTPUT) }
export function sha256(length: u32): void { hashSha(INPUT, length, OUTPUT) }
export function ripemd160(length: u32): void { hashRipemd(INPUT, length, OUTPUT) }
export function blake3(length: u32): void { hashBlake3(INPUT, length, OUTPUT) }
export function keccak256InPlace(length: u32): void { hashKeccak(INPUT, length, INPUT) }
export function sha256InPlace(length: u32): void { hashSha(INPUT, length, INPUT) }
export function ripemd160InPlace(length: u32): void { hashRipemd(INPUT, length, INPUT) }
export function blake3InPlace(length: u32): void { hashBlake3(INPUT, length, INPUT) }
export function blake2f(rounds: u32, last: bool): void {
  compress(rounds, INPUT, INPUT + 64, INPUT + 192, last, INPUT)
}
`

type Hash = (data: Uint8Array) => Uint8Array

const ORACLES: Readonly<Record<string, Hash>> = {
  keccak256: keccak_256,
  sha256: (data) => createHash('sha256').update(data).digest(),
  ripemd160,
  blake3: (data) => blake3(data),
}

let call: (name: string, ...values: number[]) => void
let input: Uint8Array
let output: Uint8Array

beforeAll(async () => {
  const module = await compileAssembly(SOURCE)
  const exports = new WebAssembly.Instance(module).exports as unknown as Record<
    string,
    (...values: number[]) => void
  > & { memory: WebAssembly.Memory; INPUT: WebAssembly.Global; OUTPUT: WebAssembly.Global }
  call = (name, ...values) => exports[name]?.(...values)
  input = new Uint8Array(exports.memory.buffer, exports.INPUT.value, 131_072)
  output = new Uint8Array(exports.memory.buffer, exports.OUTPUT.value, 64)
})

function hash(name: string, data: Uint8Array): string {
  input.set(data)
  // Bytes behind the data must have no effect.
  input.fill(0xa5, data.length, data.length + 200)
  call(name, data.length)
  return formatData(output.slice(0, name === 'ripemd160' ? 20 : 32))
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

describe.each(Object.entries(ORACLES))('the hash function %s', (name, oracle) => {
  test('agrees with the oracle at every length up to 300 and around larger blocks', () => {
    const random = makeRandom(21)
    const lengths = Array.from({ length: 301 }, (_, i) => i)
    for (const edge of [512, 1024, 1088, 2048, 3072, 4096, 8192, 16_384, 17_408, 65_536]) {
      lengths.push(edge - 1, edge, edge + 1)
    }
    for (const length of lengths) {
      const data = Uint8Array.from({ length }, () => Math.floor(random() * 256))
      expect(hash(name, data), `seed 21, ${length} bytes`).toBe(formatData(oracle(data)))
    }
  })

  test('may overwrite its input', () => {
    const data = encode('over and over')
    input.set(data)
    call(`${name}InPlace`, data.length)
    const wanted = oracle(data)
    expect(input.slice(0, wanted.length)).toEqual(Uint8Array.from(wanted))
  })
})

test('the hash functions have the published digests', () => {
  expect(hash('keccak256', encode(''))).toBe(
    '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  )
  expect(hash('sha256', encode('abc'))).toBe(
    '0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
  expect(hash('ripemd160', encode('abc'))).toBe('0x8eb208f7e05d987a9b044a8e98c6b087f15a0bfc')
  expect(hash('blake3', encode(''))).toBe(
    '0xaf1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262',
  )
})

describe('the compression function of BLAKE2b', () => {
  const IV = [
    0x6a09e667f3bcc908n,
    0xbb67ae8584caa73bn,
    0x3c6ef372fe94f82bn,
    0xa54ff53a5f1d36f1n,
    0x510e527fade682d1n,
    0x9b05688c2b3e6c1fn,
    0x1f83d9abfb41bd6bn,
    0x5be0cd19137e2179n,
  ] as const

  /** BLAKE2b-512 without a key, built on the function under test. */
  function blake2b(data: Uint8Array): Uint8Array {
    const view = new DataView(input.buffer, input.byteOffset, 208)
    for (const [i, word] of IV.entries()) view.setBigUint64(8 * i, word, true)
    view.setBigUint64(0, IV[0] ^ 0x01010040n, true)
    const blocks = Math.max(1, Math.ceil(data.length / 128))
    for (let block = 0; block < blocks; block++) {
      const part = data.subarray(128 * block, 128 * block + 128)
      input.fill(0, 64, 208)
      input.set(part, 64)
      view.setBigUint64(192, BigInt(128 * block + part.length), true)
      call('blake2f', 12, block === blocks - 1 ? 1 : 0)
    }
    return input.slice(0, 64)
  }

  test('computes the hash of node:crypto', () => {
    const random = makeRandom(22)
    for (const length of [0, 1, 3, 127, 128, 129, 256, 1000]) {
      const data = Uint8Array.from({ length }, () => Math.floor(random() * 256))
      const wanted = createHash('blake2b512').update(data).digest()
      expect(formatData(blake2b(data)), `seed 22, ${length} bytes`).toBe(formatData(wanted))
    }
  })

  /** Returns F of the state and the message of EIP-152's test vectors: the last block, "abc". */
  function mixAbc(rounds: number): string {
    const state = parseData(
      '0x48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5' +
        'd182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b',
    )
    input.fill(0, 0, 208)
    input.set(state)
    input.set(encode('abc'), 64)
    input[192] = 3
    call('blake2f', rounds, 1)
    return formatData(input.slice(0, 64))
  }

  test('returns test vector 8 of EIP-152 for one round', () => {
    expect(mixAbc(1)).toBe(
      '0xb63a380cb2897d521994a85234ee2c181b5f844d2c624c002677e9703449d2fb' +
        'a551b3a8333bcdf5f2f7e08993d53923de3d64fcc68c034e717b9293fed7a421',
    )
  })

  test('continues within a row of the message after a limited number of rounds', () => {
    // Computed with Python integers from RFC 7693, 3.2.
    expect(mixAbc(10_000)).toBe(
      '0x943469d6d4eba27b6f76af3494cc230f7e656f25ab3d81bf05e5267cf28d19d4' +
        'bc1826b9460c4f4ed2a73d4a690d3cac54cf8de8f696512bb58ab74b5a1e8701',
    )
    expect(mixAbc(20_003)).toBe(
      '0x068d9a513d8b06e3ef2fe4ff07ee20f2120d835f54c8b4fdbd465df0395f796a' +
        'd38d0342edbd6e157034ce0e84a0b8d0801ac8345d57e6cde0d368f3ea86dd0c',
    )
    // From geth's table of the precompile.
    expect(mixAbc(8_000_000)).toBe(
      '0x6d2ce9e534d50e18ff866ae92d70cceba79bbcd14c63819fe48752c8aca87a4b' +
        'b7dcc230d22a4047f0486cfcfb50a17b24b2899eb8fca370f22240adb5170189',
    )
  })
})
