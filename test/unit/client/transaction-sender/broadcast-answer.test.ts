import { describe, expect, test } from 'vitest'
import {
  type BroadcastKind,
  classifyBroadcastError,
  isBroadcastRefused,
  isBroadcastUndecided,
  isInPool,
} from '../../../../host/client/transaction-sender/broadcast-answer.ts'

/** Messages as nodes and providers write them. */
const MESSAGES: readonly (readonly [string, number, BroadcastKind])[] = [
  ['already known', -32000, 'known'],
  ['tx already exists in cache', -32000, 'known'],
  ['Transaction with the same hash was already imported.', -32010, 'known'],
  ['nonce too low: next nonce 5, tx nonce 4', -32000, 'nonce used'],
  ['Transaction nonce is too low. Try incrementing the nonce.', -32010, 'nonce used'],
  ['replacement transaction underpriced', -32000, 'underpriced'],
  ['insufficient funds for gas * price + value', -32000, 'unfunded'],
  ['Insufficient balance', -32000, 'unfunded'],
  ['exceeds block gas limit', -32000, 'refused'],
  ['nonce has max value: nonce limit', -32000, 'refused'],
  ['intrinsic gas too low', -32000, 'refused'],
  ['transaction underpriced', -32000, 'refused'],
  ['txpool is full', -32000, 'full'],
  ['txpool is full: too many transactions wait for an earlier nonce (64)', -32000, 'full'],
  ['daily request limit reached', -32005, 'unclear'],
  ['rate limit', 429, 'unclear'],
  ['request timed out', -32000, 'unclear'],
  ['the node is syncing', -32000, 'unclear'],
  ['intrinsic gas too low', -32603, 'unclear'],
  // What a message says about the transaction holds whatever its code is.
  ['insufficient funds', -32603, 'unfunded'],
  ['nonce too low', -32603, 'nonce used'],
  ['replacement transaction underpriced', -32603, 'underpriced'],
]

describe('the error of a broadcast', () => {
  test.each(MESSAGES)('%s (%i) means: %s', (message, code, kind) => {
    expect(classifyBroadcastError(message, code)).toEqual({ kind, reason: message })
  })

  test('is judged by its message alone if it has no code', () => {
    expect(classifyBroadcastError('internal error').kind).toBe('unclear')
    expect(classifyBroadcastError('something new').kind).toBe('refused')
  })

  test('belongs to one group: the node has the transaction, refuses it, or leaves it open', () => {
    const groups = (kind: BroadcastKind) =>
      [isInPool, isBroadcastRefused, isBroadcastUndecided].map((is) => is({ kind, reason: '' }))
    const [has, refuses, open] = [
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ]
    expect(groups('accepted')).toEqual(has)
    expect(groups('known')).toEqual(has)
    expect(groups('underpriced')).toEqual(refuses)
    expect(groups('unfunded')).toEqual(refuses)
    expect(groups('refused')).toEqual(refuses)
    expect(groups('full')).toEqual(open)
    expect(groups('unclear')).toEqual(open)
    expect(groups('no answer')).toEqual(open)
    // Whose bytes used it, only a receipt tells.
    expect(groups('nonce used')).toEqual([false, false, false])
  })
})
