import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Revision } from '../../../../host/evm/chain-types/revision.ts'
import type { TransactionInput } from '../../../../host/evm/engine/message.ts'
import { answerFrom } from '../../../../host/evm/state/answer.ts'
import { ChunkedJsonWriter } from '../../../../host/evm/trace/json-writer.ts'
import type { TracerConfig } from '../../../../host/evm/trace/tracer.ts'
import { openTracer } from '../../../../host/evm/trace/tracers/tracer-table.ts'
import type { TestState } from '../../../support/chain/test-state.ts'
import {
  BLOCK,
  engineInBlock,
  executed,
  transaction,
} from '../../../support/engine/engine-fixture.ts'

/** Returns what a tracer, given by name, reports for a transaction, by default in Osaka. */
export async function runTracer<Result>(
  name: string,
  view: TestState,
  fields: Partial<TransactionInput> = {},
  config: TracerConfig = {},
  revision: Revision = 'Osaka',
): Promise<Result> {
  const env = { ...BLOCK, revision }
  const engine = await engineInBlock(env)
  const chunks: Uint8Array[] = []
  const writer = new ChunkedJsonWriter((chunk) => void chunks.push(chunk))
  const input = transaction(fields)
  const limits = { structLogBytes: 1 << 30 }
  const message = { input, env, gasPrice: 7n }
  const request = { message, config, limits, view, writer }
  const tracer = await openTracer(name, request, keccak_256)
  const run = engine.transact(input, { trace: tracer.sink })
  tracer.finish(executed(answerFrom(run, view)))
  writer.flush()
  return JSON.parse(Buffer.concat(chunks).toString())
}
