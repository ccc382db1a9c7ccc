import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import { neverAborted } from '../../base/signal.ts'
import { timeoutSignal } from '../../base/timer.ts'
import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'
import type { PaymentChain } from '../chain/payment-chain.ts'
import type { InvalidReason } from '../protocol/invalid-reason.ts'
import type { AuthorizationProof } from '../protocol/proof.ts'
import type { PaymentTerms } from '../protocol/terms.ts'
import { AuthorizationCheck, type Examination } from './authorization-check.ts'
import { FacilitatorClient, type FacilitatorClientOptions } from './facilitator-client.ts'
import { isAuthorizationExecuted, type SearchReach } from './find-execution.ts'
import type { Settlement, SettleResult, Verification } from './settlement.ts'
import { SETTLER_DEFAULTS } from './settler.ts'

export interface RemoteSettlementOptions
  extends Pick<FacilitatorClientOptions, 'url' | 'headers'>,
    Partial<Pick<FacilitatorClientOptions, 'resource' | 'timeoutMs'>> {
  readonly chain: PaymentChain
  readonly recovery: SignatureRecovery
  /** How long to wait for the chain to show the facilitator's transaction, ms. */
  readonly receiptDeadlineMs?: number
  /** Maximum clock difference between payer and chain, seconds. */
  readonly clockSkew?: bigint
  readonly reach?: SearchReach
}

/** Same timeout as x402's published servers: a settlement takes a block. */
const TIMEOUT_MS = 90_000

const RECEIPT_DEADLINE_MS = 30_000

/**
 * Settles through a remote facilitator, for servers without a key. Its responses are checked against the chain: an
 * authorization is settled exactly if the token's logs say so, whatever the facilitator reports.
 */
export class RemoteSettlement implements Settlement {
  readonly #chain: PaymentChain
  readonly #client: FacilitatorClient
  readonly #check: AuthorizationCheck
  readonly #receiptDeadlineMs: number

  constructor(options: RemoteSettlementOptions) {
    const { chain, recovery } = options
    const { timeoutMs = TIMEOUT_MS, resource = 'https://localhost/' } = options
    this.#chain = chain
    this.#client = new FacilitatorClient({ ...options, timeoutMs, resource })
    this.#receiptDeadlineMs = options.receiptDeadlineMs ?? RECEIPT_DEADLINE_MS
    this.#check = new AuthorizationCheck({
      chain,
      recovery,
      gas: SETTLER_DEFAULTS.gas,
      clockSkew: options.clockSkew ?? 10n,
      reach: options.reach ?? { blocks: 10_000n, seconds: 3_600n },
    })
  }

  async verify(proof: AuthorizationProof, terms: PaymentTerms): Promise<Verification> {
    const payer = proof.from
    const found = await this.#check.examine(proof, terms)
    if (found.kind === 'refused') return { isValid: false, invalidReason: found.reason, payer }
    if (found.kind === 'carried out') return { isValid: true, payer }
    const opinion = await this.#client.verify(proof, terms, neverAborted())
    if (opinion.ok) return { isValid: true, payer }
    return { isValid: false, invalidReason: opinion.reason, payer }
  }

  /** `sending` gets the transaction hash from the facilitator, after it was sent. */
  async settle(
    proof: AuthorizationProof,
    terms: PaymentTerms,
    sending: (txHash: Hex) => Promise<void>,
    signal: AbortSignal,
  ): Promise<SettleResult> {
    const found = await this.#check.examine(proof, terms)
    if (found.kind !== 'ready') return resultOf(proof, found)
    const asked = await this.#client.settle(proof, terms, signal).catch((error: unknown) => error)
    if (asked instanceof Error) {
      // The facilitator's outcome is unknown, and the chain's current state may not be final.
      const now = await this.#check.examine(proof, terms)
      if (now.kind === 'carried out') return resultOf(proof, now)
      throw asked
    }
    const { txHash, ...opinion } = asked as Awaited<ReturnType<FacilitatorClient['settle']>>
    if (txHash !== undefined) {
      await sending(txHash)
      if (await this.#hasCarriedOut(txHash, proof, terms, signal, opinion.ok)) {
        return { success: true, txHash, payer: proof.from }
      }
    }
    const now = await this.#check.examine(proof, terms)
    if (now.kind !== 'ready') return resultOf(proof, now)
    if (!opinion.ok) return refused(proof, opinion.reason)
    throw new LockstepError(
      'TRANSACTION_FAILED',
      `the facilitator says that ${txHash ?? 'a transaction'} has settled a payment that the chain does not have`,
      { hint: 'ask its operator, or configure another facilitator' },
    )
  }

  /** @param isPromised the facilitator says that a block has it: the node asked here may lag behind */
  async #hasCarriedOut(
    txHash: Hex,
    proof: AuthorizationProof,
    terms: PaymentTerms,
    signal: AbortSignal,
    isPromised: boolean,
  ): Promise<boolean> {
    const end = timeoutSignal(isPromised ? this.#receiptDeadlineMs : 0)
    const ended = AbortSignal.any([signal, end])
    for (;;) {
      const receipt = await this.#chain.receipt(txHash)
      if (receipt !== undefined) return isAuthorizationExecuted(receipt, proof, terms)
      if (!isPromised || ended.aborted) return false
      await this.#chain.nextBlock(ended)
      signal.throwIfAborted()
    }
  }
}

function refused({ from }: AuthorizationProof, errorReason: InvalidReason): SettleResult {
  return { success: false, errorReason, payer: from }
}

function resultOf(
  proof: AuthorizationProof,
  found: Exclude<Examination, { kind: 'ready' }>,
): SettleResult {
  if (found.kind === 'refused') return refused(proof, found.reason)
  return { success: true, txHash: found.txHash, payer: proof.from }
}
