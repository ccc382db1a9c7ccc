import { atLeast } from '../../chain-types/revision.ts'
import type { BlockRules } from './forks.ts'

const MIN_DIFFICULTY = 131_072n
const BOUND_DIVISOR = 2_048n
const BOMB_PERIOD = 100_000n

export interface DifficultyParent {
  readonly difficulty: bigint
  readonly timestamp: bigint
  readonly hasOmmers: boolean
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** Returns the change of the difficulty in steps of 1/2048, at least -99. */
function adjustment(rules: BlockRules, elapsed: bigint, hasOmmers: boolean): bigint {
  // EIP-100: ommers count as produced blocks.
  if (atLeast(rules.revision, 'Byzantium')) return max((hasOmmers ? 2n : 1n) - elapsed / 9n, -99n)
  // EIP-2
  if (atLeast(rules.revision, 'Homestead')) return max(1n - elapsed / 10n, -99n)
  return elapsed < 13n ? 1n : -1n
}

/** Returns the difficulty that a block before Paris must state. */
export function nextDifficulty(
  rules: BlockRules,
  parent: DifficultyParent,
  number: bigint,
  timestamp: bigint,
): bigint {
  const steps = adjustment(rules, timestamp - parent.timestamp, parent.hasOmmers)
  const smooth = max(
    parent.difficulty + (parent.difficulty / BOUND_DIVISOR) * steps,
    MIN_DIFFICULTY,
  )
  const period = max(number - rules.bombDelay, 0n) / BOMB_PERIOD
  return period > 1n ? smooth + 2n ** (period - 2n) : smooth
}
