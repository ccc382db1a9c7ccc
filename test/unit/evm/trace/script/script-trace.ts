import { keccak_256 } from '@noble/hashes/sha3.js'
import type { BlockEnv, TransactionInput } from '../../../../../host/evm/engine/message.ts'
import type { Executed } from '../../../../../host/evm/engine/outcome.ts'
import { answerFrom } from '../../../../../host/evm/state/answer.ts'
import { ChunkedJsonWriter } from '../../../../../host/evm/trace/json-writer.ts'
import { likelySteps, RerunNeeded } from '../../../../../host/evm/trace/script/recorded-steps.ts'
import { openScriptTracer } from '../../../../../host/evm/trace/script/script-tracer.ts'
import type { TestState } from '../../../../support/chain/test-state.ts'
import {
  BLOCK,
  engineInBlock,
  executed,
  stateWith,
  transaction,
} from '../../../../support/engine/engine-fixture.ts'
import { openScriptEngine } from '../../../../support/engine/script-engine.ts'
import { TEST_LIMITS } from '../script-run.ts'

export interface ScriptTraceOptions {
  readonly config?: Record<string, unknown>
  readonly fields?: Partial<TransactionInput>
  readonly env?: Partial<BlockEnv>
  /** Absent for a simulated call. */
  readonly isInBlock?: boolean
}

export interface ScriptTrace {
  readonly result: unknown
  readonly outcome: Executed
  /** Number of times that the message was run again. */
  readonly reruns: number
  readonly hasSteps: boolean
}

const engines = openScriptEngine()

/** Runs a transaction under a script, on a state or on a contract with some code. */
export async function traceScript(
  on: TestState | Uint8Array,
  source: string,
  options: ScriptTraceOptions = {},
): Promise<ScriptTrace> {
  const { config = {}, fields = {}, env = {}, isInBlock = true } = options
  const state = on instanceof Uint8Array ? stateWith(on) : on
  const engine = await engineInBlock(env)
  const input = transaction(fields)
  const position = {
    blockHash: new Uint8Array(32).fill(1),
    index: 3,
    transactionHash: new Uint8Array(32).fill(2),
  }
  const chunks: Uint8Array[] = []
  const writer = new ChunkedJsonWriter((chunk) => chunks.push(chunk))
  const context = { engine: await engines, view: state, keccak256: keccak_256, limits: TEST_LIMITS }
  const request = {
    message: { input, env: { ...BLOCK, ...env }, gasPrice: 7n, ...(isInBlock ? { position } : {}) },
    config,
    limits: { structLogBytes: 0 },
    view: state,
    writer,
  }
  let steps = likelySteps(source)
  for (let reruns = 0; ; reruns++) {
    const tracer = openScriptTracer(source, context, request, steps)
    try {
      const outcome = executed(answerFrom(engine.transact(input, { trace: tracer.sink }), state))
      tracer.finish(outcome)
      writer.flush()
      const result: unknown = JSON.parse(Buffer.concat(chunks).toString())
      return { result, outcome, reruns, hasSteps: tracer.sink.steps !== undefined }
    } catch (thrown) {
      if (!(thrown instanceof RerunNeeded)) throw thrown
      steps = thrown.steps
      engine.beginBlock({ ...BLOCK, ...env })
    } finally {
      tracer.close?.()
    }
  }
}
