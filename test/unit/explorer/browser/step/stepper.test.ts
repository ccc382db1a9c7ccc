import { describe, expect, test } from 'vitest'
import { bigintToBytes } from '../../../../../host/base/bytes.ts'
import { formatData, type Hex } from '../../../../../host/base/hex.ts'
import { openRunStepper } from '../../../../../host/explorer/browser/step/run-stepper.ts'
import type { Stepper } from '../../../../../host/explorer/browser/step/stepper.ts'
import type { TestState } from '../../../../support/chain/test-state.ts'
import { assemble } from '../../../../support/engine/bytecode.ts'
import {
  address,
  CONTRACT,
  engineInBlock,
  stateWith,
} from '../../../../support/engine/engine-fixture.ts'
import { call, recordedBundle } from '../../../../support/trace/recorded-bundle.ts'

const CALLEE = address(0x3333)
const slot = (number: number): Hex => formatData(bigintToBytes(BigInt(number), 32))

/** Steps through a call of CONTRACT, the only transaction of the block. */
async function stepperOn(state: TestState): Promise<Stepper> {
  const engine = await engineInBlock()
  const bundle = await recordedBundle(engine, state, [call()])
  return openRunStepper({ bundle, engine: await engineInBlock() })
}

const steppingIn = (...items: (string | number)[]) => stepperOn(stateWith(assemble(...items)))

/** CONTRACT calls CALLEE, which writes slot 1 and reverts with a byte of memory. Then CONTRACT writes slot 2. */
async function callAndRevert(): Promise<Stepper> {
  const state = stateWith(
    assemble(
      ...[1, 1, 0, 0, 0, 0x3333, 50_000, 'CALL', 'POP'],
      ...[7, 2, 'SSTORE', 2, 'SLOAD', 'POP', 'STOP'],
    ),
  )
  state.setAccount(CALLEE, 1n, 0n, assemble(9, 1, 'SSTORE', 0xab, 0, 'MSTORE8', 1, 0, 'REVERT'))
  return stepperOn(state)
}

describe('a stepper', () => {
  test('reports how the transaction ended and what it changed', async () => {
    const stepper = await steppingIn(5, 3, 'SSTORE', 'STOP')
    const { success, fault, steps, changes } = await stepper.summary()
    expect({ success, fault, steps }).toEqual({ success: true, fault: undefined, steps: 4 })
    const changed = changes.find(({ address: one }) => one === formatData(CONTRACT))
    expect(changed?.slots).toEqual([{ slot: slot(3), before: slot(0), after: slot(5) }])
  })

  test('shows a step with its stack, its memory and what the step before it changed', async () => {
    const stepper = await steppingIn(0xff, 31, 'MSTORE8', 1, 2, 'ADD', 'STOP')
    const after = await stepper.step(3)
    expect(after.memory).toEqual(bigintToBytes(0xffn, 32))
    expect(after.changed).toEqual({
      ...{ stack: [], storage: [], transient: [] },
      memory: [{ offset: 31, size: 1 }],
    })
    const sum = await stepper.step(6)
    expect([sum.name, sum.stack, sum.changed.stack]).toEqual(['STOP', [3n], [0]])
  })

  test('shows the frames with their steps and why one failed', async () => {
    const stepper = await callAndRevert()
    const [root, callee] = await stepper.calls()
    expect([root?.firstStep, root?.endStep, root?.children]).toEqual([0, 25, [1]])
    expect([callee?.firstStep, callee?.endStep, callee?.parent]).toEqual([8, 17, 0])
    expect(callee?.fault).toEqual({
      ...{ error: 'execution reverted', output: '0xab', reason: undefined, step: 16 },
    })
    expect((await stepper.rows(15, 3)).map(({ name, call: frame }) => [name, frame])).toEqual([
      ['PUSH1', 1],
      ['REVERT', 1],
      ['POP', 0],
    ])
  })

  test('shows slots as they are after a revert, and the steps that wrote them', async () => {
    const stepper = await callAndRevert()
    const inside = await stepper.step(12)
    expect(inside.storage).toEqual([{ slot: slot(1), value: slot(9), original: slot(0) }])
    const written = { kind: 'slot', address: formatData(CALLEE), slot: slot(1) } as const
    expect(await stepper.lastWriter(written, 12)).toBe(10)
    expect(await stepper.lastWriter(written, 17)).toBeUndefined()
    expect(await stepper.lastWriter({ kind: 'memory', offset: 1 }, 17)).toBe(7)
    expect(await stepper.lastWriter({ kind: 'stack', place: 0 }, 17)).toBe(7)
    expect((await stepper.step(17)).changed).toEqual({
      ...{ stack: [0], storage: [], transient: [] },
      memory: [{ offset: 1, size: 1 }],
    })
  })

  test('finds the nearest step before and after at which a condition holds', async () => {
    const stepper = await callAndRevert()
    const sstore = [{ opcode: 'SSTORE' }]
    expect(await stepper.find(sstore, 0, 'forward')).toEqual({ index: 10, which: 0 })
    expect(await stepper.find(sstore, 10, 'forward')).toEqual({ index: 20, which: 0 })
    expect(await stepper.find(sstore, 20, 'back')).toEqual({ index: 10, which: 0 })
    expect(await stepper.find(sstore, 10, 'back')).toBeUndefined()
    expect(await stepper.find([{ callTo: formatData(CALLEE) }], 0, 'forward')).toEqual({
      ...{ index: 7, which: 0 },
    })
    expect(await stepper.find([{ fails: true }], 24, 'back')).toEqual({ index: 16, which: 0 })
  })

  test('sums the gas of each frame by code position', async () => {
    const stepper = await callAndRevert()
    const gas = await stepper.gasByCode()
    const calls = await stepper.calls()
    for (const { index, gasUsed, children } of calls) {
      const own = gas.filter((row) => row.call === index).reduce((sum, row) => sum + row.gas, 0)
      const below = children.reduce((sum, child) => sum + Number(calls[child]?.gasUsed), 0)
      expect(own).toBe(Number(gasUsed) - below)
    }
  })

  test('lists the last write of each slot that a failure reverted', async () => {
    const undone = await (await callAndRevert()).undoneWrites()
    expect(undone).toEqual([
      {
        address: formatData(CALLEE),
        slots: [{ slot: slot(1), before: slot(0), after: slot(9), step: 10 }],
      },
    ])
  })

  test('lists no reverted write that changed nothing, or that a later one replaced', async () => {
    const state = stateWith(
      assemble(
        ...[1, 0, 0, 0, 0, 0x3333, 50_000, 'DELEGATECALL', 'POP'],
        ...[8, 1, 'SSTORE', 'STOP'],
      ),
    )
    state.setAccount(CALLEE, 1n, 0n, assemble(9, 1, 'SSTORE', 0, 2, 'SSTORE', 0, 0, 'REVERT'))
    expect(await (await stepperOn(state)).undoneWrites()).toEqual([])
  })

  test('refuses a step that does not exist', async () => {
    const stepper = await steppingIn('STOP')
    await expect(stepper.step(1)).rejects.toThrow('step 1: there are 1')
    await expect(stepper.step(-1)).rejects.toThrow('step -1: there are 1')
  })
})
