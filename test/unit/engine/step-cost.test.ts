import { describe, expect, it } from 'vitest'
import type { StepEvent } from '../../../host/engine/trace-event.ts'
import { answerFrom } from '../../../host/state/answer.ts'
import { assemble } from '../../support/bytecode.ts'
import { engineInBlock, stateWith, transaction } from '../../support/engine-fixture.ts'

async function traceCost(code: Uint8Array, opcode: number): Promise<bigint | undefined> {
  const engine = await engineInBlock()
  const steps: StepEvent[] = []
  const trace = {
    wantsSteps: true,
    onEvent: (event: { kind: string }) => {
      if (event.kind === 'step') steps.push(event as StepEvent)
    },
  }
  answerFrom(engine.transact(transaction(), { trace }), stateWith(code))
  return steps.find((step) => step.opcode === opcode)?.cost
}

describe('the cost of a step', () => {
  it.each([
    ['CREATE', 0xf0, 32_000n + 2n + 3n, [32, 0, 0, 'CREATE']],
    ['CREATE2', 0xf5, 32_000n + 2n + 6n + 3n, [0, 32, 0, 0, 'CREATE2']],
  ] as const)('of %s leaves out what the creation is given', async (_name, opcode, cost, code) => {
    expect(await traceCost(assemble(...code), opcode)).toBe(cost)
  })

  it.each([
    ['RETURN', 0xf3],
    ['REVERT', 0xfd],
  ] as const)('of %s is that of the memory it reaches', async (name, opcode) => {
    expect(await traceCost(assemble(96, 32, name), opcode)).toBe(12n)
  })
})
