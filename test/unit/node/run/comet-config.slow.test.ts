import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../../../host/base/config/load.ts'
import type { Config } from '../../../../host/base/config/schema.ts'
import { renderCometConfig } from '../../../../host/chain/consensus/cometbft/comet-config.ts'
import type { CometFolder } from '../../../../host/chain/consensus/cometbft/comet-folder.ts'
import { homeAt } from '../../../../host/node/home/home.ts'
import { cometConfig } from '../../../../host/node/run/comet-config.ts'
import { COMETBFT, WITHOUT_COMETBFT } from '../../../support/node/cometbft.ts'

type Document = Readonly<Record<string, unknown>>

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'comet-config-'))
})

afterAll(() => {
  rmSync(folder, { recursive: true })
})

const HOME = homeAt('/home/of a "node"')

const FOLDER: CometFolder = {
  root: HOME.data.comet,
  configFile: join(HOME.data.comet, 'config/config.toml'),
  ownKey: join(HOME.data.comet, 'config/priv_validator_key.json'),
  ownKeyState: join(HOME.data.comet, 'data/priv_validator_state.json'),
  appSocket: join(HOME.data.comet, 'app.sock'),
  rpcSocket: join(HOME.data.comet, 'rpc.sock'),
  remove: () => {},
}

function configOf(flags: Readonly<Record<string, string>>): Config {
  const engine = { 'consensus.engine': 'cometbft' }
  const given = new Map(Object.entries({ ...engine, ...flags }))
  return loadConfig({ directory: '/nowhere', environment: {}, flags: given }).config
}

/** Returns the file that a node writes by default, as CometBFT parses it. */
function written(): Document {
  const options = { home: HOME, config: configOf({}), folder: FOLDER, trust: undefined }
  return parse(renderCometConfig(cometConfig(options)))
}

/** Returns values by section and key: `p2p.laddr`. */
function flat(document: Document): Map<string, unknown> {
  return new Map(
    Object.entries(document).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([key, each]) => [`${name}.${key}`, each] as const)
        : [[name, value] as const],
    ),
  )
}

/** Keys whose value differs from CometBFT's default. */
const DIFFERENT: Readonly<Record<string, unknown>> = {
  proxy_app: `unix://${FOLDER.appSocket}`,
  moniker: 'lockstep',
  log_level: '*:error,blocksync:info,statesync:info,main:info',
  log_format: 'json',
  genesis_file: HOME.config.genesis,
  priv_validator_key_file: FOLDER.ownKey,
  priv_validator_state_file: FOLDER.ownKeyState,
  node_key_file: HOME.config.nodeKey,
  'rpc.laddr': 'unix://rpc.sock',
  'rpc.max_open_connections': 1_000,
  'rpc.max_subscriptions_per_client': 600,
  'rpc.experimental_subscription_buffer_size': 5_000,
  'rpc.experimental_websocket_write_buffer_size': 5_000,
  'rpc.experimental_close_on_slow_client': true,
  'rpc.max_request_batch_size': 0,
  'rpc.max_body_bytes': 32_000_000,
  'p2p.addr_book_file': HOME.data.addressBook,
  'p2p.persistent_peers_max_dial_period': '10s',
  'p2p.flush_throttle_timeout': '10ms',
  'p2p.max_packet_msg_payload_size': 102_400,
  'p2p.send_rate': 20_480_000,
  'p2p.recv_rate': 20_480_000,
  'mempool.size': 262_144,
  'mempool.cache_size': 262_144,
  'mempool.max_txs_bytes': 536_870_912,
  'mempool.max_tx_bytes': 131_072,
  'statesync.temp_dir': join(FOLDER.root, 'data'),
  'consensus.timeout_propose': '1s',
  'consensus.timeout_prevote': '500ms',
  'consensus.timeout_precommit': '500ms',
  'consensus.timeout_commit': '300ms',
  'consensus.peer_gossip_sleep_duration': '10ms',
}

/** Go writes minutes with their seconds, and a duration below a second in a smaller unit. */
function comparable(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/(?<=[hm])0s$|(?<=h)0m(?=0s$|$)/g, '') : value
}

describe.skipIf(COMETBFT === undefined)(
  `the configuration file of CometBFT${WITHOUT_COMETBFT}`,
  () => {
    test('has the keys that CometBFT itself writes, with its values except for those that we set', () => {
      const home = join(folder, 'stock')
      const init = spawnSync(COMETBFT as string, ['init', '--home', home], { encoding: 'utf8' })
      expect(init.status, init.stderr).toBe(0)
      const stock = flat(parse(readFileSync(join(home, 'config/config.toml'), 'utf8')))
      const ours = flat(written())
      expect([...ours.keys()].sort()).toEqual([...stock.keys()].sort())
      const different = [...ours].filter(
        ([key, value]) =>
          JSON.stringify(comparable(value)) !== JSON.stringify(comparable(stock.get(key))),
      )
      expect(Object.fromEntries(different)).toEqual(DIFFERENT)
      for (const [key, value] of ours) expect(typeof value, key).toBe(typeof stock.get(key))
    })

    test('is accepted by CometBFT for any paths and texts', () => {
      const root = join(folder, 'a "home"')
      const init = spawnSync(COMETBFT as string, ['init', '--home', root], { encoding: 'utf8' })
      expect(init.status, init.stderr).toBe(0)
      const home = homeAt(root)
      const trust = { height: 7, hash: 'AB' }
      const config = configOf({
        moniker: 'a "b" \\ c\u00e9 # d',
        'statesync.rpc-servers': 'a:26657,b:26657',
        'p2p.persistent-peers': `${'ab'.repeat(20)}@127.0.0.1:1`,
      })
      writeFileSync(
        join(root, 'config/config.toml'),
        renderCometConfig(cometConfig({ home, config, folder: FOLDER, trust })),
      )
      const shown = spawnSync(COMETBFT as string, ['show-node-id', '--home', root], {
        encoding: 'utf8',
      })
      expect(shown.stderr).toBe('')
      expect(shown.stdout).toMatch(/^[0-9a-f]{40}\n$/)
    })
  },
)
