import { AMOUNT, WHOLE } from '../argument/amount.ts'
import { ADDRESS_PARAM, BLOCK_PARAM, TRANSACTION_HASH } from '../argument/method-parameters.ts'
import { ADDRESS, DATA, FLAG, HASH, optional, required, SLOT } from '../argument/parameter.ts'
import type { Method } from '../call/method.ts'
import { ACCOUNT_METHODS } from './account-methods.ts'
import { addBalance, setBalance, setCode, setNonce, setStorageAt } from './amend.ts'
import { dealErc20, setErc20Allowance } from './erc20.ts'
import { getAccountInfo, getTransactionBySenderAndNonce } from './lookups.ts'
import {
  evmMine,
  getAutomine,
  getIntervalMining,
  INTERVAL,
  MINE_OPTIONS,
  mine,
  mineDetailed,
  setAutomine,
  setIntervalMining,
  setIntervalSeconds,
} from './mine.ts'
import {
  setBlockGasLimit,
  setCoinbase,
  setMinGasPrice,
  setNextBlockBaseFee,
  setPrevRandao,
} from './next-block.ts'
import { anvilMetadata, metadata, nodeInfo, setLoggingEnabled } from './node-info.ts'
import {
  dropAllTransactions,
  dropTransaction,
  dropWaiting,
  removePoolTransactions,
} from './pool.ts'
import { deeds, named } from './rows.ts'
import { REORG_PAIRS, RESET_OPTIONS, reorg, reset, revert, rollback, snapshot } from './snapshot.ts'
import { dumpState, loadState } from './state-dump.ts'
import {
  genesisTime,
  increaseTime,
  removeBlockTimestampInterval,
  setBlockTimestampInterval,
  setBlockTimestampIntervalMs,
  setNextBlockTimestamp,
  setTime,
} from './time.ts'

const TIME = required('timestamp', WHOLE)
const SECONDS = required('seconds', WHOLE)
const ENABLED = required('enabled', FLAG)
const BALANCE = required('balance', AMOUNT)
const WEI = required('wei', AMOUNT)
const TOKEN = required('token', ADDRESS)

/** Of a development chain: its blocks, its clock, its state. */
export const DEV_METHODS: readonly Method[] = [
  ...ACCOUNT_METHODS,

  ...deeds(['anvil_mine', 'hardhat_mine'], {
    params: [optional('blocks', WHOLE, 1), optional('interval', WHOLE)],
    result: 'makes so many blocks at once, each so many seconds after the one before',
    hasOwnTimeLimit: true,
    run: mine,
  }),
  ...named(['evm_mine'], {
    params: [optional('options', MINE_OPTIONS)],
    result: '0x0: makes a block, at the time that is given, or several',
    hasOwnTimeLimit: true,
    run: evmMine,
  }),
  ...named(['evm_mine_detailed', 'anvil_mine_detailed'], {
    params: [optional('options', MINE_OPTIONS)],
    result:
      'the blocks that it made as evm_mine does, with their transactions, of which each has its `output` and, ' +
      'where it reverted, `revertReason`',
    hasOwnTimeLimit: true,
    run: mineDetailed,
  }),
  ...deeds(['anvil_setAutomine', 'evm_setAutomine'], {
    params: [ENABLED],
    result: 'each transaction gets its block at once, before it is answered',
    run: setAutomine,
  }),
  ...named(['anvil_getAutomine', 'hardhat_getAutomine', 'eth_mining'], {
    params: [],
    result: 'true where each transaction gets its block at once',
    run: getAutomine,
  }),
  ...deeds(['anvil_setIntervalMining'], {
    params: [SECONDS],
    result: 'a block each so many seconds; 0 for none',
    run: setIntervalSeconds,
  }),
  ...deeds(['evm_setIntervalMining'], {
    params: [required('interval', INTERVAL)],
    result:
      'a block each so many milliseconds, or seconds where the number is below 100; 0 for none',
    run: setIntervalMining,
  }),
  ...named(['anvil_getIntervalMining'], {
    params: [],
    result: 'seconds from block to block, or null',
    run: getIntervalMining,
  }),

  ...named(['anvil_increaseTime', 'evm_increaseTime'], {
    params: [SECONDS],
    result: 'seconds by which the clock is moved in all, a number',
    run: increaseTime,
  }),
  ...named(['anvil_setTime', 'evm_setTime'], {
    params: [TIME],
    result: 'seconds by which the clock has moved on, a number; milliseconds are taken too',
    run: setTime,
  }),
  ...named(['anvil_setNextBlockTimestamp', 'evm_setNextBlockTimestamp'], {
    params: [TIME],
    result: 'null: the next block has this time, and the clock goes on from it',
    run: setNextBlockTimestamp,
  }),
  ...deeds(['anvil_setBlockTimestampInterval'], {
    params: [SECONDS],
    result: 'each block follows the one before by so many seconds, whatever the clock says',
    run: setBlockTimestampInterval,
  }),
  ...deeds(['hardhat_setBlockTimestampInterval'], {
    params: [required('milliseconds', WHOLE)],
    result: 'as anvil_setBlockTimestampInterval, in milliseconds, as viem calls it by this name',
    run: setBlockTimestampIntervalMs,
  }),
  ...named(['anvil_removeBlockTimestampInterval', 'hardhat_removeBlockTimestampInterval'], {
    params: [],
    result: 'true where there was an interval',
    run: removeBlockTimestampInterval,
  }),
  ...named(['anvil_getGenesisTime'], {
    params: [],
    result: 'time of block 0 in seconds, a number',
    run: genesisTime,
  }),

  ...deeds(['anvil_setNextBlockBaseFeePerGas', 'hardhat_setNextBlockBaseFeePerGas'], {
    params: [WEI],
    result: 'base fee of the next block',
    run: setNextBlockBaseFee,
  }),
  ...deeds(['anvil_setCoinbase', 'hardhat_setCoinbase'], {
    params: [ADDRESS_PARAM],
    result: 'fee recipient of the blocks to come',
    run: setCoinbase,
  }),
  ...deeds(['anvil_setPrevRandao', 'hardhat_setPrevRandao'], {
    params: [required('prevRandao', HASH)],
    result: 'PREVRANDAO of the next block',
    run: setPrevRandao,
  }),
  ...named(['anvil_setBlockGasLimit', 'evm_setBlockGasLimit'], {
    params: [required('gas', AMOUNT)],
    result: 'true: gas limit of the blocks to come',
    run: setBlockGasLimit,
  }),
  ...deeds(['anvil_setMinGasPrice', 'hardhat_setMinGasPrice'], {
    params: [WEI],
    result: 'least tip that the pool takes',
    run: setMinGasPrice,
  }),

  ...deeds(
    ['anvil_setBalance', 'tenderly_setBalance', 'hardhat_setBalance', 'evm_setAccountBalance'],
    {
      params: [ADDRESS_PARAM, BALANCE],
      result: 'wei of the account, from now on',
      run: setBalance,
    },
  ),
  ...deeds(['anvil_addBalance', 'tenderly_addBalance', 'hardhat_addBalance'], {
    params: [ADDRESS_PARAM, BALANCE],
    result: 'so many wei more',
    run: addBalance,
  }),
  ...deeds(['anvil_setCode', 'hardhat_setCode', 'evm_setAccountCode'], {
    params: [ADDRESS_PARAM, required('code', DATA)],
    result: 'bytecode of the account',
    run: setCode,
  }),
  ...deeds(['anvil_setNonce', 'hardhat_setNonce', 'evm_setAccountNonce'], {
    params: [ADDRESS_PARAM, required('nonce', AMOUNT)],
    result: 'nonce of the account',
    run: setNonce,
  }),
  ...named(['anvil_setStorageAt', 'hardhat_setStorageAt', 'evm_setAccountStorageAt'], {
    params: [ADDRESS_PARAM, required('slot', SLOT), required('value', SLOT)],
    result: 'true: value of a slot of the account',
    run: setStorageAt,
  }),
  ...deeds(['anvil_dealERC20', 'anvil_dealErc20', 'anvil_setERC20Balance', 'hardhat_dealERC20'], {
    params: [ADDRESS_PARAM, TOKEN, BALANCE],
    result: 'what the account has of a token, found in the slots that balanceOf reads',
    run: dealErc20,
  }),
  ...deeds(['anvil_setERC20Allowance', 'anvil_setErc20Allowance'], {
    params: [
      required('owner', ADDRESS),
      required('spender', ADDRESS),
      TOKEN,
      required('amount', AMOUNT),
    ],
    result: 'what the spender may take of the owner, found as anvil_dealERC20 does',
    run: setErc20Allowance,
  }),

  ...named(['anvil_snapshot', 'evm_snapshot'], {
    params: [],
    result: 'quantity by which evm_revert goes back, over restarts too',
    run: snapshot,
  }),
  ...named(['anvil_revert', 'evm_revert'], {
    params: [required('snapshot', AMOUNT)],
    result: 'true where there was such a snapshot: it is gone, with those after it',
    hasOwnTimeLimit: true,
    run: revert,
  }),
  ...deeds(['anvil_rollback'], {
    params: [optional('blocks', WHOLE, 1)],
    result: 'removes the newest blocks',
    hasOwnTimeLimit: true,
    run: rollback,
  }),
  ...deeds(['anvil_reorg'], {
    params: [required('blocks', WHOLE), required('transactions', REORG_PAIRS)],
    result:
      'removes the newest blocks and makes as many anew, each with the transactions that name its place',
    hasOwnTimeLimit: true,
    run: reorg,
  }),
  ...deeds(['anvil_reset', 'hardhat_reset'], {
    params: [optional('options', RESET_OPTIONS)],
    result: 'begins again with block 0, or with the block that is forked; settings are forgotten',
    hasOwnTimeLimit: true,
    run: reset,
  }),

  ...named(['anvil_dropTransaction'], {
    params: [TRANSACTION_HASH],
    result: 'hash of the transaction that no longer waits, or null',
    run: dropTransaction,
  }),
  ...named(['hardhat_dropTransaction'], {
    params: [TRANSACTION_HASH],
    result: 'true where it did wait; error where it is mined',
    run: dropWaiting,
  }),
  ...deeds(['anvil_dropAllTransactions', 'hardhat_dropAllTransactions'], {
    params: [],
    result: 'empties the pool',
    run: dropAllTransactions,
  }),
  ...deeds(['anvil_removePoolTransactions'], {
    params: [ADDRESS_PARAM],
    result: 'takes the transactions of an account out of the pool',
    run: removePoolTransactions,
  }),

  ...named(['anvil_dumpState', 'hardhat_dumpState'], {
    params: [optional('preserveHistoricalStates', FLAG)],
    result:
      'accounts of the newest state in the form of anvil, gzip; no history, whatever is asked',
    hasOwnTimeLimit: true,
    run: dumpState,
  }),
  ...named(['anvil_loadState', 'hardhat_loadState'], {
    params: [required('state', DATA)],
    result: 'true: the newest state has the accounts of such a dump, of anvil too',
    hasOwnTimeLimit: true,
    run: loadState,
  }),
  ...named(['eth_getAccountInfo'], {
    params: [ADDRESS_PARAM, BLOCK_PARAM],
    result: '{balance, nonce, code}',
    run: getAccountInfo,
  }),
  ...named(['eth_getTransactionBySenderAndNonce'], {
    params: [ADDRESS_PARAM, required('nonce', AMOUNT)],
    result:
      'transaction record, mined or waiting, or null; error -32000 without evm.address_index, which a new ' +
      'development chain has, where none waits',
    run: getTransactionBySenderAndNonce,
  }),
  ...named(['eth_hashrate'], {
    params: [],
    result: '0x0: no block is mined by work',
    run: () => '0x0',
  }),
  ...named(['eth_networkId'], {
    params: [],
    result: 'as net_version',
    run: ({ context }) => context.rules.chainId.toString(),
  }),

  ...deeds(['anvil_setLoggingEnabled', 'hardhat_setLoggingEnabled'], {
    params: [ENABLED],
    result:
      'the log tells of transactions that are sent, and of what contracts log with console.log',
    run: setLoggingEnabled,
  }),
  ...named(['anvil_nodeInfo'], {
    params: [],
    result:
      '{currentBlockNumber, currentBlockTimestamp, currentBlockHash, hardFork, environment, forkConfig, ...}',
    run: nodeInfo,
  }),
  ...named(['anvil_metadata'], {
    params: [],
    result:
      'as hardhat_metadata, with {clientSemver, clientCommitSha (SHA-256 of the engine), snapshots}',
    run: anvilMetadata,
  }),
  ...named(['hardhat_metadata'], {
    params: [],
    result:
      '{clientVersion, chainId, instanceId, latestBlockNumber, latestBlockHash, forkedNetwork?}',
    run: metadata,
  }),
]
