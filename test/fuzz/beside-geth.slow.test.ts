import { expect, test } from 'vitest'
import { openBlockComparison } from './block-comparison.ts'

const evm = process.env.LOCKSTEP_EVM
const SEED = Number(process.env.LOCKSTEP_SEED ?? 1)
const BLOCKS = 20

test.skipIf(evm === undefined)(
  `blocks of Amsterdam have the results of geth's evm (LOCKSTEP_SEED=${SEED})`,
  async () => {
    const compare = await openBlockComparison(evm as string)
    for (let seed = SEED; seed < SEED + BLOCKS; seed++) {
      expect(compare(seed).difference, `seed ${seed}`).toBeUndefined()
    }
  },
  240_000,
)
