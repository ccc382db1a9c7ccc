import { LockstepError } from '../../base/error.ts'
import { askNode } from '../client/node-client.ts'

/** A transaction or block that is recorded into one file. */
export type RecordTarget =
  | { readonly kind: 'transaction'; readonly hash: string }
  | { readonly kind: 'block'; readonly height: number }

const HASH = /^0x[0-9a-f]{64}$/i
const TAG = /^(latest|earliest|safe|finalized)$/
const NUMBER = /^(0|[1-9]\d*|0x[0-9a-f]+)$/i

function invalid(target: string, rule: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', `"${target}" ${rule}`, {
    hint: 'name a transaction hash, a block by number or tag, or a range of numbers: 17-20',
  })
}

function parseHeight(target: string, text: string): number {
  const height = NUMBER.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(height)) return height
  throw invalid(target, 'is not a transaction hash, block or range of blocks')
}

async function heightOf(url: string, tag: string, signal: AbortSignal): Promise<number> {
  const params = [tag, false]
  const block = (await askNode(url, 'eth_getBlockByNumber', params, signal)) as { number?: unknown }
  return parseHeight(tag, String(block?.number))
}

/** Yields the targets of a command-line argument; a tag is resolved by the node. @throws INVALID_ARGUMENT */
export async function* recordTargets(
  target: string,
  url: string,
  signal: AbortSignal,
): AsyncGenerator<RecordTarget> {
  if (HASH.test(target)) {
    yield { kind: 'transaction', hash: target.toLowerCase() }
    return
  }
  if (TAG.test(target)) {
    yield { kind: 'block', height: await heightOf(url, target, signal) }
    return
  }
  const { from, to } = parseRange(target)
  for (let height = from; height <= to; height++) yield { kind: 'block', height }
}

/** Returns the number of targets of an argument. @throws INVALID_ARGUMENT */
export function countTargets(target: string): number {
  if (HASH.test(target) || TAG.test(target)) return 1
  const { from, to } = parseRange(target)
  return to - from + 1
}

function parseRange(target: string): { readonly from: number; readonly to: number } {
  const [first = '', last = first, ...rest] = target.split('-')
  const from = parseHeight(target, first)
  const to = parseHeight(target, last)
  if (rest.length > 0) throw invalid(target, 'is not a transaction hash, block or range of blocks')
  if (from > to) throw invalid(target, 'is a range that ends before it begins')
  return { from, to }
}
