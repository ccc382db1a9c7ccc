import { expect, onTestFinished, test } from 'vitest'
import { RpcConnection } from '../../../../host/client/chain-client/rpc-connection.ts'
import { answerJson } from '../../../support/fake-server.ts'
import { startFakeNode } from '../../../support/rpc/fake-node.ts'

test('a call that is missing from the answer to its batch is rejected, and the other calls get their results', async () => {
  const node = await startFakeNode({
    raw: (response, calls) => {
      const answers = calls.flatMap(({ method, id }) =>
        method === 'eth_gasPrice' ? [] : [{ jsonrpc: '2.0', id, result: method }],
      )
      answerJson(response, 200, answers)
      return true
    },
  })
  onTestFinished(() => node.stop())
  const connection = new RpcConnection(node.url)
  const calls = ['eth_chainId', 'eth_gasPrice', 'eth_blockNumber'].map((method) =>
    connection.call(method),
  )
  expect(await Promise.allSettled(calls)).toEqual([
    { status: 'fulfilled', value: 'eth_chainId' },
    {
      status: 'rejected',
      reason: expect.objectContaining({
        code: 'NODE_UNREACHABLE',
        message: expect.stringContaining('it leaves a call unanswered'),
      }),
    },
    { status: 'fulfilled', value: 'eth_blockNumber' },
  ])
  expect(node.requests).toHaveLength(1)
})
