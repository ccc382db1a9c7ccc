import { describe, expect, test } from 'vitest'
import { bigintToBytes } from '../../../../host/base/bytes.ts'
import { formatData, type Hex } from '../../../../host/base/hex.ts'
import { compareRuns } from '../../../../host/explorer/browser/compare/compare.ts'
import { openRunStepper } from '../../../../host/explorer/browser/step/run-stepper.ts'
import type { Stepper } from '../../../../host/explorer/browser/step/stepper.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  address,
  CONTRACT,
  engineInBlock,
  stateWith,
} from '../../../support/engine/engine-fixture.ts'
import { call, recordedBundle } from '../../../support/trace/recorded-bundle.ts'

const CALLEE = address(0x3333)
const word = (value: number): Hex => formatData(bigintToBytes(BigInt(value), 32))

/**
 * Writes 7 to slot 1 if the call data begins with a zero word, else calls CALLEE and logs. Both paths then write the
 * word to slot 2.
 */
const CODE = assemble(
  ...[0, 'CALLDATALOAD', 14, 'JUMPI', 7, 1, 'SSTORE', 36, 'JUMP'],
  ...['JUMPDEST', 0, 0, 0, 0, 0, 0x3333, 'GAS', 'CALL', 'POP', 0, 0, 'LOG0'],
  ...['JUMPDEST', 0, 'CALLDATALOAD', 2, 'SSTORE', 'STOP'],
)

async function run(data: Uint8Array, gas = 100_000n): Promise<Stepper> {
  const state = stateWith(CODE)
  state.setAccount(CALLEE, 1n, 0n, assemble('STOP'))
  const bundle = await recordedBundle(await engineInBlock(), state, [call({ data, gas })])
  return openRunStepper({ bundle, engine: await engineInBlock() })
}

const zeros = new Uint8Array(32)
const one = bigintToBytes(1n, 32)

describe('a comparison of two runs', () => {
  test('finds no difference between a run and itself', async () => {
    expect(await compareRuns(await run(one), await run(one))).toEqual({
      ...{ machine: undefined, path: undefined, rejoin: undefined, gas: undefined },
      ...{ outcome: {}, frames: [], accounts: [], logs: [[], []] },
    })
  })

  test('names the first step with another stack, the step at which the runs diverge, and the step at which they rejoin', async () => {
    const [a, b] = [await run(zeros), await run(one)]
    const { machine, path, rejoin, gas } = await compareRuns(a, b)
    expect(machine).toEqual({ step: 2, stack: [0], stackHeight: [1, 1], memorySize: [0, 0] })
    expect(path).toEqual([4, 4])
    // A nonzero byte of data costs more than a zero byte.
    expect(gas).toBe(0)
    const [meeting] = await a.rows(rejoin?.[0] as number, 1)
    const [other] = await b.rows(rejoin?.[1] as number, 1)
    expect([meeting?.name, meeting?.pc]).toEqual(['JUMPDEST', 36])
    expect(other?.pc).toBe(36)
  })

  test('reports differences in the final state and the logs and frames that only one run has', async () => {
    const { accounts, logs, frames, outcome } = await compareRuns(await run(zeros), await run(one))
    const contract = accounts.find((account) => account.address === formatData(CONTRACT))
    expect(contract).toEqual({
      address: formatData(CONTRACT),
      slots: [
        { slot: word(1), values: [word(7), word(0)] },
        { slot: word(2), values: [word(0), word(1)] },
      ],
    })
    expect(logs.map((list) => list.map((log) => log.address))).toEqual([[], [formatData(CONTRACT)]])
    expect(frames.map(({ calls }) => calls)).toEqual([
      [0, 0],
      [undefined, 1],
    ])
    expect(outcome.success).toBeUndefined()
    expect(outcome.gasUsed?.[0]).not.toBe(outcome.gasUsed?.[1])
  })

  test('reports a run that ends before the other', async () => {
    const { path, outcome } = await compareRuns(await run(one), await run(one, 40_000n))
    expect(path?.[1]).toBeUndefined()
    expect(outcome.success).toEqual([true, false])
    expect(outcome.fault?.map((fault) => fault?.error)).toEqual([undefined, 'out of gas'])
  })
})
