import type { Hex } from '../../../base/hex.ts'
import { lookup } from '../../../base/lookup.ts'
import type { BlockFacts, TransactionFacts } from '../../browser/facts.ts'
import type { CallNode, SlotValue, Stepper, StepView } from '../../browser/step/stepper.ts'
import { StoredVariable } from '../decode/watch/stored-variable.ts'
import { localPlace, type WatchPlace, type WatchScope } from '../decode/watch/watch-value.ts'
import type { RunSources } from './run-sources.ts'
import type { StepVariables } from './step-variables.ts'

/** The variables that are known at a step. */
export type VariableScope = WatchScope

export interface ScopedRun {
  readonly stepper: Pick<Stepper, 'step'>
  readonly calls: readonly CallNode[]
  readonly sources: RunSources
}

/** Returns the variables of the function of a step, and the state variables of its code. */
export async function variableScope(
  run: ScopedRun,
  step: StepView,
  variables: StepVariables,
): Promise<VariableScope> {
  const layout = run.sources.codeOf(step.codeHash)?.match.artifact.layout
  const read = slotReader(step.storage, await originalSlots(run, step))
  const locals = variables.kind === 'known' ? variables.values : []
  return {
    why: variables.kind === 'known' ? undefined : variables.why,
    name: (name) => {
      const local = locals.find((value) => value.name === name)
      if (local !== undefined) {
        const pointer = /^slot (0x[0-9a-f]+)$/.exec(local.text)?.[1]
        if (pointer === undefined || layout === undefined) return localPlace(local)
        const label = local.type.replace(/( storage( (pointer|ref))?)+$/, '')
        return StoredVariable.at(layout, read, name, label, BigInt(pointer)) ?? localPlace(local)
      }
      return layout && StoredVariable.named(layout, read, name)
    },
  }
}

/** Returns the slots of an account at the end of the run: what a step has not touched yet has its value before the run. */
async function originalSlots({ stepper, calls }: ScopedRun, step: StepView) {
  let last: CallNode | undefined
  for (const call of calls) {
    const isOther = call.endStep <= step.index + 1 || call.endStep <= call.firstStep
    if (isOther || (last !== undefined && call.endStep <= last.endStep)) continue
    if (storageAddress(call, calls) === step.address) last = call
  }
  return last === undefined ? [] : (await stepper.step(last.endStep - 1)).storage
}

/** Delegated code uses the storage of its caller. */
function storageAddress(call: CallNode, calls: readonly CallNode[]): Hex {
  const caller = call.parent === undefined ? undefined : calls[call.parent]
  const isDelegated = call.type === 'DELEGATECALL' || call.type === 'CALLCODE'
  return isDelegated && caller !== undefined ? storageAddress(caller, calls) : call.to
}

function slotReader(now: readonly SlotValue[], later: readonly SlotValue[]) {
  const words = new Map<bigint, bigint>()
  for (const { slot, original } of later) words.set(BigInt(slot), BigInt(original))
  for (const { slot, value } of now) words.set(BigInt(slot), BigInt(value))
  return (slot: bigint) => words.get(slot)
}

/** A run, as far as expressions need it. */
export interface EnvironmentRun {
  readonly block: BlockFacts
  readonly bundle: { readonly transactions: readonly TransactionFacts[] }
  readonly index: number
  readonly calls: { peek(): readonly CallNode[] }
}

/** Returns the names at a step: variables, if their sources are known, and msg, tx, block and this. */
export function stepScope(
  { block, bundle, index, calls }: EnvironmentRun,
  step: StepView,
  variables: VariableScope | undefined,
): WatchScope {
  const frame = ownFrame(calls.peek(), step.call)
  const transaction = bundle.transactions[index]
  const objects = new Map<string, WatchPlace>([
    ['this', numberPlace(BigInt(step.address), step.address)],
    [
      'msg',
      objectPlace({
        sender: frame && BigInt(frame.from),
        value: frame && (frame.value ?? 0n),
        sig: BigInt(`0x${signature(step.input)}`),
      }),
    ],
    ['tx', objectPlace({ origin: transaction && BigInt(transaction.from) })],
    [
      'block',
      objectPlace({
        number: BigInt(block.number),
        timestamp: block.timestamp,
        basefee: block.baseFee,
        coinbase: BigInt(block.coinbase),
        gaslimit: block.gasLimit,
        chainid: block.chainId,
        prevrandao: BigInt(block.prevRandao),
      }),
    ],
  ])
  return {
    why: variables === undefined ? 'no source of this code is known' : variables.why,
    name: (name) => variables?.name(name) ?? objects.get(name),
  }
}

/** Delegated code has the sender and the value of its caller. */
function ownFrame(calls: readonly CallNode[], index: number): CallNode | undefined {
  const call = calls[index]
  return call?.type === 'DELEGATECALL' && call.parent !== undefined
    ? ownFrame(calls, call.parent)
    : call
}

function signature(input: Uint8Array): string {
  const bytes = Array.from({ length: 4 }, (_, at) => input[at] ?? 0)
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Addresses and signatures are shown in hex. */
const SHOWN_IN_HEX: Readonly<Record<string, number>> = {
  sender: 40,
  origin: 40,
  coinbase: 40,
  sig: 8,
  prevrandao: 64,
}

function objectPlace(members: Readonly<Record<string, bigint | undefined>>): WatchPlace {
  const parts = Object.entries(members).flatMap(([name, data]) => {
    if (data === undefined) return []
    const digits = lookup(SHOWN_IN_HEX, name)
    const text = digits === undefined ? `${data}` : `0x${data.toString(16).padStart(digits, '0')}`
    return [[name, numberPlace(data, text)] as const]
  })
  return { kind: 'parts', parts: new Map(parts), text: Object.keys(members).join(', ') }
}

function numberPlace(data: bigint, text: string): WatchPlace {
  return { kind: 'value', value: { data, text } }
}
