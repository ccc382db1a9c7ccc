import { atLeast, type Revision } from '../../../../evm/chain-types/revision.ts'
import { ARITHMETIC } from './arithmetic.ts'
import { ENVIRONMENT } from './environment.ts'
import { LOGS_AND_CALLS } from './logs-and-calls.ts'
import type { OpcodeDescription } from './opcode-row.ts'
import { STACK_AND_MEMORY } from './stack-and-memory.ts'

/** The behaviour and price of an opcode in a revision, in words. */
export interface OpcodeWords {
  readonly code: number
  readonly name: string
  /** Operands, top of the stack first, and results. */
  readonly taken: readonly string[]
  readonly left: readonly string[]
  readonly does: string
  readonly gas: string
  readonly since: Revision
  /** The revision does not have it yet: it fails as an invalid opcode. */
  readonly isMissing: boolean
  /** EIPs that introduced it or changed its behaviour or price. */
  readonly eips: readonly number[]
}

/** All opcodes by ascending code. */
export const OPCODE_WORDS: readonly OpcodeDescription[] = [
  ...ARITHMETIC,
  ...ENVIRONMENT,
  ...STACK_AND_MEMORY,
  ...LOGS_AND_CALLS,
]

const ROWS: ReadonlyMap<number, OpcodeDescription> = new Map(
  OPCODE_WORDS.map((row) => [row.code, row]),
)

/** Returns the description of an opcode; undefined for a byte that no revision defines. */
export function opcodeWords(code: number, revision: Revision): OpcodeWords | undefined {
  const row = ROWS.get(code)
  if (row === undefined) return undefined
  const gas = row.gas.findLast(([since]) => atLeast(revision, since)) ?? row.gas[0]
  return { ...row, gas: gas?.[1] ?? '', isMissing: !atLeast(revision, row.since) }
}

/** The meaning of `memory` in prices. */
export const MEMORY_PRICE =
  'Growing memory costs 3 for each word, and the square of all words over 512.'
