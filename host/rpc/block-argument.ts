import { LockstepError } from '../base/error.ts'
import { parseFixedData, parseQuantity } from '../base/hex.ts'
import { asObject, asString, type ParamType } from './params.ts'

/**
 * A block as callers name it. Every block is final, so `latest`, `safe` and `finalized` are all the newest
 * committed one. `pending` is the one after it as the pool would fill it now, for blocks, states and
 * calls; for all else the newest too.
 */
export type BlockArgument =
  | { readonly kind: 'latest' }
  | { readonly kind: 'pending' }
  | { readonly kind: 'earliest' }
  | { readonly kind: 'height'; readonly height: number }
  | { readonly kind: 'hash'; readonly hash: Uint8Array }

export const LATEST: BlockArgument = { kind: 'latest' }

const TAGS: ReadonlyMap<string, BlockArgument> = new Map<string, BlockArgument>([
  ['latest', LATEST],
  ['safe', LATEST],
  ['finalized', LATEST],
  ['pending', { kind: 'pending' }],
  ['earliest', { kind: 'earliest' }],
])

const MAX_HEIGHT = 0x7fff_ffff_ffff_ffffn

function decodeNumber(value: unknown): BlockArgument {
  const text = asString(value, 'a block number or tag')
  const tag = TAGS.get(text)
  if (tag !== undefined) return tag
  const height = parseQuantity(text)
  if (height > MAX_HEIGHT) {
    throw new LockstepError('INVALID_HEX', 'block number larger than int64')
  }
  return { kind: 'height', height: Number(height) }
}

export const BLOCK_NUMBER: ParamType<BlockArgument> = {
  label: 'block number or tag',
  decode: decodeNumber,
}

/** A number, a tag, a hash, or the object of EIP-1898. `requireCanonical` holds for every block here. */
export const BLOCK: ParamType<BlockArgument> = {
  label: 'block number, tag, hash or EIP-1898 object',
  decode: (value) => {
    if (typeof value === 'string') {
      if (value.length === 66) return { kind: 'hash', hash: parseFixedData(value, 32) }
      return decodeNumber(value)
    }
    const object = asObject(value, 'a block number, tag or object')
    if (object.blockNumber !== undefined && object.blockHash !== undefined) {
      const text = 'cannot specify both BlockHash and BlockNumber, choose one or the other'
      throw new LockstepError('INVALID_ARGUMENT', text)
    }
    if (object.blockHash !== undefined) {
      return { kind: 'hash', hash: parseFixedData(asString(object.blockHash, 'a hash'), 32) }
    }
    if (object.blockNumber !== undefined) return decodeNumber(object.blockNumber)
    throw new LockstepError('INVALID_ARGUMENT', 'want blockNumber or blockHash')
  },
}
