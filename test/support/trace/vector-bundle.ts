import type { Transaction } from '../../../host/evm/chain-types/transaction.ts'
import { decodeTransaction } from '../../../host/evm/chain-types/transaction-codec.ts'
import type { Engine } from '../../../host/evm/engine/engine.ts'
import type { BlockEnv } from '../../../host/evm/engine/message.ts'
import type { StateView } from '../../../host/evm/state/view.ts'
import type { CommitHasher } from '../../../host/storage/commit/hash/commit-hasher.ts'
import { parseBytes, readState } from '../../conformance/fixture.ts'
import { blockOf, type TracerTest } from '../../conformance/tracer-golden.ts'
import { transaction as unsigned } from '../chain/fake-chain.ts'
import { type BenchCase, benchJob } from '../engine/bench-cases.ts'
import { bundleText, recordedBundle } from './recorded-bundle.ts'

/** The engine that records bundles, and the hash by which they name it. */
export interface Recorder {
  readonly engine: Engine
  readonly hasher: CommitHasher
  /** SHA-256 of engine.wasm, as 64 hex digits. */
  readonly engineHash: string
}

/** Returns the first transaction of a block as a bundle in JSON, in the format of debug_traceStateAccess. */
export async function vectorBundle(
  { engine, engineHash }: Recorder,
  env: BlockEnv,
  view: StateView,
  transaction: Transaction,
): Promise<string> {
  const recording = { scope: 'transaction', env, engineHash } as const
  return bundleText(await recordedBundle(engine, view, [transaction], recording))
}

/** Returns the bundle of a golden file's transaction. */
export function goldenBundle(recorder: Recorder, test: TracerTest): Promise<string> {
  const view = readState(test.genesis.alloc, recorder.hasher, () => undefined)
  const transaction = decodeTransaction(parseBytes(test.input), recorder.engine)
  return vectorBundle(recorder, blockOf(test), view, transaction)
}

/** Returns the bundle of a public benchmark's call, in its own block. */
export function benchBundle(recorder: Recorder, row: BenchCase): Promise<string> {
  const { env, inputs, openState } = benchJob(row)
  const { from, to, gas, data } = inputs[0] as (typeof inputs)[number]
  const { chainId } = env
  const prices = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
  const transaction = { ...unsigned({ chainId, to, gas, data, ...prices }), from }
  return vectorBundle(recorder, env, openState(), transaction)
}
