import { LockstepError } from '../../base/error.ts'
import { parseQuantity } from '../../base/hex.ts'
import { delay } from '../../base/timer.ts'
import { callNode } from '../client/node-client.ts'
import { formatEther } from '../option/amount.ts'

const POLL_MS = 100

/** The outcome of a transaction. */
export interface TxOutcome {
  readonly hash: string
  readonly block: bigint
  readonly status: 'success' | 'failed'
  readonly gasUsed: bigint
  /** In wei. */
  readonly fee: bigint
  /** Of the created contract. */
  readonly contract: string | undefined
  /** Why it failed, if the node tells. */
  readonly reason: string | undefined
}

interface Receipt {
  readonly blockNumber: string
  readonly status: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  readonly contractAddress: string | null
}

/** Returns the error of a transaction, if the node serves traces. */
async function failureOf(url: string, hash: string): Promise<string | undefined> {
  const options = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }
  const { result } = await callNode(url, 'debug_traceTransaction', [hash, options])
  const { error, revertReason } = (result ?? {}) as {
    readonly error?: string
    readonly revertReason?: string
  }
  return error !== undefined && revertReason !== undefined ? `${error}: ${revertReason}` : error
}

/** Waits for the block of a transaction. @throws SYNC_TIMEOUT */
export async function waitForOutcome(
  url: string,
  hash: string,
  seconds: number,
): Promise<TxOutcome> {
  const end = performance.now() + seconds * 1_000
  for (;;) {
    const { result } = await callNode(url, 'eth_getTransactionReceipt', [hash])
    if (result !== undefined && result !== null)
      return await outcomeOf(url, hash, result as Receipt)
    if (performance.now() > end) {
      const text = `transaction ${hash} is in no block after ${seconds} s`
      throw new LockstepError('SYNC_TIMEOUT', text, {
        hint: `it may still be included: ask with \`lockstep query evm receipt ${hash}\`, or raise --timeout`,
      })
    }
    await delay(POLL_MS)
  }
}

async function outcomeOf(url: string, hash: string, receipt: Receipt): Promise<TxOutcome> {
  const isFailed = receipt.status !== '0x1'
  const gasUsed = parseQuantity(receipt.gasUsed)
  return {
    hash,
    block: parseQuantity(receipt.blockNumber),
    status: isFailed ? 'failed' : 'success',
    gasUsed,
    fee: gasUsed * parseQuantity(receipt.effectiveGasPrice),
    contract: receipt.contractAddress ?? undefined,
    reason: isFailed ? await failureOf(url, hash) : undefined,
  }
}

/** Writes integers as decimal strings, so that no reader rounds them. */
export function printOutcome(outcome: TxOutcome, json: true | undefined): void {
  const { hash, block, status, gasUsed, fee, contract, reason } = outcome
  if (json !== undefined) {
    const integers = { block: `${block}`, gasUsed: `${gasUsed}`, fee: `${fee}` }
    process.stdout.write(`${JSON.stringify({ ...outcome, ...integers })}\n`)
    return
  }
  const rows = [
    ['Transaction', hash],
    ['Block', `${block}`],
    ['Status', status],
    ['Gas used', `${gasUsed}`],
    ['Fee', formatEther(fee)],
    ['Contract', contract],
    ['Reason', reason],
  ]
  for (const [name = '', value] of rows) {
    if (value !== undefined) process.stdout.write(`${name.padEnd(12)} ${value}\n`)
  }
}
