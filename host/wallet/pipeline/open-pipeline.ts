import { randomUUID } from 'node:crypto'
import { EvmNode } from './evm-node.ts'
import type { Pipeline } from './pipeline.ts'
import { PIPELINE_TIMES, type PipelineOptions } from './pipeline-options.ts'
import { TransactionPipeline } from './transaction-pipeline.ts'

/**
 * Opens the pipeline and resumes the work of an earlier process: rebroadcasts signed bytes and fails unsigned
 * transactions.
 */
export async function openPipeline(options: PipelineOptions): Promise<Pipeline> {
  const pipeline = new TransactionPipeline({
    ...options,
    nodes: new Map(options.chains.map(({ caip2, url }) => [caip2, new EvmNode(url)])),
    times: { ...PIPELINE_TIMES, ...options.times },
    now: options.now ?? Date.now,
    makeId: options.makeId ?? randomUUID,
    onTrouble: options.onTrouble ?? (() => {}),
  })
  await pipeline.recover()
  return pipeline
}
