import { expect, test } from 'vitest'
import { bigintToBytes } from '../../../../../host/base/bytes.ts'
import type { Transaction } from '../../../../../host/evm/chain-types/transaction.ts'
import { decodeTransaction } from '../../../../../host/evm/chain-types/transaction-codec.ts'
import { boardWords, JobBoard } from '../../../../../host/evm/execute/lockstep/job-board.ts'
import {
  BlockJobs,
  planJobs,
} from '../../../../../host/evm/execute/lockstep/speculative-results.ts'
import { encodeFrom, senderInR } from '../../../../support/engine/unsigned-sender.ts'

const FOOTPRINT = Uint8Array.of(1)

function transaction(sender: number, nonce: number): Transaction {
  const from = bigintToBytes(BigInt(0x1000 + sender), 20)
  return decodeTransaction(encodeFrom(from, { nonce: BigInt(nonce) }), senderInR)
}

/** Opens jobs of two transactions from each of three senders. Each transaction has been run by a runner. */
function openJobs() {
  const transactions = [0, 1, 2, 0, 1, 2].map((sender, i) => transaction(sender, i < 3 ? 0 : 1))
  const { jobs, plan } = planJobs(transactions, 1, () => 1)
  const words = new Int32Array(boardWords(jobs.length, transactions.length))
  const board = new JobBoard(words, jobs.length)
  const block = new BlockJobs(jobs, board, () => FOOTPRINT)
  return { transactions, plan, board, block }
}

test('each job has the transactions of one sender, and the jobs are distributed by expected time', () => {
  const { plan } = openJobs()
  expect(plan.sizes).toEqual([2, 2, 2])
  expect(plan.positions).toEqual([0, 3, 1, 4, 2, 5])
  expect(plan.shares).toEqual([
    [0, 2],
    [2, 3],
  ])
  const nonces = [0, 1, 2, 3]
  const long = nonces.map((sender) => transaction(sender, 0))
  const times = [1, 1, 1, 3]
  const shared = planJobs(long, 1, (one) => times[long.indexOf(one)] as number)
  expect(shared.plan.shares).toEqual([
    [0, 3],
    [3, 4],
  ])
})

test('jobs that take less than 30 us per transaction are left to the block', () => {
  const transactions = [0, 1, 2, 1].map((sender, i) => transaction(sender, i === 3 ? 1 : 0))
  const [light, first, single, second] = transactions as [
    Transaction,
    Transaction,
    Transaction,
    Transaction,
  ]
  const times = new Map([
    [light, 0.029],
    [first, 0],
    [single, 0.03],
    [second, 0.06],
  ])
  const { jobs, plan } = planJobs(transactions, 1, (one) => times.get(one) as number)
  expect(jobs).toEqual([[first, second], [single]])
  expect(plan.positions).toEqual([1, 3, 2])
})

test('a job ends when one of its transactions cannot be applied', () => {
  const { transactions, board, block } = openJobs()
  for (let job = 0; job < 3; job++) expect(board.claim(job, 1)).toBe(true)
  for (let index = 0; index < 6; index++) board.publish(index, index)
  const [a, b, c, a2, b2, c2] = transactions as [Transaction, ...Transaction[]]
  expect(block.take(a)).toBe(FOOTPRINT)
  block.report(true)
  expect(block.take(b as Transaction)).toBe(FOOTPRINT)
  block.report(false)
  // This sender's second transaction may have read state that never existed
  expect(board.runnerOf(1)).toBeUndefined()
  expect(block.take(a2 as Transaction)).toBe(FOOTPRINT)
  block.report(true)
  expect(block.take(b2 as Transaction)).toBeUndefined()
  expect(block.take(c as Transaction)).toBe(FOOTPRINT)
  block.report(true)
  expect(block.take(c2 as Transaction)).toBe(FOOTPRINT)
  block.report(true)
  expect([block.taken, block.applied]).toEqual([5, 4])
})

test('a job ends when the block has no gas for one of its transactions', () => {
  const { transactions, board, block } = openJobs()
  for (let job = 0; job < 3; job++) expect(board.claim(job, 1)).toBe(true)
  for (let index = 0; index < 6; index++) board.publish(index, index)
  const second = transactions[3] as Transaction
  expect(block.take(second)).toBeUndefined()
  expect(board.runnerOf(0)).toBeUndefined()
  expect([block.taken, block.applied]).toEqual([0, 0])
})

test('a transaction that the block reaches before a runner belongs to the block', () => {
  const { transactions, board, block } = openJobs()
  const [a, b] = transactions as [Transaction, Transaction]
  expect(block.take(a)).toBeUndefined()
  expect(board.claim(0, 1)).toBe(false)
  expect(board.claimLast(1)).toBe(2)
  expect(board.claimLast(1)).toBe(1)
  // Claimed but not finished
  expect(block.take(b)).toBeUndefined()
  expect(board.runnerOf(1)).toBeUndefined()
  board.stop()
  expect(board.claimLast(1)).toBeUndefined()
})
