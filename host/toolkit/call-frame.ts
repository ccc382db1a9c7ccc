import { z } from 'zod'
import type { Hex } from '../base/hex.ts'
import { lookup } from '../base/lookup.ts'
import { ActionError } from './action-error.ts'
import { checksummed } from './checksum.ts'
import { plainText } from './plain-text.ts'
import { revertReasonText } from './revert.ts'
import { functionOfSelector } from './selector.ts'

/** A frame of geth's callTracer. */
export interface TraceFrame {
  readonly type: string
  readonly from: string
  readonly to?: string | undefined
  readonly value?: string | undefined
  readonly gasUsed: string
  readonly input: string
  readonly output?: string | undefined
  readonly error?: string | undefined
  readonly calls?: readonly TraceFrame[] | undefined
}

const hex = z.string().regex(/^0x[0-9a-fA-F]*$/)
const frameShape: z.ZodType<TraceFrame> = z.object({
  type: z.string().regex(/^[A-Z0-9]{1,20}$/),
  from: hex.length(42),
  to: hex.length(42).optional(),
  value: hex.optional(),
  gasUsed: hex,
  input: hex,
  output: hex.optional(),
  error: z.string().optional(),
  calls: z.lazy(() => z.array(frameShape)).optional(),
})

/** Parses a trace. @throws CHAIN_REFUSED */
export function readFrame(answer: unknown): TraceFrame {
  const parsed = frameShape.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new ActionError('CHAIN_REFUSED', "the node's trace does not have the form of callTracer", {
    next: 'ask the operator for a node that supports debug_traceTransaction with callTracer',
  })
}

/**
 * Returns the frames from the root to the origin of its failure; empty if it succeeded. Each next frame is the last call
 * that failed with the same output, which its caller passed on. Failures that a caller caught are not included.
 */
export function innermostFailure(root: TraceFrame): readonly TraceFrame[] {
  const path: TraceFrame[] = []
  let frame: TraceFrame | undefined = root.error === undefined ? undefined : root
  while (frame !== undefined) {
    path.push(frame)
    const { output = '0x', calls = [] }: TraceFrame = frame
    frame = calls.findLast((call) => call.error !== undefined && (call.output ?? '0x') === output)
  }
  return path
}

const WORDS: Readonly<Record<string, string>> = {
  CALL: 'calls',
  STATICCALL: 'reads from',
  DELEGATECALL: 'runs the code of',
  CALLCODE: 'runs the code of',
  CREATE: 'creates',
  CREATE2: 'creates',
  SELFDESTRUCT: 'ends and leaves its balance to',
}

const nameOf = (address: string | undefined): string =>
  address === undefined ? 'no contract' : checksummed(address)

/** Describes a frame in words. @param native formats an amount of wei */
export function describeFrame(frame: TraceFrame, native: (wei: bigint) => string): string {
  const { type, from, to, input, value = '0x0', error } = frame
  const isCreation = type.startsWith('CREATE')
  const wei = BigInt(value === '0x' ? '0x0' : value)
  const what =
    !isCreation && input.length >= 10 ? `, ${functionOfSelector(input.slice(0, 10) as Hex)}` : ''
  const paid = wei === 0n || type === 'DELEGATECALL' ? '' : `, with ${native(wei)}`
  const failed = error === undefined ? '' : ` - fails: ${frameFailure(frame)}`
  return `${nameOf(from)} ${lookup(WORDS, type) ?? type} ${nameOf(to)}${what}${paid}${failed}`
}

/** Returns why a frame failed: the contract's reason, or that of the EVM. */
export function frameFailure({ error, output }: TraceFrame): string {
  const reason = revertReasonText(output)
  const words = plainText(error ?? '', 120)
  if (reason !== undefined) return `reverts with ${reason}`
  return words === 'execution reverted' ? 'reverts without a reason' : words
}
