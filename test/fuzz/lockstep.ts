import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes } from '../../host/base/bytes.ts'
import { hexDigits } from '../../host/base/hex.ts'
import type { Engine } from '../../host/engine/engine.ts'
import type { StepEvent, TraceEvent } from '../../host/engine/trace-event.ts'
import { answerFrom } from '../../host/state/answer.ts'
import { TestState } from '../support/test-state.ts'
import { assembleProgram } from './program.ts'
import {
  type ScenarioResult,
  type StepRecord,
  sortState,
  type TransactionResult,
} from './result.ts'
import { type Scenario, toInput } from './scenario.ts'

const CALL_STIPEND = 2300n
const SELFDESTRUCT = 0xff
const SSTORE = 0x55
const INVALID = 0xfe
/** CALL, CALLCODE, DELEGATECALL, STATICCALL */
const CALLS: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa])

/** The hash that both machines give a block. */
export function blockHash(number: number): Uint8Array {
  return keccak_256(bigintToBytes(BigInt(number), 32))
}

export function openState(scenario: Scenario): TestState {
  const state = new TestState(keccak_256, blockHash)
  for (const { address, nonce, balance, program, storage } of scenario.accounts) {
    state.setAccount(address, nonce, balance, assembleProgram(program))
    for (const [slot, value] of storage) {
      state.setStorage(address, bigintToBytes(slot, 32), bigintToBytes(value, 32))
    }
  }
  return state
}

/** EthereumJS names what the revision does not assign INVALID. */
function isUnassigned(step: StepEvent): boolean {
  return step.error?.startsWith('invalid opcode') ?? false
}

function isRefundShared(step: StepEvent): boolean {
  return step.opcode !== SELFDESTRUCT && (step.opcode !== SSTORE || step.error === undefined)
}

/** Keeps steps in the shape EthereumJS can be compared with. */
function makeStepRecorder() {
  const steps: StepRecord[] = []
  let last: StepEvent | undefined

  function onEvent(event: TraceEvent): void {
    if (event.kind === 'enter' && last !== undefined && CALLS.has(last.opcode)) {
      // The cost of a call includes what it hands on, which EthereumJS takes later
      const hasValue = event.value !== undefined && event.value !== 0n
      const isPaid = hasValue && (last.opcode === 0xf1 || last.opcode === 0xf2)
      const cost = last.cost - event.gas + (isPaid ? CALL_STIPEND : 0n)
      steps[steps.length - 1] = { ...(steps[steps.length - 1] as StepRecord), cost }
    }
    last = event.kind === 'step' ? event : undefined
    if (event.kind !== 'step') return
    const isCostOwn = event.error === undefined && !CALLS.has(event.opcode)
    steps.push({
      depth: event.depth,
      pc: event.pc,
      opcode: isUnassigned(event) ? INVALID : event.opcode,
      gas: event.gas,
      cost: isCostOwn ? event.cost : undefined,
      // EthereumJS counts a SELFDESTRUCT's refund after its step, and that of an SSTORE without gas
      refund: isRefundShared(event) ? event.refund : undefined,
      memorySize: event.memorySize,
      stackHeight: event.stackHeight,
      stackTop: event.stackTop,
    })
  }
  return { steps, sink: { wantsSteps: true, onEvent } }
}

/** Runs the scenario's transactions as one block, in the loop that records steps or in the plain one. */
export function runLockstep(
  engine: Engine,
  scenario: Scenario,
  loop: 'traced' | 'plain',
): ScenarioResult {
  const state = openState(scenario)
  const transactions: TransactionResult[] = []
  engine.beginBlock(scenario.env)
  for (const transaction of scenario.transactions) {
    const { steps, sink } = makeStepRecorder()
    const options = loop === 'traced' ? { trace: sink } : {}
    const outcome = answerFrom(engine.transact(toInput(transaction), options), state)
    const ran = outcome.kind === 'executed' ? outcome : undefined
    transactions.push({
      isIncluded: ran !== undefined,
      success: ran?.success ?? false,
      gasUsed: ran?.gasUsed ?? 0n,
      output: ran === undefined ? '' : hexDigits(ran.output),
      createdAddress:
        ran?.success && ran.createdAddress !== undefined ? hexDigits(ran.createdAddress) : '',
      logs: (ran?.logs ?? []).map(({ address, topics, data }) =>
        [address, ...topics, data].map(hexDigits).join(' '),
      ),
      steps,
    })
  }
  state.apply(engine.diff())
  return { transactions, state: sortState(state.describe()) }
}
