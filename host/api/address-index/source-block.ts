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

/** How a block runs again. */
export interface SourceRun {
  readonly env: BlockEnv
  readonly systemCalls: readonly SystemCall[]
  /** Gas that each transaction used. */
  readonly gasUsed: BigUint64Array
}

/** A block as it goes to the thread that indexes it. */
export interface SourceBlock {
  readonly block: IndexBlock
  /** Undefined where no transaction can have run code: what the block holds then tells all. */
  readonly run: SourceRun | undefined
}

/** Gas of a transaction that runs nothing, and gives nothing to its recipient but wei. */
const TRANSFER_GAS = 21_000n

/**
 * True where some transaction may have run code. From London on refunds give back a fifth at most: code that clears
 * a slot, which is the least that refunds anything, has used more than that fifth beforehand, so that only what runs
 * nothing uses the gas of a transfer.
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

/** Bytes that the block holds. */
export function sourceBytes({ block }: SourceBlock): number {
  return sizeOf(block)
}

/** The arrays that may change hands with the block. */
export function sourceTransfer({ block, run }: SourceBlock): ArrayBuffer[] {
  const buffers = transferOf(block)
  return run === undefined ? buffers : [...buffers, run.gasUsed.buffer as ArrayBuffer]
}
