import { join } from 'node:path'
import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../../../host/base/config/load.ts'
import { renderCometConfig } from '../../../../host/chain/consensus/cometbft/comet-config.ts'
import type { CometFolder } from '../../../../host/chain/consensus/cometbft/comet-folder.ts'
import type { TrustedBlock } from '../../../../host/chain/snapshot/sync/trusted-block.ts'
import { homeAt } from '../../../../host/node/home/home.ts'
import { cometConfig } from '../../../../host/node/run/comet-config.ts'

const HOME = homeAt('/home/of/a/node')
const ROOT = HOME.data.comet

/** Returns the configuration that a node writes for these flags, as CometBFT parses it. */
function written(
  flags: Readonly<Record<string, string>>,
  trust?: TrustedBlock,
  changes: Partial<CometFolder> = {},
) {
  const given = new Map(Object.entries({ 'consensus.engine': 'cometbft', ...flags }))
  const { config } = loadConfig({ directory: '/nowhere', environment: {}, flags: given })
  const folder = {
    root: ROOT,
    configFile: '',
    ownKey: join(ROOT, 'config/priv_validator_key.json'),
    ownKeyState: join(ROOT, 'data/priv_validator_state.json'),
    appSocket: '/run/app.sock',
    rpcSocket: '/run/rpc.sock',
    remove: () => {},
    ...changes,
  }
  return parse(renderCometConfig(cometConfig({ home: HOME, config, folder, trust }))) as Record<
    string,
    Record<string, unknown>
  >
}

describe('the configuration of CometBFT', () => {
  test('tells peers nothing about the path of the home', () => {
    const rpcSocket = join(ROOT, 'rpc.sock')
    expect(written({}, undefined, { rpcSocket }).rpc).toMatchObject({ laddr: 'unix://rpc.sock' })
    expect(written({}).rpc).toMatchObject({ laddr: 'unix:///run/rpc.sock' })
  })

  test('lets a validator sign with the key of the node, and a full node with one of its own', () => {
    expect(written({ mode: 'validator' })).toMatchObject({
      priv_validator_key_file: HOME.config.validatorKey,
      priv_validator_state_file: HOME.data.validatorState,
    })
    for (const mode of ['full', '']) {
      expect(written({ mode })).toMatchObject({
        priv_validator_key_file: join(ROOT, 'config/priv_validator_key.json'),
        priv_validator_state_file: join(ROOT, 'data/priv_validator_state.json'),
      })
    }
  })

  test('gives a round 100 ms of the block time, or a quarter of it, unless a timeout is configured', () => {
    const pause = (flags: Readonly<Record<string, string>>) =>
      written(flags).consensus?.timeout_commit
    expect(pause({})).toBe('300ms')
    expect(pause({ 'consensus.block-time': '2s' })).toBe('1.9s')
    expect(pause({ 'consensus.block-time': '100ms' })).toBe('75ms')
    expect(pause({ 'consensus.block-time': '2s', 'consensus.timeout-commit': '1ms' })).toBe('1ms')
  })

  test('contains every configured key for peers', () => {
    const { p2p } = written({
      'p2p.laddr': 'tcp://[::1]:1',
      'p2p.external-address': 'h:1',
      'p2p.persistent-peers': 'a@h:1, b@h:2',
      'p2p.seeds': 'c@h:3',
      'p2p.bootstrap-peers': 'd@h:4',
      'p2p.unconditional-peer-ids': 'e,f',
      'p2p.private-peer-ids': 'g',
      'p2p.max-num-inbound-peers': '1',
      'p2p.max-num-outbound-peers': '2',
      'p2p.max-packet-msg-payload-size': '1024000',
      'p2p.send-rate': '3',
      'p2p.recv-rate': '4',
      'p2p.flush-throttle-timeout': '5ms',
      'p2p.persistent-peers-max-dial-period': '1m30s',
      'p2p.pex': 'false',
      'p2p.seed-mode': 'true',
      'p2p.addr-book-strict': 'false',
      'p2p.allow-duplicate-ip': 'true',
      'p2p.handshake-timeout': '6s',
      'p2p.dial-timeout': '7s',
    })
    expect(p2p).toEqual({
      laddr: 'tcp://[::1]:1',
      external_address: 'h:1',
      persistent_peers: 'a@h:1,b@h:2',
      seeds: 'c@h:3,d@h:4',
      unconditional_peer_ids: 'e,f',
      private_peer_ids: 'g',
      max_num_inbound_peers: 1,
      max_num_outbound_peers: 2,
      max_packet_msg_payload_size: 1_024_000,
      send_rate: 3,
      recv_rate: 4,
      flush_throttle_timeout: '5ms',
      persistent_peers_max_dial_period: '1m30s',
      pex: false,
      seed_mode: true,
      addr_book_strict: false,
      allow_duplicate_ip: true,
      handshake_timeout: '6s',
      dial_timeout: '7s',
      addr_book_file: HOME.data.addressBook,
    })
  })

  test('contains the configured consensus timeouts', () => {
    const { consensus } = written({
      'consensus.timeout-propose': '1ms',
      'consensus.timeout-propose-delta': '2ms',
      'consensus.timeout-prevote': '3ms',
      'consensus.timeout-prevote-delta': '4ms',
      'consensus.timeout-precommit': '5ms',
      'consensus.timeout-precommit-delta': '6ms',
      'consensus.timeout-commit': '7ms',
      'consensus.skip-timeout-commit': 'true',
      'consensus.double-sign-check-height': '8',
      'consensus.create-empty-blocks': 'false',
      'consensus.create-empty-blocks-interval': '9s',
      'consensus.peer-gossip-sleep-duration': '10ms',
      'consensus.peer-query-maj23-sleep-duration': '11ms',
    })
    expect(consensus).toEqual({
      wal_file: 'data/cs.wal/wal',
      timeout_propose: '1ms',
      timeout_propose_delta: '2ms',
      timeout_prevote: '3ms',
      timeout_prevote_delta: '4ms',
      timeout_precommit: '5ms',
      timeout_precommit_delta: '6ms',
      timeout_commit: '7ms',
      skip_timeout_commit: true,
      double_sign_check_height: 8,
      create_empty_blocks: false,
      create_empty_blocks_interval: '9s',
      peer_gossip_sleep_duration: '10ms',
      peer_query_maj23_sleep_duration: '11ms',
    })
  })

  test('enables state sync only with a trusted block', () => {
    const flags = { 'statesync.rpc-servers': 'a:1,b:2', 'statesync.trust-period': '1h' }
    expect(written(flags).statesync).toMatchObject({
      enable: false,
      trust_height: 0,
      trust_hash: '',
    })
    expect(written(flags, { height: 7, hash: 'AB' }).statesync).toMatchObject({
      enable: true,
      rpc_servers: 'a:1,b:2',
      trust_height: 7,
      trust_hash: 'AB',
      trust_period: '1h0m0s',
    })
  })

  test('gives the metrics an address if they are enabled', () => {
    const metrics = (address: string) =>
      written({ 'instrumentation.cometbft-listen-addr': address }).instrumentation
    expect(metrics('')).toMatchObject({ prometheus: false })
    expect(metrics('tcp://[::1]:9')).toMatchObject({
      prometheus: true,
      prometheus_listen_addr: '[::1]:9',
    })
  })
})
