import { key, underEngine } from './config-key.ts'
import { bool, duration, engineName, integer, text, textList } from './value-type.ts'

const PEERS = 'blocks come from peers: name them in persistent-peers of [p2p]'

/** [follow] rpc-servers. */
export const FOLLOW_SERVERS = underEngine(
  'embedded',
  key(
    textList('URLS'),
    '',
    'consensus RPC of the nodes that a full node takes blocks from and hands transactions to; ' +
      'empty takes rpc-servers of [statesync]',
  ),
  PEERS,
)

/** The keys of [consensus] in config.toml. */
export const ENGINE_KEYS = {
  engine: key(
    engineName(),
    'embedded',
    'what decides the blocks: embedded, one validator in this process, which others follow; ' +
      'cometbft, a network of validators by CometBFT 0.38, which this node starts and supervises',
  ),
  cometbft: key(text('PROGRAM'), 'cometbft', 'name or path of the program of CometBFT 0.38'),
  'verify-proposals': key(
    bool(),
    true,
    'cometbft: execute a proposed block before voting for it; false looks at its form alone',
  ),
  'block-time': key(
    duration(1),
    '400ms',
    'time from one block to the next; with CometBFT the aim that timeout-commit comes from, and that proposers wait for',
  ),
  'create-empty-blocks': key(bool(), true, 'make blocks when no transaction waits'),
  'create-empty-blocks-interval': key(
    duration(),
    '0s',
    'time between empty blocks; 0s is the block time',
  ),
  'timeout-commit': key(
    duration(),
    '0s',
    'cometbft: pause after a decided block, for late votes; 0s takes block-time less what a round takes: ' +
      '100ms, or a quarter where that is less; with any other value proposers wait for nothing more',
  ),
  'skip-timeout-commit': key(
    bool(),
    false,
    'cometbft: end that pause once all validators have voted',
  ),
  'timeout-propose': key(
    duration(1),
    '1s',
    'cometbft: time for a proposed block to arrive, before the next validator proposes',
  ),
  'timeout-propose-delta': key(duration(), '500ms', 'cometbft: what each round adds to that'),
  'timeout-prevote': key(
    duration(1),
    '500ms',
    'cometbft: time for further prevotes, once two thirds are there and disagree',
  ),
  'timeout-prevote-delta': key(duration(), '500ms', 'cometbft: what each round adds to that'),
  'timeout-precommit': key(
    duration(1),
    '500ms',
    'cometbft: time for further precommits, once two thirds are there and disagree',
  ),
  'timeout-precommit-delta': key(duration(), '500ms', 'cometbft: what each round adds to that'),
  'peer-gossip-sleep-duration': key(
    duration(1),
    '10ms',
    'cometbft: pause before a peer without news is looked at again; CometBFT itself has 100ms',
  ),
  'peer-query-maj23-sleep-duration': key(
    duration(1),
    '2s',
    'cometbft: pause between two questions for the votes that a peer has seen',
  ),
  'double-sign-check-height': key(
    integer('BLOCKS', 0),
    0,
    'cometbft: a validator does not start where one of so many last blocks has its signature; 0 does not look',
  ),
  'double-sign-check-servers': underEngine(
    'embedded',
    key(
      textList('URLS'),
      '',
      'consensus RPC of nodes that follow this validator: it does not start where one of them has a block ' +
        'with its signature that this home has not, or none answers',
    ),
    'write double-sign-check-height, a number of blocks',
  ),
} as const
