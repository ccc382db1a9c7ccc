import { bigintToBytes, bytesToBigint, concatBytes } from '../../../host/base/bytes.ts'
import { isChainPrecompile } from '../../../host/evm/chain-types/chain-precompile.ts'
import { CHAIN_PRECOMPILES } from '../../../host/evm/chain-types/generated/chain-precompile.ts'
import type { Log } from '../../../host/evm/chain-types/log.ts'
import type { AccessListEntry } from '../../../host/evm/chain-types/transaction.ts'
import { ChainModules } from '../../../host/evm/engine/chain-modules.ts'
import { faultText } from '../../../host/evm/engine/fault.ts'
import { FAULT } from '../../../host/evm/engine/generated/fault.ts'
import { MESSAGE_FLAG } from '../../../host/evm/engine/generated/message-flag.ts'
import { REJECTIONS } from '../../../host/evm/engine/generated/rejection.ts'
import type { BlockEnv, TransactionInput } from '../../../host/evm/engine/message.ts'
import type { Answer, HostCall, Run } from '../../../host/evm/engine/need.ts'
import type { Outcome } from '../../../host/evm/engine/outcome.ts'
import type { Pairing } from '../../../host/evm/engine/pairing.ts'
import type { StateDiff } from '../../../host/evm/engine/state-diff.ts'

/** The interface of engine.wit, as jco exposes it to JavaScript. */
export interface EngineInterface {
  beginBlock(block: BlockRecord): boolean
  forgetCode(): void
  beginTransaction(message: TransactionRecord): boolean
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
      readonly val: Omit<HostCall, 'value'> & { readonly value: Word; readonly kind: number }
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
  /** The latest first. */
  readonly logs: readonly (Omit<Log, 'topics'> & { readonly topics: Uint8Array })[]
}

interface BlockChanges extends Omit<StateDiff, 'codes'> {
  readonly codes: readonly { readonly hash: Uint8Array; readonly code: Uint8Array }[]
}

const HASH_SEED = 0x5eedn
/** Addresses of the first and last precompile of the chain. */
const CHAIN_ADDRESSES = [CHAIN_PRECOMPILES[0]?.address ?? 1, CHAIN_PRECOMPILES.at(-1)?.address ?? 0]

/** A 256-bit number in 64-bit limbs, the lowest first: `word` of engine.wit. */
type Word = [bigint, bigint, bigint, bigint]

export function toWord(value: bigint): Word {
  const limb = (index: number) => BigInt.asUintN(64, value >> BigInt(64 * index))
  return [limb(0), limb(1), limb(2), limb(3)]
}

function fromWord(word: Word): bigint {
  return word.reduceRight((value, limb) => (value << 64n) | limb, 0n)
}

const kebab = (name: string) =>
  name.replace(/[A-Z]/g, (letter, at) => (at > 0 ? '-' : '') + letter.toLowerCase())

/** Names of `message-options` in bit order, as jco spells them. `to` replaces the first. */
const OPTIONS = Object.keys(MESSAGE_FLAG).slice(1)

export function blockRecord(env: BlockEnv) {
  return {
    revision: kebab(env.revision),
    keepsBaseFee: !env.burnBaseFee,
    number: BigInt(env.number),
    timestamp: BigInt(env.timestamp),
    gasLimit: env.gasLimit,
    hashSeed: HASH_SEED,
    chainId: toWord(env.chainId),
    baseFee: toWord(env.baseFee),
    blobBaseFee: toWord(env.blobBaseFee),
    prevRandao: env.prevRandao,
    coinbase: env.coinbase,
    hostAddresses: env.chainPrecompiles === true ? CHAIN_ADDRESSES : [1, 0],
  }
}

/** @param flags bits of MESSAGE_FLAG */
export function transactionRecord(input: TransactionInput, flags = 0) {
  return {
    kind: input.type,
    options: Object.fromEntries(OPTIONS.map((name, i) => [name, ((flags >> (i + 1)) & 1) === 1])),
    nonce: input.nonce,
    gas: input.gas,
    maxFeePerGas: toWord(input.maxFeePerGas),
    maxPriorityFeePerGas: toWord(input.maxPriorityFeePerGas),
    value: toWord(input.value),
    maxFeePerBlobGas: toWord(input.maxFeePerBlobGas),
    sender: input.from,
    to: input.to,
    data: input.data,
    accessList: input.accessList.map(({ address, storageKeys }) => ({
      address,
      storageKeys: concatBytes(storageKeys),
    })),
    blobHashes: concatBytes(input.blobHashes),
    authorizations: input.authorizations.map(({ chainId, nonce, yParity, r, s, address }) => ({
      chainId: toWord(chainId),
      nonce: toWord(nonce),
      yParity: toWord(yParity),
      r: bigintToBytes(r, 32),
      s: bigintToBytes(s, 32),
      address,
    })),
  }
}

export type BlockRecord = ReturnType<typeof blockRecord>
export type TransactionRecord = ReturnType<typeof transactionRecord>

function rows(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: bytes.length / size }, (_, i) =>
    bytes.slice(i * size, (i + 1) * size),
  )
}

/** Drives the component as class `Engine` drives the core module, with the same results. */
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
    if (!this.#component.beginBlock(blockRecord(env))) throw new Error('block refused')
    this.#block = env.chainPrecompiles === true ? env : undefined
  }

  /** @param traces receives the trace bytes of each read */
  *transact(input: TransactionInput, flags = 0, traces: Uint8Array[] = []): Run<Outcome> {
    const component = this.#component
    if (!component.beginTransaction(transactionRecord(input, flags))) throw new Error('refused')
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
    const amount = fromWord(value)
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
      // The component serves revisions before Amsterdam
      blockGas: gasUsed,
      stateGas: 0n,
      output,
      createdAddress: found.created,
      logs: found.logs.map((log) => ({ ...log, topics: rows(log.topics, 32) })).reverse(),
      accessed: this.#accessed(),
    }
  }

  /** Returns the accesses in the order of class `Engine`. */
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
