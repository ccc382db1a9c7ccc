import { describe, expect, it } from 'vitest'
import { bigintToBytes } from '../../../host/base/bytes.ts'
import type { StepEvent, TraceEvent } from '../../../host/engine/trace-event.ts'
import { answerFrom } from '../../../host/state/answer.ts'
import { assemble } from '../../support/bytecode.ts'
import { CONTRACT, engineInBlock, stateWith, transaction } from '../../support/engine-fixture.ts'

async function traceSteps(code: Uint8Array): Promise<readonly StepEvent[]> {
  const engine = await engineInBlock()
  const steps: StepEvent[] = []
  const onEvent = (event: TraceEvent) => {
    if (event.kind === 'step') steps.push(event)
  }
  const trace = { wantsSteps: true, onEvent }
  answerFrom(engine.transact(transaction(), { trace }), stateWith(code))
  return steps
}

describe('the cost of a step', () => {
  it.each([
    ['CREATE', 0xf0, 32_000n + 2n + 3n, [32, 0, 0, 'CREATE']],
    ['CREATE2', 0xf5, 32_000n + 2n + 6n + 3n, [0, 32, 0, 0, 'CREATE2']],
  ] as const)('of %s leaves out what the creation is given', async (_name, opcode, cost, code) => {
    const steps = await traceSteps(assemble(...code))
    expect(steps.find((step) => step.opcode === opcode)?.cost).toBe(cost)
  })

  it.each(['RETURN', 'REVERT'])('of %s is that of the memory it reaches', async (name) => {
    const steps = await traceSteps(assemble(96, 32, name))
    expect(steps.at(-1)?.cost).toBe(12n)
  })
})

describe('steps', () => {
  it.each([
    ['SSTORE', 'Osaka', 4_800n],
    ['SELFDESTRUCT', 'Berlin', 24_000n],
  ] as const)('%s has its own refund, as in geth', async (name, revision, refund) => {
    const engine = await engineInBlock({ revision, baseFee: 0n })
    const state = stateWith(assemble(0, 0, name))
    state.setStorage(CONTRACT, new Uint8Array(32), bigintToBytes(1n, 32))
    const refunds: bigint[] = []
    const onEvent = (event: TraceEvent) => {
      if (event.kind === 'step') refunds.push(event.refund)
    }
    const trace = { wantsSteps: true, onEvent }
    answerFrom(engine.transact(transaction({ type: 0 }), { trace }), state)
    expect(refunds.slice(0, 3)).toEqual([0n, 0n, refund])
  })

  it('are none where there is no code', async () => {
    expect(await traceSteps(new Uint8Array(0))).toEqual([])
  })

  it('end with the STOP behind the code', async () => {
    const steps = await traceSteps(assemble(1))
    expect(steps.map(({ pc, opcode }) => [pc, opcode])).toEqual([
      [0, 0x60],
      [2, 0x00],
    ])
  })
})
