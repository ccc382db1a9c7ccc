import { bigintToBytes } from '../../../../host/base/bytes.ts'
import type {
  Operands,
  ScriptAnswer,
  ScriptStep,
} from '../../../../host/evm/trace/script/exchange.ts'
import {
  DEFAULT_SCRIPT_LIMITS,
  type ScriptLimits,
} from '../../../../host/evm/trace/script/limits.ts'
import { type ScriptEngine, ScriptSandbox } from '../../../../host/evm/trace/script/sandbox.ts'
import type { ScriptQuestion } from '../../../../host/evm/trace/script/shared-buffer.ts'
import { openScriptEngine } from '../../../support/engine/script-engine.ts'

/** Limits for tests: fuel for about a second, and a stack that fits into any host's. */
export const TEST_LIMITS: ScriptLimits = {
  ...DEFAULT_SCRIPT_LIMITS,
  memoryBytes: 16 << 20,
  stackBytes: 64 << 10,
  fuel: 1e7,
}

export type Answers = Partial<Record<ScriptQuestion, (operands: Operands) => ScriptAnswer>>

export interface ScriptRunOptions {
  readonly steps?: readonly ScriptStep[]
  readonly answers?: Answers
  readonly config?: string
  readonly limits?: Partial<ScriptLimits>
  readonly onTick?: () => void
}

/** Returns a step with a stack, lowest word first. */
export function stepOn(
  stack: readonly bigint[] = [],
  fields: Partial<ScriptStep> = {},
): ScriptStep {
  const bytes = new Uint8Array(32 * stack.length)
  for (const [i, word] of stack.entries()) bytes.set(bigintToBytes(word, 32).reverse(), 32 * i)
  return {
    opcode: 0x01,
    depth: 1,
    pc: 0,
    gas: 1000,
    cost: 3,
    refund: 0,
    memorySize: 0,
    stackHeight: stack.length,
    error: undefined,
    bytes,
    stackAt: 0,
    ...fields,
  }
}

/** The instance that tests share. Replaced after a script has broken it. */
let shared: Promise<ScriptEngine> | undefined

async function usableEngine(): Promise<ScriptEngine> {
  shared ??= openScriptEngine()
  if (!(await shared).quickJs.isUsable) shared = openScriptEngine()
  return shared
}

/** Runs a script over steps. @returns what its `result` function returned */
export async function runScript(source: string, options: ScriptRunOptions = {}): Promise<unknown> {
  const { steps = [], answers = {}, config = '{}', limits = {}, onTick } = options
  const sandbox = ScriptSandbox.open(await usableEngine(), {
    source,
    config,
    limits: { ...TEST_LIMITS, ...limits },
    host: { answer: (question, operands) => answers[question]?.(operands) },
    onTick,
  })
  try {
    for (const step of steps) {
      if (step.error === undefined) sandbox.step('step', step, false)
      else sandbox.step('fault', step, true)
    }
    return JSON.parse(sandbox.result())
  } finally {
    sandbox.close()
  }
}

/** Returns what the body of a `result` function returns. */
export function evaluateScript(body: string, options: ScriptRunOptions = {}): Promise<unknown> {
  return runScript(`{ result: function(ctx, db) { ${body} } }`, options)
}

/** Returns what the body of a `step` function, called for one step, stores in `this.x`. */
export function evaluateStep(
  body: string,
  step: ScriptStep = stepOn(),
  options: ScriptRunOptions = {},
): Promise<unknown> {
  const source = `{ x: null, step: function(log, db) { ${body} }, result: function() { return this.x } }`
  return runScript(source, { steps: [step], ...options })
}
