import type { ConsensusRpcContext } from '../../../../../host/api/rpc/consensus/context.ts'
import { EventHub } from '../../../../../host/api/rpc/consensus/event-hub.ts'
import { consensusRpcHandler } from '../../../../../host/api/rpc/consensus/handler.ts'
import { CONSENSUS_ROUTES } from '../../../../../host/api/rpc/consensus/routes.ts'
import { consensusWebSocketHandler } from '../../../../../host/api/rpc/consensus/web-socket.ts'
import { nodeListen } from '../../../../../host/api/server/node-server.ts'
import { Origins } from '../../../../../host/api/server/origins.ts'
import { WorkScheduler } from '../../../../../host/api/server/work-scheduler.ts'
import type { ConsensusBlockStore } from '../../../../../host/chain/consensus/embedded/block-store.ts'
import { consensusChainOf } from '../../../../../host/chain/consensus/embedded/chain.ts'
import type { RpcAnswer } from '../../../../support/node/json-rpc.ts'
import { GENESIS, runUntil, ToyApplication, ToyHome } from '../../../chain/consensus/toy-chain.ts'
import { toyParts } from './toy-context.ts'

/** The consensus RPC over a stopped toy chain. */
export interface ToyServer {
  readonly url: string
  readonly store: ConsensusBlockStore
  readonly parts: ReturnType<typeof toyParts>
  post(method: string, params: object): Promise<RpcAnswer>
  close(): Promise<void>
}

/** Runs a toy chain up to `height` and serves it over HTTP and WebSocket. */
export async function openToyServer(
  height: number,
  changes: Partial<ConsensusRpcContext> = {},
): Promise<ToyServer> {
  const home = await ToyHome.create()
  const store = home.openStore()
  const application = new ToyApplication()
  const validator = await home.loadValidator()
  const engine = await runUntil(height, application, { validator, blockStore: store })
  const parts = toyParts()
  const context: ConsensusRpcContext = {
    engine,
    application,
    stateQuery: { query: () => Promise.reject(new Error('a toy has no state')) },
    blockStore: store,
    chain: consensusChainOf(GENESIS),
    validator,
    genesisFile: Buffer.from('{}'),
    node: {
      id: 'ab'.repeat(20),
      moniker: 'toy',
      version: '0.1.0',
      rpcAddress: 'tcp://127.0.0.1:1',
    },
    unconfirmedTransactions: () => ({ count: 0, bytes: 0 }),
    ...parts,
    ...changes,
  }
  const served = { routes: CONSENSUS_ROUTES, context, maxBatch: 10 }
  const hub = new EventHub(context)
  const server = await nodeListen({
    work: new WorkScheduler(1 << 24),
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 1_000_000,
    bodyIdleMs: 10_000,
    maxConnections: 1000,
    handler: consensusRpcHandler(served),
    webSocket: consensusWebSocketHandler(served, hub, new Origins([])),
  })
  const url = `http://127.0.0.1:${server.port}`
  return {
    url,
    store,
    parts,
    post: async (method, params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      return (await (await fetch(url, { method: 'POST', body })).json()) as RpcAnswer
    },
    close: async () => {
      hub.stop()
      await server.close(0)
      await store.close()
      await home.remove()
    },
  }
}
