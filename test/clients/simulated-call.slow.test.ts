import { encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NodeClient } from '../../host/client/remote-node/node-client.ts'
import { replay } from '../../host/entry/browser.ts'
import { simulate } from '../../host/explorer/browser/simulate.ts'
import { callBlock } from '../../host/explorer/browser/source/call-block.ts'
import { callContract } from '../../host/explorer/browser/source/contract-call.ts'
import { stateOfNode } from '../../host/explorer/browser/source/state-of-node.ts'
import { compileEngine } from '../../host/node/wasm.ts'
import { type FailingNode, startFailingNode } from '../support/browser/failing-node.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { call } from '../support/node/json-rpc.ts'

let node: FailingNode
beforeAll(async () => {
  node = await startFailingNode()
})
afterAll(() => node?.close())

/** Selector of `limit()`. */
const LIMIT: Hex = '0xa4d66daf'

function serveData(amount: bigint): Hex {
  const args = [devAccount(1).address, amount]
  return encodeFunctionData({ abi: node.compiled.abi, functionName: 'serve', args })
}

async function heightOf(hash: Hex): Promise<number> {
  const { rpc } = node.daemon.ready
  const receipt = await call(rpc, 'eth_getTransactionReceipt', [hash])
  return Number((receipt as { blockNumber: Hex }).blockNumber)
}

test.each([
  ['fails', 41n, 0],
  ['succeeds', 40n, 0],
  ['succeeds at an earlier height', 41n, -1],
] as const)(
  'a call that %s runs here as debug_traceCall runs it on the node',
  async (_, amount, above) => {
    const { rpc } = node.daemon.ready
    const height = (await heightOf(node.succeeded)) + above
    const from = devAccount(3).address
    const transaction = { from, to: node.teller, input: serveData(amount) }
    const bundle = await simulate(
      { block: await callBlock(new NodeClient(rpc), height), transaction, changes: {} },
      stateOfNode(rpc, height),
      { modules: await compileEngine(), thread: 'page' },
    )
    const here = (await replay(bundle, { tracer: 'callTracer' })) as { gas: Hex; error?: string }
    bundle.close()
    expect(here.error).toBe(above === 0 && amount === 41n ? 'execution reverted' : undefined)
    const asked = { from, to: node.teller, data: serveData(amount), gas: here.gas }
    const options = { tracer: 'callTracer' }
    const number = `0x${height.toString(16)}`
    expect(await call(rpc, 'debug_traceCall', [asked, number, options])).toEqual(here)
  },
)

test('a node answers the functions of a contract, or says why they fail', async () => {
  const client = new NodeClient(node.daemon.ready.rpc)
  expect(await callContract(client, node.vault, LIMIT)).toEqual({
    kind: 'returned',
    output: `0x${'64'.padStart(64, '0')}`,
  })
  const failed = await callContract(client, node.teller, serveData(41n))
  expect(failed).toMatchObject({ kind: 'failed', message: 'execution reverted' })
  // OverLimit(101, 100)
  const values = [101, 100].map((value) => value.toString(16).padStart(64, '0'))
  expect(failed.output.slice(10)).toBe(values.join(''))
})

test('a call after a block that does not exist is refused', async () => {
  const client = new NodeClient(node.daemon.ready.rpc)
  await expect(callBlock(client, 999_999)).rejects.toThrow('has no block 999999')
})
