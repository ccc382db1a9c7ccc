import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Hex, parseData } from '../host/base/hex.ts'
import { type Revision, revisionNumber } from '../host/evm/chain-types/revision.ts'
import { PrecompileModule } from '../test/unit/precompile/precompile-module.ts'
import { openBlake2fSuite } from './suite/blake2f.ts'
import { openBls12381Suite } from './suite/bls12-381.ts'
import { openBn254Suite } from './suite/bn254.ts'
import { ECRECOVER, ECRECOVER_GAS, makeSignature } from './suite/ecrecover.ts'
import { openHashSuite } from './suite/hash.ts'
import { encodeModexp, MODEXP, MODEXP_KINDS, makeModulus, makeOperand } from './suite/modexp.ts'
import { openP256Suite } from './suite/p256.ts'

/** An input of a precompile, and the cost of a call with it in the revision. */
export interface PrecompileInput {
  /** Of several inputs with one name, the slowest counts. */
  readonly name: string
  readonly address: number
  readonly data: Uint8Array
  readonly gas: number
  readonly revision: Revision
}

/** The precompile of each file of published inputs. */
const VECTOR_FILES: Readonly<Record<string, readonly [string, number]>> = {
  ecRecover: ['ecrecover', 0x01],
  bn256Add: ['bn254_add', 0x06],
  bn256ScalarMul: ['bn254_mul', 0x07],
  bn256Pairing: ['bn254_pairing', 0x08],
  pointEvaluation: ['point_evaluation', 0x0a],
  blsG1Add: ['bls12_g1add', 0x0b],
  blsG1MultiExp: ['bls12_g1msm', 0x0c],
  blsG2Add: ['bls12_g2add', 0x0d],
  blsG2MultiExp: ['bls12_g2msm', 0x0e],
  blsPairing: ['bls12_pairing_check', 0x0f],
  blsMapG1: ['bls12_map_fp_to_g1', 0x10],
  blsMapG2: ['bls12_map_fp2_to_g2', 0x11],
  p256Verify: ['p256verify', 0x100],
}
/** Inputs used per file. */
const VECTORS = 12

/** The prices of MODEXP, with a revision in which each applied. */
const MODEXP_PRICES: Readonly<Record<string, Revision>> = {
  'EIP-198': 'Byzantium',
  'EIP-2565': 'Berlin',
  'EIP-7883': 'Osaka',
}
/** Around the lengths at which its algorithms and its prices change; from Osaka on 1024 is the maximum. */
const MODEXP_LENGTHS = [
  1, 2, 3, 4, 8, 9, 16, 17, 18, 24, 32, 33, 40, 48, 64, 65, 96, 128, 192, 256, 320, 384, 512, 640,
  768, 896, 1024, 2048, 8192,
]
/** Exponents of one bit and of all bits of their bytes. */
const MODEXP_EXPONENTS: readonly (readonly [string, Uint8Array])[] = [
  ['2', Uint8Array.of(2)],
  ['3', Uint8Array.of(3)],
  ['7', Uint8Array.of(7)],
  ['255', Uint8Array.of(255)],
  ['65537', Uint8Array.of(1, 0, 1)],
  ['of 32 bytes', new Uint8Array(32).fill(0xff)],
  ['of 1024 bytes', new Uint8Array(1024).fill(0xff)],
]
/** Number of shapes kept per price. */
const MODEXP_SHAPES = 3
/** Dearer calls are longer versions of others, and few fit in a transaction. */
const MODEXP_MAX_GAS = 500_000

/** Returns inputs of every precompile that are known to be slow for their price. */
export async function slowInputs(vectors: string | undefined): Promise<PrecompileInput[]> {
  const table = await PrecompileModule.open()
  const suites = [openBn254Suite, openBls12381Suite, openHashSuite, openBlake2fSuite, openP256Suite]
  const inputs: PrecompileInput[] = [
    {
      name: 'ecrecover',
      address: ECRECOVER,
      data: makeSignature().input,
      gas: ECRECOVER_GAS,
      revision: 'Osaka',
    },
    { name: 'identity', address: 0x04, data: new Uint8Array(0), gas: 15, revision: 'Osaka' },
    { name: 'identity', address: 0x04, data: new Uint8Array(4096), gas: 399, revision: 'Osaka' },
  ]
  for (const open of suites) {
    for (const { precompile, address, data, gas } of await open()) {
      if (address === undefined) continue
      inputs.push({ name: precompile, address, data, gas, revision: 'Osaka' })
    }
  }
  return [...inputs, ...publishedInputs(vectors), ...slowModexpInputs(table)]
}

/** Selects evenly from each file. */
function publishedInputs(vectors: string | undefined): PrecompileInput[] {
  if (vectors === undefined) return []
  const folder = join(vectors, 'precompiles', 'geth', 'core', 'vm', 'testdata', 'precompiles')
  if (!existsSync(folder)) return []
  return readdirSync(folder).flatMap((file) => {
    const known = VECTOR_FILES[file.replace('.json', '')]
    if (known === undefined) return []
    const [name, address] = known
    const rows: { Input: string; Gas: number }[] = JSON.parse(
      readFileSync(join(folder, file), 'utf8'),
    )
    const every = Math.ceil(rows.length / VECTORS)
    return rows
      .filter((_, index) => index % every === 0)
      .map(({ Input, Gas }) => ({
        name,
        address,
        data: parseData(`0x${Input}` as Hex),
        gas: Gas,
        revision: 'Osaka' as const,
      }))
  })
}

/** Returns the slowest shapes of MODEXP at each price, including the cost of the call itself. */
function slowModexpInputs(table: PrecompileModule): PrecompileInput[] {
  const shapes = MODEXP_LENGTHS.flatMap((length) =>
    MODEXP_KINDS.flatMap((kind) =>
      MODEXP_EXPONENTS.map(([name, exponent]) => {
        const base = makeOperand(length, 3)
        const data = encodeModexp(base, exponent, makeModulus(length, kind))
        return { name: `${length} bytes, ${kind}, exponent ${name}`, data }
      }),
    ),
  )
  const times = new Map<string, number>()
  return Object.entries(MODEXP_PRICES).flatMap(([price, revision]) => {
    // EIP-150 and EIP-2929
    const call = revision === 'Byzantium' ? 700 : 100
    const speeds = shapes.flatMap(({ name, data }) => {
      const gas = Number(
        table.gas(MODEXP, data, revisionNumber(revision)) ?? Number.POSITIVE_INFINITY,
      )
      if (gas > MODEXP_MAX_GAS) return []
      const time = times.get(name) ?? leastTime(() => table.run(MODEXP, data))
      times.set(name, time)
      return [{ name, data, gas, speed: (gas + call) / time }]
    })
    speeds.sort((a, b) => a.speed - b.speed)
    return speeds.slice(0, MODEXP_SHAPES).map(({ name, data, gas }) => ({
      name: `modexp at ${price}: ${name}`,
      address: MODEXP,
      data,
      gas,
      revision,
    }))
  })
}

/** Returns the CPU microseconds of a call: the least of several samples of two milliseconds. */
function leastTime(run: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let sample = 0; sample < 5; sample++) {
    let calls = 0
    const start = process.cpuUsage()
    const end = performance.now() + 2
    do {
      run()
      calls++
    } while (performance.now() < end)
    const { user, system } = process.cpuUsage(start)
    least = Math.min(least, (user + system) / calls)
  }
  return least
}
