import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bigintToBytes } from '../../../host/base/bytes.ts'
import { formatData, type Hex, parseData } from '../../../host/base/hex.ts'
import { answerFrom } from '../../../host/state/answer.ts'
import {
  CONTRACT,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../support/engine-fixture.ts'

interface Case {
  readonly name: string
  readonly runtime: Hex
  readonly storage: Readonly<Record<string, string>>
  readonly calldata: Hex
  readonly out: Hex
}

const path = `${process.env.LOCKSTEP_VECTORS ?? ''}/bench/cases.json`

describe.skipIf(!existsSync(path))('contracts of the public benchmarks', () => {
  const cases = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Case[]) : []

  it.each(cases)(
    '$name gives the output that ethereumjs, revm and evmone agree on',
    async (row) => {
      const gas = 1n << 40n
      const engine = await engineInBlock({ revision: 'Prague', gasLimit: gas, baseFee: 0n })
      const state = stateWith(parseData(row.runtime))
      for (const [slot, value] of Object.entries(row.storage)) {
        state.setStorage(
          CONTRACT,
          bigintToBytes(BigInt(slot), 32),
          bigintToBytes(BigInt(value), 32),
        )
      }
      const input = transaction({ gas, maxFeePerGas: 0n, data: parseData(row.calldata) })
      const outcome = executed(answerFrom(engine.transact(input), state))
      expect(formatData(outcome.output)).toBe(row.out)
      expect(outcome.success).toBe(true)
    },
  )
})
