import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes, bytesToBigint } from '../../../../host/base/bytes.ts'
import { formatData, type Hex } from '../../../../host/base/hex.ts'
import type { Engine } from '../../../../host/evm/engine/engine.ts'
import type { LiveState } from '../../../../host/evm/engine/live-state.ts'
import type { TransactionInput } from '../../../../host/evm/engine/message.ts'
import { OPCODES } from '../../../../host/evm/engine/opcode.ts'
import type {
  EnterEvent,
  StepRecord,
  TraceEvent,
  TraceSink,
} from '../../../../host/evm/engine/trace-event.ts'
import { ACCOUNT_RECORD, decodeAccount } from '../../../../host/evm/state/account.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import type { StateView } from '../../../../host/evm/state/view.ts'
import { FrameMemories } from '../../../../host/evm/trace/tracers/frame-memory.ts'

/** Steps of the last writes, keyed by `address slot` in hex. */
type Writers = ReadonlyMap<string, number>

/** A step with the whole machine state before it, and the last writer of each part. */
export interface ModelStep {
  readonly pc: number
  readonly opcode: number
  readonly depth: number
  readonly gas: number
  readonly cost: number
  readonly refund: number
  readonly error: string | undefined
  readonly frame: ModelFrame
  readonly stack: readonly bigint[]
  readonly stackWriters: readonly (number | undefined)[]
  readonly memory: Hex
  readonly memoryWriters: ReadonlyMap<number, number>
  readonly returnData: Hex
  /** Slots of the contract that were read or written so far. */
  readonly storage: ReadonlyMap<Hex, Hex>
  readonly transient: ReadonlyMap<Hex, Hex>
  readonly slotWriters: Writers
  readonly transientWriters: Writers
}

export interface ModelFrame {
  readonly index: number
  readonly address: Hex
  readonly to: Hex
  readonly codeHash: Hex
  readonly parent: number | undefined
  firstStep: number
  endStep: number
  gasUsed: bigint
  error: string | undefined
}

interface OpenFrame {
  readonly frame: ModelFrame
  readonly stackWriters: (number | undefined)[]
  readonly memoryWriters: Map<number, number>
  last: number
  readonly slotWriters: Map<string, number>
  readonly transientWriters: Map<string, number>
  readonly transient: Map<string, Hex>
}

const ZERO: Hex = `0x${'00'.repeat(32)}`
const hexOf = (word: bigint): Hex => formatData(bigintToBytes(word, 32))

/** Keeps the state of every step of a transaction: slow, large and simple. */
export class PlainModel implements TraceSink {
  readonly steps = { stack: true, memory: true, each: true }
  readonly kept: ModelStep[] = []
  readonly frames: ModelFrame[] = []
  readonly #open: OpenFrame[] = []
  readonly #memories = new FrameMemories()
  readonly #touched = new Map<Hex, Set<Hex>>()
  readonly #touchedTransient = new Map<Hex, Set<Hex>>()
  #slotWriters = new Map<string, number>()
  #transientWriters = new Map<string, number>()
  #transient = new Map<string, Hex>()
  #live: LiveState | undefined

  static of(engine: Engine, input: TransactionInput, state: StateView) {
    const model = new PlainModel()
    const outcome = answerFrom(engine.transact(input, { trace: model }), state)
    return { model, outcome }
  }

  onBegin(live: LiveState): void {
    this.#live = live
  }

  onEvent(event: TraceEvent): void {
    if (event.kind === 'enter') this.#enter(event)
    if (event.kind !== 'exit') return
    const open = this.#open.pop() as OpenFrame
    open.frame.endStep = this.kept.length
    open.frame.gasUsed = event.gasUsed
    open.frame.error = event.error
    if (event.error === undefined) return
    this.#slotWriters = open.slotWriters
    this.#transientWriters = open.transientWriters
    this.#transient = open.transient
  }

  onMemory(depth: number, offset: number, bytes: Uint8Array): void {
    this.#memories.write(depth, offset, bytes)
    const open = this.#open[depth - 1] as OpenFrame
    for (let i = 0; i < bytes.length; i++) open.memoryWriters.set(offset + i, open.last)
  }

  onStep(step: StepRecord): void {
    const index = this.kept.length
    const open = this.#open.at(-1) as OpenFrame
    const { pc, opcode, depth, gas, cost, refund, error, returnData, memorySize } = step
    const stack = Array.from({ length: step.stackHeight }, (_, place) => step.wordAt(place))
    this.kept.push({
      ...{ pc, opcode, depth, gas, cost, refund, error, stack, frame: open.frame },
      stackWriters: [...open.stackWriters],
      memory: formatData(this.#memories.read(depth, memorySize)),
      memoryWriters: new Map(open.memoryWriters),
      returnData: formatData(returnData),
      storage: this.#storageOf(open.frame.address),
      transient: this.#transientOf(open.frame.address),
      slotWriters: new Map(this.#slotWriters),
      transientWriters: new Map(this.#transientWriters),
    })
    open.last = index
    if (error === undefined) this.#apply(open, index, opcode, stack)
  }

  #enter(event: EnterEvent): void {
    const { type, from, to, depth } = event
    const borrows = type === 'DELEGATECALL' || type === 'CALLCODE'
    const frame: ModelFrame = {
      index: this.frames.length,
      address: formatData(borrows ? from : to),
      to: formatData(to),
      codeHash: this.#codeHashOf(event),
      parent: this.#open.at(-1)?.frame.index,
      firstStep: this.kept.length,
      endStep: this.kept.length,
      gasUsed: 0n,
      error: undefined,
    }
    this.frames.push(frame)
    this.#memories.enter(depth + 1)
    this.#open.push({
      frame,
      stackWriters: [],
      memoryWriters: new Map(),
      last: -1,
      slotWriters: new Map(this.#slotWriters),
      transientWriters: new Map(this.#transientWriters),
      transient: new Map(this.#transient),
    })
  }

  /** Records the writes of the opcode. */
  #apply(open: OpenFrame, index: number, opcode: number, stack: readonly bigint[]): void {
    const writers = open.stackWriters
    const { taken = 0, left = 0, name = '' } = OPCODES[opcode] ?? {}
    if (name.startsWith('DUP')) {
      writers.push(index)
    } else if (name.startsWith('SWAP')) {
      writers[writers.length - taken] = index
      writers[writers.length - 1] = index
    } else {
      writers.splice(writers.length - taken, taken, ...new Array<number>(left).fill(index))
    }
    const { address } = open.frame
    const slot = hexOf(stack.at(-1) ?? 0n)
    if (name === 'SLOAD' || name === 'SSTORE') touch(this.#touched, address, slot)
    if (name === 'TLOAD' || name === 'TSTORE') touch(this.#touchedTransient, address, slot)
    if (name === 'SSTORE') this.#slotWriters.set(`${address} ${slot}`, index)
    if (name !== 'TSTORE') return
    this.#transientWriters.set(`${address} ${slot}`, index)
    this.#transient.set(`${address} ${slot}`, hexOf(stack.at(-2) as bigint))
  }

  /** Hash of the code that runs. Each event arrives before anything else can change that code. */
  #codeHashOf({ type, to, input }: EnterEvent): Hex {
    if (type === 'CREATE' || type === 'CREATE2') return formatData(keccak_256(input))
    const hashOf = (address: Uint8Array) => decodeAccount(this.#recordOf(address)).codeHash
    const hash = hashOf(to)
    const code = this.#live?.code(hash)
    const isDelegation = code?.length === 23 && code[0] === 0xef
    return formatData(isDelegation ? hashOf(code.subarray(3)) : hash)
  }

  #recordOf(address: Uint8Array): Uint8Array | undefined {
    const record = this.#live?.account(address)
    return record?.length === ACCOUNT_RECORD ? record : undefined
  }

  #storageOf(address: Hex): Map<Hex, Hex> {
    const bytes = (hex: Hex) => bigintToBytes(BigInt(hex), (hex.length - 2) / 2)
    return new Map(
      Array.from(this.#touched.get(address) ?? [], (slot) => {
        const value = this.#live?.storage(bytes(address), bytes(slot))
        return [slot, value?.length === 32 ? hexOf(bytesToBigint(value)) : ZERO]
      }),
    )
  }

  #transientOf(address: Hex): Map<Hex, Hex> {
    return new Map(
      Array.from(this.#touchedTransient.get(address) ?? [], (slot) => {
        return [slot, this.#transient.get(`${address} ${slot}`) ?? ZERO]
      }),
    )
  }
}

function touch(touched: Map<Hex, Set<Hex>>, address: Hex, slot: Hex): void {
  const slots = touched.get(address)
  if (slots === undefined) touched.set(address, new Set([slot]))
  else slots.add(slot)
}
