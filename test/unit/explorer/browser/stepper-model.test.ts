import { describe, expect, test } from 'vitest'
import { EMPTY_BYTES } from '../../../../host/base/bytes.ts'
import { formatData, type Hex, parseData } from '../../../../host/base/hex.ts'
import type { TransactionInput } from '../../../../host/evm/engine/message.ts'
import { opcodeName } from '../../../../host/evm/engine/opcode.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { OverlayState } from '../../../../host/evm/state/overlay-state.ts'
import { noReads } from '../../../../host/evm/state/recorded-state.ts'
import type { StateView } from '../../../../host/evm/state/view.ts'
import { openRunStepper } from '../../../../host/explorer/browser/step/run-stepper.ts'
import type { Condition, Stepper, Written } from '../../../../host/explorer/browser/step/stepper.ts'
import { type Dice, makeDice } from '../../../fuzz/dice.ts'
import { openState } from '../../../fuzz/lockstep.ts'
import { generateScenario, type Scenario, toInput } from '../../../fuzz/scenario.ts'
import { engineInBlock } from '../../../support/engine/engine-fixture.ts'
import { type ModelStep, PlainModel } from './plain-model.ts'

const FIRST_SEED = 93_000
const SCENARIOS = 40
/** Steps of each transaction that are compared in full. */
const LOOKS = 12
const ZERO: Hex = `0x${'00'.repeat(32)}`

const stepping = await engineInBlock()
const plain = await engineInBlock()

interface Case {
  readonly stepper: Stepper
  readonly model: PlainModel
  /** The state before the transaction. */
  readonly before: StateView
}

/** Picks one of a scenario's valid transactions, with those before it. */
function openCase(scenario: Scenario, dice: Dice): Case | undefined {
  const state = openState(scenario)
  plain.beginBlock(scenario.env)
  const inputs = scenario.transactions.map(toInput).filter((input) => {
    return answerFrom(plain.transact(input), state).kind === 'executed'
  })
  if (inputs.length === 0) return undefined
  const index = dice.below(inputs.length)
  plain.beginBlock(scenario.env)
  for (const input of inputs.slice(0, index)) answerFrom(plain.transact(input), state)
  const before = new OverlayState(state)
  before.apply(plain.diff())
  const { model } = PlainModel.of(plain, inputs[index] as TransactionInput, state)
  const signed = { hash: new Uint8Array(32), raw: EMPTY_BYTES, chainId: 1n, signature: EMPTY_BYTES }
  const transactions = inputs.map((input) => {
    return { transaction: { ...signed, ...input } as never, gasUsed: 0n }
  })
  const { env } = scenario
  const blockHash = new Uint8Array(32)
  const stepper = openRunStepper({
    engine: stepping,
    index,
    view: state,
    bundle: {
      plan: { height: env.number, blockHash, env, systemCalls: [], transactions },
      reads: noReads(),
    },
    checkpoints: {
      interval: 1 + dice.below(40),
      ...(dice.chance(0.3) && { bytes: 400_000 }),
    },
  })
  return { stepper, model, before }
}

async function compareStep({ stepper, model, before }: Case, index: number): Promise<void> {
  const step = model.kept[index] as ModelStep
  const view = await stepper.step(index)
  const { pc, opcode, depth, gas, cost, refund } = step
  expect(view).toMatchObject({ index, pc, opcode, depth, gas, cost, refund })
  expect(view.name).toBe(opcodeName(opcode))
  expect(view.call).toBe(step.frame.index)
  expect(view.address).toBe(step.frame.address)
  expect(view.codeHash).toBe(step.frame.codeHash)
  expect(view.stack).toEqual(step.stack)
  expect(formatData(view.memory)).toBe(step.memory)
  expect(formatData(view.returnData)).toBe(step.returnData)
  expect(new Map(view.storage.map(({ slot, value }) => [slot, value]))).toEqual(step.storage)
  expect(new Map(view.transient.map(({ slot, value }) => [slot, value]))).toEqual(step.transient)
  for (const { slot, original } of view.storage) {
    const value = before.storage(parseData(view.address), parseData(slot))
    expect(original).toBe(value === undefined ? ZERO : formatData(value))
  }
}

/** Compares the changes of a step with the parts of the model whose last writer is the previous step of the frame. */
async function compareChanges({ stepper, model }: Case, index: number): Promise<void> {
  const step = model.kept[index] as ModelStep
  const { changed, address } = await stepper.step(index)
  const inFrame = model.kept.slice(0, index).map((one, i) => ({ one, i }))
  const previous = inFrame.findLast(({ one }) => one.frame === step.frame)?.i ?? -1
  const isNew = (writer: number | undefined) => writer !== undefined && writer >= previous
  const places = step.stackWriters.flatMap((writer, place) =>
    previous >= 0 && isNew(writer) ? [place] : [],
  )
  expect(changed.stack).toEqual(places)
  const bytes = new Set<number>()
  for (const [offset, writer] of step.memoryWriters) if (isNew(writer)) bytes.add(offset)
  const shown = changed.memory.flatMap(({ offset, size }) =>
    Array.from({ length: size }, (_, i) => offset + i),
  )
  expect(new Set(shown)).toEqual(previous < 0 ? new Set() : bytes)
  const slots = [...step.slotWriters].flatMap(([key, writer]) =>
    previous >= 0 && key.startsWith(address) && isNew(writer) ? [key.split(' ')[1]] : [],
  )
  expect(changed.storage.toSorted()).toEqual(slots.toSorted())
}

async function compareWriters({ stepper, model }: Case, index: number, dice: Dice): Promise<void> {
  const step = model.kept[index] as ModelStep
  const ask = (what: Written) => stepper.lastWriter(what, index)
  const { address } = step.frame
  if (step.stack.length > 0) {
    const place = dice.below(step.stack.length)
    expect(await ask({ kind: 'stack', place })).toBe(step.stackWriters[place])
  }
  const offset = dice.below(Math.max(1, (step.memory.length - 2) / 2))
  expect(await ask({ kind: 'memory', offset })).toBe(step.memoryWriters.get(offset))
  for (const slot of step.storage.keys()) {
    const writer = step.slotWriters.get(`${address} ${slot}`)
    expect(await ask({ kind: 'slot', address, slot })).toBe(writer)
  }
  for (const slot of step.transient.keys()) {
    const writer = step.transientWriters.get(`${address} ${slot}`)
    expect(await ask({ kind: 'transient', address, slot })).toBe(writer)
  }
}

/** Returns a condition, and a predicate that evaluates it on a step of the model. */
function makeCondition(
  { kept, frames }: PlainModel,
  dice: Dice,
): [Condition, (step: ModelStep, index: number) => boolean] {
  const some = kept[dice.below(kept.length)] as ModelStep
  const entered = new Map(frames.map((frame) => [frame.firstStep - 1, frame.to]))
  switch (dice.below(6)) {
    case 0:
      return [{ opcode: opcodeName(some.opcode) }, ({ opcode }) => opcode === some.opcode]
    case 1:
      return [{ pc: some.pc, minDepth: 1 }, ({ pc }) => pc === some.pc]
    case 2:
      return [{ gasBelow: some.gas }, ({ gas }) => gas < some.gas]
    case 3:
      return [{ maxDepth: 3, minDepth: 2 }, ({ depth }) => depth === 2 || depth === 3]
    case 4: {
      const { to } = frames[dice.below(frames.length)] as (typeof frames)[number]
      return [{ callTo: to }, (_, index) => entered.get(index) === to]
    }
    default: {
      const slot: Hex = `0x${dice.below(4).toString(16)}`
      const isWrite = ({ opcode, stack, error }: ModelStep) =>
        opcode === 0x55 && error === undefined && stack.at(-1) === BigInt(slot)
      return [{ slotWritten: { slot } }, isWrite]
    }
  }
}

async function compareFinds({ stepper, model }: Case, dice: Dice): Promise<void> {
  const made = [makeCondition(model, dice), makeCondition(model, dice)]
  const conditions = made.map(([condition]) => condition)
  const from = dice.below(model.kept.length)
  const matches = model.kept.flatMap((step, index) => {
    const which = made.findIndex(([, holds]) => holds(step, index))
    return which < 0 ? [] : [{ index, which }]
  })
  const after = matches.find(({ index }) => index > from)
  expect(await stepper.find(conditions, from, 'forward')).toEqual(after)
  const before = matches.findLast(({ index }) => index < from)
  expect(await stepper.find(conditions, from, 'back')).toEqual(before)
}

async function compareWhole({ stepper, model }: Case, dice: Dice): Promise<void> {
  const { kept, frames } = model
  expect((await stepper.summary()).steps).toBe(kept.length)
  const calls = await stepper.calls()
  expect(
    calls.map(({ index, to, parent, firstStep, endStep, gasUsed, fault }) => {
      return { index, to, parent, firstStep, endStep, gasUsed, error: fault?.error }
    }),
  ).toEqual(frames.map(({ address, codeHash, ...frame }) => frame))
  const from = dice.below(kept.length + 1)
  const rows = await stepper.rows(from, 50)
  expect(
    rows.map(({ pc, opcode, depth, gas, cost, call }) => [pc, opcode, depth, gas, cost, call]),
  ).toEqual(
    kept.slice(from, from + 50).map(({ pc, opcode, depth, gas, cost, frame }) => {
      return [pc, opcode, depth, gas, cost, frame.index]
    }),
  )
  const gas = await stepper.gasByCode()
  for (const frame of calls.filter(({ firstStep, endStep }) => firstStep < endStep)) {
    const own = gas.filter(({ call }) => call === frame.index)
    const below = frame.children.reduce((sum, child) => sum + Number(calls[child]?.gasUsed), 0)
    expect(own.reduce((sum, row) => sum + row.gas, 0)).toBe(Number(frame.gasUsed) - below)
    const count = kept.filter((step) => step.frame.index === frame.index).length
    expect(own.reduce((sum, row) => sum + row.count, 0)).toBe(count)
  }
}

/** Compares a transaction of a scenario. Returns the number of steps compared in full. */
async function runSeed(seed: number): Promise<number> {
  const dice = makeDice(seed)
  const opened = openCase(generateScenario(seed), dice)
  if (opened === undefined) return 0
  const { kept } = opened.model
  if (kept.length === 0) {
    expect((await opened.stepper.summary()).steps).toBe(0)
    return 0
  }
  await compareWhole(opened, dice)
  for (let i = 0; i < LOOKS; i++) {
    const index = dice.below(kept.length)
    await compareStep(opened, index)
    await compareChanges(opened, index)
    await compareWriters(opened, index, dice)
    await compareFinds(opened, dice)
  }
  await opened.stepper.close()
  return LOOKS
}

describe('a stepper and a model that keeps every state', () => {
  test(`agree in ${SCENARIOS} scenarios from seed ${FIRST_SEED}`, async () => {
    let looks = 0
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SCENARIOS; seed++) {
      try {
        looks += await runSeed(seed)
      } catch (thrown) {
        throw new Error(`seed ${seed}`, { cause: thrown })
      }
    }
    expect(looks).toBeGreaterThan(SCENARIOS)
  })
})
