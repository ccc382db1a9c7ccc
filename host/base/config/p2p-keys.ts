import { type ConfigKey, key, underEngine } from './config-key.ts'
import {
  bool,
  duration,
  integerType,
  listenAddress,
  textList,
  textType,
  type ValueType,
} from './value-type.ts'

const NO_PEERS = 'the embedded engine has no peer-to-peer network'

/** Keys that name the nodes to follow. */
const SERVERS = ['follow.rpc-servers', 'statesync.rpc-servers']

const FOLLOW =
  `${NO_PEERS}: name the consensus RPC of another node in rpc-servers of [follow], ` +
  'or write engine = "cometbft" in [consensus]'

const REACHED =
  `${NO_PEERS}: remove the line, because other nodes reach this one at laddr of [rpc], ` +
  'or write engine = "cometbft" in [consensus]'

const bytes = (): ValueType<number> => integerType('BYTES', 1)
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
      textType('ADDRESS'),
      '',
      'address with port that other nodes learn; empty lets CometBFT find one',
    ),
    REACHED,
  ),
  'persistent-peers': networked(
    key(
      peers(),
      '',
      'peers to stay connected to: <node_id>@<host>:<port>, separated by commas; ' +
        'the embedded engine accepts it beside rpc-servers, from which its blocks come',
    ),
    FOLLOW,
    SERVERS,
  ),
  seeds: networked(key(peers(), '', 'nodes to ask for peer addresses'), FOLLOW, SERVERS),
  'bootstrap-peers': networked(
    key(peers(), '', 'like seeds, under the name of later Tendermint releases'),
    FOLLOW,
    SERVERS,
  ),
  'persistent-peers-max-dial-period': key(
    duration(),
    '10s',
    'longest pause before a lost persistent peer is dialled again; 0s lets it grow to hours',
  ),
  'unconditional-peer-ids': key(textList('IDS'), '', 'nodes exempt from the peer limits'),
  'private-peer-ids': key(textList('IDS'), '', 'nodes whose addresses are never shared'),
  'max-num-inbound-peers': key(integerType('COUNT', 0), 40, 'maximum inbound peers'),
  'max-num-outbound-peers': key(
    integerType('COUNT', 0),
    10,
    'maximum outbound peers, beside the persistent ones',
  ),
  'max-connections': underEngine(
    'embedded',
    key(integerType('COUNT', 1), 100, 'maximum connected peers; the embedded engine has no peers'),
    'write max-num-inbound-peers and max-num-outbound-peers',
  ),
  'max-packet-msg-payload-size': key(
    bytes(),
    102_400,
    'maximum payload of a packet between peers: a node disconnects peers that send larger ones; ' +
      '1024000 is advised for large blocks',
  ),
  'send-rate': key(bytes(), 20_480_000, 'maximum bytes per second sent to a peer'),
  'recv-rate': key(bytes(), 20_480_000, 'maximum bytes per second received from a peer'),
  'flush-throttle-timeout': key(
    duration(),
    '10ms',
    "time for which messages to a peer are batched; CometBFT's default is 100ms",
  ),
  pex: key(bool(), true, 'exchange peer addresses with peers (PEX)'),
  'seed-mode': key(
    bool(),
    false,
    'seed mode: collect addresses, send them to peers that ask, and disconnect',
  ),
  'addr-book-strict': key(
    bool(),
    true,
    'accept only internet-routable addresses; false for private networks',
  ),
  'allow-duplicate-ip': key(bool(), false, 'accept several peers from one address'),
  'handshake-timeout': key(duration(1), '20s', 'time limit of the handshake with a peer'),
  'dial-timeout': key(duration(1), '3s', 'time limit of dialing a peer'),
} as const
