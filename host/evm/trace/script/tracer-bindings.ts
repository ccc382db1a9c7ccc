import { concatBytes, EMPTY_BYTES, equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { createAddress } from '../../chain-types/address.ts'
import { isPrecompile } from '../../chain-types/precompile.ts'
import type { Keccak256 } from '../../chain-types/signature-recovery.ts'
import type { LiveState } from '../../engine/live-state.ts'
import type { Executed } from '../../engine/outcome.ts'
import type { EnterEvent, ExitEvent, StepOptions } from '../../engine/trace-event.ts'
import { type Account, decodeAccount, EMPTY_CODE_HASH } from '../../state/account.ts'
import type { StateView } from '../../state/view.ts'
import type { TracedMessage } from '../tracer.ts'
import { FrameMemories } from '../tracers/frame-memory.ts'
import type { Operands, ScriptAnswer, ScriptStep } from './exchange.ts'
import type { ScriptHost } from './sandbox.ts'
import { CONTEXT, type ContextMember, type ScriptQuestion } from './shared-buffer.ts'

/** The message and state behind a script's `db` and helpers. */
export interface TracerBindingsContext {
  readonly message: TracedMessage
  /** State from which the engine's needs are answered. */
  readonly view: StateView
  readonly keccak256: Keccak256
}

/** Phase of the script, which determines what it may access. */
export type ScriptPhase = 'elsewhere' | 'step' | 'result'

/** geth's `log.contract`. */
interface Contract {
  readonly caller: Uint8Array
  readonly address: Uint8Array
  readonly value: bigint
  readonly input: Uint8Array
}

const ZERO_WORD = new Uint8Array(32)
const CREATE2_PREFIX = Uint8Array.of(0xff)

function isCreation({ type }: EnterEvent): boolean {
  return type === 'CREATE' || type === 'CREATE2'
}

/** Returns the contract as its own code sees it. A creation has init code but no input. */
function contractOf(event: EnterEvent, parent: Contract | undefined): Contract {
  const { type, from, to, value = 0n } = event
  const input = isCreation(event) ? EMPTY_BYTES : event.input
  switch (type) {
    case 'DELEGATECALL':
      return { caller: parent?.caller ?? from, address: from, value, input }
    case 'CALLCODE':
      return { caller: from, address: from, value, input }
    default:
      return { caller: from, address: to, value, input }
  }
}

/** The transaction's current state for a script. Answers its questions from trace events and the state. */
export class TracerBindings implements ScriptHost {
  moment: ScriptPhase = 'elsewhere'
  readonly #context: TracerBindingsContext
  readonly #steps: StepOptions
  /** Returns the error to throw if the script reads a part that its steps lack. */
  readonly #lack: (missing: keyof StepOptions) => unknown
  readonly #contracts: Contract[] = []
  readonly #memories = new FrameMemories()
  #live: LiveState | undefined
  #record: ScriptStep | undefined
  #enter: EnterEvent | undefined
  #exit: ExitEvent | undefined
  #root: EnterEvent | undefined
  /** Code that a failed creation transaction could not store: geth returns it as output. */
  #unkept: Uint8Array | undefined
  #outcome: Executed | undefined

  constructor(
    context: TracerBindingsContext,
    steps: StepOptions,
    lack: (missing: keyof StepOptions) => unknown,
  ) {
    this.#context = context
    this.#steps = steps
    this.#lack = lack
  }

  begin(live: LiveState): void {
    this.#live = live
  }

  enter(event: EnterEvent): void {
    this.#root ??= event
    this.#enter = event
    this.#contracts.push(contractOf(event, this.#contracts.at(-1)))
    this.#memories.enter(event.depth + 1)
  }

  exit(event: ExitEvent): void {
    this.#exit = event
    if (event.depth === 0 && event.error !== undefined) this.#unkept = event.output.slice()
    this.#contracts.pop()
  }

  write(depth: number, offset: number, bytes: Uint8Array): void {
    this.#memories.write(depth, offset, bytes)
  }

  step(record: ScriptStep): void {
    this.#record = record
    this.moment = 'step'
  }

  finish(outcome: Executed): void {
    this.#outcome = outcome
    this.moment = 'result'
  }

  answer(question: ScriptQuestion, operands: Operands): ScriptAnswer {
    switch (question) {
      case 'stack':
        this.#requireStep('stack')
        return undefined
      case 'memory':
        return this.#memory(operands)
      case 'error':
        return this.#record?.error
      case 'caller':
      case 'address':
      case 'value':
      case 'input':
        return this.#contract()[question]
      case 'balance':
      case 'nonce':
      case 'code':
      case 'state':
      case 'exists':
        return this.#state(question, operands)
      case 'createAddress':
        return createAddress(operands.address, BigInt(operands.first), this.#context.keccak256)
      case 'create2Address':
        return this.#create2Address(operands)
      case 'isPrecompiled':
        return isPrecompile(operands.address, this.#context.message.env.revision)
      case 'context':
        return this.#contextValue(CONTEXT[operands.first] as ContextMember)
      default:
        return this.#frame(question)
    }
  }

  #memory({ first, second }: Operands): Uint8Array {
    const { depth, memorySize } = this.#requireStep('memory')
    const bytes = new Uint8Array(second)
    bytes.set(this.#memories.read(depth, memorySize).subarray(first, first + second))
    return bytes
  }

  #requireStep(option: 'stack' | 'memory'): ScriptStep {
    if (this.moment !== 'step' || this.#record === undefined) throw readElsewhere('log')
    if (!this.#steps[option]) throw this.#lack(option)
    return this.#record
  }

  #contract(): Contract {
    const contract = this.#contracts.at(-1)
    if (this.moment !== 'step' || contract === undefined) throw readElsewhere('log')
    return contract
  }

  #state(
    question: 'balance' | 'nonce' | 'code' | 'state' | 'exists',
    { address, key }: Operands,
  ): ScriptAnswer {
    if (this.moment === 'elsewhere') throw readElsewhere('db')
    if (this.moment === 'step' && this.#steps.each !== true) throw this.#lack('each')
    if (question === 'state') return this.#slot(address, key)
    const record = this.#live?.account(address) ?? this.#context.view.account(address)
    const exists = record !== undefined && record.length > 0
    if (question === 'exists') return exists
    const account = decodeAccount(exists ? record : undefined)
    if (question === 'balance') return account.balance
    return question === 'nonce' ? Number(account.nonce) : this.#code(account)
  }

  #slot(address: Uint8Array, key: Uint8Array): Uint8Array {
    const value = this.#live?.storage(address, key) ?? this.#context.view.storage(address, key)
    return value === undefined || value.length === 0 ? ZERO_WORD : value
  }

  #code({ codeHash }: Account): Uint8Array {
    if (equalBytes(codeHash, EMPTY_CODE_HASH)) return EMPTY_BYTES
    return this.#live?.code(codeHash) ?? this.#context.view.code(codeHash)
  }

  /** Computes the address as in EIP-1014. */
  #create2Address({ address, key, bytes }: Operands): Uint8Array {
    const { keccak256 } = this.#context
    const initCodeHash = keccak256(bytes)
    return keccak256(concatBytes([CREATE2_PREFIX, address, key, initCodeHash])).slice(12)
  }

  /** Answers about the arguments of the script's `enter` and `exit`. */
  #frame(question: ScriptQuestion): ScriptAnswer {
    const enter = this.#enter
    const exit = this.#exit
    switch (question) {
      case 'frameType':
        return enter?.type
      case 'frameFrom':
        return enter?.from
      case 'frameTo':
        return enter?.to
      case 'frameInput':
        return enter?.input
      case 'frameGas':
        return enter === undefined ? undefined : Number(enter.gas)
      case 'frameValue':
        return enter?.value
      case 'exitGasUsed':
        return exit === undefined ? undefined : Number(exit.gasUsed)
      case 'exitOutput':
        return exit?.output
      case 'exitError':
        return exit?.error
      default:
        throw new LockstepError('ENGINE_FAULT', `the script sandbox asked for ${question}`)
    }
  }

  /** Answers about the argument of the script's `result`. Undefined members are absent. */
  #contextValue(name: ContextMember): ScriptAnswer {
    const { input, env, gasPrice, position } = this.#context.message
    const root = this.#root
    const outcome = this.#outcome
    switch (name) {
      case 'type':
        return root !== undefined && isCreation(root) ? 'CREATE' : 'CALL'
      case 'from':
        return root?.from ?? input.from
      case 'to':
        return root?.to ?? input.to
      case 'input':
        return root?.input ?? input.data
      case 'gas':
        return Number(input.gas)
      case 'gasUsed':
        return Number(outcome?.gasUsed ?? 0n)
      case 'gasPrice':
        // geth reports only the part above the base fee.
        return gasPrice - env.baseFee
      case 'value':
        return input.value
      case 'block':
        return env.number
      case 'coinbase':
        return env.coinbase
      case 'output':
        return this.#unkept ?? outcome?.output
      case 'error':
        return outcome?.error
      case 'blockHash':
        return position?.blockHash
      case 'txIndex':
        return position?.index
      case 'txHash':
        return position?.transactionHash
    }
  }
}

function readElsewhere(what: 'log' | 'db'): LockstepError {
  const where = what === 'log' ? 'step and fault' : 'step, fault and result'
  return new LockstepError(
    'EXECUTION_FAILED',
    `${what} of the tracer can be read in ${where} only`,
    {
      hint: 'correct the script tracer',
    },
  )
}
