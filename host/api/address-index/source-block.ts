import {
  type IndexBlock,
  indexBlockOf,
  sizeOf,
  transferOf,
} from '../../chain/consensus/tx-index/index-block.ts'
import type { Block } from '../../evm/chain-types/block.ts'
import type { Receipt } from '../../evm/chain-types/receipt.ts'
import { atLeast, type Revision } from '../../evm/chain-types/revision.ts'
import type { BlockEnv } from '../../evm/engine/message.ts'
import type { SystemCall } from '../../evm/execute/block-engine.ts'
import type { ChainRules } from '../../evm/execute/chain-rules.ts'

/** What is needed to replay a block. */
export interface SourceRun {
  readonly env: BlockEnv
  readonly systemCalls: readonly SystemCall[]
  /** Gas used by each transaction. */
  readonly gasUsed: BigUint64Array
}

/** A block as sent to the index worker. */
export interface SourceBlock {
  readonly block: IndexBlock
  /** Undefined if no transaction can have executed code: the block alone then determines all rows. */
  readonly run: SourceRun | undefined
}

/** Gas of a transaction that executes nothing and only transfers wei. */
const TRANSFER_GAS = 21_000n

/**
 * Returns true if a transaction may have executed code. Since London refunds are at most a fifth. Code that clears a
 * slot, the least that earns a refund, has used more than that fifth before. So only a plain transfer uses exactly
 * the gas of a transfer.
 */
function mayRunCode(receipts: readonly Receipt[], revision: Revision): boolean {
  if (!atLeast(revision, 'London')) return receipts.length > 0
  return receipts.some(({ gasUsed }) => gasUsed !== TRANSFER_GAS)
}

export function sourceBlockOf(
  executed: { readonly block: Block; readonly receipts: readonly Receipt[] },
  rules: Pick<ChainRules, 'envOf' | 'systemCallsOf'>,
): SourceBlock {
  const { block, receipts } = executed
  const packed = indexBlockOf(executed)
  if (receipts.length === 0) return { block: packed, run: undefined }
  const env = rules.envOf(block.header)
  if (!mayRunCode(receipts, env.revision)) return { block: packed, run: undefined }
  const gasUsed = BigUint64Array.from(receipts, (receipt) => receipt.gasUsed)
  return {
    block: packed,
    run: { env, systemCalls: rules.systemCallsOf(block.header), gasUsed },
  }
}

/** Returns the size of the block in bytes. */
export function sourceBytes({ block }: SourceBlock): number {
  return sizeOf(block)
}

/** Returns the buffers to transfer with the block. */
export function sourceTransfer({ block, run }: SourceBlock): ArrayBuffer[] {
  const buffers = transferOf(block)
  return run === undefined ? buffers : [...buffers, run.gasUsed.buffer as ArrayBuffer]
}
