import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes } from '../../host/base/bytes.ts'
import { hexDigits } from '../../host/base/hex.ts'
import type { Engine } from '../../host/evm/engine/engine.ts'
import type { StepRecord as EngineStep, TraceSink } from '../../host/evm/engine/trace-event.ts'
import { answerFrom } from '../../host/evm/state/answer.ts'
import { FrameMemories } from '../../host/evm/trace/tracers/frame-memory.ts'
import { TestState } from '../support/chain/test-state.ts'
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
const REVERT = 0xfd
const INVALID = 0xfe
/** CALL, CALLCODE, DELEGATECALL, STATICCALL */
const CALLS: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa])

/** Returns the block hash that both machines use for a number. */
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

/** EthereumJS reports an opcode that the revision does not assign as INVALID. */
function isUnassigned(step: EngineStep): boolean {
  return step.error?.startsWith('invalid opcode') ?? false
}

function isRefundShared(step: EngineStep): boolean {
  return step.opcode !== SELFDESTRUCT && (step.opcode !== SSTORE || step.error === undefined)
}

function stackOf(step: EngineStep): string {
  return Array.from({ length: step.stackHeight }, (_, i) => step.wordAt(i).toString(16)).join(' ')
}

/** Records steps in a form that can be compared with EthereumJS. */
function makeStepRecorder() {
  const steps: StepRecord[] = []
  const memories = new FrameMemories()
  let memory = ''
  let memoryKey = ''
  let last: number | undefined

  function memoryOf({ depth, memorySize }: EngineStep): string {
    const key = `${depth} ${memorySize}`
    if (key !== memoryKey) {
      memory = Buffer.from(memories.read(depth, memorySize)).toString('latin1')
      memoryKey = key
    }
    return memory
  }

  const sink: TraceSink = {
    steps: { stack: true, memory: true },
    onEvent(event) {
      const called = last
      last = undefined
      if (event.kind !== 'enter') return
      memories.enter(event.depth + 1)
      memoryKey = ''
      if (called === undefined || !CALLS.has(called)) return
      // The cost of a call includes the gas that it forwards, which EthereumJS deducts later
      const hasValue = event.value !== undefined && event.value !== 0n
      const isPaid = hasValue && (called === 0xf1 || called === 0xf2)
      const step = steps.pop() as StepRecord
      const cost = (step.cost ?? 0n) - event.gas + (isPaid ? CALL_STIPEND : 0n)
      steps.push({ ...step, cost })
    },
    onMemory(depth, offset, bytes) {
      memories.write(depth, offset, bytes)
      memoryKey = ''
    },
    onStep(step) {
      last = step.opcode
      const isFailure = step.error !== undefined && step.opcode !== REVERT
      steps.push({
        depth: step.depth,
        pc: step.pc,
        opcode: isUnassigned(step) ? INVALID : step.opcode,
        gas: BigInt(step.gas),
        cost: isFailure ? undefined : BigInt(step.cost),
        // EthereumJS adds the refund of a SELFDESTRUCT, or of an SSTORE that runs out of gas, after the step
        refund: isRefundShared(step) ? BigInt(step.refund) : undefined,
        memorySize: step.memorySize,
        stackHeight: step.stackHeight,
        stack: stackOf(step),
        memory: memoryOf(step),
      })
    },
  }
  return { steps, sink }
}

/** Runs the scenario's transactions as one block, in the recording loop or in the plain one. */
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
      error: ran?.error,
      logs: (ran?.logs ?? []).map(({ address, topics, data }) =>
        [address, ...topics, data].map(hexDigits).join(' '),
      ),
      steps,
    })
  }
  state.apply(engine.diff())
  return { transactions, state: sortState(state.describe()) }
}
