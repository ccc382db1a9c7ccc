import { formatBase64 } from '../../../base/base64.ts'
import type { CometError, CometRpc } from '../cometbft/comet-rpc.ts'

/**
 * CometBFT's response to a transaction: `taken` if it has it, `full` if it has no room now, `refused` if it can never
 * accept it. `failed` is an error unrelated to the transaction.
 */
export type BroadcastOutcome =
  | { readonly kind: 'taken' }
  | { readonly kind: 'full' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

/**
 * Sends transactions in one request and returns the responses in order.
 * @throws NODE_UNREACHABLE
 */
export type Broadcast = (raws: readonly Uint8Array[]) => Promise<readonly BroadcastOutcome[]>

/** CometBFT's error messages (`mempool/errors.go`), since it has no error codes. */
const IN_CACHE = 'tx already exists in cache'
const FULL = ['mempool is full', 'mempool is still rechecking']
const REFUSALS = ['Tx too large', 'tx pre check']

function handoverOf({ message, data }: CometError): BroadcastOutcome {
  const reason = data === '' ? message : data
  const begins = (text: string) => reason.startsWith(text)
  if (begins(IN_CACHE)) return { kind: 'taken' }
  if (FULL.some(begins)) return { kind: 'full' }
  return { kind: REFUSALS.some(begins) ? 'refused' : 'failed', reason }
}

/**
 * Returns a `Broadcast` over CometBFT's RPC. It calls `broadcast_tx_async`, because the node itself answers CheckTx,
 * and CometBFT batches CheckTx requests for up to 20 ms, which single calls would each wait for.
 */
export function broadcastTo(rpc: Pick<CometRpc, 'batch'>): Broadcast {
  return async (raws) => {
    const answers = await rpc.batch(
      raws.map((raw) => ({ method: 'broadcast_tx_async', params: { tx: formatBase64(raw) } })),
    )
    return answers.map((answer) =>
      'error' in answer ? handoverOf(answer.error) : { kind: 'taken' },
    )
  }
}
