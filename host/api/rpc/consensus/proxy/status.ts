import type { RouteArguments } from '../arguments.ts'
import type { RouteCaller } from '../context.ts'
import { NOT_SYNCING } from '../status.ts'
import type { ProxyContext } from './context.ts'

interface CometStatus {
  readonly node_info: { readonly other: object }
  readonly sync_info: { readonly latest_block_height: string }
}

/**
 * Handles /status: CometBFT's result with the additional fields of seid, and the address of this server instead of
 * CometBFT's.
 */
export async function proxiedStatus(
  { relay, engine, rpcAddress, applicationVersion }: ProxyContext,
  _args: RouteArguments,
  caller: RouteCaller,
): Promise<object> {
  const comet = (await relay.value('status', {}, caller)) as CometStatus
  const { node_info, sync_info, ...rest } = comet
  return {
    node_info: { ...node_info, other: { ...node_info.other, rpc_address: rpcAddress } },
    application_info: { version: applicationVersion },
    sync_info: {
      ...sync_info,
      last_committed_block_height: sync_info.latest_block_height,
      max_peer_block_height: String(engine.sync.maxPeerHeight),
      ...NOT_SYNCING,
    },
    ...rest,
    light_client_info: {},
  }
}
