import { expect, test } from 'vitest'
import type {
  CometAnswer,
  CometCall,
} from '../../../../../host/chain/consensus/cometbft/comet-rpc.ts'
import { broadcastTo } from '../../../../../host/chain/consensus/gossip/comet-broadcast.ts'

const failed = (data: string): CometAnswer => ({
  error: { code: -32603, message: 'Internal error', data },
})

test('transactions are sent in one request as base64, and each gets its own result from CometBFT', async () => {
  const asked: CometCall[] = []
  const answers: CometAnswer[] = [
    { result: { code: 0, hash: 'AB' } },
    failed('tx already exists in cache'),
    failed('mempool is full: number of txs 3 (max: 3), total txs bytes 330 (max: 1000)'),
    failed('mempool is still rechecking after a new committed block, so it is considered as full'),
    failed('Tx too large. Max size is 131072, but got 131073'),
    failed('tx pre check: tx size is too big: 300, max: 200'),
    failed('appConn mempool: EOF'),
    { error: { code: -32600, message: 'Invalid Request', data: '' } },
  ]
  const broadcast = broadcastTo({
    batch: async (calls) => {
      asked.push(...calls)
      return answers
    },
  })
  expect(await broadcast(answers.map((_, i) => Uint8Array.of(2, i)))).toEqual([
    { kind: 'taken' },
    { kind: 'taken' },
    { kind: 'full' },
    { kind: 'full' },
    { kind: 'refused', reason: 'Tx too large. Max size is 131072, but got 131073' },
    { kind: 'refused', reason: 'tx pre check: tx size is too big: 300, max: 200' },
    { kind: 'failed', reason: 'appConn mempool: EOF' },
    { kind: 'failed', reason: 'Invalid Request' },
  ])
  expect(asked[1]).toEqual({ method: 'broadcast_tx_async', params: { tx: 'AgE=' } })
})
