import { describe, expect, test } from 'vitest'
import { formatData } from '../../../../host/base/hex.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import { stateWith } from '../../../support/engine/engine-fixture.ts'
import { runTracer } from './tracer-run.ts'

/** Creates a contract with its input as init code. */
const FACTORY = assemble(
  ...['CALLDATASIZE', 0, 0, 'CALLDATACOPY', 'CALLDATASIZE', 0, 0, 'CREATE'],
  ...['RETURNDATASIZE', 'STOP'],
)

interface Frame {
  readonly error?: string
  readonly output?: string
  readonly to?: string
  readonly calls?: readonly Frame[]
}

const CASES = [
  [
    'that begins with 0xef',
    assemble(0xef, 0, 'MSTORE8', 2, 0, 'RETURN'),
    400_000n,
    'invalid code: must not begin with 0xef',
  ],
  [
    'too large',
    assemble(24_577, 0, 'RETURN'),
    6_000_000n,
    'max code size exceeded: code size 24577 limit 24576',
  ],
  [
    'that it cannot pay for',
    assemble(5000, 0, 'RETURN'),
    400_000n,
    'contract creation code storage out of gas',
  ],
  // The code deposit is charged before the size is checked
  [
    'too large to be paid for',
    assemble(24_577, 0, 'RETURN'),
    400_000n,
    'contract creation code storage out of gas',
  ],
] as const

describe('a creation that returns code', () => {
  test.each(CASES)(
    'such as %s fails with the error of geth and without output',
    async (_, data, gas, error) => {
      const whole = await runTracer<Frame>('callTracer', stateWith(FACTORY), { data, gas })
      expect(whole.error).toBeUndefined()
      expect(whole.calls).toHaveLength(1)
      expect(whole.calls?.[0]).toMatchObject({ error })
      expect(whole.calls?.[0]).not.toHaveProperty('output')
      expect(whole.calls?.[0]).not.toHaveProperty('to')
      const root = await runTracer<Frame>('callTracer', stateWith(FACTORY), {
        to: undefined,
        data,
        gas,
      })
      expect(root).toMatchObject({ error })
      expect(root).not.toHaveProperty('output')
    },
  )

  test.each(CASES)('such as %s leaves no return data', async (_, data, gas) => {
    const { structLogs } = await runTracer<{
      structLogs: { op: string; returnData?: string; stack: string[] }[]
    }>('opcodeTracer', stateWith(FACTORY), { data, gas }, { enableReturnData: true })
    expect(structLogs.at(-1)).toMatchObject({ op: 'STOP', stack: ['0x0', '0x0'] })
    expect(structLogs.at(-1)).not.toHaveProperty('returnData')
  })

  test("is reported as out of gas in Parity's format only if geth's message says so", async () => {
    const errors: (string | undefined)[] = []
    for (const [, data, gas] of CASES) {
      const frames = await runTracer<Frame[]>(
        'flatCallTracer',
        stateWith(FACTORY),
        { data, gas },
        { convertParityErrors: true },
      )
      errors.push(frames[1]?.error)
    }
    expect(errors).toEqual([
      'invalid code: must not begin with 0xef',
      'max code size exceeded: code size 24577 limit 24576',
      'Out of gas',
      'Out of gas',
    ])
  })

  test('is not counted by 4byteTracer as the transaction itself or below it', async () => {
    const data = assemble(1, 2, 3, 4, 5)
    expect(await runTracer('4byteTracer', stateWith(FACTORY), { to: undefined, data })).toEqual({})
    expect(await runTracer('4byteTracer', stateWith(FACTORY), { data })).toEqual({
      [`${formatData(data.subarray(0, 4))}-${data.length - 4}`]: 1,
    })
  })
})
