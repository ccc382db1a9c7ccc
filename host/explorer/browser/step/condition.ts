import { bigintToBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData, type Hex } from '../../../base/hex.ts'
import { SSTORE } from '../../../evm/engine/generated/opcode.ts'
import { opcodeName } from '../../../evm/engine/opcode.ts'
import type { StepRecord } from '../../../evm/engine/trace-event.ts'
import type { IndexedCall } from './call-index.ts'
import { wordHex } from './run-index.ts'
import type { Condition } from './stepper.ts'

/** A step to test against conditions. */
export interface TestedStep {
  readonly index: number
  readonly call: IndexedCall
  /** The frame that the step enters. */
  readonly entered: IndexedCall | undefined
}

export type Matcher = (step: StepRecord, place: TestedStep) => boolean

/** Returns a function that tests whether a step meets every member of a condition. @throws INVALID_ARGUMENT */
export function compileStopCondition(condition: Condition): Matcher {
  const tests = [...testsOfStep(condition), ...testsOfPlace(condition)]
  if (tests.length === 0) {
    throw new LockstepError('INVALID_ARGUMENT', 'an empty condition holds everywhere', {
      hint: 'name an opcode, a pc, a slot or another property of the step',
    })
  }
  return (step, place) => tests.every((test) => test(step, place))
}

function testsOfStep(condition: Condition): Matcher[] {
  const { opcode, pc, slotWritten, gasBelow, minDepth, maxDepth } = condition
  const tests: Matcher[] = []
  if (opcode !== undefined) {
    const code = opcodeNamed(opcode)
    tests.push((step) => step.opcode === code)
  }
  if (pc !== undefined) tests.push((step) => step.pc === pc)
  if (gasBelow !== undefined) tests.push((step) => step.gas < gasBelow)
  if (minDepth !== undefined) tests.push((step) => step.depth >= minDepth)
  if (maxDepth !== undefined) tests.push((step) => step.depth <= maxDepth)
  if (slotWritten !== undefined) tests.push(writesSlot(slotWritten))
  return tests
}

function testsOfPlace({ codeAddress, places, callTo, fails }: Condition): Matcher[] {
  const tests: Matcher[] = []
  if (codeAddress !== undefined) tests.push(runsCodeOf(codeAddress))
  if (places !== undefined) {
    const isOfCode = runsCodeOf(places.codeAddress)
    const pcs = new Set(places.pcs)
    tests.push((step, place) => pcs.has(step.pc) && isOfCode(step, place))
  }
  if (callTo !== undefined) {
    const wanted = callTo.toLowerCase()
    tests.push((_, { entered }) => entered?.to === wanted)
  }
  if (fails !== undefined) {
    tests.push((_, { call, index }) => (call.fault?.step === index) === fails)
  }
  return tests
}

function runsCodeOf(address: Hex): Matcher {
  const wanted = address.toLowerCase()
  return (_, { call }) => call.codeAddress === wanted
}

function writesSlot({ slot, address }: NonNullable<Condition['slotWritten']>): Matcher {
  const wantedSlot = formatData(bigintToBytes(BigInt(slot), 32))
  const wantedAddress = address?.toLowerCase()
  return ({ opcode, slotAt, bytes, error }, { call }) =>
    opcode === SSTORE &&
    slotAt !== 0 &&
    error === undefined &&
    (wantedAddress === undefined || call.address === wantedAddress) &&
    wordHex(bytes, slotAt) === wantedSlot
}

/** Returns the byte of an opcode, given by name or as 0x and two digits. */
function opcodeNamed(text: string): number {
  const wanted = text.toUpperCase()
  for (let code = 0; code < 256; code++) if (opcodeName(code).toUpperCase() === wanted) return code
  if (wanted === 'PREVRANDAO') return 0x44
  if (/^0X[0-9A-F]{1,2}$/.test(wanted)) return Number.parseInt(wanted.slice(2), 16)
  throw new LockstepError('INVALID_ARGUMENT', `opcode ${text}: no such opcode`, {
    hint: 'write its name, as SSTORE, or its byte, as 0x55',
  })
}
