import { key, underEngine } from './config-key.ts'
import { bool, duration, engineName, integerType, textList, textType } from './value-type.ts'

const PEERS = 'blocks come from peers: name them in persistent-peers of [p2p]'

/** [follow] rpc-servers. */
export const FOLLOW_SERVERS = underEngine(
  'embedded',
  key(
    textList('URLS'),
    '',
    'consensus RPC of the nodes that a full node takes blocks from and forwards transactions to; ' +
      'empty uses rpc-servers of [statesync]',
  ),
  PEERS,
)

/** The keys of [consensus] in config.toml. */
export const ENGINE_KEYS = {
  engine: key(
    engineName(),
    'embedded',
    'consensus engine: embedded, one validator in this process, which others follow; ' +
      'cometbft, a network of validators that run CometBFT 0.38, which this node starts and supervises',
  ),
  cometbft: key(textType('PROGRAM'), 'cometbft', 'name or path of the CometBFT 0.38 binary'),
  'verify-proposals': key(
    bool(),
    true,
    'cometbft: execute a proposed block before voting for it; false only checks its form',
  ),
  'block-time': key(
    duration(1),
    '400ms',
    'block interval; with CometBFT the target from which timeout-commit is derived, and that proposers wait for',
  ),
  'create-empty-blocks': key(bool(), true, 'produce blocks without transactions'),
  'create-empty-blocks-interval': key(
    duration(),
    '0s',
    'time between empty blocks; 0s is the block time',
  ),
  'timeout-commit': key(
    duration(),
    '0s',
    'cometbft: pause after a decided block for late votes; 0s takes block-time minus the time of a round: ' +
      '100ms, or a quarter of block-time if that is less; with any other value proposers do not wait longer',
  ),
  'skip-timeout-commit': key(
    bool(),
    false,
    'cometbft: end that pause after all validators have voted',
  ),
  'timeout-propose': key(
    duration(1),
    '1s',
    'cometbft: time for a proposed block to arrive before the next validator proposes',
  ),
  'timeout-propose-delta': key(duration(), '500ms', 'cometbft: what each round adds to that'),
  'timeout-prevote': key(
    duration(1),
    '500ms',
    'cometbft: time for further prevotes after two thirds have voted and disagree',
  ),
  'timeout-prevote-delta': key(duration(), '500ms', 'cometbft: what each round adds to that'),
  'timeout-precommit': key(
    duration(1),
    '500ms',
    'cometbft: time for further precommits after two thirds have voted and disagree',
  ),
  'timeout-precommit-delta': key(duration(), '500ms', 'cometbft: what each round adds to that'),
  'peer-gossip-sleep-duration': key(
    duration(1),
    '10ms',
    "cometbft: pause before a peer without news is checked again; CometBFT's default is 100ms",
  ),
  'peer-query-maj23-sleep-duration': key(
    duration(1),
    '2s',
    'cometbft: pause between two queries for the votes that a peer has seen',
  ),
  'double-sign-check-height': key(
    integerType('BLOCKS', 0),
    0,
    'cometbft: a validator does not start if one of this many latest blocks has its signature; 0 does not check',
  ),
  'double-sign-check-servers': underEngine(
    'embedded',
    key(
      textList('URLS'),
      '',
      'consensus RPC of nodes that follow this validator: it does not start if one of them has a block ' +
        'with its signature that this home lacks, or if none answers',
    ),
    'use double-sign-check-height, a number of blocks',
  ),
} as const
