import { AMOUNT, COUNT_AMOUNT } from '../argument/amount.ts'
import { ADDRESS_PARAM, TRANSACTION_HASH } from '../argument/method-parameters.ts'
import {
  ADDRESS_TYPE,
  DATA,
  FLAG,
  HASH,
  optional,
  required,
  SLOT_TYPE,
} from '../argument/parameter.ts'
import type { Method } from '../call/method.ts'
import { ACCOUNT_METHODS } from './account-methods.ts'
import { addBalance, setBalance, setCode, setNonce, setStorageAt } from './amend.ts'
import { dealErc20, setErc20Allowance } from './erc20.ts'
import {
  evmMine,
  getAutomine,
  getIntervalMining,
  INTERVAL,
  MINE_OPTIONS,
  mine,
  mineApart,
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
  dropPendingTransaction,
  dropTransaction,
  removePoolTransactions,
} from './pool.ts'
import { aliasedCommands, aliasedMethods } from './rows.ts'
import { REORG_PAIRS, RESET_OPTIONS, reorg, reset, revert, rollback, snapshot } from './snapshot.ts'
import { dumpState, loadDumpedState } from './state-dump.ts'
import {
  genesisTime,
  increaseTime,
  removeBlockTimestampInterval,
  setBlockTimestampInterval,
  setBlockTimestampIntervalMs,
  setNextBlockTimestamp,
  setTime,
} from './time.ts'

const TIME = required('timestamp', COUNT_AMOUNT)
const SECONDS = required('seconds', COUNT_AMOUNT)
const ENABLED = required('enabled', FLAG)
const BALANCE = required('balance', AMOUNT)
const WEI = required('wei', AMOUNT)
const TOKEN = required('token', ADDRESS_TYPE)

/** Methods of a development chain: its blocks, clock and state. */
export const DEV_METHODS: readonly Method[] = [
  ...ACCOUNT_METHODS,

  ...aliasedCommands(['anvil_mine'], {
    params: [optional('blocks', COUNT_AMOUNT, 1), optional('interval', COUNT_AMOUNT)],
    result: 'produces that many blocks immediately, that many seconds apart, or in the same second',
    hasOwnTimeLimit: true,
    run: mine,
  }),
  ...aliasedCommands(['hardhat_mine'], {
    params: [optional('blocks', COUNT_AMOUNT, 1), optional('interval', COUNT_AMOUNT)],
    result: 'produces that many blocks immediately, that many seconds apart, 1 by default',
    hasOwnTimeLimit: true,
    run: mineApart,
  }),
  ...aliasedMethods(['hardhat_intervalMine'], {
    params: [],
    result: 'true: produces a block, as the interval does',
    run: async (call) => {
      await mine(call, 1, undefined)
      return true
    },
  }),
  ...aliasedMethods(['evm_mine'], {
    params: [optional('options', MINE_OPTIONS)],
    result: '0x0: produces a block, at the given time, or several',
    hasOwnTimeLimit: true,
    run: evmMine,
  }),
  ...aliasedMethods(['evm_mine_detailed', 'anvil_mine_detailed'], {
    params: [optional('options', MINE_OPTIONS)],
    result:
      'the blocks produced as by evm_mine, with their transactions, each with its `output` and, ' +
      'if it reverted, its `revertReason`',
    hasOwnTimeLimit: true,
    run: mineDetailed,
  }),
  ...aliasedCommands(['anvil_setAutomine', 'evm_setAutomine'], {
    params: [ENABLED],
    result: 'each transaction is mined in a block of its own before the call returns',
    run: setAutomine,
  }),
  ...aliasedMethods(['anvil_getAutomine', 'hardhat_getAutomine', 'eth_mining'], {
    params: [],
    result: 'true if automining is on',
    run: getAutomine,
  }),
  ...aliasedCommands(['anvil_setIntervalMining'], {
    params: [SECONDS],
    result: 'produces a block every so many seconds; 0 turns it off',
    run: setIntervalSeconds,
  }),
  ...aliasedCommands(['evm_setIntervalMining'], {
    params: [required('interval', INTERVAL)],
    result:
      'produces a block every so many milliseconds, or seconds if the number is below 100; 0 turns it off',
    run: setIntervalMining,
  }),
  ...aliasedMethods(['anvil_getIntervalMining'], {
    params: [],
    result: 'seconds between blocks, or null',
    run: getIntervalMining,
  }),

  ...aliasedMethods(['anvil_increaseTime', 'evm_increaseTime'], {
    params: [SECONDS],
    result: 'total offset of the clock in seconds, a number',
    run: increaseTime,
  }),
  ...aliasedMethods(['anvil_setTime', 'evm_setTime'], {
    params: [TIME],
    result: 'seconds by which the clock was advanced, a number; also accepts milliseconds',
    run: setTime,
  }),
  ...aliasedMethods(['anvil_setNextBlockTimestamp', 'evm_setNextBlockTimestamp'], {
    params: [TIME],
    result: 'null: the next block has this time, and the clock continues from it',
    run: setNextBlockTimestamp,
  }),
  ...aliasedCommands(['anvil_setBlockTimestampInterval'], {
    params: [SECONDS],
    result: 'each block is that many seconds after the previous one, regardless of the clock',
    run: setBlockTimestampInterval,
  }),
  ...aliasedCommands(['hardhat_setBlockTimestampInterval'], {
    params: [required('milliseconds', COUNT_AMOUNT)],
    result: 'as anvil_setBlockTimestampInterval, in milliseconds; viem uses this name',
    run: setBlockTimestampIntervalMs,
  }),
  ...aliasedMethods(
    ['anvil_removeBlockTimestampInterval', 'hardhat_removeBlockTimestampInterval'],
    {
      params: [],
      result: 'true if there was an interval',
      run: removeBlockTimestampInterval,
    },
  ),
  ...aliasedMethods(['anvil_getGenesisTime'], {
    params: [],
    result: 'time of block 0 in seconds, a number',
    run: genesisTime,
  }),

  ...aliasedCommands(['anvil_setNextBlockBaseFeePerGas', 'hardhat_setNextBlockBaseFeePerGas'], {
    params: [WEI],
    result: 'base fee of the next block',
    run: setNextBlockBaseFee,
  }),
  ...aliasedCommands(['anvil_setCoinbase', 'hardhat_setCoinbase'], {
    params: [ADDRESS_PARAM],
    result: 'fee recipient of future blocks',
    run: setCoinbase,
  }),
  ...aliasedCommands(['anvil_setPrevRandao', 'hardhat_setPrevRandao'], {
    params: [required('prevRandao', HASH)],
    result: 'PREVRANDAO of the next block',
    run: setPrevRandao,
  }),
  ...aliasedMethods(['anvil_setBlockGasLimit', 'evm_setBlockGasLimit'], {
    params: [required('gas', AMOUNT)],
    result: 'true: gas limit of future blocks',
    run: setBlockGasLimit,
  }),
  ...aliasedCommands(['anvil_setMinGasPrice', 'hardhat_setMinGasPrice'], {
    params: [WEI],
    result: 'minimum tip of the pool',
    run: setMinGasPrice,
  }),

  ...aliasedCommands(
    ['anvil_setBalance', 'tenderly_setBalance', 'hardhat_setBalance', 'evm_setAccountBalance'],
    {
      params: [ADDRESS_PARAM, BALANCE],
      result: 'balance of the account in wei',
      run: setBalance,
    },
  ),
  ...aliasedCommands(['anvil_addBalance', 'tenderly_addBalance', 'hardhat_addBalance'], {
    params: [ADDRESS_PARAM, BALANCE],
    result: 'adds that many wei to the balance',
    run: addBalance,
  }),
  ...aliasedCommands(['anvil_setCode', 'hardhat_setCode', 'evm_setAccountCode'], {
    params: [ADDRESS_PARAM, required('code', DATA)],
    result: 'bytecode of the account',
    run: setCode,
  }),
  ...aliasedCommands(['anvil_setNonce', 'hardhat_setNonce', 'evm_setAccountNonce'], {
    params: [ADDRESS_PARAM, required('nonce', AMOUNT)],
    result: 'nonce of the account',
    run: setNonce,
  }),
  ...aliasedMethods(['anvil_setStorageAt', 'hardhat_setStorageAt', 'evm_setAccountStorageAt'], {
    params: [ADDRESS_PARAM, required('slot', SLOT_TYPE), required('value', SLOT_TYPE)],
    result: 'true: value of a slot of the account',
    run: setStorageAt,
  }),
  ...aliasedCommands(
    ['anvil_dealERC20', 'anvil_dealErc20', 'anvil_setERC20Balance', 'hardhat_dealERC20'],
    {
      params: [ADDRESS_PARAM, TOKEN, BALANCE],
      result: 'token balance of the account, set in the slot that balanceOf reads',
      run: dealErc20,
    },
  ),
  ...aliasedCommands(['anvil_setERC20Allowance', 'anvil_setErc20Allowance'], {
    params: [
      required('owner', ADDRESS_TYPE),
      required('spender', ADDRESS_TYPE),
      TOKEN,
      required('amount', AMOUNT),
    ],
    result: 'allowance of the spender, set as in anvil_dealERC20',
    run: setErc20Allowance,
  }),

  ...aliasedMethods(['anvil_snapshot', 'evm_snapshot'], {
    params: [],
    result: 'quantity that evm_revert accepts, also after a restart',
    run: snapshot,
  }),
  ...aliasedMethods(['anvil_revert', 'evm_revert'], {
    params: [required('snapshot', AMOUNT)],
    result: 'true if the snapshot existed: it is removed, with all later ones',
    hasOwnTimeLimit: true,
    run: revert,
  }),
  ...aliasedCommands(['anvil_rollback'], {
    params: [optional('blocks', COUNT_AMOUNT, 1)],
    result: 'removes the latest blocks',
    hasOwnTimeLimit: true,
    run: rollback,
  }),
  ...aliasedCommands(['anvil_reorg'], {
    params: [required('blocks', COUNT_AMOUNT), required('transactions', REORG_PAIRS)],
    result: 'removes the latest blocks and produces as many new ones with the given transactions',
    hasOwnTimeLimit: true,
    run: reorg,
  }),
  ...aliasedCommands(['anvil_reset', 'hardhat_reset'], {
    params: [optional('options', RESET_OPTIONS)],
    result: 'restarts with block 0, or with the block that is forked; resets all settings',
    hasOwnTimeLimit: true,
    run: reset,
  }),

  ...aliasedMethods(['anvil_dropTransaction'], {
    params: [TRANSACTION_HASH],
    result: 'hash of the removed pending transaction, or null',
    run: dropTransaction,
  }),
  ...aliasedMethods(['hardhat_dropTransaction'], {
    params: [TRANSACTION_HASH],
    result: 'true if it was pending; error if it is mined',
    run: dropPendingTransaction,
  }),
  ...aliasedCommands(['anvil_dropAllTransactions', 'hardhat_dropAllTransactions'], {
    params: [],
    result: 'empties the pool',
    run: dropAllTransactions,
  }),
  ...aliasedCommands(['anvil_removePoolTransactions'], {
    params: [ADDRESS_PARAM],
    result: 'removes the transactions of an account from the pool',
    run: removePoolTransactions,
  }),

  ...aliasedMethods(['anvil_dumpState', 'hardhat_dumpState'], {
    params: [optional('preserveHistoricalStates', FLAG)],
    result: "accounts of the latest state in anvil's format, gzip; never includes history",
    hasOwnTimeLimit: true,
    run: dumpState,
  }),
  ...aliasedMethods(['anvil_loadState', 'hardhat_loadState'], {
    params: [required('state', DATA)],
    result: 'true: loads the accounts of such a dump, also one of anvil, into the latest state',
    hasOwnTimeLimit: true,
    run: loadDumpedState,
  }),
  ...aliasedMethods(['eth_hashrate'], {
    params: [],
    result: '0x0: there is no proof of work',
    run: () => '0x0',
  }),
  ...aliasedMethods(['eth_protocolVersion'], {
    params: [],
    result: '1, as in anvil: the node has no peers of that protocol',
    run: () => 1,
  }),
  ...aliasedMethods(['eth_networkId'], {
    params: [],
    result: 'as net_version',
    run: ({ context }) => context.rules.chainId.toString(),
  }),

  ...aliasedCommands(['anvil_setLoggingEnabled', 'hardhat_setLoggingEnabled'], {
    params: [ENABLED],
    result: 'the log contains sent transactions, and what contracts log with console.log',
    run: setLoggingEnabled,
  }),
  ...aliasedMethods(['anvil_nodeInfo'], {
    params: [],
    result:
      '{currentBlockNumber, currentBlockTimestamp, currentBlockHash, hardFork, environment, forkConfig, ...}',
    run: nodeInfo,
  }),
  ...aliasedMethods(['anvil_metadata'], {
    params: [],
    result:
      'as hardhat_metadata, with {clientSemver, clientCommitSha (SHA-256 of the engine), snapshots}',
    run: anvilMetadata,
  }),
  ...aliasedMethods(['hardhat_metadata'], {
    params: [],
    result:
      '{clientVersion, chainId, instanceId, latestBlockNumber, latestBlockHash, forkedNetwork?}',
    run: metadata,
  }),
]
