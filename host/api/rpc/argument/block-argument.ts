import { LockstepError } from '../../../base/error.ts'
import { parseFixedData, parseQuantity } from '../../../base/hex.ts'
import { asObject, FLAG, HASH, member, type ParamType } from './parameter.ts'

/**
 * A block argument. Every block is final, so `latest`, `safe` and `finalized` all mean the latest committed block,
 * unless a development chain has epochs. `pending` is the next block with the current content of the pool; methods that
 * need a finished block refuse it.
 */
export type BlockArgument =
  | { readonly kind: 'latest' }
  | { readonly kind: 'safe' }
  | { readonly kind: 'finalized' }
  | { readonly kind: 'pending' }
  | { readonly kind: 'earliest' }
  /** `height` is rounded above 2^53, where there is no block; `asked` is as the caller wrote it. */
  | { readonly kind: 'height'; readonly height: number; readonly asked: bigint }
  | { readonly kind: 'hash'; readonly hash: Uint8Array }

export const LATEST: BlockArgument = { kind: 'latest' }
export const PENDING: BlockArgument = { kind: 'pending' }

const TAGS: ReadonlyMap<string, BlockArgument> = new Map<string, BlockArgument>([
  ['latest', LATEST],
  ['safe', { kind: 'safe' }],
  ['finalized', { kind: 'finalized' }],
  ['pending', { kind: 'pending' }],
  ['earliest', { kind: 'earliest' }],
])

/** Returns true for the tags of committed blocks at the head of the chain. */
export function isHeadTag({ kind }: BlockArgument): boolean {
  return kind === 'latest' || kind === 'safe' || kind === 'finalized'
}

const MAX_HEIGHT = 0x7fff_ffff_ffff_ffffn

function invalid(message: string): LockstepError {
  return new LockstepError('INVALID_HEX', message)
}

/** @param tooHigh geth's message for a number above every height */
function decodeNumber(value: unknown, tooHigh = 'block number larger than int64'): BlockArgument {
  if (typeof value !== 'string') throw invalid('hex string without 0x prefix')
  const tag = TAGS.get(value)
  if (tag !== undefined) return tag
  if (value === '') throw invalid('empty hex string')
  const asked = parseQuantity(value, 64)
  if (asked > MAX_HEIGHT) throw invalid(tooHigh)
  return { kind: 'height', height: Number(asked), asked }
}

export const BLOCK_NUMBER: ParamType<BlockArgument> = {
  label: 'block number or tag',
  decode: (value) => decodeNumber(value),
}

/**
 * A number, a tag, a hash, or an EIP-1898 object. Every block here is canonical, so `requireCanonical` always holds.
 */
export const BLOCK: ParamType<BlockArgument> = {
  label: 'block number, tag, hash or EIP-1898 object',
  decode: (value) => {
    if (typeof value === 'string') {
      if (value.length === 66) return { kind: 'hash', hash: parseFixedData(value, 32) }
      return decodeNumber(value, 'blocknumber too high')
    }
    const object = asObject(value, 'a block number, tag or object')
    const hash = member(object, 'blockHash', HASH)
    const number = member(object, 'blockNumber', BLOCK_NUMBER)
    // Must be a boolean even without effect.
    member(object, 'requireCanonical', FLAG)
    if (number !== undefined && hash !== undefined) {
      throw invalid('cannot specify both BlockHash and BlockNumber, choose one or the other')
    }
    if (number !== undefined) return number
    if (hash !== undefined) return { kind: 'hash', hash }
    throw invalid('must specify either BlockHash or BlockNumber')
  },
}
