import { type ConfigKey, key, underEngine } from './config-key.ts'
import {
  bool,
  duration,
  integer,
  listenAddress,
  text,
  textList,
  type ValueType,
} from './value-type.ts'

const NO_PEERS = 'the embedded engine has no peer-to-peer network'

/** Where a node that follows others is told of them. */
const SERVERS = ['follow.rpc-servers', 'statesync.rpc-servers']

const FOLLOW =
  `${NO_PEERS}: name the consensus RPC of another node in rpc-servers of [follow], ` +
  'or write engine = "cometbft" in [consensus]'

const REACHED =
  `${NO_PEERS}: remove the line, since others reach this node at laddr of [rpc], ` +
  'or write engine = "cometbft" in [consensus]'

const bytes = (): ValueType<number> => integer('BYTES', 1)
const peers = (): ValueType<readonly string[]> => textList('PEERS')

function networked<T>(
  served: ConfigKey<T>,
  instead: string,
  unless: readonly string[] = [],
): ConfigKey<T> {
  return underEngine('cometbft', served, instead, unless)
}

/** The keys of [p2p] in config.toml: the network of CometBFT. */
export const P2P_KEYS = {
  laddr: networked(
    key(listenAddress(), 'tcp://0.0.0.0:26656', 'address that other nodes connect to'),
    REACHED,
  ),
  'external-address': networked(
    key(
      text('ADDRESS'),
      '',
      'address told to other nodes, with its port; empty lets CometBFT look for one',
    ),
    REACHED,
  ),
  'persistent-peers': networked(
    key(
      peers(),
      '',
      'peers to stay connected to: <node_id>@<host>:<port>, separated by commas; ' +
        'with the embedded engine taken beside rpc-servers, by which blocks come',
    ),
    FOLLOW,
    SERVERS,
  ),
  seeds: networked(key(peers(), '', 'nodes to ask for the addresses of peers'), FOLLOW, SERVERS),
  'bootstrap-peers': networked(
    key(peers(), '', 'as seeds, under the name that later releases of Tendermint have for them'),
    FOLLOW,
    SERVERS,
  ),
  'persistent-peers-max-dial-period': key(
    duration(),
    '10s',
    'longest pause before a lost persistent peer is dialled again; 0s lets it grow to hours',
  ),
  'unconditional-peer-ids': key(textList('IDS'), '', 'nodes that no limit of peers keeps out'),
  'private-peer-ids': key(textList('IDS'), '', 'nodes whose addresses are told to nobody'),
  'max-num-inbound-peers': key(
    integer('COUNT', 0),
    40,
    'most peers that have connected to this node',
  ),
  'max-num-outbound-peers': key(
    integer('COUNT', 0),
    10,
    'most peers that this node connects to, beside the persistent ones',
  ),
  'max-connections': underEngine(
    'embedded',
    key(integer('COUNT', 1), 100, 'most peers connected at a time; the embedded engine has none'),
    'write max-num-inbound-peers and max-num-outbound-peers',
  ),
  'max-packet-msg-payload-size': key(
    bytes(),
    102_400,
    'largest payload of a packet between peers: a node ends the connection of a peer that sends larger ones; ' +
      '1024000 is advised for large blocks',
  ),
  'send-rate': key(bytes(), 20_480_000, 'most bytes a second that are sent to a peer'),
  'recv-rate': key(bytes(), 20_480_000, 'most bytes a second that are taken from a peer'),
  'flush-throttle-timeout': key(
    duration(),
    '10ms',
    'time for which messages to a peer are gathered; CometBFT itself has 100ms',
  ),
  pex: key(bool(), true, 'exchange addresses of peers with peers'),
  'seed-mode': key(bool(), false, 'only gather addresses, tell them to who asks, and disconnect'),
  'addr-book-strict': key(
    bool(),
    true,
    'take only addresses that the internet routes; false for private networks',
  ),
  'allow-duplicate-ip': key(bool(), false, 'take several peers from one address'),
  'handshake-timeout': key(duration(1), '20s', 'time for the handshake with a peer'),
  'dial-timeout': key(duration(1), '3s', 'time to reach a peer'),
} as const
