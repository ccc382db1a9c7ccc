import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { IpcSocketProvider } from 'ethers'
import { createPublicClient } from 'viem'
import { hardhat } from 'viem/chains'
import { ipc } from 'viem/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { until } from '../support/until.ts'

const home = makeHome()
/** Below the home, as the configuration names a relative path. */
const path = join(home, 'node.ipc')
let daemon: Daemon

beforeAll(async () => {
  const ipcPath = ['--evm.ipc-path', 'node.ipc']
  daemon = await startDaemon({ home, arguments: ['--dev.no-mining', 'true', ...ipcPath] })
}, 60_000)
afterAll(() => removeHome(home))

const mine = () => call(daemon.ready.rpc, 'evm_mine')

describe('the socket of a node serves', () => {
  test('calls and subscriptions of viem', async () => {
    const client = createPublicClient({ chain: hardhat, transport: ipc(path) })
    expect(await client.getChainId()).toBe(31_337)
    const heights: bigint[] = []
    const { unsubscribe } = await client.transport.subscribe({
      params: ['newHeads'],
      onData: ({ result }) => heights.push(BigInt(result.number)),
    })
    await mine()
    await until(() => heights.length === 1)
    expect(heights).toEqual([await client.getBlockNumber({ cacheTime: 0 })])
    await unsubscribe()
    const socket = await client.transport.getRpcClient()
    socket.close()
  })

  test('calls and events of ethers', async () => {
    const provider = new IpcSocketProvider(path)
    const before = await provider.getBlockNumber()
    const heights: number[] = []
    await provider.on('block', (height: number) => heights.push(height))
    // Subscribed some time after `on` has returned.
    while (heights.length === 0) await mine()
    expect(heights[0]).toBeGreaterThan(before)
    expect((await provider.getNetwork()).chainId).toBe(31_337n)
    await provider.destroy()
  })
})

test('the socket is removed when the node stops', async () => {
  expect(existsSync(path)).toBe(true)
  expect(await daemon.stop()).toBe(0)
  expect(existsSync(path)).toBe(false)
})
