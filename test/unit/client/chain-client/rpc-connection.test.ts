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

test('user and password of the address are sent as Basic credentials, and no message prints them', async () => {
  const received: unknown[] = []
  const node = await startFakeNode({
    raw: (response, _calls, { headers }) => {
      received.push(headers.authorization)
      response.writeHead(503).end('busy')
      return true
    },
  })
  onTestFinished(() => node.stop())
  const { host } = new URL(node.url)
  const connection = new RpcConnection(`http://alice:s3cret@${host}/`)
  await expect(connection.call('eth_chainId')).rejects.toMatchObject({
    code: 'NODE_UNREACHABLE',
    message: `no node answers at ${host}: HTTP 503`,
  })
  const credentials = Buffer.from('alice:s3cret').toString('base64')
  expect(received).toEqual([`Basic ${credentials}`])
})
