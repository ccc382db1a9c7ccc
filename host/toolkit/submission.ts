import { z } from 'zod'
import type { Hex } from '../base/hex.ts'
import { delay } from '../base/timer.ts'
import { type ActionContext, contextWallet } from './action-context.ts'
import { ActionError } from './action-error.ts'
import { addressOutput, amountOutput, hashOutput, integerOutput } from './argument.ts'
import type { ActionReceipt } from './chain.ts'

/** Output of every action that sends something. */
export const submissionShape = {
  status: z
    .enum(['simulated', 'pending', 'confirmed'])
    .describe('simulated: nothing was sent; pending: sent, but not in a block yet'),
  hash: hashOutput.nullable(),
  from: addressOutput,
  to: addressOutput,
  value: amountOutput.describe('native tokens'),
  gas: integerOutput.describe('estimated; used once it is in a block'),
  blockNumber: integerOutput.nullable(),
  explorerUrl: z.string().nullable(),
}

const shape = z.object(submissionShape)
export type ActionSubmission = Omit<z.output<typeof shape>, 'value'>

export interface Sendable {
  readonly to: Hex
  readonly value?: bigint
  readonly data?: Hex
}

const FIRST_PAUSE = 100
const LONGEST_PAUSE = 1000

/**
 * Simulates a transaction and, unless it is a dry run, has the wallet sign and send it, and waits a while for its
 * block.
 * @throws REVERTED, INSUFFICIENT_FUNDS, POLICY_DENIED, OUTCOME_UNKNOWN
 */
export async function submitAction(
  context: ActionContext,
  { to, value = 0n, data = '0x' }: Sendable,
  {
    dryRun,
    idempotencyKey,
  }: { readonly dryRun: boolean; readonly idempotencyKey?: string | undefined },
  signal: AbortSignal,
): Promise<ActionSubmission> {
  const { chain, network } = context
  const wallet = contextWallet(context)
  const from = wallet.address
  const gas = await chain.estimateGas({ from, to, value, data })
  const submission = { from, to, gas: `${gas}`, hash: null, blockNumber: null, explorerUrl: null }
  if (dryRun) return { ...submission, status: 'simulated' }
  if (signal.aborted) {
    throw new ActionError('INTERNAL', 'the call was aborted before anything was sent')
  }
  const hash = await wallet.sendTransaction({ to, value, data, idempotencyKey })
  const explorerUrl =
    network.explorerUrl === undefined
      ? null
      : `${network.explorerUrl.replace(/\/$/, '')}/tx/${hash}`
  const sent = { ...submission, hash, explorerUrl }
  const receipt = await receiptOf(context, hash, signal)
  if (receipt === undefined) return { ...sent, status: 'pending' }
  if (receipt.succeeded) {
    const { gasUsed, blockNumber } = receipt
    return { ...sent, status: 'confirmed', gas: `${gasUsed}`, blockNumber: `${blockNumber}` }
  }
  throw new ActionError('REVERTED', `the transaction ${hash} was included, but reverted`, {
    next: 'ask transaction_explain for the reason; the fee was paid, and nothing else happened',
    details: { hash, blockNumber: `${receipt.blockNumber}` },
  })
}

/** Returns the receipt if there is one within the waiting time of a call. Errors of the node are retried. */
async function receiptOf(
  { chain, waitSeconds }: ActionContext,
  hash: Hex,
  signal: AbortSignal,
): Promise<ActionReceipt | undefined> {
  const deadline = Date.now() + waitSeconds * 1000
  for (let wait = FIRST_PAUSE; ; wait = Math.min(wait * 1.5, LONGEST_PAUSE)) {
    const receipt = await chain.receipt(hash).catch(() => undefined)
    if (receipt !== undefined || signal.aborted || Date.now() + wait > deadline) return receipt
    await delay(wait)
  }
}

/** Describes a submission in a sentence. */
export function submissionText({ status, hash, blockNumber, gas }: ActionSubmission): string {
  if (status === 'simulated')
    return `Simulated: it would succeed with ${gas} gas. Nothing was sent.`
  if (status === 'confirmed') return `Confirmed in block ${blockNumber}: ${hash}.`
  return `Sent, but not in a block yet: ${hash}. Ask transaction_status for it; do not send again.`
}
