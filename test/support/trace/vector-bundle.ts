import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeReceipt } from '../../../host/chain-types/receipt.ts'
import type { Transaction } from '../../../host/chain-types/transaction.ts'
import { decodeTransaction } from '../../../host/chain-types/transaction-codec.ts'
import type { CommitHasher } from '../../../host/commit/hash/commit-hasher.ts'
import type { Engine } from '../../../host/engine/engine.ts'
import type { BlockEnv } from '../../../host/engine/message.ts'
import { makeReceipt } from '../../../host/execute/receipt.ts'
import type { ReplayPlan } from '../../../host/execute/replay/replay-plan.ts'
import { answerFrom } from '../../../host/state/answer.ts'
import type { StateView } from '../../../host/state/view.ts'
import { encodeBundle } from '../../../host/trace/bundle/bundle.ts'
import { recordPlan } from '../../../host/trace/bundle/record-plan.ts'
import { parseBytes, readState } from '../../conformance/fixture.ts'
import { blockOf, type TracerTest } from '../../conformance/tracer-golden.ts'
import { transaction as unsigned } from '../chain/fake-chain.ts'
import { type BenchCase, benchJob } from '../engine/bench-cases.ts'
import { executed } from '../engine/engine-fixture.ts'

const { signal } = new AbortController()

/** Where bundles are recorded, and what their runs are said to be of. */
export interface Recorder {
  readonly engine: Engine
  readonly hasher: CommitHasher
  /** SHA-256 of engine.wasm: 64 hex digits. */
  readonly engineHash: string
}

/** The first transaction of a block as a bundle in JSON, as debug_traceStateAccess gives one of a node. */
export async function vectorBundle(
  { engine, engineHash }: Recorder,
  env: BlockEnv,
  view: StateView,
  transaction: Transaction,
): Promise<string> {
  engine.beginBlock(env)
  const outcome = executed(answerFrom(engine.transact(transaction), view))
  const { gasUsed } = outcome
  const keccak256 = (bytes: Uint8Array) => keccak_256(bytes)
  const receipt = encodeReceipt(makeReceipt(transaction, outcome, gasUsed, env, keccak256))
  const plan: ReplayPlan = {
    height: env.number,
    blockHash: new Uint8Array(32).fill(0xb1),
    env,
    systemCalls: [],
    transactions: [{ transaction, gasUsed }],
  }
  const run = { engine, plan, view, signal, onReplayed: () => {} }
  const recorded = await recordPlan(run, 'transaction')
  const outcomes = [{ receipt, digests: undefined }]
  const bundle = { engineHash, scope: 'transaction' as const, ...recorded, outcomes }
  return JSON.stringify(encodeBundle(bundle, { tendermint: [], receipt: [] }))
}

/** The transaction of a golden file. */
export function goldenBundle(recorder: Recorder, test: TracerTest): Promise<string> {
  const view = readState(test.genesis.alloc, recorder.hasher, () => undefined)
  const transaction = decodeTransaction(parseBytes(test.input), recorder.engine)
  return vectorBundle(recorder, blockOf(test), view, transaction)
}

/** The call of a public benchmark, in a block of its own. */
export function benchBundle(recorder: Recorder, row: BenchCase): Promise<string> {
  const { env, inputs, openState } = benchJob(row)
  const { from, to, gas, data } = inputs[0] as (typeof inputs)[number]
  const { chainId } = env
  const prices = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
  const transaction = { ...unsigned({ chainId, to, gas, data, ...prices }), from }
  return vectorBundle(recorder, env, openState(), transaction)
}
