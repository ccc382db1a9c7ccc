import { formatBase64 } from '../../../base/base64.ts'
import type { CometError, CometRpc } from '../cometbft/comet-rpc.ts'

/**
 * What CometBFT does with a transaction: it has it, it has no room for it now, or it can never take it. `failed` is
 * an error that says nothing of the transaction.
 */
export type Handover =
  | { readonly kind: 'taken' }
  | { readonly kind: 'full' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Hands transactions over in one request, in order. @throws NODE_UNREACHABLE */
export type Broadcast = (raws: readonly Uint8Array[]) => Promise<readonly Handover[]>

/** CometBFT's words (`mempool/errors.go`): it has errors without codes. */
const IN_CACHE = 'tx already exists in cache'
const FULL = ['mempool is full', 'mempool is still rechecking']
const REFUSALS = ['Tx too large', 'tx pre check']

function handoverOf({ message, data }: CometError): Handover {
  const reason = data === '' ? message : data
  const begins = (text: string) => reason.startsWith(text)
  if (begins(IN_CACHE)) return { kind: 'taken' }
  if (FULL.some(begins)) return { kind: 'full' }
  return { kind: REFUSALS.some(begins) ? 'refused' : 'failed', reason }
}

/**
 * Broadcasts over CometBFT's RPC. `broadcast_tx_async`, because the answer of CheckTx is our own, and CometBFT gathers
 * requests for up to 20 ms before it sends them: one by one they would take as long each.
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
