import { describe, expect, test } from 'vitest'
import { formatData } from '../../../../host/base/hex.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { BENCH_CASES, benchJob } from '../../../support/engine/bench-cases.ts'
import { engineInBlock, executed } from '../../../support/engine/engine-fixture.ts'

describe.skipIf(BENCH_CASES.length === 0)('a contract of the public benchmarks', () => {
  test.each(BENCH_CASES)(
    '$name returns the output on which ethereumjs, revm and evmone agree',
    async (row) => {
      const { env, inputs, openState } = benchJob(row)
      const engine = await engineInBlock(env)
      const state = openState()
      const outcomes = inputs.map((input) => executed(answerFrom(engine.transact(input), state)))
      expect(outcomes.map(({ output }) => formatData(output))).toEqual([row.out])
      expect(outcomes.map(({ success }) => success)).toEqual([true])
    },
  )
})
