import { bytesKey, EMPTY_BYTES } from '../../../base/bytes.ts'
import { formatData, type Hex, parseData } from '../../../base/hex.ts'
import type { Keccak256 } from '../../../evm/chain-types/signature-recovery.ts'
import type { LiveState } from '../../../evm/engine/live-state.ts'
import type {
  EnterEvent,
  ExitEvent,
  LogEvent,
  TraceEvent,
} from '../../../evm/engine/trace-event.ts'
import { ACCOUNT_RECORD, decodeAccount, EMPTY_CODE_HASH } from '../../../evm/state/account.ts'
import type { StateView } from '../../../evm/state/view.ts'
import { gethRevertReason } from '../../../evm/trace/tracers/revert-reason.ts'
import type { Fault } from './fault.ts'
import type { CallNode, LogNode } from './stepper.ts'

/** A frame with internal data of the stepper. */
export interface IndexedCall extends CallNode {
  readonly codeHash: Hex
  /** Account whose storage it uses. */
  readonly address: Hex
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] }
type Draft = Omit<Mutable<IndexedCall>, 'children' | 'logs'> & {
  children: number[]
  logs: Mutable<LogNode>[]
}

/** Bytes of a delegation designator: 0xef0100 and an address (EIP-7702). */
const DESIGNATOR = 23

interface Code {
  readonly hash: Hex
  readonly bytes: Uint8Array
}

const NO_CODE: Code = { hash: formatData(EMPTY_CODE_HASH), bytes: EMPTY_BYTES }

/** A contract creation that left code at an address, and the code before. */
interface CodeChange {
  readonly address: Hex
  readonly before: Code | undefined
}

/** Builds the frames of a transaction from its events. */
export class CallIndex {
  readonly nodes: Draft[] = []
  /** Executed code by its hash. */
  readonly codes = new Map<Hex, Uint8Array>()
  readonly #keccak256: Keccak256
  readonly #before: () => Pick<StateView, 'account'>
  #live: LiveState | undefined
  readonly #open: Draft[] = []
  readonly #names = new Map<string, Hex>()
  /** By address: the code before the transaction, or that left by its creations. */
  readonly #codeOf = new Map<Hex, Code>()
  readonly #changes: CodeChange[] = []
  readonly #marks: number[] = []

  /** `before` returns the state before the transaction. */
  constructor(keccak256: Keccak256, before: () => Pick<StateView, 'account'>) {
    this.#keccak256 = keccak256
    this.#before = before
  }

  onBegin(live: LiveState): void {
    this.#live = live
  }

  /** The current frame. */
  get running(): IndexedCall {
    return this.#open.at(-1) as Draft
  }

  /** `index` is the number of the next step. */
  onEvent(event: TraceEvent, index: number): void {
    if (event.kind === 'enter') this.#enter(event, index)
    else if (event.kind === 'exit') this.#exit(event, index)
    else if (event.kind === 'log') this.#log(event, index)
  }

  #enter(event: EnterEvent, index: number): void {
    const { type, depth, input, gas, value } = event
    const from = this.#named(event.from)
    const to = this.#named(event.to)
    const parent = this.#open.at(-1)
    const isCreation = type === 'CREATE' || type === 'CREATE2'
    const borrows = type === 'DELEGATECALL' || type === 'CALLCODE'
    const node: Draft = {
      index: this.nodes.length,
      parent: parent?.index,
      children: [],
      type,
      depth: depth + 1,
      from,
      to,
      address: borrows ? from : to,
      codeAddress: to,
      codeHash: '0x',
      value,
      input: formatData(input),
      output: '0x',
      gas,
      gasUsed: 0n,
      fault: undefined,
      logs: [],
      firstStep: index,
      endStep: index,
    }
    this.#setCode(node, isCreation ? this.#hashed(input) : this.#codeBehind(node))
    parent?.children.push(node.index)
    this.nodes.push(node)
    this.#open.push(node)
    this.#marks.push(this.#changes.length)
  }

  /** Returns the code that a call runs: that of the delegate if the account delegates. */
  #codeBehind(node: Draft): Code {
    const code = this.#codeAt(node.to)
    const { bytes } = code
    const isDelegation = bytes.length === DESIGNATOR && bytes[0] === 0xef && bytes[1] === 0x01
    if (!isDelegation) return code
    node.codeAddress = formatData(bytes.subarray(3))
    return this.#codeAt(node.codeAddress)
  }

  /**
   * Returns the code of an account. The trace is read later than written, at the latest after the transaction. Code
   * from creations is tracked here. Otherwise it is the code that authorizations left at the beginning, or for a
   * deleted account its code before.
   */
  #codeAt(address: Hex): Code {
    const known = this.#codeOf.get(address)
    if (known !== undefined) return known
    const bytes = parseData(address)
    const now = this.#live?.account(bytes)
    const record = now?.length === ACCOUNT_RECORD ? now : this.#before().account(bytes)
    const code = record === undefined ? NO_CODE : this.#codeIn(record)
    this.#codeOf.set(address, code)
    return code
  }

  #codeIn(record: Uint8Array): Code {
    const { codeHash } = decodeAccount(record)
    return { hash: formatData(codeHash), bytes: this.#live?.code(codeHash) ?? EMPTY_BYTES }
  }

  #hashed(bytes: Uint8Array): Code {
    return bytes.length === 0 ? NO_CODE : { hash: formatData(this.#keccak256(bytes)), bytes }
  }

  /** Returns the hex form of an address, shared by all frames and logs. */
  #named(address: Uint8Array): Hex {
    const key = bytesKey(address)
    let name = this.#names.get(key)
    if (name === undefined) {
      name = formatData(address)
      this.#names.set(key, name)
    }
    return name
  }

  #setCode(node: Draft, { hash, bytes }: Code): void {
    node.codeHash = hash
    this.codes.set(hash, bytes)
  }

  #exit(event: ExitEvent, index: number): void {
    const node = this.#open.pop() as Draft
    const mark = this.#marks.pop() as number
    node.endStep = index
    node.gasUsed = event.gasUsed
    const isKept = event.error === undefined || event.reverted
    node.output = isKept ? formatData(event.output) : '0x'
    if (event.error === undefined) {
      const isCreation = node.type === 'CREATE' || node.type === 'CREATE2'
      if (isCreation) this.#changeCode(node.to, event.output)
      return
    }
    node.fault = faultOf(event, node.firstStep < index ? index - 1 : undefined)
    this.#undoCode(mark)
    this.#undoLogs(node)
  }

  #changeCode(address: Hex, bytes: Uint8Array): void {
    this.#changes.push({ address, before: this.#codeOf.get(address) })
    this.#codeOf.set(address, this.#hashed(bytes))
  }

  /** A reverted creation leaves no code: existing code would have prevented the creation. */
  #undoCode(mark: number): void {
    for (const { address, before } of this.#changes.splice(mark).reverse()) {
      this.#codeOf.set(address, before ?? NO_CODE)
    }
  }

  #undoLogs(node: Draft): void {
    for (const log of node.logs) log.isReverted = true
    for (const index of node.children) {
      const child = this.nodes[index] as Draft
      // Logs of a failed child are already marked.
      if (child.fault === undefined) this.#undoLogs(child)
    }
  }

  #log({ address, topics, data }: LogEvent, index: number): void {
    const node = this.#open.at(-1) as Draft
    node.logs.push({
      address: this.#named(address),
      topics: topics.map(formatData),
      data: formatData(data),
      step: node.firstStep < index ? index - 1 : undefined,
      isReverted: false,
    })
  }
}

function faultOf({ error, reverted, output }: ExitEvent, step: number | undefined): Fault {
  return {
    error: error as string,
    output: reverted ? formatData(output) : '0x',
    reason: reverted ? gethRevertReason(output) : undefined,
    step,
  }
}
