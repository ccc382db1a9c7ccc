import type { ANVIL_DIFFERENCES } from '../../../tools/reference/anvil-differences.ts'
import { devAccount } from '../../support/node/dev-wallet.ts'
import { type HelperDifference, isClockApart, type MeantDifference } from './helper-comparison.ts'
import type { HelperStep } from './helper-scenario.ts'

const last = (path: string) => path.split('.').at(-1) ?? ''
const isHash = (value: unknown) => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value)
const bothHashes = ({ anvil, lockstep }: HelperDifference) => isHash(anvil) && isHash(lockstep)
/** Returns true if one quantity is greater than the other. */
const isAbove = (one: unknown, other: unknown) =>
  [one, other].every((value) => typeof value === 'string') &&
  BigInt(one as string) > BigInt(other as string)
/** Returns the last quantity or address passed to one of these methods. */
const lastGiven = (asked: readonly HelperStep[], methods: RegExp) => {
  const isGiven = ({ method, params: [first] }: HelperStep) =>
    methods.test(method) && /^0x[0-9a-f]+$/i.test(String(first))
  return asked.findLast(isGiven)?.params[0]
}

/** Splits an answer into words of 32 bytes. */
const words = (value: unknown): readonly string[] =>
  typeof value === 'string' ? (value.slice(2).match(/.{64}/g) ?? []) : []

/** Index of the time in an environment. */
const TIME = 1

/** Returns true if two environments of the probe differ only at these indexes, and in the time by the clock. */
function isEnvironment(difference: HelperDifference, places: readonly number[]): boolean {
  const { step, anvil, lockstep } = difference
  const [theirs, ours] = [words(anvil), words(lockstep)]
  if (step.method !== 'eth_call' || theirs.length !== 7 || ours.length !== 7) return false
  return theirs.every((word, i) => {
    if (word === ours[i] || places.includes(i)) return true
    return i === TIME && isClockApart(difference, BigInt(`0x${word}`), BigInt(`0x${ours[i]}`))
  })
}

const FEE_COLLECTOR = '0xf1829676db577682e944fc3493d451b67ff3e29f'

const UNLOCKED = Array.from({ length: 10 }, (_, i) => devAccount(i).address.toLowerCase())
const hasKey = (address: string) => UNLOCKED.includes(address.toLowerCase())

const NO_METHOD = -32601
/** anvil's codes by method for errors that are -32000 here: refused by the pool, no key, no slot. */
const CODES: Readonly<Record<string, readonly number[]>> = {
  eth_sendTransaction: [-32003, -32602],
  eth_sign: [-32602],
  anvil_dealERC20: [-32603],
}
/** Default gas of the scenarios' transactions. */
const LIMIT = '0x7a120'
const ABSENT = ['anvil_setChainId', 'anvil_getBlobsByTransactionHash', 'anvil_getBlobByHash']

/** How each row of tools/reference/anvil-differences.ts appears in answers. */
export const MEANT_DIFFERENCES: readonly MeantDifference<keyof typeof ANVIL_DIFFERENCES>[] = [
  {
    row: 'blockHash',
    is: (it) =>
      bothHashes(it) &&
      (['parentHash', 'blockHash', 'currentBlockHash', 'latestBlockHash'].includes(last(it.path)) ||
        (last(it.path) === 'hash' && !it.path.includes('transactions'))),
    isName: true,
  },
  {
    row: 'blockRoots',
    is: ({ path }) =>
      ['stateRoot', 'transactionsRoot', 'receiptsRoot', 'size'].includes(last(path)),
  },
  {
    row: 'randomness',
    is: (it) => last(it.path) === 'mixHash' && bothHashes(it),
  },
  { row: 'randomness', is: (it) => isEnvironment(it, [4]) },
  {
    row: 'baseFee',
    is: ({ path }) => /^(baseFeePerGas(\[\d\])?|baseFee|gasPrice)$/.test(last(path)),
  },
  { row: 'baseFee', is: ({ step }) => ['eth_gasPrice'].includes(step.method) },
  { row: 'baseFee', is: (it) => isEnvironment(it, [2, 4]) },
  { row: 'miner', is: (it) => isEnvironment(it, [2, 3, 4]) },
  { row: 'miner', is: ({ step }) => step.method === 'eth_coinbase' },
  {
    row: 'miner',
    is: ({ path, anvil }) => last(path) === 'miner' && anvil === `0x${'0'.repeat(40)}`,
  },
  {
    row: 'setterAnswer',
    is: ({ step, path, anvil, lockstep }) =>
      /^(evm|hardhat)_/.test(step.method) &&
      path === '.result' &&
      anvil === null &&
      lockstep === true,
  },
  {
    row: 'names',
    is: ({ step, path }) =>
      path === '.result' && /_snapshot$|^eth_new(Block)?Filter$/.test(step.method),
    isName: true,
  },
  {
    row: 'receiptMembers',
    is: ({ step, path, lockstep }) =>
      step.method === 'eth_getTransactionReceipt' &&
      ['blobGasPrice', 'blockTimestamp'].includes(last(path)) &&
      lockstep === undefined,
  },
  {
    row: 'ownNames',
    is: ({ step, path }) =>
      step.method === 'web3_clientVersion' ||
      (step.method.endsWith('_nodeInfo') && last(path) === 'hardFork') ||
      (step.method.endsWith('_metadata') &&
        ['clientVersion', 'clientSemver', 'clientCommitSha', 'instanceId'].includes(last(path))),
  },
  {
    row: 'filledIn',
    is: (it) => {
      const [request] = it.step.params as [
        { readonly maxFeePerGas?: string; readonly from: string },
      ]
      const isSent = it.step.method === 'eth_sendTransaction' && bothHashes(it)
      return isSent && it.scenario.family === 'filledIn' && request.maxFeePerGas === undefined
    },
    isName: true,
  },
  {
    row: 'filledIn',
    is: ({ scenario, path }) =>
      scenario.family === 'filledIn' && last(path) === 'effectiveGasPrice',
  },
  {
    row: 'impersonated',
    is: (it) => {
      const [request] = it.step.params as [{ readonly from: string }]
      return it.step.method === 'eth_sendTransaction' && bothHashes(it) && !hasKey(request.from)
    },
    isName: true,
  },
  {
    row: 'impersonated',
    is: ({ step, path, anvil }) =>
      step.method === 'eth_getTransactionByHash' &&
      ['r', 's', 'v', 'yParity'].includes(last(path)) &&
      anvil === '0x0',
  },
  {
    row: 'tracedGas',
    is: ({ step, path, anvil, lockstep }) =>
      step.method === 'debug_traceTransaction' &&
      path === '.result.gas' &&
      lockstep === LIMIT &&
      isAbove(lockstep, anvil),
  },
  {
    row: 'dumpedState',
    is: ({ step, path, anvil, lockstep }) =>
      step.method.endsWith('_dumpState') &&
      path === '.result' &&
      [anvil, lockstep].every((value) => String(value).startsWith('0x1f8b08')),
  },
  {
    row: 'loadedNonce',
    is: ({ scenario, step, anvil, lockstep }) =>
      scenario.family === 'state' &&
      step.method === 'eth_getTransactionCount' &&
      isAbove(anvil, lockstep),
  },
  {
    row: 'feeHistoryLate',
    is: ({ step, path, anvil, answers: [, ours] }) => {
      if (step.method !== 'eth_feeHistory') return false
      const [, member, index] = /^\.result\.(gasUsedRatio|reward)\[(\d+)\]/.exec(path) ?? []
      if (member === undefined) return false
      const ofBlocks = (ours.result as Record<string, unknown[]>)[member] ?? []
      // After a revert, anvil's neighbouring entries may belong to a removed block.
      if (Number(index) === ofBlocks.length - 1) return true
      return [0, '0x0', ...ofBlocks.flat()].includes(anvil as never)
    },
  },
  {
    row: 'filledIn',
    is: ({ scenario, path }) =>
      scenario.steps.some(
        ({ method, params }) => method === 'anvil_reorg' && params[1] !== undefined,
      ) &&
      /transactions\[0\]\.(maxFeePerGas|maxPriorityFeePerGas|gas|r|s|v|yParity|hash)$/.test(path),
  },
  {
    row: 'pendingTime',
    is: ({ path, anvil, lockstep }) =>
      last(path) === 'blockTimestamp' && anvil === undefined && lockstep === null,
  },
  {
    row: 'hardhatAlone',
    is: ({ step, answers: [theirs] }) =>
      step.method === 'hardhat_setPrevRandao' && theirs.error?.code === -32601,
  },
  {
    row: 'hardhatAlone',
    is: ({ step, path, lockstep }) =>
      step.method === 'hardhat_metadata' &&
      /^\.result\.(forkedNetwork|snapshots)$/.test(path) &&
      lockstep === undefined,
  },
  {
    row: 'hardhatAlone',
    is: ({ step, anvil, lockstep }) =>
      step.method === 'hardhat_dropTransaction' && lockstep === (anvil !== null),
  },
  {
    row: 'settingsAfterReset',
    is: ({ asked, path, anvil, lockstep }) =>
      last(path) === 'miner' &&
      lockstep === FEE_COLLECTOR &&
      anvil === String(lastGiven(asked, /_setCoinbase$/)).toLowerCase(),
  },
  {
    row: 'nonceRange',
    is: ({ step, answers: [, ours] }) =>
      /nonce/i.test(step.method) && (ours.error?.message.includes('EIP-2681') ?? false),
  },
  {
    row: 'mineInterval',
    is: ({ scenario, path, anvil, lockstep }) =>
      last(path) === 'timestamp' &&
      isAbove(lockstep, anvil) &&
      scenario.steps.some(({ method, params }) => /_mine$/.test(method) && params.length === 2),
  },
  {
    row: 'pendingBlock',
    is: ({ step, path, lockstep }) =>
      step.params[0] === 'pending' &&
      /^\.result\.(hash|nonce|miner)$/.test(path) &&
      lockstep === null,
  },
  {
    row: 'forgottenSnapshot',
    is: ({ step, answers: [theirs, ours] }) =>
      step.method.endsWith('_revert') && theirs.error !== undefined && ours.result === false,
  },
  {
    row: 'forgottenSnapshot',
    is: ({ step, path, lockstep }) =>
      step.method.endsWith('_metadata') && path.includes('.snapshots.') && lockstep === undefined,
  },
  {
    row: 'blobPrice',
    is: ({ path, anvil, lockstep }) =>
      /baseFeePerBlobGas/.test(path) && anvil === '0x1' && lockstep === '0x0',
  },
  {
    row: 'intervalUnit',
    is: ({ step, anvil, lockstep }) =>
      step.method === 'anvil_getIntervalMining' && anvil === Number(lockstep) * 1000,
  },
  {
    row: 'automineBeside',
    is: ({ scenario, step, anvil, lockstep }) =>
      scenario.family === 'settings' &&
      step.method.endsWith('_getAutomine') &&
      anvil === false &&
      lockstep === true,
  },
  {
    row: 'minGasPrice',
    is: ({ step, answers: [theirs, ours] }) =>
      step.method === 'anvil_setMinGasPrice' &&
      theirs.error?.code === -32602 &&
      ours.result === null,
  },
  {
    row: 'minGasPrice',
    is: ({ asked, step, lockstep }) =>
      step.method === 'eth_maxPriorityFeePerGas' &&
      lockstep === lastGiven(asked, /_setMinGasPrice$/),
  },
  {
    row: 'errorCodes',
    is: ({ step, path, answers: [theirs, ours] }) =>
      path === '.error.code' &&
      ours.error?.code === -32000 &&
      (CODES[step.method]?.includes(theirs.error?.code ?? 0) ?? false),
  },
  {
    row: 'pendingAccount',
    is: ({ step, anvil }) =>
      step.method === 'eth_getAccountInfo' && step.params[1] === 'pending' && anvil === '0x0',
  },
  {
    row: 'absentMethods',
    is: ({ step, answers: [, ours] }) =>
      ABSENT.includes(step.method) && ours.error?.code === NO_METHOD,
  },
  {
    row: 'databaseKeys',
    is: ({ step, answers: [, ours] }) =>
      step.method === 'debug_dbGet' && ours.error?.code === NO_METHOD,
  },
  {
    row: 'addressSpelling',
    is: ({ step, path }) => step.method === 'txpool_content' && /0x[0-9a-fA-F]{40}$/.test(path),
  },
]
