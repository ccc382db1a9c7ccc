import { atLeast, type Revision } from '../../../../evm/chain-types/revision.ts'
import { ARITHMETIC } from './arithmetic.ts'
import { ENVIRONMENT } from './environment.ts'
import { LOGS_AND_CALLS } from './logs-and-calls.ts'
import type { OpcodeRow } from './opcode-row.ts'
import { STACK_AND_MEMORY } from './stack-and-memory.ts'

/** What an opcode does and costs, in words, in the rules of a revision. */
export interface OpcodeWords {
  readonly code: number
  readonly name: string
  /** Operands, the top of the stack first, and results. */
  readonly taken: readonly string[]
  readonly left: readonly string[]
  readonly does: string
  readonly gas: string
  readonly since: Revision
  /** The revision does not have it yet: it fails as a byte that is no opcode. */
  readonly isMissing: boolean
  /** Proposals that brought it or changed what it does or costs. */
  readonly eips: readonly number[]
}

/** All opcodes by ascending code. */
export const OPCODE_WORDS: readonly OpcodeRow[] = [
  ...ARITHMETIC,
  ...ENVIRONMENT,
  ...STACK_AND_MEMORY,
  ...LOGS_AND_CALLS,
]

const ROWS: ReadonlyMap<number, OpcodeRow> = new Map(OPCODE_WORDS.map((row) => [row.code, row]))

/** Undefined for a byte that is no opcode in any revision. */
export function opcodeWords(code: number, revision: Revision): OpcodeWords | undefined {
  const row = ROWS.get(code)
  if (row === undefined) return undefined
  const gas = row.gas.findLast(([since]) => atLeast(revision, since)) ?? row.gas[0]
  return { ...row, gas: gas?.[1] ?? '', isMissing: !atLeast(revision, row.since) }
}

/** What `memory` in the words of a price means. */
export const MEMORY_PRICE =
  'Memory costs where it grows: 3 for each word, and the square of all words over 512.'
