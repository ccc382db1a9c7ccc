import { beforeAll, expect, test } from 'vitest'
import { formatData } from '../../../../../host/base/hex.ts'
import type { Receipt } from '../../../../../host/evm/chain-types/receipt.ts'
import type { Transaction } from '../../../../../host/evm/chain-types/transaction.ts'
import type { Engine } from '../../../../../host/evm/engine/engine.ts'
import {
  ACCOUNT_ROW,
  STORAGE_ROW,
  type StateDiff,
} from '../../../../../host/evm/engine/state-diff.ts'
import {
  engineRecord,
  RecordedTransaction,
} from '../../../../../host/evm/engine/transaction-record.ts'
import {
  type ExecutedTransactions,
  executeBlock,
} from '../../../../../host/evm/execute/lockstep/block.ts'
import { boardWords, JobBoard } from '../../../../../host/evm/execute/lockstep/job-board.ts'
import { JobRunner } from '../../../../../host/evm/execute/lockstep/job-runner.ts'
import {
  BlockJobs,
  planJobs,
  type SpeculativeResults,
} from '../../../../../host/evm/execute/lockstep/speculative-results.ts'
import {
  countReceipts,
  decodeReceipts,
} from '../../../../../host/storage/store/codec/receipt-codec.ts'
import { type Dice, makeDice } from '../../../../fuzz/dice.ts'
import { plainTransaction } from '../../../../support/chain/plain-transaction.ts'
import type { TestState } from '../../../../support/chain/test-state.ts'
import { compileEngine, openEngine } from '../../../../support/engine/engine-module.ts'
import { runSeed } from '../../../../support/random.ts'
import { bySet } from '../../../../support/run/by-set.ts'
import { type ConflictingBlock, ConflictingBlocks, conflictingState } from './conflicting-blocks.ts'
import { executeOneByOne } from './one-by-one.ts'

const BLOCKS = bySet(400, 4_000)
/** Number of consecutive blocks on one state. */
const RUN = 25
const RUNNERS = 3
/** Transactions with less gas count as light. */
const LEAST_JOB_GAS = 121_000

let engine: Engine
let other: Engine
let runners: readonly Engine[]
beforeAll(async () => {
  const module = await compileEngine()
  engine = await openEngine(module)
  other = await openEngine(module)
  runners = await Promise.all(Array.from({ length: RUNNERS }, () => openEngine(module)))
}, 120_000)

function rowsOf(rows: Uint8Array, size: number): string[] {
  const texts: string[] = []
  for (let at = 0; at < rows.length; at += size) {
    texts.push(Buffer.from(rows.subarray(at, at + size)).toString('hex'))
  }
  return texts.sort()
}

/** Sorts the rows: the order in an engine's tables depends on transactions that were tried and excluded. */
function contentOf({ accounts, cleared, storage, codes }: StateDiff) {
  return {
    accounts: rowsOf(accounts, ACCOUNT_ROW),
    cleared: rowsOf(cleared, 20),
    storage: rowsOf(storage, STORAGE_ROW),
    codes: codes.map(({ code }) => Buffer.from(code).toString('hex')).sort(),
  }
}

/** Formats a result for a failing test, with bytes as hex. */
function resultOf(outcome: ExecutedTransactions) {
  const { diff, included, exclusions, gasUsed, logsBloom } = outcome
  const receipts = decodeReceipts(countReceipts(included.length, outcome.receipts))
  return {
    receipts: receipts.map(formatReceipt),
    parts: [outcome.receipts, outcome.results, outcome.hashes].map(formatData),
    exclusions,
    gasUsed,
    bloom: formatData(logsBloom),
    diff: contentOf(diff),
  }
}

function formatReceipt({ logs, contractAddress, status, gasUsed, cumulativeGasUsed }: Receipt) {
  return {
    ...{ status, gasUsed, cumulativeGasUsed },
    contract: contractAddress && formatData(contractAddress),
    logs: logs.map(({ address, topics, data }) => [address, ...topics, data].map(formatData)),
  }
}

interface AheadBlock {
  readonly ahead: SpeculativeResults
  readonly jobs: BlockJobs
}

/** Runs jobs on other engines at random times while the block runs. Some of them end early. */
function runAhead(
  { env, transactions }: ConflictingBlock,
  view: TestState,
  dice: Dice,
): AheadBlock {
  const { jobs, plan } = planJobs(transactions, RUNNERS, ({ gas }) =>
    gas < LEAST_JOB_GAS ? 0 : Number(gas) / LEAST_JOB_GAS,
  )
  const ofJobs = jobs.flat()
  const transactionAt = (index: number) => ofJobs[index] as Transaction
  const words = new Int32Array(boardWords(jobs.length, transactions.length))
  const board = new JobBoard(words, jobs.length)
  const kept: Uint8Array[] = []
  const threads = runners.map((runner, i) => {
    const keep = (_: number, footprint: Uint8Array) =>
      dice.chance(0.02) ? undefined : kept.push(footprint) - 1
    return new JobRunner({
      runner: i + 1,
      engine: runner,
      env,
      view,
      board,
      plan,
      transactionAt,
      keep,
    })
  })
  const block = new BlockJobs(jobs, board, (_, place) => kept[place])
  const ahead: SpeculativeResults = {
    take(transaction: Transaction) {
      while (dice.chance(0.75)) dice.pick(threads).runOne()
      return block.take(transaction)
    },
    report: (isAdopted) => block.report(isAdopted),
    ran: () => undefined,
  }
  return { ahead, jobs: block }
}

test(`${BLOCKS} blocks of conflicting transactions have the same result one by one, in batches, and under speculative execution (seed ${runSeed()})`, async () => {
  const dice = makeDice(runSeed())
  const pause = () => Promise.resolve()
  const counts = { taken: 0, adopted: 0, included: 0 }
  for (let run = 0; run * RUN < BLOCKS; run++) {
    const blocks = new ConflictingBlocks(dice.below(2 ** 31))
    const state = conflictingState()
    for (let i = 0; i < RUN; i++) {
      const block = blocks.next(state)
      const { env, transactions } = block
      const context = { view: state, env, pause }
      const expected = executeOneByOne(context, other, transactions)
      const batched = await executeBlock({ ...context, engine }, transactions)
      expect(resultOf(batched)).toEqual(resultOf(expected))
      const recorded = transactions.map((one) => {
        return new RecordedTransaction(engineRecord(one))
      })
      expect(recorded.map(plainTransaction)).toEqual(transactions.map(plainTransaction))
      const fromRecords = await executeBlock({ ...context, engine }, recorded)
      expect(resultOf(fromRecords)).toEqual(resultOf(expected))
      const { ahead, jobs } = runAhead(block, state, dice)
      const actual = await executeBlock({ ...context, engine, speculative: ahead }, transactions)
      expect(resultOf(actual)).toEqual(resultOf(expected))
      counts.taken += jobs.taken
      counts.adopted += jobs.applied
      counts.included += actual.included.length
      state.apply(expected.diff)
    }
  }
  // Both outcomes must be frequent, or the generator no longer makes conflicts
  expect(counts.adopted).toBeGreaterThan(counts.included / 20)
  expect(counts.taken - counts.adopted).toBeGreaterThan(counts.included / 50)
}, 1_200_000)
