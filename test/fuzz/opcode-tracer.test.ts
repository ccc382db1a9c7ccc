import { isDeepStrictEqual } from 'node:util'
import { expect, test } from 'vitest'
import type { Engine } from '../../host/evm/engine/engine.ts'
import { OPCODES } from '../../host/evm/engine/opcode.ts'
import { answerFrom } from '../../host/evm/state/answer.ts'
import { ChunkedJsonWriter } from '../../host/evm/trace/json-writer.ts'
import { structLogger } from '../../host/evm/trace/tracers/struct-logger.ts'
import { engineInBlock } from '../support/engine/engine-fixture.ts'
import { runEthereumjs } from './ethereumjs.ts'
import { openState } from './lockstep.ts'
import type { StepRecord } from './result.ts'
import { generateScenario, type Scenario, toInput } from './scenario.ts'

/** Seeds of scenarios whose contracts are not destroyed, so that most transactions run code. */
const SEEDS: readonly number[] = [7, 9, 11]
const COUNT = 200
const INVALID = 0xfe
/** EthereumJS does not report the implicit STOP after the end of the code. */
const STOP = 0x00

interface ShownStep {
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly depth: number
  readonly stack: readonly string[]
  readonly memory?: readonly string[]
}

/** Returns opcodeTracer's steps of each transaction, or undefined for one that the block leaves out. */
function traceAll(engine: Engine, scenario: Scenario): (readonly ShownStep[] | undefined)[] {
  const state = openState(scenario)
  engine.beginBlock(scenario.env)
  return scenario.transactions.map((transaction) => {
    const chunks: Uint8Array[] = []
    const writer = new ChunkedJsonWriter((chunk) => chunks.push(chunk))
    const input = toInput(transaction)
    const tracer = structLogger({
      message: { input, env: scenario.env, gasPrice: input.maxFeePerGas },
      config: { enableMemory: true },
      limits: { structLogBytes: 1 << 30 },
      view: state,
      writer,
    })
    const outcome = answerFrom(engine.transact(input, { trace: tracer.sink }), state)
    if (outcome.kind === 'rejected') return undefined
    tracer.finish(outcome)
    writer.flush()
    return JSON.parse(Buffer.concat(chunks).toString()).structLogs
  })
}

/** Opcodes that Prague lacks. geth names them on every fork. */
const LATER = new Set(['SLOTNUM', 'DUPN', 'SWAPN', 'EXCHANGE', 'CLZ'])

/**
 * Converts geth's name of an opcode to that of EthereumJS, which reports one that the revision lacks as INVALID.
 */
function nameOf(op: string): string {
  if (op === 'DIFFICULTY') return 'PREVRANDAO'
  return op.startsWith('opcode 0x') || LATER.has(op) ? 'INVALID' : op
}

/** Returns the fields of a step that both tools report. */
function comparable({ pc, op, gas, depth, stack, memory = [] }: ShownStep): object {
  return {
    pc,
    op: nameOf(op),
    gas,
    depth,
    stack,
    memory: memory.map((word) => word.replace('0x', '')),
  }
}

function expected({ pc, opcode, gas, depth, stack, memory, memorySize }: StepRecord): object {
  const bytes = Buffer.from(memory, 'latin1').toString('hex')
  return {
    pc,
    op: opcode === INVALID ? 'INVALID' : OPCODES[opcode]?.name,
    gas: Number(gas),
    depth,
    stack: stack === '' ? [] : stack.split(' ').map((word) => `0x${word}`),
    memory: Array.from({ length: memorySize / 32 }, (_, i) => bytes.slice(64 * i, 64 * i + 64)),
  }
}

test.each(SEEDS)(
  `opcodeTracer shows the same steps of ${COUNT} transactions as EthereumJS, seed %i`,
  async (seed) => {
    const scenario = generateScenario(seed, ['Prague'], COUNT)
    const theirs = await runEthereumjs(scenario)
    const ours = traceAll(await engineInBlock(), scenario)
    let compared = 0
    for (const [i, steps] of ours.entries()) {
      const transaction = theirs.transactions[i]
      expect(steps !== undefined, `transaction ${i}`).toBe(transaction?.isIncluded)
      const want = (transaction?.steps ?? []).filter(({ opcode }) => opcode !== STOP).map(expected)
      const got = (steps ?? []).filter(({ op }) => op !== 'STOP').map(comparable)
      if (!isDeepStrictEqual(got, want)) expect(got, `transaction ${i}`).toEqual(want)
      compared += want.length
    }
    expect(compared).toBeGreaterThan(1000)
  },
  120_000,
)
