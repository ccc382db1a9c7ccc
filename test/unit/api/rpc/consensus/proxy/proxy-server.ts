import { consensusRpcHandler } from '../../../../../../host/api/rpc/consensus/handler.ts'
import type { ProxyContext } from '../../../../../../host/api/rpc/consensus/proxy/context.ts'
import { EventRelay } from '../../../../../../host/api/rpc/consensus/proxy/event-relay.ts'
import { PROXIED_ROUTES } from '../../../../../../host/api/rpc/consensus/proxy/proxied-routes.ts'
import { CometRelay } from '../../../../../../host/api/rpc/consensus/proxy/relay.ts'
import { SubscriptionSlots } from '../../../../../../host/api/rpc/consensus/subscription-slots.ts'
import { consensusWebSocketHandler } from '../../../../../../host/api/rpc/consensus/web-socket.ts'
import { chooseTransport } from '../../../../../../host/api/server/listen.ts'
import { Origins } from '../../../../../../host/api/server/origins.ts'
import { WorkScheduler } from '../../../../../../host/api/server/work-scheduler.ts'
import { CometRpc } from '../../../../../../host/chain/consensus/cometbft/comet-rpc.ts'
import { FakePool } from '../../../../../support/chain/fake-chain.ts'

export interface ProxyServer {
  readonly url: string
  readonly port: number
  readonly work: WorkScheduler
  close(): Promise<void>
}

/** Opens the consensus RPC in front of the server at a socket. */
export async function openProxy(
  socketPath: string,
  transport: 'uws' | 'node' = 'node',
  changes: Partial<ProxyContext> & { readonly timeoutMs?: number } = {},
): Promise<ProxyServer> {
  const { timeoutMs, ...rest } = changes
  const rpc = new CometRpc({
    socketPath,
    maxConnections: 100,
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
  const context: ProxyContext = {
    relay: new CometRelay(rpc),
    engine: {
      height: 7,
      sync: { maxPeerHeight: 9, isCatchingUp: false, startingHeight: 0 },
    },
    lagThreshold: 300,
    pool: new FakePool(),
    slots: new SubscriptionSlots({ clients: 3, perClient: 2 }),
    transaction: () => undefined,
    applicationVersion: '0.1.0',
    rpcAddress: 'tcp://127.0.0.1:26657',
    ...rest,
  }
  const served = { routes: PROXIED_ROUTES, context, maxBatch: 10 }
  const events = new EventRelay({ socketPath, slots: context.slots })
  const work = new WorkScheduler(64 * 1024 * 1024)
  const { listen } = await chooseTransport(transport)
  const server = await listen({
    work,
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 1_000_000,
    bodyIdleMs: 10_000,
    maxConnections: 1000,
    handler: consensusRpcHandler(served),
    webSocket: consensusWebSocketHandler(served, events, new Origins([])),
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    work,
    close: async () => {
      await events.stop()
      await server.close(0)
      rpc.close()
    },
  }
}
