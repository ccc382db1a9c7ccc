/** An answer of a development chain that differs from anvil's on purpose. */
export interface AnvilDifference {
  /** Method or member. */
  readonly where: string
  readonly anvil: string
  readonly lockstep: string
  readonly reason: string
}

/**
 * All of them, for anvil 1.7.1: what the scenarios of helpers that both nodes answer (test/clients/anvil-helpers.slow.test.ts)
 * let pass, and nothing else.
 */
export const ANVIL_DIFFERENCES = {
  blockHash: {
    where: 'hashes of blocks',
    anvil: "hashes of Ethereum's headers",
    lockstep: "hashes of CometBFT's headers, as everywhere on this chain",
    reason: 'a light client verifies this chain by them',
  },
  blockRoots: {
    where: '`stateRoot`, `transactionsRoot`, `receiptsRoot`, `size` of a block',
    anvil: "roots of Ethereum's tries",
    lockstep: 'app hash, data hash and results hash; bytes of the transactions',
    reason: 'the same: what the header of this chain commits to',
  },
  baseFee: {
    where: '`baseFeePerGas`, and prices that follow from it',
    anvil: 'falls by an eighth with each empty block, below 1 gwei',
    lockstep: 'stays at or above 1 gwei (`fee_market` of genesis.json)',
    reason: 'the fee market of this chain; the base fee of the next block can be set',
  },
  randomness: {
    where: '`mixHash`, PREVRANDAO',
    anvil: 'drawn at random',
    lockstep: 'follows from the chain; hardhat_setPrevRandao sets it',
    reason: 'a replay of the block gives the same',
  },
  miner: {
    where: '`miner` of a block',
    anvil: 'the zero address, until a coinbase is set',
    lockstep:
      'the account that collects fees (`fee_collector` of genesis.json), until a coinbase is set',
    reason: 'fees are not lost',
  },
  setterAnswer: {
    where: 'answers of setters that are named `evm_` or `hardhat_`',
    anvil: '`null`',
    lockstep: '`true`, as Hardhat',
    reason: 'helpers of Hardhat check it; those named `anvil_` answer as anvil does',
  },
  names: {
    where: 'ids of snapshots and of filters',
    anvil: 'snapshots from 0x0, filters drawn at random',
    lockstep: 'from 0x1',
    reason: 'Hardhat begins with 0x1 too; clients take an id as it is',
  },
  receiptMembers: {
    where: 'receipts, `blobGasPrice` and `blockTimestamp`',
    anvil: 'has both, the time as a decimal number',
    lockstep: 'has neither',
    reason:
      'receipts of execution-apis have no time, and a price of blobs only for transactions with blobs',
  },
  ownNames: {
    where: 'web3_clientVersion, anvil_nodeInfo, anvil_metadata',
    anvil: 'its version, the newest rules by default',
    lockstep:
      "begins with `anvil-compatible`, which Hardhat's helpers look for; then its own version and rules",
    reason: 'two nodes',
  },
  filledIn: {
    where: 'eth_sendTransaction and anvil_reorg without fees or gas',
    anvil: 'fees of its own market, the gas that the block has',
    lockstep:
      'fees that eth_maxPriorityFeePerGas and the base fee suggest, the gas that eth_estimateGas says',
    reason: "geth's way of filling in; such transactions have other hashes",
  },
  impersonated: {
    where: 'transactions of impersonated accounts: hash, `r`, `s`, `v`',
    anvil: 'zeros as the signature',
    lockstep: 'a signature that no key can give, which holds the sender',
    reason: 'every replay finds the sender in the transaction itself',
  },
  tracedGas: {
    where: 'debug_traceTransaction with callTracer, `gas` of the outermost frame',
    anvil: 'what is left after the intrinsic gas',
    lockstep: "the transaction's limit, as geth",
    reason: "geth's trace is the model",
  },
  dumpedState: {
    where: 'anvil_dumpState, hardhat_dumpState',
    anvil: 'its accounts, blocks and transactions',
    lockstep: 'the accounts of the newest state, in the same form',
    reason: 'either loads the dump of the other; blocks of the one are none of the other',
  },
  loadedNonce: {
    where: 'anvil_loadState on accounts that are there',
    anvil: 'keeps the higher nonce',
    lockstep: 'has the nonce of the dump',
    reason: 'what was loaded is what was dumped',
  },
  feeHistoryLate: {
    where: 'eth_feeHistory, `gasUsedRatio` and `reward` of the newest block',
    anvil: 'may be those of another block for a moment: it keeps them beside the chain',
    lockstep: 'those of the block',
    reason: 'it reads the block',
  },
  pendingTime: {
    where: 'a transaction that waits, `blockTimestamp`',
    anvil: 'absent',
    lockstep: '`null`, as `blockHash` and `blockNumber`',
    reason: 'execution-apis has all members of a block null',
  },
  hardhatAlone: {
    where: 'hardhat_setPrevRandao; hardhat_metadata; hardhat_dropTransaction',
    anvil: 'knows the first not, and answers the second in the form of anvil_metadata',
    lockstep: 'as Hardhat',
    reason: "Hardhat's helpers call the one, its plugins read the other",
  },
  settingsAfterReset: {
    where: 'anvil_reset, hardhat_reset after a coinbase was set',
    anvil: 'keeps it',
    lockstep: 'forgets it, as all settings',
    reason: 'a reset chain is a new one',
  },
  nonceRange: {
    where: 'hardhat_setNonce and its like above 2^64 - 2',
    anvil: 'takes the lowest 64 bits',
    lockstep: 'refused, naming EIP-2681',
    reason: 'no account can have such a nonce',
  },
  mineInterval: {
    where: '`timestamp` of blocks of anvil_mine and hardhat_mine with an interval',
    anvil: 'ignores it while anvil_setBlockTimestampInterval is set',
    lockstep: 'the first block follows its parent by a second, the others by the interval',
    reason: "Hardhat's meaning, which its helpers count on",
  },
  pendingBlock: {
    where: 'eth_getBlockByNumber, `pending`',
    anvil: 'has a hash, a nonce and a miner',
    lockstep: '`null` for them',
    reason: "geth's answer: a block that is not made has none",
  },
  forgottenSnapshot: {
    where: 'evm_revert of a snapshot from before a reset, anvil_metadata after one',
    anvil: 'an error; the snapshot stays listed',
    lockstep: '`false`; the list is empty',
    reason: 'the snapshot is gone, as after the revert of an older one',
  },
  blobPrice: {
    where: 'eth_feeHistory, `baseFeePerBlobGas`',
    anvil: '0x1',
    lockstep: '0x0',
    reason: 'blocks of this chain take no blobs',
  },
  intervalUnit: {
    where: 'evm_setIntervalMining, anvil_getIntervalMining',
    anvil: 'seconds',
    lockstep: 'milliseconds from 100 on, as Hardhat; seconds below; answers in seconds',
    reason:
      'one name has two units: five milliseconds are nobody’s wish, and 1,000 seconds neither',
  },
  automineBeside: {
    where: 'anvil_getAutomine while there is an interval',
    anvil: '`false`: an interval ends automining',
    lockstep: 'as it was set: both are independent, as in Hardhat',
    reason: 'ending the interval has to bring back what was before it',
  },
  minGasPrice: {
    where: 'anvil_setMinGasPrice, hardhat_setMinGasPrice',
    anvil: 'refused with rules from London on',
    lockstep: 'the lowest tip that the pool takes, and that is suggested',
    reason: 'the rules leave a meaning for it',
  },
  errorCodes: {
    where: 'codes of errors',
    anvil:
      'codes of its own (-32003 for a transaction that is refused, -32602 for a sender without a key, -32603 for a ' +
      'token whose slots are not found)',
    lockstep: "geth's: -32000 for what is refused, -32602 for arguments that cannot be read",
    reason: 'the same error has one code, whichever node serves it; clients go by the text',
  },
  pendingAccount: {
    where: 'eth_getAccountInfo, `pending`',
    anvil: 'zeros for balance and nonce',
    lockstep: 'those of the pending block, as eth_getBalance says',
    reason: 'the account has them',
  },
  absentMethods: {
    where:
      'anvil_setChainId, anvil_setRpcUrl, anvil_impersonateSignature, anvil_getBlobByHash, anvil_getBlobsByTransactionHash',
    anvil: 'there',
    lockstep: 'error -32601',
    reason:
      'the chain id is in genesis.json and in every signature, the node of a fork is chosen at the start; what recovers ' +
      'a signature and what a transaction carries follow from the chain alone, so that every replay finds them',
  },
  storageRoot: {
    where: '`getAccount` of eth; `codeByHash` and `dbGet` of debug',
    anvil: "has an account's `storageRoot`, and reads its database by keys",
    lockstep: 'error -32601; eth_getAccountInfo has balance, nonce and code',
    reason:
      'the state of this chain is in no trie: no such root would be true, and no such key is there',
  },
  addressSpelling: {
    where: 'txpool_content, keys',
    anvil: 'addresses in small letters',
    lockstep: 'with the checksum of EIP-55, as geth',
    reason: "geth's pool is the model of the namespace",
  },
} as const satisfies Record<string, AnvilDifference>
