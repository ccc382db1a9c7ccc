import { bytesKey, EMPTY_BYTES } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { atLeast } from '../../chain-types/revision.ts'
import {
  CALL,
  CALLCODE,
  CALLDATACOPY,
  CODECOPY,
  DELEGATECALL,
  EXTCODECOPY,
  MCOPY,
  MLOAD,
  MSTORE,
  MSTORE8,
  RETURNDATACOPY,
  SSTORE,
  STATICCALL,
  STOP,
} from '../../engine/generated/opcode.ts'
import type { LiveState } from '../../engine/live-state.ts'
import { OPCODES } from '../../engine/opcode.ts'
import type { EnterEvent, ExitEvent, StepRecord, TraceEvent } from '../../engine/trace-event.ts'
import { decodeAccount } from '../../state/account.ts'
import type { ChunkedJsonWriter } from '../json-writer.ts'
import type { TracerRequest } from '../tracer.ts'
import { FrameMemories } from './frame-memory.ts'

/** Memory that an opcode writes: stack positions of offset and size, or a fixed size. */
interface MemoryOperands {
  readonly offset: number
  readonly size: { readonly at: number } | number
}

const MEMORY_OPERANDS: ReadonlyMap<number, MemoryOperands> = new Map<number, MemoryOperands>([
  [MLOAD, { offset: 0, size: 32 }],
  [MSTORE, { offset: 0, size: 32 }],
  [MSTORE8, { offset: 0, size: 1 }],
  [CALLDATACOPY, { offset: 0, size: { at: 2 } }],
  [CODECOPY, { offset: 0, size: { at: 2 } }],
  [RETURNDATACOPY, { offset: 0, size: { at: 2 } }],
  [MCOPY, { offset: 0, size: { at: 2 } }],
  [EXTCODECOPY, { offset: 1, size: { at: 3 } }],
  [CALL, { offset: 5, size: { at: 6 } }],
  [CALLCODE, { offset: 5, size: { at: 6 } }],
  [DELEGATECALL, { offset: 4, size: { at: 5 } }],
  [STATICCALL, { offset: 4, size: { at: 5 } }],
])

/** Prefixes of geth's messages for failures that Parity detects before it records the opcode. */
const UNRECORDED = [
  'invalid opcode',
  'stack underflow',
  'stack limit reached',
  'gas uint64 overflow',
  'out of gas: gas uint64 overflow',
]

/** Failures after which Parity counts the opcode as executed. */
const EXECUTED: readonly (string | undefined)[] = ['execution reverted', 'invalid jump destination']

/** Calls that fail before they start have no `sub`. */
const NEVER_BEGUN: readonly (string | undefined)[] = [
  'max call depth exceeded',
  'insufficient balance for transfer',
  'nonce uint64 overflow',
]

/** Code prefix of a delegated account (EIP-7702); the target address follows. */
const DELEGATION = '0xef0100'
const ADDRESS_AT = 3
const DELEGATION_LENGTH = 23

/** An opcode whose effects are visible at the next step of its frame. */
interface PendingOp {
  readonly pc: number
  readonly gas: number
  cost: number
  /** Number of words it pushes. */
  readonly left: number
  readonly isExecuted: boolean
  readonly memory: { readonly offset: number; readonly size: number } | undefined
  /** JSON text. */
  readonly store: string
  /** JSON of the frame that it started, if that had no steps. */
  sub: string
  /** True if the frame that it started had steps, so that the opcode's object is open. */
  isOpen: boolean
}

interface OpenFrame {
  /** Depth as counted in steps, starting at 1. */
  readonly depth: number
  readonly code: Uint8Array
  /** Key of the address that it creates. */
  readonly creates: string | undefined
  /** Contracts created in it, which are dropped if it fails. */
  readonly created: string[]
  /** True for SELFDESTRUCT, which is a frame in traces only. */
  readonly isMark: boolean
  isOpen: boolean
  pending: PendingOp | undefined
}

function quantity(word: bigint): string {
  return `"0x${word.toString(16)}"`
}

function isDelegation(code: Uint8Array): boolean {
  return code.length === DELEGATION_LENGTH && formatData(code).startsWith(DELEGATION)
}

/**
 * Writes Parity's `vmTrace` during execution: each opcode with its gas, the words it pushed, what it wrote, and the
 * opcodes of the frame it started. Needs steps with their stack, memory writes, and the accessed accounts, whose code
 * runs.
 */
export class VmTrace {
  readonly #writer: ChunkedJsonWriter
  readonly #most: number
  readonly #message: TracerRequest['message']
  readonly #memories = new FrameMemories()
  readonly #frames: OpenFrame[] = []
  /** Code of accounts before the transaction, and of contracts that it has created. */
  readonly #codes = new Map<string, Uint8Array>()
  readonly #createdCodes = new Map<string, Uint8Array>()
  readonly #startSize: number
  #live: LiveState | undefined

  constructor({ limits, message, writer }: TracerRequest) {
    this.#writer = writer
    this.#message = message
    this.#most = limits.structLogBytes
    this.#startSize = writer.size
  }

  onBegin(live: LiveState): void {
    this.#live = live
  }

  onMemory(depth: number, offset: number, bytes: Uint8Array): void {
    this.#memories.write(depth, offset, bytes)
  }

  onEvent(event: TraceEvent): void {
    if (event.kind === 'enter') this.#enter(event)
    else if (event.kind === 'exit') this.#exit(event)
    else if (event.kind === 'account' && event.phase === 'before') {
      this.#codes.set(bytesKey(event.address), event.code)
    }
  }

  onStep(step: StepRecord): void {
    const frame = this.#frames.at(-1)
    if (frame === undefined) return
    this.#settle(frame, step)
    // Parity stops after the last byte of code, where geth executes a STOP.
    if (step.opcode === STOP && step.pc >= frame.code.length) return
    const { error } = step
    if (error !== undefined && UNRECORDED.some((text) => error.startsWith(text))) return
    if (!frame.isOpen) this.#open(frame)
    frame.pending = pendingOp(step)
  }

  #enter(event: EnterEvent): void {
    const { type, depth, gas, input, to } = event
    const isCreation = type === 'CREATE' || type === 'CREATE2'
    const frame: OpenFrame = {
      depth: depth + 1,
      code: isCreation ? input : this.#codeOf(to),
      creates: isCreation ? bytesKey(to) : undefined,
      created: [],
      isMark: type === 'SELFDESTRUCT',
      isOpen: false,
      pending: undefined,
    }
    const caller = this.#frames.at(-1)
    // Parity includes the gas passed to a creation in its cost, as for a call.
    if (isCreation && caller?.pending !== undefined) caller.pending.cost += Number(gas)
    if (!frame.isMark) this.#memories.enter(frame.depth)
    this.#frames.push(frame)
    if (caller === undefined) this.#open(frame)
  }

  #exit({ error, output }: ExitEvent): void {
    const frame = this.#frames.pop()
    if (frame === undefined || frame.isMark) return
    this.#settle(frame, undefined)
    const caller = this.#frames.at(-1)
    if (frame.isOpen) {
      this.#writer.end()
      this.#writer.end()
    } else if (caller?.pending !== undefined && !NEVER_BEGUN.includes(error)) {
      caller.pending.sub = `{"code":"${formatData(frame.code)}","ops":[]}`
    }
    if (error !== undefined) {
      for (const key of frame.created) this.#createdCodes.delete(key)
      return
    }
    if (frame.creates !== undefined) {
      this.#createdCodes.set(frame.creates, output)
      frame.created.push(frame.creates)
    }
    caller?.created.push(...frame.created)
  }

  /** Starts the object of a frame, and of the opcode that started it. */
  #open(frame: OpenFrame): void {
    const writer = this.#writer
    const opcode = this.#frames.at(-2)?.pending
    if (opcode !== undefined) {
      writer.beginObject()
      writer.member('pc', opcode.pc)
      writer.name('sub')
      opcode.isOpen = true
    }
    writer.beginObject()
    writer.member('code', formatData(frame.code))
    writer.name('ops')
    writer.beginArray()
    frame.isOpen = true
  }

  /**
   * Writes the pending opcode with the effects visible at `next`, the following step; undefined if the opcode ended
   * its frame.
   */
  #settle(frame: OpenFrame, next: StepRecord | undefined): void {
    const { pending } = frame
    if (pending === undefined) return
    frame.pending = undefined
    const ex = pending.isExecuted ? this.#executed(pending, frame.depth, next) : 'null'
    const writer = this.#writer
    const { pc, cost, sub, isOpen } = pending
    if (isOpen) {
      writer.member('cost', cost)
      writer.name('ex')
      writer.raw(ex)
      writer.end()
    } else {
      writer.raw(`{"cost":${cost},"ex":${ex},"pc":${pc},"sub":${sub}}`)
    }
    if (writer.size - this.#startSize > this.#most) this.#refuse()
  }

  #executed({ gas, cost, left, memory, store }: PendingOp, depth: number, next?: StepRecord) {
    let push = ''
    if (next !== undefined && next.stackHeight >= left) {
      for (let i = next.stackHeight - left; i < next.stackHeight; i++) {
        push += `${push === '' ? '' : ','}${quantity(next.wordAt(i))}`
      }
    }
    let mem = 'null'
    if (memory !== undefined && memory.size > 0) {
      const end = memory.offset + memory.size
      const data = this.#memories.read(depth, end).subarray(memory.offset, end)
      mem = `{"data":"${formatData(data)}","off":${memory.offset}}`
    }
    return `{"mem":${mem},"push":[${push}],"store":${store},"used":${next?.gas ?? gas - cost}}`
  }

  /** Returns the code that a call to an account runs: its delegation target's, or its own. */
  #codeOf(address: Uint8Array): Uint8Array {
    const code = this.#ownCodeOf(address)
    if (!isDelegation(code) || !atLeast(this.#message.env.revision, 'Prague')) return code
    return this.#ownCodeOf(code.subarray(ADDRESS_AT))
  }

  #ownCodeOf(address: Uint8Array): Uint8Array {
    const key = bytesKey(address)
    const created = this.#createdCodes.get(key)
    if (created !== undefined) return created
    const before = this.#codes.get(key)
    // The account named by an authorization of this transaction runs without an account event.
    if (before === undefined) return this.#codeNow(address)
    const mayHaveDelegated = this.#message.input.authorizations.length > 0
    if (!mayHaveDelegated || (before.length > 0 && !isDelegation(before))) return before
    // Authorizations apply before execution but after the account was first loaded.
    const code = this.#codeNow(address)
    return isDelegation(code) ? code : EMPTY_BYTES
  }

  #codeNow(address: Uint8Array): Uint8Array {
    const record = this.#live?.account(address)
    if (record === undefined || record.length === 0) return EMPTY_BYTES
    return this.#live?.code(decodeAccount(record).codeHash) ?? EMPTY_BYTES
  }

  #refuse(): never {
    throw new LockstepError(
      'LIMIT_EXCEEDED',
      `the steps take more than ${this.#most} bytes ([evm] max_trace_struct_log_bytes)`,
      {
        data: { key: 'evm.max_trace_struct_log_bytes', limit: this.#most },
        hint: 'request trace and stateDiff without vmTrace, or raise the key',
      },
    )
  }
}

function pendingOp(step: StepRecord): PendingOp {
  const { opcode, pc, gas, cost, error, stackHeight } = step
  const peek = (index: number) => step.wordAt(stackHeight - 1 - index)
  const isExecuted = error === undefined || EXECUTED.includes(error)
  const operands = isExecuted ? MEMORY_OPERANDS.get(opcode) : undefined
  const size = operands?.size
  return {
    pc,
    gas,
    cost,
    left: OPCODES[opcode]?.left ?? 0,
    isExecuted,
    memory: operands && {
      offset: Number(peek(operands.offset)),
      size: typeof size === 'object' ? Number(peek(size.at)) : (size ?? 0),
    },
    store:
      isExecuted && opcode === SSTORE
        ? `{"key":${quantity(peek(0))},"val":${quantity(peek(1))}}`
        : 'null',
    sub: 'null',
    isOpen: false,
  }
}
