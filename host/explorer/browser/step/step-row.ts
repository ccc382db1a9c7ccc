import { opcodeName } from '../../../evm/engine/opcode.ts'
import type { StepRecord } from '../../../evm/engine/trace-event.ts'
import type { IndexedCall } from './call-index.ts'
import type { StepRow } from './stepper.ts'

/** Returns a step as a row of the step list. */
export function rowOf(step: StepRecord, index: number, call: IndexedCall): StepRow {
  const { pc, opcode, depth, gas, cost } = step
  const fault = call.fault?.step === index ? call.fault : undefined
  return { index, pc, opcode, name: opcodeName(opcode), depth, gas, cost, call: call.index, fault }
}
