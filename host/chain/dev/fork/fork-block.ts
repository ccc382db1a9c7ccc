import { LockstepError } from '../../../base/error.ts'
import type { BlockHeader, Withdrawal } from '../../../evm/chain-types/block.ts'
import { encodeBlockAccessList } from '../../../evm/chain-types/block-access-list.ts'
import { uniteBlooms } from '../../../evm/chain-types/bloom.ts'
import { type BlockHasher, listRoot } from '../../../evm/chain-types/ethereum-block.ts'
import { BLOB_GAS, TRANSACTION_GAS } from '../../../evm/chain-types/generated/gas.ts'
import { encodeReceipt, type Receipt } from '../../../evm/chain-types/receipt.ts'
import { atLeast } from '../../../evm/chain-types/revision.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import type { BlockEnv } from '../../../evm/engine/message.ts'
import type { StateDiff } from '../../../evm/engine/state-diff.ts'
import { AccessListBuilder } from '../../../evm/execute/access-list-builder.ts'
import { type BlockEngine, runSystemCalls } from '../../../evm/execute/block-engine.ts'
import { BlockGas } from '../../../evm/execute/block-gas.ts'
import type { CandidateSource } from '../../../evm/execute/candidates.ts'
import type { ChainRules } from '../../../evm/execute/chain-rules.ts'
import { bodyOf, sealDraft, UNKNOWN } from '../../../evm/execute/header-draft.ts'
import { makeReceipt } from '../../../evm/execute/receipt.ts'
import { transactNew } from '../../../evm/execute/transact.ts'
import { answerFrom } from '../../../evm/state/answer.ts'
import { OverlayState } from '../../../evm/state/overlay-state.ts'
import type { StateFork } from '../../../evm/state/state-fork.ts'
import type { StateView } from '../../../evm/state/view.ts'
import type { ExecutedBlock } from '../../../storage/store/codec/block-record.ts'

/** Dependencies for making a block. The engine must not be used otherwise until the block is made. */
export interface MakingContext {
  readonly engine: BlockEngine
  readonly rules: ChainRules
  readonly hasher: BlockHasher
  /** Lets other work of the process run while a block is made. */
  readonly pause: () => Promise<void>
}

/** A block made by Ethereum's rules, except that its state root is zero. */
export interface MadeBlock {
  readonly executed: ExecutedBlock
  readonly diff: StateDiff
  /** Candidates that no block can contain. */
  readonly hopeless: readonly Transaction[]
}

/** Milliseconds of work between two pauses. */
const TURN_MS = 5

/** Rejections that may not recur in a later block. */
const PASSING: ReadonlySet<string> = new Set([
  'nonceTooLow',
  'nonceTooHigh',
  'insufficientFunds',
  'feeCapBelowBaseFee',
])

/** Completes `draft` with the best candidates, executed on the state after its parent. */
export async function makeForkBlock(
  context: MakingContext,
  view: StateView,
  draft: BlockHeader,
  candidates: CandidateSource,
  withdrawals: readonly Withdrawal[] = [],
): Promise<MadeBlock> {
  const { engine, rules, hasher } = context
  const keccak256 = (bytes: Uint8Array) => hasher.keccak256(bytes)
  const state = new OverlayState(view)
  const env = rules.envOf(draft)
  engine.beginBlock(env)
  const isListed = atLeast(env.revision, 'Amsterdam')
  runSystemCalls(engine, state, rules.systemCallsOf(draft), isListed)
  const maxBlobs = rules.blobsOf(draft)?.max ?? 0n
  const filled = await fill(context, state, env, candidates, maxBlobs)
  const accesses = isListed ? new AccessListBuilder() : undefined
  accesses?.add(engine.accessList())
  state.apply(engine.diff())
  engine.beginBlock(env)
  const { transactions, receipts, gasUsed, hopeless } = filled
  const logs = receipts.flatMap((receipt) => receipt.logs)
  const listing = accesses && { accesses, index: transactions.length + 1 }
  const requestsHash = rules.close(engine, state, draft, withdrawals, logs, listing)
  const raws = transactions.map(({ raw }) => raw)
  const body = bodyOf(draft, withdrawals)
  const blobs = transactions.reduce((sum, { blobHashes }) => sum + blobHashes.length, 0)
  const results = {
    stateRoot: UNKNOWN,
    transactionsRoot: listRoot(hasher, raws),
    receiptsRoot: listRoot(hasher, receipts.map(encodeReceipt)),
    logsBloom: uniteBlooms(receipts.map(({ logsBloom }) => logsBloom)),
    gasUsed,
    blobGasUsed: BigInt(blobs) * BLOB_GAS,
    requestsHash,
    blockAccessListHash: accesses && keccak256(encodeBlockAccessList(accesses.build())),
  }
  const toEthereum = (header: BlockHeader) => rules.ethereumHeader(header)
  const header = sealDraft(draft, results, raws, body, toEthereum, keccak256)
  return {
    executed: {
      block: { header, transactions: raws, ...(body !== undefined && { ethereum: body }) },
      transactionHashes: transactions.map(({ hash }) => hash),
      receipts,
    },
    diff: state.diff(),
    hopeless,
  }
}

interface Filled {
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  /** Gas that the block has used: since EIP-8037 the larger of two dimensions. */
  readonly gasUsed: bigint
  readonly hopeless: readonly Transaction[]
}

async function fill(
  { engine, hasher, pause }: MakingContext,
  state: StateFork,
  env: BlockEnv,
  candidates: CandidateSource,
  maxBlobs: bigint,
): Promise<Filled> {
  const transactions: Transaction[] = []
  const receipts: Receipt[] = []
  const hopeless: Transaction[] = []
  const keccak256 = (bytes: Uint8Array) => hasher.keccak256(bytes)
  let gasUsed = 0n
  const blockGas = new BlockGas(env.gasLimit, env.revision)
  let blobs = 0n
  let turnEnd = performance.now() + TURN_MS
  for (;;) {
    // Before the next candidate is chosen: the pool may change meanwhile
    if (performance.now() > turnEnd) {
      await pause()
      turnEnd = performance.now() + TURN_MS
    }
    const candidate = candidates.peek()
    const gasLeft = blockGas.left
    if (candidate === undefined || gasLeft < TRANSACTION_GAS) break
    const blobsAfter = blobs + BigInt(candidate.blobHashes.length)
    if (candidate.gas > gasLeft || blobsAfter > maxBlobs) {
      candidates.skip()
      continue
    }
    let outcome: ReturnType<typeof run>
    try {
      outcome = run(engine, candidate, state)
    } catch (thrown) {
      if (!(thrown instanceof LockstepError) || thrown.code !== 'ENGINE_FAULT') throw thrown
      // A candidate that exhausted the engine may do so again: end the block without it.
      hopeless.push(candidate)
      break
    }
    if (outcome.kind === 'rejected') {
      if (!PASSING.has(outcome.code)) hopeless.push(candidate)
      candidates.skip()
      continue
    }
    gasUsed += outcome.gasUsed
    blockGas.add(outcome)
    blobs = blobsAfter
    transactions.push(candidate)
    receipts.push(makeReceipt(candidate, outcome, gasUsed, env, keccak256))
    candidates.take()
  }
  return { transactions, receipts, gasUsed: blockGas.used, hopeless }
}

function run(engine: BlockEngine, candidate: Transaction, state: StateView) {
  return answerFrom(transactNew(engine, candidate), state)
}
