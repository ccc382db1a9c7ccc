import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatData, type Hex } from '../host/base/hex.ts'
import { assemble } from '../test/support/engine/bytecode.ts'
import type { ContractCase } from './evm-peer.ts'
import { vectorsFolder } from './vectors.ts'

const NAMES: readonly string[] = ['erc20-mint', 'main/sha1_shifts#1', 'snailtracer']

const DEEP_WORDS = 100
const DEEP_ROUNDS = 20_000

/** A loop of seven steps a round under a hundred full words: the stack is most of a step's text. */
export function deepStack(rounds: number = DEEP_ROUNDS): ContractCase {
  const word = (1n << 255n) + 0x1234567890abcdefn
  const words = Array.from({ length: DEEP_WORDS }, (_, i) => word + BigInt(i))
  const head = assemble(...words, rounds)
  const loop = assemble('JUMPDEST', 1, 'SWAP1', 'SUB', 'DUP1')
  // The destination takes two bytes, since it lies past 255.
  const code = Buffer.concat([
    head,
    loop,
    Buffer.from([0x61, head.length >> 8, head.length & 0xff]),
    assemble('JUMPI', 0, 0, 'RETURN'),
  ])
  return {
    name: 'deep-stack',
    runtime: formatData(code),
    storage: {},
    calldata: '0x',
    gas: 0,
    out: '0x',
  }
}

/** A state test of a contract call, in the format of github.com/ipsilon/evm-benchmarks. */
interface ContractTest {
  readonly pre: Readonly<Record<string, { readonly code: Hex }>>
  readonly transaction: { readonly to: string; readonly data: readonly Hex[] }
}

/** Fifteen points of BN254 multiplied and added by weierstrudel; empty if its test is not available. */
function weierstrudel(): readonly ContractCase[] {
  const path = join(vectorsFolder(), 'bench/ipsilon/benchmarks/main/weierstrudel.json')
  if (!existsSync(path)) {
    console.error(`weierstrudel is skipped: put its test from ipsilon/evm-benchmarks at ${path}`)
    return []
  }
  const { weierstrudel: test } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly weierstrudel: ContractTest
  }
  const runtime = test.pre[test.transaction.to]?.code
  const calldata = test.transaction.data.at(-1)
  if (runtime === undefined || calldata === undefined) throw new Error(`${path}: not a state test`)
  return [{ name: 'weierstrudel', runtime, storage: {}, calldata, gas: 0, out: '0x' }]
}

/** Returns the traced cases: four of the published ones, and one with a deep stack. */
export function traceCases(): readonly ContractCase[] {
  const path = join(vectorsFolder(), 'bench', 'cases.json')
  const cases = JSON.parse(readFileSync(path, 'utf8')) as ContractCase[]
  return [...cases.filter(({ name }) => NAMES.includes(name)), ...weierstrudel(), deepStack()]
}
