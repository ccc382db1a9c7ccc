/**
 * What a node's answer to eth_sendRawTransaction means.
 * - `accepted`, `known`: the node has the transaction, now or since before.
 * - `nonce used`: a block has the nonce, with these bytes or with others. The node may be wrong.
 * - `underpriced`: its pool has another transaction with the nonce, and these fees do not replace it.
 * - `unfunded`: the account cannot pay.
 * - `full`: its pool has no room. The transaction itself is fine.
 * - `refused`: the transaction is invalid for it.
 * - `unclear`: an error of its own, which says nothing about the transaction.
 * - `no answer`: it did not answer, so it may have the transaction.
 */
export type BroadcastKind =
  | 'accepted'
  | 'known'
  | 'nonce used'
  | 'underpriced'
  | 'unfunded'
  | 'full'
  | 'refused'
  | 'unclear'
  | 'no answer'

export interface BroadcastAnswer {
  readonly kind: BroadcastKind
  /** The node's message. */
  readonly reason: string
}

/** JSON-RPC's internal error, and EIP-1474's "resource unavailable" and "limit exceeded". */
const UNCLEAR_CODES: readonly number[] = [-32603, -32002, -32005]

/** The errors of nodes, by message; the first that matches. A message about the transaction overrules the code. */
const ABOUT_TRANSACTION: readonly (readonly [RegExp, BroadcastKind])[] = [
  [/already known|already exists in cache|already imported/i, 'known'],
  [/nonce too low|nonce is too low/i, 'nonce used'],
  [/replacement transaction underpriced|transaction underpriced to replace/i, 'underpriced'],
  [/insufficient (?:funds|balance)/i, 'unfunded'],
]

const ABOUT_NODE: readonly (readonly [RegExp, BroadcastKind])[] = [
  // Before "limit", which alone is the node's.
  [/gas limit|nonce limit|blob limit/i, 'refused'],
  [/txpool is full|out of capacity/i, 'full'],
  [
    /limit|time(?:d )?out|try again|unavailable|too many|overload|syncing|internal error/i,
    'unclear',
  ],
]

/** Returns what an error of a node means. */
export function classifyBroadcastError(message: string, code?: number): BroadcastAnswer {
  const kindIn = (rows: typeof ABOUT_NODE) => rows.find(([pattern]) => pattern.test(message))?.[1]
  const isUnclear = code !== undefined && UNCLEAR_CODES.includes(code)
  const kind =
    kindIn(ABOUT_TRANSACTION) ?? (isUnclear ? 'unclear' : (kindIn(ABOUT_NODE) ?? 'refused'))
  return { kind, reason: message }
}

/** Returns whether the node has the transaction. */
export function isInPool({ kind }: BroadcastAnswer): boolean {
  return kind === 'accepted' || kind === 'known'
}

/** Returns whether the node does not have the transaction, and will not take it as it is. */
export function isBroadcastRefused({ kind }: BroadcastAnswer): boolean {
  return kind === 'underpriced' || kind === 'unfunded' || kind === 'refused'
}

/** Returns whether the answer tells nothing about the transaction: the node may have it, now or later. */
export function isBroadcastUndecided({ kind }: BroadcastAnswer): boolean {
  return kind === 'full' || kind === 'unclear' || kind === 'no answer'
}
