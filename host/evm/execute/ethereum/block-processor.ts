import { equalBytes } from '../../../base/bytes.ts'
import type { EthereumBody } from '../../chain-types/block.ts'
import { encodeBlockAccessList, fitsGasLimit } from '../../chain-types/block-access-list.ts'
import { uniteBlooms } from '../../chain-types/bloom.ts'
import {
  type BlockHasher,
  type EthereumBlock,
  encodeWithdrawal,
  listRoot,
} from '../../chain-types/ethereum-block.ts'
import type { EthereumHeader } from '../../chain-types/ethereum-header.ts'
import { BLOB_GAS } from '../../chain-types/generated/gas.ts'
import type { Log } from '../../chain-types/log.ts'
import { encodeReceipt, type Receipt } from '../../chain-types/receipt.ts'
import { atLeast, type Revision } from '../../chain-types/revision.ts'
import type { SignatureRecovery } from '../../chain-types/signature-recovery.ts'
import type { Transaction } from '../../chain-types/transaction.ts'
import type { Engine } from '../../engine/engine.ts'
import type { BlockEnv } from '../../engine/message.ts'
import { answerFrom } from '../../state/answer.ts'
import type { StateFork } from '../../state/state-fork.ts'
import { AccessListBuilder, type BlockListing } from '../access-list-builder.ts'
import { type BlockEngine, runSystemCalls } from '../block-engine.ts'
import { BlockGas } from '../block-gas.ts'
import { makeReceipt } from '../receipt.ts'
import { transactNew } from '../transact.ts'
import { callsAtStart, ethereumEnv } from './block-env.ts'
import { drainDao } from './dao.ts'
import type { BlockRules, EthereumNetwork } from './forks.ts'
import { invalidBlock } from './header-rules.ts'
import { processRequests } from './requests.ts'
import { listWithdrawals, payRewards, payWithdrawals } from './rewards.ts'
import { decodeForRevision } from './transaction-rules.ts'

/** EIP-7934: 10 MiB, minus a 2 MiB margin for the beacon block. */
const MAX_BLOCK_SIZE = 8 * 1024 * 1024

/** Everything that block execution needs. */
export interface ProcessorContext {
  readonly engine: Engine
  readonly hasher: BlockHasher
  readonly network: EthereumNetwork
}

/** The executed transactions of a block, and their receipts. */
export interface ProcessedBlock {
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
}

/** Inputs of the steps after a block's transactions. */
interface BlockEnd {
  readonly header: EthereumHeader
  readonly body: EthereumBody
  readonly revision: Revision
  readonly env: BlockEnv
  readonly logs: Iterable<Log>
  readonly network: EthereumNetwork
  /** Undefined before Amsterdam. */
  readonly listing?: BlockListing | undefined
}

/**
 * Credits withdrawals and rewards and collects the requests.
 * @returns the hash of the requests; undefined before Prague
 * @throws BLOCK_INVALID if the requests cannot be produced.
 */
export function closeBlock(
  engine: BlockEngine,
  state: StateFork,
  { header, body, revision, env, logs, network, listing }: BlockEnd,
): Uint8Array | undefined {
  const withdrawals = body.withdrawals ?? []
  payWithdrawals(state, withdrawals)
  if (listing !== undefined) listWithdrawals(listing.accesses, state, withdrawals, listing.index)
  payRewards(state, header, body.ommers, revision)
  if (!atLeast(revision, 'Prague')) return undefined
  const after = listing === undefined ? env : { ...env, accessIndex: listing.index }
  const { depositContract } = network
  return processRequests(engine, state, after, logs, depositContract, listing?.accesses)
}

interface Transacted extends ProcessedBlock {
  /** Gas that the block has used: since EIP-8037 the larger of two dimensions. */
  readonly gasUsed: bigint
  readonly blobGasUsed: bigint
  readonly logs: readonly Log[]
}

function runTransactions(
  context: ProcessorContext,
  state: StateFork,
  block: EthereumBlock,
  env: BlockEnv,
): Transacted {
  const { engine, hasher, network } = context
  const { revision, gasLimit } = env
  const keccak256 = (bytes: Uint8Array) => hasher.keccak256(bytes)
  const recovery: SignatureRecovery = {
    keccak256,
    recoverAddress: (...signature) => engine.recoverAddress(...signature),
  }
  const transactions: Transaction[] = []
  const receipts: Receipt[] = []
  const logs: Log[] = []
  let gasUsed = 0n
  const blockGas = new BlockGas(gasLimit, revision)
  let blobs = 0
  for (const [index, raw] of block.transactions.entries()) {
    const transaction = decodeForRevision(raw, network, revision, recovery)
    if (!blockGas.fits(transaction.gas)) {
      throw invalidBlock(
        `transaction ${index} has a gas limit of ${transaction.gas}, but the block has ${blockGas.left} left`,
      )
    }
    const outcome = answerFrom(transactNew(engine, transaction), state)
    if (outcome.kind === 'rejected')
      throw invalidBlock(`transaction ${index} is rejected: ${outcome.code}`)
    gasUsed += outcome.gasUsed
    blockGas.add(outcome)
    blobs += transaction.blobHashes.length
    const receipt = makeReceipt(transaction, outcome, gasUsed, env, keccak256)
    receipts.push(
      atLeast(revision, 'Byzantium')
        ? receipt
        : { ...receipt, stateRoot: settle(engine, state, env) },
    )
    transactions.push(transaction)
    logs.push(...outcome.logs)
  }
  return {
    transactions,
    receipts,
    gasUsed: blockGas.used,
    blobGasUsed: BigInt(blobs) * BLOB_GAS,
    logs,
  }
}

/** Returns the state root within a block, which receipts held before EIP-658. */
function settle(engine: Engine, state: StateFork, env: BlockEnv): Uint8Array {
  state.apply(engine.diff())
  engine.beginBlock(env)
  return state.root()
}

/**
 * Executes a block whose header has been checked. `state` is the parent's and becomes the block's.
 * @throws BLOCK_INVALID, INVALID_RLP or TRANSACTION_REJECTED if the block breaks a rule. The state is then undefined.
 */
export function processBlock(
  context: ProcessorContext,
  state: StateFork,
  block: EthereumBlock,
  rules: BlockRules,
): ProcessedBlock {
  const { engine, hasher, network } = context
  const { header } = block
  const { revision } = rules
  if (atLeast(revision, 'Osaka') && block.size > MAX_BLOCK_SIZE) {
    throw invalidBlock(`the block has ${block.size} bytes, more than ${MAX_BLOCK_SIZE}`)
  }
  checkBody(block, revision, hasher)

  if (rules.sinceDao === 0n) drainDao(state)
  const env = ethereumEnv(header, rules, network.chainId)
  engine.beginBlock(env)
  const isListed = atLeast(revision, 'Amsterdam')
  runSystemCalls(engine, state, callsAtStart(header, revision), isListed)
  const run = runTransactions(context, state, block, env)
  const { gasUsed, blobGasUsed, receipts } = run
  const accesses = isListed ? new AccessListBuilder() : undefined
  accesses?.add(engine.accessList())
  state.apply(engine.diff())
  const listing = accesses && { accesses, index: run.transactions.length + 1 }
  const end: BlockEnd = { header, body: block, revision, env, logs: run.logs, network, listing }
  const requestsHash = closeBlock(engine, state, end)

  if (gasUsed !== header.gasUsed)
    throw invalidBlock(`gas used is ${gasUsed}, but the header states ${header.gasUsed}`)
  if (header.blobGasUsed !== undefined && blobGasUsed !== header.blobGasUsed) {
    throw invalidBlock(
      `blob gas used is ${blobGasUsed}, but the header states ${header.blobGasUsed}`,
    )
  }
  const bloom = uniteBlooms(receipts.map((receipt) => receipt.logsBloom))
  expectEqual('logs bloom', bloom, header.logsBloom)
  expectEqual('receipts root', listRoot(hasher, receipts.map(encodeReceipt)), header.receiptsRoot)
  if (requestsHash !== undefined) expectEqual('requests hash', requestsHash, header.requestsHash)
  if (accesses !== undefined) {
    const list = accesses.build()
    const hash = hasher.keccak256(encodeBlockAccessList(list))
    expectEqual('block access list hash', hash, header.blockAccessListHash)
    if (!fitsGasLimit(list, header.gasLimit)) {
      throw invalidBlock('the block access list has more items than the gas limit allows')
    }
  }
  expectEqual('state root', state.root(), header.stateRoot)
  return run
}

/** Checks the block's lists against the hashes in its header. */
function checkBody(block: EthereumBlock, revision: Revision, hasher: BlockHasher): void {
  const { header, withdrawals, encodedAccessList } = block
  if (encodedAccessList !== undefined) {
    const hash = hasher.keccak256(encodedAccessList)
    expectEqual('access list beside the block', hash, header.blockAccessListHash)
  }
  expectEqual('ommers hash', hasher.keccak256(block.encodedOmmers), header.ommersHash)
  expectEqual('transactions root', listRoot(hasher, block.transactions), header.transactionsRoot)
  if ((withdrawals !== undefined) !== atLeast(revision, 'Shanghai')) {
    throw invalidBlock(
      `withdrawals are ${withdrawals === undefined ? 'missing' : 'not allowed'} in ${revision}`,
    )
  }
  if (withdrawals === undefined) return
  const rows = withdrawals.map(encodeWithdrawal)
  expectEqual('withdrawals root', listRoot(hasher, rows), header.withdrawalsRoot)
}

function expectEqual(what: string, got: Uint8Array, want: Uint8Array | undefined): void {
  if (want === undefined || !equalBytes(got, want)) throw invalidBlock(`wrong ${what}`)
}
