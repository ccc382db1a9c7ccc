import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { describe, expect, test } from 'vitest'
import { bigintToBytes, concatBytes } from '../../../../host/base/bytes.ts'
import { formatData } from '../../../../host/base/hex.ts'
import { ANSWER_BYTES, BatchRecovery } from '../../../../host/evm/engine/batch-recovery.ts'
import { loadEngine } from '../../../../host/evm/engine/engine.ts'
import { readModule } from '../../../../host/node/wasm.ts'
import { bySet } from '../../../support/run/by-set.ts'
import { NO_VECTORS, VECTORS } from '../../../support/vectors.ts'
import { makeRandomBigint } from '../../curve/curve-module.ts'

const { Point } = secp256k1
const ORDER = Point.Fn.ORDER
const PRIME = Point.Fp.ORDER
const LAMBDA = 0x5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72n
const WORD = 1n << 256n

interface Request {
  readonly digest: bigint
  readonly r: bigint
  readonly s: bigint
  readonly parity: number
}

const recovery = new BatchRecovery(new WebAssembly.Module(await readModule('recovery')))
const engine = await loadEngine(await readModule('engine'))

const modulo = (value: bigint, modulus = ORDER): bigint => ((value % modulus) + modulus) % modulus

function encode({ digest, r, s, parity }: Request): Uint8Array {
  const words = [digest, r, s].map((value) => bigintToBytes(value, 32))
  return concatBytes([...words, Uint8Array.of(parity)])
}

function recover(requests: readonly Request[]): (string | undefined)[] {
  const answers = recovery.recover(concatBytes(requests.map(encode)))
  return requests.map((_, i) => {
    const answer = answers.subarray(i * ANSWER_BYTES, (i + 1) * ANSWER_BYTES)
    return answer[0] === 1 ? formatData(answer.subarray(1)) : undefined
  })
}

function recoverAlone({ digest, r, s, parity }: Request): string | undefined {
  const [a, b, c] = [digest, r, s].map((value) => bigintToBytes(value, 32))
  const address = engine.recoverAddress(
    a as Uint8Array,
    parity === 1 ? 1 : 0,
    b as Uint8Array,
    c as Uint8Array,
  )
  return address === undefined ? undefined : formatData(address)
}

function addressOf(scalar: bigint): string | undefined {
  if (scalar === 0n) return undefined
  const key = Point.BASE.multiply(scalar).toBytes(false).slice(1)
  return formatData(keccak_256(key).slice(12))
}

function multiple(scalar: bigint): typeof Point.BASE {
  return Point.BASE.multiply(scalar)
}

/** Returns the request whose public key is u1 * G + u2 * R. */
function requestOf(point: typeof Point.BASE, u1: bigint, u2: bigint): Request {
  const { x, y } = point.toAffine()
  const r = modulo(x)
  return { digest: modulo(-u1 * r), r, s: modulo(u2 * r), parity: Number(y & 1n) }
}

function randomRequests(seed: number, count: number): Request[] {
  const random = makeRandomBigint(seed)
  return Array.from({ length: count }, () =>
    requestOf(multiple(modulo(random()) || 1n), modulo(random()), modulo(random()) || 1n),
  )
}

/** Half of these are not signatures. */
function randomWords(seed: number, count: number): Request[] {
  const random = makeRandomBigint(seed)
  return Array.from({ length: count }, () => ({
    digest: modulo(random(), WORD),
    r: modulo(random(), WORD),
    s: modulo(random(), WORD),
    parity: Number(random() & 1n),
  }))
}

describe('recovery of a batch', () => {
  const plain = randomRequests(1, 64)
  const expected = plain.map(recoverAlone)

  test('finds the signing keys that noble finds', () => {
    const random = makeRandomBigint(2)
    const keys = Array.from({ length: 64 }, () => modulo(random()) || 1n)
    const requests = keys.map((key) => {
      const digest = modulo(random(), WORD)
      const signature = secp256k1.sign(bigintToBytes(digest, 32), bigintToBytes(key, 32), {
        prehash: false,
        format: 'recovered',
      })
      const { r, s, recovery: id } = secp256k1.Signature.fromBytes(signature, 'recovered')
      return { digest, r, s, parity: id as number }
    })
    expect(recover(requests)).toEqual(keys.map(addressOf))
  })

  test('returns the results of single recoveries for batches of every size', () => {
    for (let count = 0; count <= plain.length; count++) {
      expect(recover(plain.slice(0, count)), `${count}`).toEqual(expected.slice(0, count))
    }
    for (const count of [96, 128, 511, 512, 513, 1025]) {
      const many = Array.from({ length: count }, (_, i) => plain[(i * 7) % 64] as Request)
      const answers = many.map((_, i) => expected[(i * 7) % 64])
      expect(recover(many), `${count}`).toEqual(answers)
    }
  })

  test('agrees with the engine on thousands of random words, of which half are not signatures', () => {
    const requests = randomWords(3, bySet(1024, 20_000))
    const answers = recover(requests)
    expect(answers).toEqual(requests.map(recoverAlone))
    expect(answers.filter((answer) => answer === undefined).length).toBeGreaterThan(400)
  })

  test('is correct at every special pair of multipliers that doubles or cancels', () => {
    const random = makeRandomBigint(4)
    // Small nonces hit the multiples in the tables; powers of two hit the sums between digits.
    const nonces = [1n, 2n, 3n, 31n, ORDER - 1n, ORDER - 2n, 1n << 128n, LAMBDA, ORDER - LAMBDA]
    nonces.push(modulo(random()))
    const multipliers = [0n, 1n, 2n, 3n, 15n, 16n, 30n, 31n, 32n, 33n, 62n, 255n, 256n, 257n, 511n]
    for (const value of [1n, 2n, 31n, 32n, 62n, 255n, 256n]) {
      multipliers.push(ORDER - value, modulo(LAMBDA * value), modulo(-LAMBDA * value))
    }
    multipliers.push(1n << 125n, 1n << 128n, (1n << 128n) - 1n, 1n << 248n, modulo(random()))
    const cases = nonces
      .flatMap((nonce) => multipliers.flatMap((u1) => multipliers.map((u2) => [nonce, u1, u2])))
      .filter(([, , u2], i) => u2 !== 0n && i % bySet(23, 1) === 0) as [bigint, bigint, bigint][]
    const points = new Map(nonces.map((nonce) => [nonce, multiple(nonce)]))
    const taken = cases.map(([nonce, u1, u2]) => ({
      request: requestOf(points.get(nonce) as typeof Point.BASE, u1, u2),
      key: modulo(u1 + u2 * nonce),
    }))
    expect(taken.filter(({ key }) => key === 0n).length).toBeGreaterThan(3)
    const addresses = new Map<bigint, string | undefined>()
    for (const { key } of taken) if (!addresses.has(key)) addresses.set(key, addressOf(key))
    const answers = recover(taken.map(({ request }) => request))
    expect(answers).toEqual(taken.map(({ key }) => addresses.get(key)))
  })

  test('returns the results of single recoveries for new signatures in batches up to the largest size', () => {
    const sizes = [...Array.from({ length: 40 }, (_, i) => i + 1), 96, 128, 511, 512]
    for (const size of sizes) {
      const requests = randomWords(100 + size, size)
      expect(recover(requests), `seed ${100 + size}`).toEqual(requests.map(recoverAlone))
    }
  })

  test('handles multipliers of R with digits of every kind at the top, middle and end', () => {
    const seed = 5
    const random = makeRandomBigint(seed)
    const nonce = modulo(random()) || 1n
    const point = multiple(nonce)
    // Eisenstein integers around 0 and around their multiples by a power of 8. They give digits of every class, top
    // digits that are zero or that the next digit cancels or doubles, and trailing zero digits.
    const small = [-8n, -5n, -4n, -3n, -2n, -1n, 0n, 1n, 2n, 3n, 4n, 5n, 8n]
    const cases = small.flatMap((a) =>
      small.flatMap((b) =>
        [0n, 3n, 60n, 120n, 123n, 126n].flatMap((bits) => {
          const scaled = (a + b * LAMBDA) << bits
          return [scaled, scaled + 1n, scaled - 8n * LAMBDA].map((value) => modulo(value))
        }),
      ),
    )
    const requests = cases
      .filter((u2, i) => u2 !== 0n && i % bySet(3, 1) === 0)
      .map((u2, i) => {
        // Some u1 make u1 * G equal to u2 * R or to its negative
        const u1 = [0n, modulo(random()), u2 * nonce, -u2 * nonce, 1n - u2 * nonce][i % 5] as bigint
        return requestOf(point, modulo(u1), u2)
      })
    const answers = recover(requests)
    const expected = requests.map(recoverAlone)
    expect(answers, `seed ${seed}`).toEqual(expected)
    expect(expected.filter((answer) => answer === undefined).length).toBeGreaterThan(100)
  })

  test('handles multipliers of G with digits of every kind', () => {
    const seed = 6
    const random = makeRandomBigint(seed)
    const requests = Array.from({ length: 29 }, (_, digit) => BigInt(9 * digit)).flatMap((bits) =>
      [1n, 2n, 3n, 255n, 256n, 510n, 511n, 512n, 513n].flatMap((value) => {
        const u1 = modulo(value << bits)
        const nonce = modulo(random()) || 1n
        const u2 = modulo(random()) || 1n
        return [u1, modulo(-u1)].map((signed) => requestOf(multiple(nonce), signed, u2))
      }),
    )
    expect(recover(requests), `seed ${seed}`).toEqual(requests.map(recoverAlone))
  })

  test('is correct if all signatures of a batch are equal', () => {
    for (const request of [
      plain[0] as Request,
      requestOf(multiple(1n), 1n, 1n),
      requestOf(multiple(1n), 1n, ORDER - 1n),
    ]) {
      const answer = recoverAlone(request)
      expect(recover(Array.from({ length: 33 }, () => request))).toEqual(
        Array.from({ length: 33 }, () => answer),
      )
    }
  })

  test('refuses invalid signatures without affecting the others', () => {
    const valid = plain[0] as Request
    const hostile: Request[] = [0n, ORDER, ORDER + 1n, PRIME, WORD - 1n].flatMap((wrong) => [
      { ...valid, r: wrong },
      { ...valid, s: wrong },
    ])
    // An r that is no x of a point, sums that are infinity, and sums that add a point to itself.
    hostile.push(
      { ...valid, r: 5n },
      requestOf(multiple(1n), ORDER - 1n, 1n),
      requestOf(multiple(3n), ORDER - 6n, 2n),
    )
    const refused = hostile.length
    hostile.push(
      requestOf(multiple(1n), 1n, 1n),
      requestOf(multiple(1n), 31n, 31n),
      requestOf(multiple(1n), 0n, 2n),
    )
    for (const [i, request] of hostile.entries()) {
      const batch = plain.slice(0, 31)
      const answers = expected.slice(0, 31)
      const at = (i * 5) % 31
      batch[at] = request
      answers[at] = recoverAlone(request)
      if (i < refused) expect(answers[at], `case ${i}`).toBeUndefined()
      else expect(answers[at], `case ${i}`).toBeDefined()
      expect(recover(batch), `case ${i}`).toEqual(answers)
    }
    expect(recover(hostile)).toEqual(hostile.map(recoverAlone))
  })

  test('handles r and s at the ends of their range and a digest above the order', () => {
    const edges: Request[] = []
    for (const digest of [0n, 1n, ORDER - 1n, ORDER, ORDER + 1n, WORD - 1n]) {
      for (const r of [1n, 2n, 3n, ORDER - 1n, ORDER - 2n, ORDER - 3n]) {
        for (const s of [1n, ORDER - 1n, ORDER / 2n, ORDER / 2n + 1n]) {
          edges.push({ digest, r, s, parity: 0 }, { digest, r, s, parity: 1 })
        }
      }
    }
    expect(recover(edges)).toEqual(edges.map(recoverAlone))
  })

  test.skipIf(VECTORS === undefined)(
    `finds the keys of Wycheproof's valid signatures${VECTORS === undefined ? ` (${NO_VECTORS})` : ''}`,
    () => {
      const folder = 'precompiles/geth/crypto/secp256k1/libsecp256k1/src/wycheproof'
      const path = join(VECTORS as string, folder, 'ecdsa_secp256k1_sha256_bitcoin_test.json')
      const requests = wycheproofRequests(readFileSync(path, 'utf8'))
      const found = recover(requests.flatMap(({ both }) => both))
      expect(requests.length).toBeGreaterThan(100)
      expect(found).toEqual(requests.flatMap(({ both }) => both.map(recoverAlone)))
      for (const [i, { id, address }] of requests.entries()) {
        expect(found.slice(2 * i, 2 * i + 2), `tcId ${id}`).toContain(address)
      }
    },
  )
})

interface WycheproofFile {
  readonly testGroups: readonly {
    readonly publicKey: { readonly uncompressed: string }
    readonly tests: readonly {
      readonly tcId: number
      readonly msg: string
      readonly sig: string
      readonly result: string
    }[]
  }[]
}

/**
 * Returns each valid signature with both parities. A signature whose nonce point has an x above the order is skipped.
 */
function wycheproofRequests(text: string) {
  return (JSON.parse(text) as WycheproofFile).testGroups.flatMap(({ publicKey, tests }) => {
    const key = Buffer.from(publicKey.uncompressed, 'hex')
    const address = formatData(keccak_256(key.subarray(1)).slice(12))
    return tests.flatMap(({ tcId, msg, sig, result }) => {
      if (result !== 'valid') return []
      const message = createHash('sha256').update(Buffer.from(msg, 'hex')).digest('hex')
      const { r, s } = secp256k1.Signature.fromBytes(Buffer.from(sig, 'hex'), 'der')
      if (r < PRIME - ORDER) return []
      const request = { digest: BigInt(`0x${message}`), r, s }
      return [{ id: tcId, address, both: [0, 1].map((parity) => ({ ...request, parity })) }]
    })
  })
}
