import { bytesToBigint } from '../../../host/base/bytes.ts'
import type { BlockEnv, TransactionInput } from '../../../host/evm/engine/message.ts'
import type { StepRecord, TraceSink } from '../../../host/evm/engine/trace-event.ts'
import { answerFrom } from '../../../host/evm/state/answer.ts'
import type { TestState } from '../chain/test-state.ts'
import { engineInBlock, transaction } from '../engine/engine-fixture.ts'

/** A copy of a step that stays valid after its delivery. */
export interface Step {
  readonly opcode: number
  readonly depth: number
  readonly pc: number
  readonly gas: number
  readonly cost: number
  readonly refund: number
  readonly memorySize: number
  readonly stack: readonly bigint[]
  readonly slot: readonly [key: bigint, value: bigint] | undefined
  readonly returnData: Uint8Array
  readonly error: string | undefined
  readonly isRefused: boolean
}

function wordIn(bytes: Uint8Array, at: number): bigint {
  return bytesToBigint(bytes.slice(at, at + 32).reverse())
}

/** Copies a step that was traced with its stack. */
export function keepStep(step: StepRecord): Step {
  const { opcode, depth, pc, gas, cost, refund, memorySize, returnData, error, isRefused } = step
  const { bytes, slotAt } = step
  return {
    ...{ opcode, depth, pc, gas, cost, refund, memorySize, returnData, error, isRefused },
    stack: Array.from({ length: step.stackHeight }, (_, i) => step.wordAt(i)),
    slot: slotAt === 0 ? undefined : [wordIn(bytes, slotAt), wordIn(bytes, slotAt + 32)],
  }
}

/** Calls CONTRACT of `state` without a fee, with a sink that records every step. */
export async function traceState(
  state: TestState,
  sink: Partial<TraceSink> = {},
  env: Partial<BlockEnv> = {},
  fields: Partial<TransactionInput> = {},
): Promise<readonly Step[]> {
  const engine = await engineInBlock({ baseFee: 0n, ...env })
  const steps: Step[] = []
  const trace: TraceSink = {
    steps: { stack: true, memory: false },
    onStep: (step) => void steps.push(keepStep(step)),
    onEvent: () => {},
    ...sink,
  }
  answerFrom(engine.transact(transaction({ type: 0, ...fields }), { trace }), state)
  return steps
}
