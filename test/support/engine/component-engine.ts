import { bytesToBigint } from '../../../host/base/bytes.ts'
import { isChainPrecompile } from '../../../host/chain-types/chain-precompile.ts'
import type { Log } from '../../../host/chain-types/log.ts'
import type { AccessListEntry } from '../../../host/chain-types/transaction.ts'
import { ChainModules } from '../../../host/engine/chain-modules.ts'
import { faultText } from '../../../host/engine/fault.ts'
import { FAULT } from '../../../host/engine/generated/fault.ts'
import { REJECTIONS } from '../../../host/engine/generated/rejection.ts'
import { EngineMemory } from '../../../host/engine/memory.ts'
import type { BlockEnv, TransactionInput } from '../../../host/engine/message.ts'
import { writeBlock, writeMessage } from '../../../host/engine/message-writer.ts'
import type { Answer, HostCall, Run } from '../../../host/engine/need.ts'
import type { Outcome } from '../../../host/engine/outcome.ts'
import type { Pairing } from '../../../host/engine/pairing.ts'
import type { StateDiff } from '../../../host/engine/state-diff.ts'

/** The interface of engine.wit, as jco gives it to JavaScript. */
export interface EngineInterface {
  beginBlock(block: Uint8Array): boolean
  forgetCode(): void
  beginTransaction(message: Uint8Array): boolean
  abandon(): void
  run(fuel: number): Stop
  answer(bytes: Uint8Array): boolean
  perform(operation: Uint8Array): Performed
  answerHostCall(how: (typeof HOW)[number], gasUsed: bigint, output: Uint8Array): boolean
  outcome(): MessageOutcome | undefined
  trace(): Uint8Array
  payload(at: number, size: number): Uint8Array
  diff(): BlockChanges
  accessed(): { readonly addresses: Uint8Array; readonly slots: Uint8Array }
}

type Performed =
  | { readonly tag: 'not-yet' | 'refused' }
  | { readonly tag: 'performed'; readonly val: Uint8Array }

/** `host-result` of engine.wit, in the order of HOST_RESULT. */
const HOW = ['failed', 'succeeded', 'reverted', 'out-of-gas'] as const

type Stop =
  | { readonly tag: 'need-account' | 'need-code'; readonly val: Uint8Array }
  | {
      readonly tag: 'need-storage'
      readonly val: { readonly address: Uint8Array; readonly slot: Uint8Array }
    }
  | { readonly tag: 'need-block-hash'; readonly val: bigint }
  | {
      readonly tag: 'call-host'
      readonly val: Omit<HostCall, 'value'> & { readonly value: Uint8Array; readonly kind: number }
    }
  | { readonly tag: 'done' | 'trace-full' | 'yield' | 'exhausted' | 'misuse' }

interface MessageOutcome {
  readonly rejection: number
  readonly error: number
  readonly detail: bigint
  readonly gasUsed: bigint
  readonly gasRefunded: bigint
  readonly output: Uint8Array
  readonly created?: Uint8Array
  /** The newest first. */
  readonly logs: readonly (Omit<Log, 'topics'> & { readonly topics: Uint8Array })[]
}

interface BlockChanges extends Omit<StateDiff, 'codes'> {
  readonly codes: readonly { readonly hash: Uint8Array; readonly code: Uint8Array }[]
}

const BLOCK_BYTES = 212
const MESSAGE_BYTES = 8 << 20
const HASH_SEED = 0x5eedn

/** Memory of our own, to write a block or message to before it is passed on. */
const draft = () => new EngineMemory(new WebAssembly.Memory({ initial: MESSAGE_BYTES >> 16 }))

export function encodeBlock(env: BlockEnv): Uint8Array {
  const memory = draft()
  writeBlock(memory, 0, env, HASH_SEED, { first: 1, last: 0 })
  return memory.copy(0, BLOCK_BYTES)
}

/** @param flags MESSAGE_FLAG */
export function encodeMessage(input: TransactionInput, flags = 0): Uint8Array {
  const memory = draft()
  writeMessage(memory, 0, MESSAGE_BYTES, input, flags)
  return memory.copy(0, memory.u32(96) + memory.u32(100))
}

function rows(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: bytes.length / size }, (_, i) =>
    bytes.slice(i * size, (i + 1) * size),
  )
}

/** Drives the component as class `Engine` drives the core module, to the same results. */
export class ComponentEngine {
  readonly #component: EngineInterface
  readonly #pairing: Pairing
  readonly #fuel: number
  readonly #chainModules: ChainModules
  #block: BlockEnv | undefined

  constructor(
    component: EngineInterface,
    pairing: Pairing,
    fuel: number,
    chainModules?: WebAssembly.Module,
  ) {
    this.#component = component
    this.#pairing = pairing
    this.#fuel = fuel
    this.#chainModules = new ChainModules(chainModules)
  }

  beginBlock(env: BlockEnv): void {
    if (!this.#component.beginBlock(encodeBlock(env))) throw new Error('block refused')
    this.#block = env.chainPrecompiles === true ? env : undefined
  }

  /** @param traces receives the bytes of the trace, each time they are taken */
  *transact(input: TransactionInput, flags = 0, traces: Uint8Array[] = []): Run<Outcome> {
    const component = this.#component
    if (!component.beginTransaction(encodeMessage(input, flags))) throw new Error('refused')
    for (;;) {
      const stop = component.run(this.#fuel)
      if (stop.tag === 'done' || stop.tag === 'trace-full') traces.push(component.trace())
      switch (stop.tag) {
        case 'done':
          return this.#outcome()
        case 'need-account':
          this.#answer(yield { kind: 'account', address: stop.val })
          break
        case 'need-storage':
          this.#answer(yield { kind: 'storage', ...stop.val })
          break
        case 'need-code':
          this.#answer(yield { kind: 'code', codeHash: stop.val })
          break
        case 'need-block-hash':
          this.#answer(yield { kind: 'blockHash', number: Number(stop.val) })
          break
        case 'call-host': {
          if (this.#block !== undefined && isChainPrecompile(stop.val.address)) {
            this.#callChain(stop.val, this.#block)
            break
          }
          const output = this.#pairing.call(stop.val.address, stop.val.input)
          const isTaken = component.answerHostCall(
            output === undefined ? 'failed' : 'succeeded',
            0n,
            output ?? new Uint8Array(0),
          )
          if (!isTaken) throw new Error('the result of a call was refused')
          break
        }
        case 'exhausted':
        case 'misuse':
          throw new Error(stop.tag)
      }
    }
  }

  #callChain(
    { kind, value, ...call }: (Stop & { readonly tag: 'call-host' })['val'],
    block: BlockEnv,
  ): void {
    const component = this.#component
    const modules = this.#chainModules
    const amount = bytesToBigint(value.toReversed())
    if (!modules.isRunning) modules.begin({ ...call, value: amount }, kind, block)
    const outcome = modules.step((operation) => {
      const performed = component.perform(operation)
      if (performed.tag === 'refused') throw new Error('an operation was refused')
      return performed.tag === 'performed' ? performed.val : undefined
    })
    if (outcome === undefined) return
    const how = HOW[outcome.result] as (typeof HOW)[number]
    if (!component.answerHostCall(how, outcome.gasUsed, outcome.output)) {
      throw new Error('the result of a call was refused')
    }
  }

  diff(): StateDiff {
    const { codes, ...tables } = this.#component.diff()
    return { ...tables, codes: codes.map(({ hash, code }) => ({ codeHash: hash, code })) }
  }

  #answer(answer: Answer): void {
    if (answer !== undefined && !(answer instanceof Uint8Array)) throw new Error('not a read')
    if (!this.#component.answer(answer ?? new Uint8Array(0))) throw new Error('answer refused')
  }

  #outcome(): Outcome {
    const found = this.#component.outcome()
    if (found === undefined) throw new Error('done without an outcome')
    if (found.rejection !== 0) {
      return { kind: 'rejected', code: REJECTIONS[found.rejection - 1] ?? 'typeNotSupported' }
    }
    const { error, detail, gasUsed, gasRefunded, output } = found
    return {
      kind: 'executed',
      success: error === 0,
      error: error === 0 ? undefined : faultText(error, detail),
      reverted: error === FAULT.reverted,
      gasUsed,
      gasRefunded,
      output,
      createdAddress: found.created,
      logs: found.logs.map((log) => ({ ...log, topics: rows(log.topics, 32) })).reverse(),
      accessed: this.#accessed(),
    }
  }

  /** In the order that class `Engine` has. */
  #accessed(): readonly AccessListEntry[] {
    const { addresses, slots } = this.#component.accessed()
    const entries = new Map<bigint, { address: Uint8Array; storageKeys: Uint8Array[] }>()
    const entryOf = (address: Uint8Array) => {
      const key = bytesToBigint(address)
      const entry = entries.get(key) ?? { address, storageKeys: [] }
      entries.set(key, entry)
      return entry
    }
    for (const address of rows(addresses, 20)) entryOf(address)
    for (const row of rows(slots, 52)) {
      entryOf(row.slice(0, 20)).storageKeys.push(row.slice(20))
    }
    return [...entries.values()]
  }
}
