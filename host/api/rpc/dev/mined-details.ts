import { bytesToBigint } from '../../../base/bytes.ts'
import { formatData, parseData } from '../../../base/hex.ts'
import { strictUtf8 } from '../../../base/utf8.ts'
import { planReplay } from '../../../evm/execute/replay/replay-plan.ts'
import { gethRevertReason } from '../../../evm/trace/tracers/revert-reason.ts'
import { traceText } from '../../trace-pool/trace-text.ts'
import type { MethodCall } from '../call/rpc-call.ts'
import { planContext, startTrace } from '../debug/run-trace.ts'

const REVERTED = 'execution reverted'

const PANIC_SELECTOR = '0x4e487b71'
const PANIC_BYTES = 36

/** Codes of Panic(uint256) with anvil's messages. */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic/unspecified error'],
  [0x01n, 'assertion failed'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'failed to convert value into enum type'],
  [0x22n, 'storage byte array incorrectly encoded'],
  [0x31n, 'called `.pop()` on an empty array'],
  [0x32n, 'array out-of-bounds access'],
  [0x41n, 'memory allocation error'],
  [0x51n, 'called an invalid internal function'],
])

/** The outcome of a mined transaction. */
export interface MinedDetails {
  /** Its output or revert data; absent if it failed without output. */
  readonly output?: string
  readonly revertReason?: string
}

/** The outermost frame of callTracer. */
interface OuterFrame {
  readonly output?: string
  readonly error?: string
}

/** Returns anvil's message for revert data, or undefined if there is none. */
export function revertText(data: Uint8Array): string | undefined {
  if (data.length === 0) return undefined
  const hex = formatData(data)
  if (hex.startsWith(PANIC_SELECTOR) && data.length >= PANIC_BYTES) {
    const code = bytesToBigint(data.subarray(4, PANIC_BYTES))
    const shown = code.toString(16).padStart(2, '0')
    return `panic: ${PANICS.get(code) ?? 'unknown code'} (0x${shown})`
  }
  const text = gethRevertReason(data) ?? strictUtf8(data)
  if (text !== undefined) return text
  const rest = hex.slice(10)
  return `custom error ${hex.slice(0, 10)}${rest === '' ? '' : `: ${rest}`}`
}

function detailsOf({ output, error }: OuterFrame): MinedDetails {
  if (error === undefined) return { output: output ?? '0x' }
  if (error !== REVERTED) return {}
  const reason = revertText(parseData(output ?? '0x'))
  return { output: output ?? '0x', ...(reason !== undefined && { revertReason: reason }) }
}

/** Returns the outcome of each transaction of a block, by replaying the block. */
export async function minedDetails(call: MethodCall, height: number): Promise<MinedDetails[]> {
  const { context } = call
  const output = await startTrace(
    call,
    'callTracer',
    { tracer: 'callTracer', config: { onlyTopCall: true }, timeoutMs: undefined },
    {
      job: { plan: planReplay(planContext(context), height), target: { kind: 'block' } },
      view: context.history.before(height),
    },
  )
  const traced = JSON.parse(await traceText(output)) as { readonly result: OuterFrame }[]
  return traced.map(({ result }) => detailsOf(result))
}
