/** An intentional difference between a response of a development chain and anvil's. */
export interface AnvilDifference {
  /** Method or field. */
  readonly where: string
  readonly anvil: string
  readonly lockstep: string
  readonly reason: string
}

/**
 * All differences from anvil 1.7.1. The comparison of helper scenarios on both nodes
 * (test/clients/anvil-helpers.slow.test.ts) allows only these.
 */
export const ANVIL_DIFFERENCES = {
  blockHash: {
    where: 'hashes of blocks',
    anvil: "hashes of Ethereum's headers",
    lockstep: "hashes of CometBFT's headers, as on every chain of this node",
    reason: 'light clients verify this chain with them',
  },
  blockRoots: {
    where: '`stateRoot`, `transactionsRoot`, `receiptsRoot`, `size` of a block',
    anvil: "roots of Ethereum's tries",
    lockstep: 'app hash, data hash and results hash; bytes of the transactions',
    reason: 'same reason: what the headers of this chain commit to',
  },
  baseFee: {
    where: '`baseFeePerGas`, and prices derived from it',
    anvil: 'falls by an eighth with each empty block, even below 1 gwei',
    lockstep: 'stays at or above 1 gwei (`fee_market` of genesis.json)',
    reason: 'the fee market of this chain; the base fee of the next block can be set',
  },
  randomness: {
    where: '`mixHash`, PREVRANDAO',
    anvil: 'drawn at random',
    lockstep: 'derived from the chain; hardhat_setPrevRandao overrides it',
    reason: 'a replay of the block yields the same value',
  },
  miner: {
    where: '`miner` of a block',
    anvil: 'the zero address, until a coinbase is set',
    lockstep:
      'the account that collects fees (`fee_collector` of genesis.json), until a coinbase is set',
    reason: 'fees are not lost',
  },
  setterAnswer: {
    where: 'results of setters with the prefix `evm_` or `hardhat_`',
    anvil: '`null`',
    lockstep: '`true`, as Hardhat',
    reason: "Hardhat's helpers check it; methods with the prefix `anvil_` return what anvil does",
  },
  names: {
    where: 'ids of snapshots and of filters',
    anvil: 'snapshots from 0x0, filters drawn at random',
    lockstep: 'from 0x1',
    reason: 'Hardhat also starts with 0x1; clients treat ids as opaque',
  },
  receiptMembers: {
    where: 'receipts, `blobGasPrice` and `blockTimestamp`',
    anvil: 'includes both, the time as a decimal number',
    lockstep: 'has neither',
    reason:
      'receipts of execution-apis have no time, and a blob price only for transactions with blobs',
  },
  ownNames: {
    where: 'web3_clientVersion, anvil_nodeInfo, anvil_metadata',
    anvil: 'its version, the latest rules by default',
    lockstep:
      "starts with `anvil-compatible`, which Hardhat's helpers look for; then its own version and rules",
    reason: 'two nodes',
  },
  filledIn: {
    where: 'eth_sendTransaction and anvil_reorg without fees or gas',
    anvil:
      'fees of its own market, the gas limit of the block; one that reverts is mined. Hardhat mines it and responds with an error',
    lockstep:
      'fees derived from eth_maxPriorityFeePerGas and the base fee, gas from eth_estimateGas; one that would revert is ' +
      'refused with the reason and not mined, unless the node runs with `--dev.throw-on-revert false`',
    reason:
      'fills in fields like geth; such transactions have other hashes. A test that expects a revert gets its reason',
  },
  impersonated: {
    where: 'transactions of impersonated accounts: hash, `r`, `s`, `v`',
    anvil: 'zeros as the signature',
    lockstep: 'an impossible signature that contains the sender',
    reason: 'a replay finds the sender in the transaction itself',
  },
  tracedGas: {
    where: 'debug_traceTransaction with callTracer, `gas` of the outermost frame',
    anvil: 'the rest after the intrinsic gas',
    lockstep: "the transaction's gas limit, as in geth",
    reason: "follows geth's trace",
  },
  dumpedState: {
    where: 'anvil_dumpState, hardhat_dumpState',
    anvil: 'its accounts, blocks and transactions',
    lockstep: 'the accounts of the latest state, in the same format',
    reason: 'each node loads the dump of the other; their blocks are incompatible',
  },
  loadedNonce: {
    where: 'anvil_loadState on existing accounts',
    anvil: 'keeps the higher nonce',
    lockstep: 'uses the nonce of the dump',
    reason: 'loading restores exactly what was dumped',
  },
  feeHistoryLate: {
    where: 'eth_feeHistory, `gasUsedRatio` and `reward` of the latest block',
    anvil: 'may briefly be those of another block, because it caches them separately',
    lockstep: 'those of the block',
    reason: 'it reads the block',
  },
  pendingTime: {
    where: 'a pending transaction, `blockTimestamp`',
    anvil: 'absent',
    lockstep: '`null`, as `blockHash` and `blockNumber`',
    reason: 'in execution-apis all block fields of a pending transaction are null',
  },
  hardhatAlone: {
    where: 'hardhat_setPrevRandao; hardhat_metadata; hardhat_dropTransaction',
    anvil: 'does not know the first; returns the second in the format of anvil_metadata',
    lockstep: 'as Hardhat',
    reason: "Hardhat's helpers use one, its plugins the other",
  },
  settingsAfterReset: {
    where: 'anvil_reset, hardhat_reset after a coinbase was set',
    anvil: 'keeps it',
    lockstep: 'resets it, like all settings',
    reason: 'a reset chain starts from scratch',
  },
  nonceRange: {
    where: 'hardhat_setNonce and similar methods above 2^64 - 2',
    anvil: 'uses the lowest 64 bits',
    lockstep: 'refused, naming EIP-2681',
    reason: 'such a nonce is impossible',
  },
  mineInterval: {
    where: '`timestamp` of blocks of anvil_mine with an interval, and of hardhat_mine',
    anvil:
      'ignores the interval while anvil_setBlockTimestampInterval is set; without one the blocks share a second',
    lockstep:
      'the first block has the time of the clock, the others follow at the interval, which is 1 second for ' +
      'hardhat_mine by default',
    reason: "Hardhat's behaviour, which its helpers expect",
  },
  pendingBlock: {
    where: 'eth_getBlockByNumber, `pending`',
    anvil: 'has a hash, a nonce and a miner',
    lockstep: '`null` for them',
    reason: 'as in geth: a block that is not yet produced has none',
  },
  forgottenSnapshot: {
    where: 'evm_revert of a snapshot from before a reset, anvil_metadata after one',
    anvil: 'an error; the snapshot stays listed',
    lockstep: '`false`; the list is empty',
    reason: 'the snapshot no longer exists, as after reverting to an older one',
  },
  blobPrice: {
    where: 'eth_feeHistory, `baseFeePerBlobGas`',
    anvil: '0x1',
    lockstep: '0x0',
    reason: 'blocks of this chain do not support blobs',
  },
  intervalUnit: {
    where: 'evm_setIntervalMining, anvil_getIntervalMining',
    anvil: 'seconds',
    lockstep: 'milliseconds from 100 on, as in Hardhat; seconds below; returns seconds',
    reason: 'the name has two units; intervals of 5 ms or 1,000 s are implausible',
  },
  automineBeside: {
    where: 'anvil_getAutomine while an interval is set',
    anvil: '`false`: an interval ends automining',
    lockstep: 'the value that was set: both are independent, as in Hardhat',
    reason: 'ending the interval must restore the previous behaviour',
  },
  minGasPrice: {
    where: 'anvil_setMinGasPrice, hardhat_setMinGasPrice',
    anvil: 'rejected with rules from London on',
    lockstep: 'the minimum tip of the pool, which is also suggested',
    reason: 'it has a meaning under these rules, too',
  },
  errorCodes: {
    where: 'codes of errors',
    anvil:
      'its own codes (-32003 for a rejected transaction, -32602 for a sender without a key, -32603 for a ' +
      'token whose slots are not found)',
    lockstep: "geth's codes: -32000 for rejections, -32602 for invalid arguments",
    reason: 'the same error has the same code on every node; clients match the message',
  },
  pendingAccount: {
    where: 'eth_getAccountInfo, `pending`',
    anvil: 'zeros for balance and nonce',
    lockstep: 'those of the pending block, as in eth_getBalance',
    reason: 'the account does have them',
  },
  absentMethods: {
    where:
      'anvil_setChainId, anvil_setRpcUrl, anvil_impersonateSignature, anvil_getBlobByHash, anvil_getBlobsByTransactionHash',
    anvil: 'there',
    lockstep: 'error -32601',
    reason:
      'the chain id is in genesis.json and in every signature, and the node of a fork is set at the start; what recovers ' +
      'a signature and what a transaction contains depend on the chain alone, so that every replay finds them',
  },
  databaseKeys: {
    where: 'debug_dbGet',
    anvil: 'reads database keys',
    lockstep: 'error -32601',
    reason: 'the state of this chain is not a trie: it has no such key',
  },
  resetBaseFee: {
    where: 'anvil_reset of a chain with `--base-fee`',
    anvil: 'begins with 1 gwei',
    lockstep: 'begins with the same base fee again',
    reason: 'a reset chain is the chain that was started',
  },
  proofs: {
    where: 'eth_getProof, eth_getAccount',
    anvil: 'of any block; the root is `stateRoot` of its header',
    lockstep: 'of the latest block of a chain that is no fork; the root is in no header',
    reason: 'the trie is built for the answer, from the keys of the latest state',
  },
  contentType: {
    where: 'a request without the content type of JSON, as `curl -d` sends it',
    anvil: 'error -32600',
    lockstep: 'answered, unless a page of a browser sent it',
    reason: "as Hardhat's node; a page could send it without a preflight",
  },
  addressSpelling: {
    where: 'txpool_content, keys',
    anvil: 'addresses in lower case',
    lockstep: 'with the EIP-55 checksum, as in geth',
    reason: "the namespace follows geth's pool",
  },
} as const satisfies Record<string, AnvilDifference>
