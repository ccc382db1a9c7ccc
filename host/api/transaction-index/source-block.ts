import { EMPTY_BYTES } from '../../base/bytes.ts'
import type { Receipt } from '../../evm/chain-types/receipt.ts'
import { atLeast } from '../../evm/chain-types/revision.ts'
import type { BlockEnv } from '../../evm/engine/message.ts'
import type { SystemCall } from '../../evm/execute/block-engine.ts'
import type { ChainRules } from '../../evm/execute/chain-rules.ts'
import type { ExecutedBlock } from '../../storage/store/codec/block-record.ts'
import { receiptParties } from '../../storage/store/codec/receipt-codec.ts'

export const INDEX_ADDRESS_BYTES = 20

/** What is needed to replay a block. */
export interface SourceRun {
  readonly env: BlockEnv
  readonly systemCalls: readonly SystemCall[]
  /** Gas used by each transaction. */
  readonly gasUsed: BigUint64Array
}

/** A block as sent to the index worker, packed into few arrays. */
export interface SourceBlock {
  readonly height: number
  /** Hash of the block, which reveals rows of another chain. */
  readonly hash: Uint8Array
  /** Concatenated transactions, and the end offset of each. */
  readonly transactions: Uint8Array
  readonly ends: Uint32Array
  /** Sender and recipient of each transaction, 40 bytes; the created contract if there is no recipient. */
  readonly parties: Uint8Array
  /** Undefined if no transaction can have executed code, or no table needs it: the block alone determines all rows. */
  readonly run: SourceRun | undefined
}

/** Gas of a transaction that executes nothing and only transfers wei. */
const TRANSFER_GAS = 21_000n

/** @param rules undefined if no table needs a replay */
export function sourceBlockOf(
  executed: Pick<ExecutedBlock, 'block' | 'receipts' | 'packed'>,
  rules: Pick<ChainRules, 'envOf' | 'systemCallsOf'> | undefined,
): SourceBlock {
  const { block, packed } = executed
  const raws = block.transactions
  const ends = new Uint32Array(raws.length)
  let length = 0
  for (const [i, raw] of raws.entries()) {
    length += raw.length
    ends[i] = length
  }
  const transactions = new Uint8Array(length)
  for (const [i, raw] of raws.entries()) transactions.set(raw, (ends[i] as number) - raw.length)
  const parties =
    packed === undefined ? partiesOf(executed.receipts) : receiptParties(packed.receipts)
  const { number: height, hash } = block.header
  const run = rules && runOf(executed, rules)
  return { height, hash: hash.slice(), transactions, ends, parties, run }
}

function partiesOf(receipts: readonly Receipt[]): Uint8Array {
  const parties = new Uint8Array(receipts.length * 2 * INDEX_ADDRESS_BYTES)
  for (const [i, { from, to, contractAddress }] of receipts.entries()) {
    const at = i * 2 * INDEX_ADDRESS_BYTES
    parties.set(from, at)
    parties.set(to ?? contractAddress ?? EMPTY_BYTES, at + INDEX_ADDRESS_BYTES)
  }
  return parties
}

/**
 * Returns undefined if no transaction can have executed code. Since London refunds are at most a fifth. Code that
 * clears a slot, the least that earns a refund, has used more than that fifth before. So only a plain transfer uses
 * exactly the gas of a transfer.
 */
function runOf(
  { block: { header }, receipts }: Pick<ExecutedBlock, 'block' | 'receipts'>,
  rules: Pick<ChainRules, 'envOf' | 'systemCallsOf'>,
): SourceRun | undefined {
  if (receipts.length === 0) return undefined
  const env = rules.envOf(header)
  const areTransfers =
    atLeast(env.revision, 'London') && receipts.every(({ gasUsed }) => gasUsed === TRANSFER_GAS)
  if (areTransfers) return undefined
  const gasUsed = BigUint64Array.from(receipts, (receipt) => receipt.gasUsed)
  return { env, systemCalls: rules.systemCallsOf(header), gasUsed }
}

/** Returns the size of the block's data in bytes. */
export function sourceBytes({ transactions, parties }: SourceBlock): number {
  return transactions.length + parties.length
}

/** Returns the buffers to transfer with the block. */
export function sourceTransfer({ transactions, ends, parties, run }: SourceBlock): ArrayBuffer[] {
  const arrays = [transactions, ends, parties, ...(run === undefined ? [] : [run.gasUsed])]
  return arrays.map(({ buffer }) => buffer as ArrayBuffer)
}

export interface IndexedTransaction {
  readonly raw: Uint8Array
  readonly sender: Uint8Array
  readonly recipient: Uint8Array
}

/** Yields the transactions of the block, in order. */
export function* transactionsOf(block: SourceBlock): Generator<IndexedTransaction, void> {
  let start = 0
  for (const [i, end] of block.ends.entries()) {
    const at = i * 2 * INDEX_ADDRESS_BYTES
    yield {
      raw: block.transactions.subarray(start, end),
      sender: block.parties.subarray(at, at + INDEX_ADDRESS_BYTES),
      recipient: block.parties.subarray(at + INDEX_ADDRESS_BYTES, at + 2 * INDEX_ADDRESS_BYTES),
    }
    start = end
  }
}
