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

/** Methods of a development chain: its blocks, clock and state. */
export const DEV_METHODS: readonly Method[] = [
  ...ACCOUNT_METHODS,

  ...deeds(['anvil_mine', 'hardhat_mine'], {
    params: [optional('blocks', WHOLE, 1), optional('interval', WHOLE)],
    result: 'produces that many blocks immediately, that many seconds apart',
    hasOwnTimeLimit: true,
    run: mine,
  }),
  ...named(['evm_mine'], {
    params: [optional('options', MINE_OPTIONS)],
    result: '0x0: produces a block, at the given time, or several',
    hasOwnTimeLimit: true,
    run: evmMine,
  }),
  ...named(['evm_mine_detailed', 'anvil_mine_detailed'], {
    params: [optional('options', MINE_OPTIONS)],
    result:
      'the blocks produced as by evm_mine, with their transactions, each with its `output` and, ' +
      'if it reverted, its `revertReason`',
    hasOwnTimeLimit: true,
    run: mineDetailed,
  }),
  ...deeds(['anvil_setAutomine', 'evm_setAutomine'], {
    params: [ENABLED],
    result: 'each transaction is mined in a block of its own before the call returns',
    run: setAutomine,
  }),
  ...named(['anvil_getAutomine', 'hardhat_getAutomine', 'eth_mining'], {
    params: [],
    result: 'true if automining is on',
    run: getAutomine,
  }),
  ...deeds(['anvil_setIntervalMining'], {
    params: [SECONDS],
    result: 'produces a block every so many seconds; 0 turns it off',
    run: setIntervalSeconds,
  }),
  ...deeds(['evm_setIntervalMining'], {
    params: [required('interval', INTERVAL)],
    result:
      'produces a block every so many milliseconds, or seconds if the number is below 100; 0 turns it off',
    run: setIntervalMining,
  }),
  ...named(['anvil_getIntervalMining'], {
    params: [],
    result: 'seconds between blocks, or null',
    run: getIntervalMining,
  }),

  ...named(['anvil_increaseTime', 'evm_increaseTime'], {
    params: [SECONDS],
    result: 'total offset of the clock in seconds, a number',
    run: increaseTime,
  }),
  ...named(['anvil_setTime', 'evm_setTime'], {
    params: [TIME],
    result: 'seconds by which the clock was advanced, a number; also accepts milliseconds',
    run: setTime,
  }),
  ...named(['anvil_setNextBlockTimestamp', 'evm_setNextBlockTimestamp'], {
    params: [TIME],
    result: 'null: the next block has this time, and the clock continues from it',
    run: setNextBlockTimestamp,
  }),
  ...deeds(['anvil_setBlockTimestampInterval'], {
    params: [SECONDS],
    result: 'each block is that many seconds after the previous one, regardless of the clock',
    run: setBlockTimestampInterval,
  }),
  ...deeds(['hardhat_setBlockTimestampInterval'], {
    params: [required('milliseconds', WHOLE)],
    result: 'as anvil_setBlockTimestampInterval, in milliseconds; viem uses this name',
    run: setBlockTimestampIntervalMs,
  }),
  ...named(['anvil_removeBlockTimestampInterval', 'hardhat_removeBlockTimestampInterval'], {
    params: [],
    result: 'true if there was an interval',
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
    result: 'fee recipient of future blocks',
    run: setCoinbase,
  }),
  ...deeds(['anvil_setPrevRandao', 'hardhat_setPrevRandao'], {
    params: [required('prevRandao', HASH)],
    result: 'PREVRANDAO of the next block',
    run: setPrevRandao,
  }),
  ...named(['anvil_setBlockGasLimit', 'evm_setBlockGasLimit'], {
    params: [required('gas', AMOUNT)],
    result: 'true: gas limit of future blocks',
    run: setBlockGasLimit,
  }),
  ...deeds(['anvil_setMinGasPrice', 'hardhat_setMinGasPrice'], {
    params: [WEI],
    result: 'minimum tip of the pool',
    run: setMinGasPrice,
  }),

  ...deeds(
    ['anvil_setBalance', 'tenderly_setBalance', 'hardhat_setBalance', 'evm_setAccountBalance'],
    {
      params: [ADDRESS_PARAM, BALANCE],
      result: 'balance of the account in wei',
      run: setBalance,
    },
  ),
  ...deeds(['anvil_addBalance', 'tenderly_addBalance', 'hardhat_addBalance'], {
    params: [ADDRESS_PARAM, BALANCE],
    result: 'adds that many wei to the balance',
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
    result: 'token balance of the account, set in the slot that balanceOf reads',
    run: dealErc20,
  }),
  ...deeds(['anvil_setERC20Allowance', 'anvil_setErc20Allowance'], {
    params: [
      required('owner', ADDRESS),
      required('spender', ADDRESS),
      TOKEN,
      required('amount', AMOUNT),
    ],
    result: 'allowance of the spender, set as in anvil_dealERC20',
    run: setErc20Allowance,
  }),

  ...named(['anvil_snapshot', 'evm_snapshot'], {
    params: [],
    result: 'quantity that evm_revert accepts, also after a restart',
    run: snapshot,
  }),
  ...named(['anvil_revert', 'evm_revert'], {
    params: [required('snapshot', AMOUNT)],
    result: 'true if the snapshot existed: it is removed, with all later ones',
    hasOwnTimeLimit: true,
    run: revert,
  }),
  ...deeds(['anvil_rollback'], {
    params: [optional('blocks', WHOLE, 1)],
    result: 'removes the latest blocks',
    hasOwnTimeLimit: true,
    run: rollback,
  }),
  ...deeds(['anvil_reorg'], {
    params: [required('blocks', WHOLE), required('transactions', REORG_PAIRS)],
    result: 'removes the latest blocks and produces as many new ones with the given transactions',
    hasOwnTimeLimit: true,
    run: reorg,
  }),
  ...deeds(['anvil_reset', 'hardhat_reset'], {
    params: [optional('options', RESET_OPTIONS)],
    result: 'restarts with block 0, or with the block that is forked; resets all settings',
    hasOwnTimeLimit: true,
    run: reset,
  }),

  ...named(['anvil_dropTransaction'], {
    params: [TRANSACTION_HASH],
    result: 'hash of the removed pending transaction, or null',
    run: dropTransaction,
  }),
  ...named(['hardhat_dropTransaction'], {
    params: [TRANSACTION_HASH],
    result: 'true if it was pending; error if it is mined',
    run: dropWaiting,
  }),
  ...deeds(['anvil_dropAllTransactions', 'hardhat_dropAllTransactions'], {
    params: [],
    result: 'empties the pool',
    run: dropAllTransactions,
  }),
  ...deeds(['anvil_removePoolTransactions'], {
    params: [ADDRESS_PARAM],
    result: 'removes the transactions of an account from the pool',
    run: removePoolTransactions,
  }),

  ...named(['anvil_dumpState', 'hardhat_dumpState'], {
    params: [optional('preserveHistoricalStates', FLAG)],
    result: "accounts of the latest state in anvil's format, gzip; never includes history",
    hasOwnTimeLimit: true,
    run: dumpState,
  }),
  ...named(['anvil_loadState', 'hardhat_loadState'], {
    params: [required('state', DATA)],
    result: 'true: loads the accounts of such a dump, also one of anvil, into the latest state',
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
      'transaction record, mined or pending, or null; error -32000 if none is pending and evm.address_index is off, which a new ' +
      'development chain has on',
    run: getTransactionBySenderAndNonce,
  }),
  ...named(['eth_hashrate'], {
    params: [],
    result: '0x0: there is no proof of work',
    run: () => '0x0',
  }),
  ...named(['eth_networkId'], {
    params: [],
    result: 'as net_version',
    run: ({ context }) => context.rules.chainId.toString(),
  }),

  ...deeds(['anvil_setLoggingEnabled', 'hardhat_setLoggingEnabled'], {
    params: [ENABLED],
    result: 'the log contains sent transactions, and what contracts log with console.log',
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
