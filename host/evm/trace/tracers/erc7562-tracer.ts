import { bytesKey, equalBytes } from '../../../base/bytes.ts'
import { LockstepError } from '../../../base/error.ts'
import { formatData, formatQuantity, parseData } from '../../../base/hex.ts'
import {
  ADD,
  AND,
  CALL,
  CALLCODE,
  DELEGATECALL,
  DIV,
  EQ,
  EXTCODECOPY,
  EXTCODEHASH,
  EXTCODESIZE,
  GAS,
  GT,
  ISZERO,
  KECCAK256,
  LT,
  MUL,
  NOT,
  OR,
  POP,
  PUSH0,
  RETURN,
  REVERT,
  SGT,
  SHL,
  SHR,
  SLOAD,
  SLT,
  SSTORE,
  STATICCALL,
  SUB,
  SWAP16,
  TLOAD,
  TSTORE,
} from '../../engine/generated/opcode.ts'
import type { LiveState } from '../../engine/live-state.ts'
import type { AccountEvent, StepRecord, TraceEvent, TraceSink } from '../../engine/trace-event.ts'
import { decodeAccount, EMPTY_CODE_HASH } from '../../state/account.ts'
import type { ChunkedJsonWriter } from '../json-writer.ts'
import { readFlag, type Tracer, type TracerConfig, type TracerRequest } from '../tracer.ts'
import { CallTracer, type TracedFrame } from './call-tracer.ts'
import { FrameMemories } from './frame-memory.ts'

const EXTERNAL_CODE: readonly number[] = [EXTCODESIZE, EXTCODECOPY, EXTCODEHASH]
const CALLS: readonly number[] = [CALL, CALLCODE, DELEGATECALL, STATICCALL]

/** Opcodes without a rule in ERC-7562: PUSH, DUP, SWAP, POP, and plain arithmetic, comparison and bit operations. */
const IGNORED: readonly number[] = [
  ...Array.from({ length: SWAP16 - PUSH0 + 1 }, (_, i) => PUSH0 + i),
  POP,
  ADD,
  SUB,
  MUL,
  DIV,
  EQ,
  LT,
  GT,
  SLT,
  SGT,
  SHL,
  SHR,
  AND,
  OR,
  NOT,
  ISZERO,
]

/** Maximum bytes past the end of memory that a preimage may reach, as in geth. */
const MAX_PADDING = 1 << 20

interface ContractSize {
  /** Known at this point only for contracts that the transaction has already created. */
  readonly size: number | undefined
  readonly opcode: number
}

/** Accounts, slots and opcodes that one frame accessed. */
interface Accesses {
  readonly reads: Map<string, readonly string[]>
  readonly writes: Map<string, number>
  readonly transientReads: Map<string, number>
  readonly transientWrites: Map<string, number>
  readonly externalCode: string[]
  readonly opcodes: Map<number, number>
  readonly contracts: Map<string, ContractSize>
  outOfGas: boolean
}

function noAccesses(): Accesses {
  return {
    reads: new Map(),
    writes: new Map(),
    transientReads: new Map(),
    transientWrites: new Map(),
    externalCode: [],
    opcodes: new Map(),
    contracts: new Map(),
    outOfGas: false,
  }
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function wordText(word: bigint): string {
  return `0x${word.toString(16).padStart(64, '0')}`
}

function addressText(word: bigint): string {
  return `0x${BigInt.asUintN(160, word).toString(16).padStart(40, '0')}`
}

function readIgnored(config: TracerConfig): ReadonlySet<number> {
  const { ignoredOpcodes } = config
  if (ignoredOpcodes === undefined || ignoredOpcodes === null) return new Set(IGNORED)
  const isHex = (value: unknown) => typeof value === 'string' && /^0x[0-9a-f]{1,2}$/i.test(value)
  if (!Array.isArray(ignoredOpcodes) || !ignoredOpcodes.every(isHex)) {
    throw new LockstepError('INVALID_ARGUMENT', 'ignoredOpcodes: want an array of opcodes in hex')
  }
  return new Set(ignoredOpcodes.map(Number))
}

/**
 * geth's erc7562Tracer: the call tree with the accounts and slots that each frame accessed, for the validation rules
 * of account abstraction (ERC-7562).
 */
class Erc7562Tracer implements Tracer {
  readonly sink: TraceSink
  readonly #calls: CallTracer
  readonly #ignored: ReadonlySet<number>
  readonly #writer: ChunkedJsonWriter
  readonly #gasLimit: bigint
  readonly #memories = new FrameMemories()
  /** Accesses of every frame, in the order in which the frames started. */
  readonly #frames: Accesses[] = []
  readonly #open: Accesses[] = []
  readonly #creations: (string | undefined)[] = []
  readonly #view: TracerRequest['view']
  #live: LiveState | undefined
  /** Code sizes by address, before and after the transaction. */
  readonly #sizesBefore = new Map<string, number>()
  readonly #sizesAfter = new Map<string, number>()
  /** Code sizes of all contracts that the transaction has created so far. */
  readonly #created = new Map<string, number>()
  readonly #everCreated = new Set<string>()
  readonly #preimages = new Map<string, Uint8Array>()
  /** The previous opcode, and the word that was on top of the stack. */
  #last: { readonly opcode: number; readonly top: bigint } | undefined

  constructor({ message, config, limits, view, writer }: TracerRequest) {
    this.#calls = new CallTracer({
      onlyTopCall: false,
      withLog: readFlag(config, 'withLog'),
      firstLogIndex: message.firstLogIndex,
      maxBytes: limits.keptBytes,
    })
    this.#ignored = readIgnored(config)
    this.#writer = writer
    this.#view = view
    this.#gasLimit = message.input.gas
    this.sink = {
      steps: { stack: true, memory: true },
      wantsState: true,
      ignoresLogs: this.#calls.ignoresLogs,
      onBegin: (live) => {
        this.#live = live
      },
      onEvent: (event) => this.#onEvent(event),
      onStep: (step) => this.#onStep(step),
      onMemory: (depth, offset, bytes) => this.#memories.write(depth, offset, bytes),
    }
  }

  finish({ gasUsed }: { readonly gasUsed: bigint }): void {
    const frames = this.#frames[Symbol.iterator]()
    this.#write(this.#calls.finish(this.#gasLimit, gasUsed), frames, true)
  }

  #onEvent(event: TraceEvent): void {
    this.#calls.onEvent(event)
    switch (event.kind) {
      case 'enter': {
        const frame = noAccesses()
        this.#frames.push(frame)
        this.#open.push(frame)
        const isCreation = event.type === 'CREATE' || event.type === 'CREATE2'
        this.#creations.push(isCreation ? formatData(event.to) : undefined)
        this.#memories.enter(event.depth + 1)
        break
      }
      case 'exit': {
        const frame = this.#open.pop()
        const created = this.#creations.pop()
        if (event.error === undefined && created !== undefined) {
          this.#created.set(created, event.output.length)
          this.#everCreated.add(created)
        }
        const { error } = event
        // geth marks only nested frames.
        if (frame !== undefined && event.depth > 0) {
          frame.outOfGas =
            error === 'contract creation code storage out of gas' ||
            error?.startsWith('out of gas') === true
        }
        break
      }
      case 'account':
        this.#onAccount(event)
        break
    }
  }

  #onAccount({ phase, address, code }: AccountEvent): void {
    const sizes = phase === 'before' ? this.#sizesBefore : this.#sizesAfter
    sizes.set(formatData(address), code.length)
  }

  /** Returns the code size of an account that held no contract created by the transaction when it was accessed. */
  #sizeOf(address: string): number {
    if (this.#everCreated.has(address)) return this.#sizesBefore.get(address) ?? 0
    const size = this.#sizesAfter.get(address)
    if (size !== undefined) return size
    // A failed step has loaded no account.
    const bytes = parseData(address)
    const record = this.#live?.account(bytes) ?? this.#view.account(bytes)
    const { codeHash } = decodeAccount(
      record === undefined || record.length === 0 ? undefined : record,
    )
    if (equalBytes(codeHash, EMPTY_CODE_HASH)) return 0
    return (this.#live?.code(codeHash) ?? this.#view.code(codeHash)).length
  }

  #onStep(step: StepRecord): void {
    const frame = this.#open.at(-1)
    if (frame === undefined) return
    const { opcode, stackHeight } = step
    const peek = (index: number) =>
      index < stackHeight ? step.wordAt(stackHeight - 1 - index) : undefined
    if (opcode === RETURN || opcode === REVERT) this.#last = undefined
    this.#noteExternalCode(opcode, frame)
    this.#noteContract(opcode, peek, frame)
    if (this.#last?.opcode === GAS && !CALLS.includes(opcode)) count(frame.opcodes, GAS)
    if (opcode !== GAS && !this.#ignored.has(opcode)) count(frame.opcodes, opcode)
    this.#noteStorage(step, peek(0), frame)
    if (opcode === KECCAK256) this.#notePreimage(step, peek(0), peek(1))
    this.#last = { opcode, top: peek(0) ?? 0n }
  }

  /** OP-051 allows EXTCODESIZE if only its being zero is checked. */
  #noteExternalCode(opcode: number, { externalCode }: Accesses): void {
    const last = this.#last
    if (last === undefined || !EXTERNAL_CODE.includes(last.opcode)) return
    if (last.opcode === EXTCODESIZE && opcode === ISZERO) return
    externalCode.push(addressText(last.top))
  }

  /** Records a contract access (OP-041). */
  #noteContract(
    opcode: number,
    peek: (index: number) => bigint | undefined,
    { contracts }: Accesses,
  ): void {
    const isExternal = EXTERNAL_CODE.includes(opcode)
    if (!isExternal && !CALLS.includes(opcode)) return
    const word = peek(isExternal ? 0 : 1)
    if (word === undefined) return
    const address = addressText(word)
    if (!contracts.has(address)) {
      contracts.set(address, { size: this.#created.get(address), opcode })
    }
  }

  #noteStorage(step: StepRecord, key: bigint | undefined, frame: Accesses): void {
    if (key === undefined) return
    const slot = wordText(key)
    switch (step.opcode) {
      case SLOAD:
        // Only the value before the frame's first write matters.
        if (!frame.reads.has(slot) && !frame.writes.has(slot) && step.slotAt !== 0) {
          frame.reads.set(slot, [wordText(valueAt(step.bytes, step.slotAt + 32))])
        }
        break
      case SSTORE:
        count(frame.writes, slot)
        break
      case TLOAD:
        count(frame.transientReads, slot)
        break
      case TSTORE:
        count(frame.transientWrites, slot)
        break
    }
  }

  #notePreimage(step: StepRecord, offset: bigint | undefined, length: bigint | undefined): void {
    if (offset === undefined || length === undefined) return
    // geth uses the lowest 64 bits, signed, even if the step then fails.
    const from = BigInt.asIntN(64, offset)
    const size = BigInt.asIntN(64, length)
    if (from < 0n || size < 0n || from + size > BigInt(step.memorySize + MAX_PADDING)) return
    const end = Number(from + size)
    const preimage = this.#memories.read(step.depth, end).slice(Number(from), end)
    this.#preimages.set(bytesKey(preimage), preimage)
  }

  #write(frame: TracedFrame, frames: Iterator<Accesses>, isRoot: boolean): void {
    const accesses = frames.next().value as Accesses
    const writer = this.#writer
    const { calls, ...shown } = frame
    writer.beginObject()
    for (const [name, value] of Object.entries(shown)) writer.member(name, value)
    writer.member('accessedSlots', {
      reads: Object.fromEntries(accesses.reads),
      writes: Object.fromEntries(accesses.writes),
      transientReads: Object.fromEntries(accesses.transientReads),
      transientWrites: Object.fromEntries(accesses.transientWrites),
    })
    writer.member('extCodeAccessInfo', accesses.externalCode)
    const opcodes = [...accesses.opcodes].map(([opcode, times]) => [formatQuantity(opcode), times])
    writer.member('usedOpcodes', Object.fromEntries(opcodes))
    const contracts = [...accesses.contracts].map(([address, { size, opcode }]) => [
      address,
      { contractSize: size ?? this.#sizeOf(address), opcode },
    ])
    writer.member('contractSize', Object.fromEntries(contracts))
    writer.member('outOfGas', accesses.outOfGas)
    if (isRoot && this.#preimages.size > 0) {
      const preimages = [...this.#preimages.values()].map(formatData)
      writer.member('keccak', preimages.sort())
    }
    if (calls !== undefined) {
      writer.name('calls')
      writer.beginArray()
      for (const call of calls) this.#write(call, frames, false)
      writer.end()
    }
    writer.end()
  }
}

/** Returns the word at an address of the engine's memory: four little-endian limbs. */
function valueAt(bytes: Uint8Array, at: number): bigint {
  const limbs = new DataView(bytes.buffer, bytes.byteOffset + at, 32)
  let value = 0n
  for (let i = 3; i >= 0; i--) value = (value << 64n) | limbs.getBigUint64(8 * i, true)
  return value
}

export function erc7562Tracer(request: TracerRequest): Tracer {
  return new Erc7562Tracer(request)
}
