import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatData } from '../host/base/hex.ts'
import { assemble } from '../test/support/bytecode.ts'
import type { ContractCase } from './evms.ts'
import { vectorsFolder } from './vectors.ts'

const NAMES: readonly string[] = ['erc20-mint', 'main/sha1_shifts#1', 'snailtracer']

const DEEP_WORDS = 100
const DEEP_ROUNDS = 20_000

/** A loop under a hundred full words: the stack is nearly all of a step's text. */
function deepStack(): ContractCase {
  const word = (1n << 255n) + 0x1234567890abcdefn
  const words = Array.from({ length: DEEP_WORDS }, (_, i) => word + BigInt(i))
  const head = assemble(...words, DEEP_ROUNDS)
  const loop = assemble('JUMPDEST', 1, 'SWAP1', 'SUB', 'DUP1')
  // The destination takes two bytes: it lies past 255.
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

/** What is traced: three of the published cases, and one with a deep stack. */
export function traceCases(): readonly ContractCase[] {
  const path = join(vectorsFolder(), 'bench', 'cases.json')
  const cases = JSON.parse(readFileSync(path, 'utf8')) as ContractCase[]
  return [...cases.filter(({ name }) => NAMES.includes(name)), deepStack()]
}
