import { equalBytes } from '../../../base/bytes.ts'
import { formatTime } from '../../../base/time.ts'
import { BLOCK_PROTOCOL } from '../../../chain/consensus/comet/header.ts'
import type { DecidedBlock } from '../../../chain/consensus/embedded/block-store.ts'
import type { ConsensusRpcContext } from './context.ts'
import { formatHash, publicKeyJson } from './json.ts'

const P2P_PROTOCOL = '8'

/** The peer-to-peer address of a node that does not listen. Clients expect a non-empty string. */
const NO_LISTENER = 'tcp://0.0.0.0:0'

/** The embedded engine has no peers. */
export const NET_INFO: object = {
  listening: false,
  listeners: [],
  n_peers: '0',
  peers: [],
  peer_connections: [],
}

/** Fields of seid's `sync_info` that describe a running synchronization. */
export const NOT_SYNCING = {
  total_synced_time: '0',
  remaining_time: '0',
  total_snapshots: '0',
  chunk_process_avg_time: '0',
  snapshot_height: '0',
  snapshot_chunks_count: '0',
  snapshot_chunks_total: '0',
  backfilled_blocks: '0',
  backfill_blocks_total: '0',
}

function syncPoint(prefix: 'latest' | 'earliest', decided: DecidedBlock | undefined): object {
  const header = decided?.block.header
  return {
    [`${prefix}_block_hash`]: decided === undefined ? '' : formatHash(decided.blockId.hash),
    [`${prefix}_app_hash`]: header === undefined ? '' : formatHash(header.appHash),
    [`${prefix}_block_height`]: String(header?.height ?? 0),
    [`${prefix}_block_time`]: formatTime(header?.time ?? 0n),
  }
}

/** Placeholder key of a node that does not sign, because CometBFT clients expect one. */
const NO_VALIDATOR = { publicKey: new Uint8Array(32), address: new Uint8Array(20) }

/** Returns 0 if the node's key does not belong to a validator. */
function powerOf({ chain, validator }: ConsensusRpcContext): number {
  const { address } = validator ?? NO_VALIDATOR
  return chain.validators.find((each) => equalBytes(each.address, address))?.power ?? 0
}

/** Handles /status. */
export function embeddedStatus(context: ConsensusRpcContext): object {
  const { application, blockStore, chain, engine, node, validator = NO_VALIDATOR } = context
  const info = application.info()
  const height = String(engine.height)
  return {
    node_info: {
      protocol_version: {
        p2p: P2P_PROTOCOL,
        block: String(BLOCK_PROTOCOL),
        app: String(info.appVersion),
      },
      id: node.id,
      listen_addr: NO_LISTENER,
      network: chain.id,
      version: node.version,
      // The node does not speak the peer-to-peer protocol.
      channels: '',
      moniker: node.moniker,
      other: {
        tx_index: context.index === undefined ? 'off' : 'on',
        rpc_address: node.rpcAddress,
      },
    },
    application_info: { version: info.version },
    sync_info: {
      ...syncPoint('latest', blockStore.decided(engine.decidedHeight ?? engine.height)),
      last_committed_block_height: height,
      ...syncPoint('earliest', blockStore.decided(blockStore.base)),
      max_peer_block_height: String(engine.sync.maxPeerHeight),
      catching_up: engine.sync.isCatchingUp,
      ...NOT_SYNCING,
    },
    validator_info: {
      address: formatHash(validator.address),
      pub_key: publicKeyJson(validator.publicKey),
      voting_power: String(powerOf(context)),
    },
    light_client_info: {},
  }
}
