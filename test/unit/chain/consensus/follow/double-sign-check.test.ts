import { afterAll, expect, test } from 'vitest'
import {
  checkDoubleSign,
  type DoubleSignCheck,
} from '../../../../../host/chain/consensus/follow/double-sign-check.ts'
import { RpcServer } from '../../../../../host/chain/consensus/follow/rpc-server.ts'
import { serveHttp } from '../../../../support/http-server.ts'

/** Accepts requests and answers none. */
const stalled = await serveHttp()
afterAll(stalled.close)

test('a validator does not start if the server that should report its signatures never answers', async () => {
  const { signal } = new AbortController()
  const server = new RpcServer(new URL(stalled.url), 1_000_000, signal, 100)
  const unread = {} as DoubleSignCheck['blockStore']
  const address = new Uint8Array(20)
  await expect(
    checkDoubleSign({ servers: [server], chainId: 'test', address, blockStore: unread }),
  ).rejects.toMatchObject({ code: 'NODE_UNREACHABLE' })
})
