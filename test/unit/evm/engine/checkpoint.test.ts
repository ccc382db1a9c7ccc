import { describe, expect, test } from 'vitest'
import { formatData } from '../../../../host/base/hex.ts'
import type { EngineCheckpoint } from '../../../../host/evm/engine/checkpoint.ts'
import type { Engine } from '../../../../host/evm/engine/engine.ts'
import type { TransactionInput } from '../../../../host/evm/engine/message.ts'
import type { Run } from '../../../../host/evm/engine/need.ts'
import type { Outcome } from '../../../../host/evm/engine/outcome.ts'
import type { StepRecord, TraceEvent, TraceSink } from '../../../../host/evm/engine/trace-event.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import type { StateView } from '../../../../host/evm/state/view.ts'
import { stepDigest } from '../../../../host/evm/trace/bundle/step-digest.ts'
import { type Dice, makeDice } from '../../../fuzz/dice.ts'
import { openState } from '../../../fuzz/lockstep.ts'
import { generateScenario, toInput } from '../../../fuzz/scenario.ts'
import { assemble } from '../../../support/engine/bytecode.ts'
import {
  address,
  BLOCK,
  engineInBlock,
  stateWith,
  transaction,
} from '../../../support/engine/engine-fixture.ts'

const FIRST_SEED = 71_000
const SCENARIOS = 80

/** Records every call of a trace sink as one line. */
class RecordingSink implements TraceSink {
  readonly lines: string[] = []
  count = 0
  steps: NonNullable<TraceSink['steps']>

  constructor(count?: number) {
    this.steps = { stack: true, memory: true, ...(count !== undefined && { count }) }
  }

  onStep(step: StepRecord): void {
    this.count++
    const digest = stepDigest(step, new Uint32Array(step.bytes.buffer))
    this.lines.push(`step ${digest} ${step.error} ${formatData(step.returnData)}`)
  }

  onMemory(depth: number, offset: number, bytes: Uint8Array): void {
    this.lines.push(`memory ${depth} ${offset} ${formatData(bytes)}`)
  }

  onEvent(event: TraceEvent): void {
    this.lines.push(textOf(event))
  }
}

/** Formats a value with its bytes as hex. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, one) => {
    if (one instanceof Uint8Array) return formatData(one)
    return typeof one === 'bigint' ? `${one}` : one
  })
}

/** Formats the outcome of a message and the state diff of the block. */
function endOf(engine: Engine, outcome: Outcome): string {
  return textOf([outcome, engine.diff()])
}

interface Place {
  readonly checkpoint: EngineCheckpoint
  /** Number of lines recorded at the checkpoint. */
  readonly told: number
}

/** Runs to the end and takes a checkpoint each time the step count pauses the run. */
function runKeeping(
  engine: Engine,
  run: Run<Outcome>,
  sink: RecordingSink,
  state: StateView,
  dice: Dice,
) {
  const places: Place[] = []
  let next = sink.steps.count as number
  const onYield = () => {
    if (sink.count < next) return
    const before = dice.chance(0.5) ? places.at(-1)?.checkpoint : undefined
    places.push({ checkpoint: engine.checkpoint(before), told: sink.lines.length })
    const count = 1 + dice.below(40)
    sink.steps = { ...sink.steps, count }
    next += count
  }
  const outcome = answerFrom(run, state, { onYield })
  return { places, end: endOf(engine, outcome) }
}

describe('a checkpoint of a message', async () => {
  const plain = await engineInBlock()
  const kept = await engineInBlock()

  function runScenario(seed: number): number {
    const dice = makeDice(seed)
    const scenario = generateScenario(seed)
    const state = openState(scenario)
    plain.beginBlock(scenario.env)
    kept.beginBlock(scenario.env)
    let resumed = 0
    for (const input of scenario.transactions.map(toInput)) {
      const truth = new RecordingSink()
      const end = endOf(plain, answerFrom(plain.transact(input, { trace: truth }), state))
      const told = new RecordingSink(1 + dice.below(40))
      const run = kept.transact(input, { trace: told })
      const first = runKeeping(kept, run, told, state, dice)
      expect(told.lines, `seed ${seed}`).toEqual(truth.lines)
      expect(first.end, `seed ${seed}`).toBe(end)
      for (let i = 0; i < Math.min(4, first.places.length); i++) {
        const place = dice.pick(first.places)
        const again = new RecordingSink()
        const outcome = answerFrom(kept.resume(place.checkpoint, again), state)
        expect(again.lines, `seed ${seed}`).toEqual(truth.lines.slice(place.told))
        expect(endOf(kept, outcome), `seed ${seed}`).toBe(end)
        resumed++
      }
    }
    return resumed
  }

  test(`resumes to the same result in ${SCENARIOS} scenarios from seed ${FIRST_SEED}`, () => {
    let resumed = 0
    for (let seed = FIRST_SEED; seed < FIRST_SEED + SCENARIOS; seed++) resumed += runScenario(seed)
    expect(resumed).toBeGreaterThan(SCENARIOS)
  })

  const LOOP: TransactionInput = transaction({ gas: 200_000n })
  const looping = stateWith(assemble(0, 'JUMPDEST', 1, 'ADD', 'DUP1', 'DUP1', 'MSTORE', 2, 'JUMP'))

  /** Takes a checkpoint of the loop before step 100 and abandons the run. */
  function keepOne(engine: Engine): EngineCheckpoint {
    const trace: TraceSink = {
      steps: { stack: false, memory: false, count: 100 },
      onEvent: () => {},
    }
    const run = engine.transact(LOOP, { trace })
    let step = run.next(undefined)
    while (!step.done && step.value.kind !== 'yield') {
      const need = step.value
      if (need.kind === 'account') step = run.next(looping.account(need.address))
      else if (need.kind === 'code') step = run.next(looping.code(need.codeHash))
      else throw new Error(need.kind)
    }
    const checkpoint = engine.checkpoint()
    run.return(undefined as never)
    return checkpoint
  }

  test('is only taken before a step, although the trace also pauses for other reasons', () => {
    // The callee's output exceeds the trace buffer: the run pauses for it as the frame ends
    const state = stateWith(assemble(0, 0, 0, 0, 0x3333, 50_000, 'STATICCALL', 'POP', 'STOP'))
    state.setAccount(address(0x3333), 1n, 0n, assemble(5000, 0, 'RETURN'))
    const truth = new RecordingSink()
    plain.beginBlock(BLOCK)
    const end = endOf(plain, answerFrom(plain.transact(transaction(), { trace: truth }), state))
    for (let count = 0; count < 12; count++) {
      kept.beginBlock(BLOCK)
      const sink = new RecordingSink(count)
      const places: Place[] = []
      const trace: TraceSink = {
        get steps() {
          return { ...sink.steps, count: places.length === 0 ? count : 1000 }
        },
        onStep: (step) => sink.onStep(step),
        onMemory: (...given) => sink.onMemory(...given),
        onEvent: (event) => sink.onEvent(event),
        onPause: () => {
          expect(sink.count).toBe(count)
          places.push({ checkpoint: kept.checkpoint(), told: sink.lines.length })
        },
      }
      answerFrom(kept.transact(transaction(), { trace }), state)
      expect([places.length, sink.lines]).toEqual([1, truth.lines])
      const again = new RecordingSink()
      const { checkpoint, told } = places[0] as Place
      const outcome = answerFrom(kept.resume(checkpoint, again), state)
      expect(again.lines).toEqual(truth.lines.slice(told))
      expect(endOf(kept, outcome)).toBe(end)
    }
  })

  test('shares the pages that did not change since the previous checkpoint', () => {
    kept.beginBlock({ ...scenarioEnv, baseFee: 0n })
    const first = keepOne(kept)
    const sink: TraceSink = {
      steps: { stack: false, memory: false, count: 7 },
      onEvent: () => {},
    }
    const run = kept.resume(first, sink)
    run.next(undefined)
    const second = kept.checkpoint(first)
    run.return(undefined as never)
    const copied = second.pages.filter((page, i) => page !== undefined && page !== first.pages[i])
    expect(copied.length).toBeLessThan(8)
    expect(second.pages.length).toBeGreaterThan(300)
  })

  test('cannot be resumed after another message has begun', () => {
    kept.beginBlock({ ...scenarioEnv, baseFee: 0n })
    const checkpoint = keepOne(kept)
    kept.beginBlock({ ...scenarioEnv, baseFee: 0n })
    const sink = new RecordingSink()
    expect(() => kept.resume(checkpoint, sink).next(undefined)).toThrow(
      'the checkpoint belongs to another message',
    )
  })

  test('cannot be taken if no message is paused before a step', () => {
    expect(() => plain.checkpoint()).toThrow('no message is paused before a step')
  })
})

const scenarioEnv = generateScenario(FIRST_SEED, ['Osaka']).env
