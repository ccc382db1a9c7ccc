import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RpcServer } from '../../../../host/consensus/follow/rpc-server.ts'
import {
  refuseSignedElsewhere,
  type SignedElsewhere,
} from '../../../../host/consensus/follow/signed-elsewhere.ts'

/** Takes requests, and answers none. */
const stalled = createServer(() => {})

beforeAll(() => new Promise<void>((resolve) => stalled.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  stalled.closeAllConnections()
  stalled.close()
})

test('a validator does not start on the word of a server that never answers', async () => {
  const { port } = stalled.address() as AddressInfo
  const { signal } = new AbortController()
  const server = new RpcServer(new URL(`http://127.0.0.1:${port}/`), 1_000_000, signal, 100)
  const unread = {} as SignedElsewhere['blockStore']
  const address = new Uint8Array(20)
  await expect(
    refuseSignedElsewhere({ servers: [server], chainId: 'test', address, blockStore: unread }),
  ).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' })
})
