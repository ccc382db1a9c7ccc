import { formatQuantity, type Hex, parseData } from '../../../base/hex.ts'
import { isPrecompile } from '../../chain-types/precompile.ts'
import type { Revision } from '../../chain-types/revision.ts'
import type { TracedFrame } from './call-tracer.ts'

/** Parity's names for failures, by geth's message. */
const PARITY_ERRORS: ReadonlyMap<string, string> = new Map([
  ['contract creation code storage out of gas', 'Out of gas'],
  ['out of gas', 'Out of gas'],
  ['gas uint64 overflow', 'Out of gas'],
  ['invalid jump destination', 'Bad jump destination'],
  ['execution reverted', 'Reverted'],
  ['return data out of bounds', 'Out of bounds'],
  ['stack limit reached 1024 (1023)', 'Out of stack'],
  ['precompiled failed', 'Built-in failed'],
  ['invalid input length', 'Built-in failed'],
])

const PARITY_ERROR_PREFIXES: readonly (readonly [prefix: string, name: string])[] = [
  ['out of gas:', 'Out of gas'],
  ['invalid opcode:', 'Bad instruction'],
  ['stack underflow', 'Stack underflow'],
]

/** Returns Parity's name for a failure if geth's flatCallTracer has one, else geth's message. */
export function parityError(error: string): string {
  return (
    PARITY_ERRORS.get(error) ??
    PARITY_ERROR_PREFIXES.find(([prefix]) => error.startsWith(prefix))?.[1] ??
    error
  )
}

function isCreation({ type }: TracedFrame): boolean {
  return type === 'CREATE' || type === 'CREATE2'
}

export function typeOf(frame: TracedFrame): 'suicide' | 'create' | 'call' {
  if (frame.type === 'SELFDESTRUCT') return 'suicide'
  return isCreation(frame) ? 'create' : 'call'
}

export function actionOf(frame: TracedFrame): object {
  // Only STATICCALL has no value, but Parity's frames always have one.
  const value: Hex = frame.value ?? formatQuantity(0n)
  switch (frame.type) {
    case 'CREATE':
    case 'CREATE2':
      return {
        creationMethod: frame.type.toLowerCase(),
        from: frame.from,
        gas: frame.gas,
        init: frame.input,
        value,
      }
    case 'SELFDESTRUCT':
      return { address: frame.from, balance: value, refundAddress: frame.to }
    default:
      return {
        callType: frame.type.toLowerCase(),
        from: frame.from,
        gas: frame.gas,
        input: frame.input,
        to: frame.to,
        value,
      }
  }
}

/** Returns the frame's result; undefined for SELFDESTRUCT and for failures other than reverts. */
export function resultOf(frame: TracedFrame): object | undefined {
  const { type, error, gasUsed, output = '0x' } = frame
  if (type === 'SELFDESTRUCT') return undefined
  if (error !== undefined && error !== 'execution reverted') return undefined
  if (!isCreation(frame)) return { gasUsed, output }
  return { ...(frame.to !== undefined && { address: frame.to }), code: output, gasUsed }
}

export function isPrecompileCall({ type, to }: TracedFrame, revision: Revision): boolean {
  if ((type !== 'CALL' && type !== 'STATICCALL') || to === undefined) return false
  return isPrecompile(parseData(to), revision)
}

/** Receives a frame, the number of included frames directly below it, and its position: see `visitFrames`. */
type VisitFrame = (frame: TracedFrame, subtraces: number, traceAddress: readonly number[]) => void

/** Visits a tree of frames, parents first. Frames for which `isShown` is false are omitted with their descendants. */
export function visitFrames(
  frame: TracedFrame,
  isShown: (call: TracedFrame) => boolean,
  visit: VisitFrame,
  traceAddress: readonly number[] = [],
): void {
  const calls = (frame.calls ?? []).filter(isShown)
  visit(frame, calls.length, traceAddress)
  for (const [i, call] of calls.entries()) visitFrames(call, isShown, visit, [...traceAddress, i])
}
