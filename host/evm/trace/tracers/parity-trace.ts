import { LockstepError } from '../../../base/error.ts'
import { formatQuantity, type Hex } from '../../../base/hex.ts'
import type { Revision } from '../../chain-types/revision.ts'
import type { TracedFrame } from './call-tracer.ts'
import {
  actionOf,
  isPrecompileCall,
  parityError,
  resultOf,
  typeOf,
  visitFrames,
} from './parity-frame.ts'

/** An element of Parity's `trace`: a frame and its position in the tree. */
export interface ParityTrace {
  readonly action: object
  readonly error?: string
  /** Null for SELFDESTRUCT; absent for failures other than reverts. */
  readonly result?: object | null
  readonly subtraces: number
  readonly traceAddress: readonly number[]
  readonly type: 'call' | 'create' | 'suicide'
}

/** A block reward as an element of the block's traces. */
export interface RewardTrace {
  readonly action: {
    readonly author: Hex
    readonly rewardType: 'block' | 'uncle'
    readonly value: Hex
  }
  readonly blockHash: Hex
  readonly blockNumber: number
  readonly result: null
  readonly subtraces: 0
  readonly traceAddress: readonly never[]
  readonly transactionHash: null
  readonly transactionPosition: null
  readonly type: 'reward'
}

/** geth's messages for calls that fail before they start, for which Parity has no frame. */
const NEVER_BEGUN: ReadonlySet<string | undefined> = new Set([
  'max call depth exceeded',
  'insufficient balance for transfer',
  'nonce uint64 overflow',
])

const NO_VALUE = formatQuantity(0n)

/** Parity omits calls to precompiles unless they transfer wei. */
function isShown(call: TracedFrame, revision: Revision): boolean {
  if (NEVER_BEGUN.has(call.error)) return false
  return !isPrecompileCall(call, revision) || (call.value ?? NO_VALUE) !== NO_VALUE
}

/** Returns Parity's name for a failure; geth's message if there is none. */
function errorOf(frame: TracedFrame, error: string, revision: Revision): string {
  const name = parityError(error)
  if (name !== error) return name
  if (error === 'write protection') return 'Mutable Call In Static Context'
  if (error.startsWith('max code size exceeded')) return 'Out of gas'
  return isPrecompileCall(frame, revision) ? 'Built-in failed' : error
}

/** Visits the frames of a transaction in the form of Parity's trace_ methods, parents first. */
export function visitTraces(
  root: TracedFrame,
  revision: Revision,
  visit: (trace: ParityTrace) => void,
): void {
  visitFrames(
    root,
    (call) => isShown(call, revision),
    (frame, subtraces, traceAddress) => {
      const { error } = frame
      const type = typeOf(frame)
      const result = type === 'suicide' ? null : resultOf(frame)
      visit({
        action: actionOf(frame),
        ...(error !== undefined && { error: errorOf(frame, error, revision) }),
        ...(result !== undefined && { result }),
        subtraces,
        traceAddress,
        type,
      })
    },
  )
}

/** `fromAddress` and `toAddress` of trace_filter, in lower-case hex. */
export interface AddressFilter {
  readonly from: readonly string[]
  readonly to: readonly string[]
  /** If both lists are given: a trace must match one of them (Erigon's `union`) instead of both. */
  readonly isUnion: boolean
}

/** @throws INVALID_ARGUMENT if the value is not a filter. */
export function readAddressFilter(value: unknown): AddressFilter | undefined {
  if (value === undefined) return undefined
  const { from, to, isUnion } = value as Partial<AddressFilter>
  if (Array.isArray(from) && Array.isArray(to) && typeof isUnion === 'boolean') {
    return { from, to, isUnion }
  }
  throw new LockstepError('INVALID_ARGUMENT', 'filter: want {from, to, isUnion}')
}

interface Sides {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

function sidesOf({ type, action, result }: { type: string; action: object; result?: unknown }) {
  const named = action as Readonly<Record<string, string>>
  switch (type) {
    case 'suicide':
      return { from: named.address, to: named.refundAddress }
    case 'reward':
      return { to: named.author }
    case 'create':
      // A failed creation has no recipient.
      return { from: named.from, to: (result as { address?: string } | null | undefined)?.address }
    default:
      return { from: named.from, to: named.to }
  }
}

/** True if a trace matches a filter. A reward has only a recipient, the author. */
export function matchesFilter(
  { from: senders, to: receivers, isUnion }: AddressFilter,
  trace: { readonly type: string; readonly action: object; readonly result?: unknown },
): boolean {
  const { from, to }: Sides = sidesOf(trace)
  const isFrom = from !== undefined && senders.includes(from)
  const isTo = to !== undefined && receivers.includes(to)
  if (senders.length === 0) return receivers.length === 0 || isTo
  if (receivers.length === 0) return isFrom
  return isUnion ? isFrom || isTo : isFrom && isTo
}
