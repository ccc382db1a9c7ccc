import { createHash } from 'node:crypto'
import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import { lookup } from '../../base/lookup.ts'
import { neverAborted } from '../../base/signal.ts'
import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'
import type { PaymentChain } from '../chain/payment-chain.ts'
import type { Challenges } from '../challenge/challenges.ts'
import type {
  ClaimFacts,
  ClaimKey,
  ClaimOutcome,
  ClaimRecord,
  Claims,
  LostReason,
} from '../claim/claims.ts'
import { HeldClaim } from '../claim/held-claim.ts'
import { matchAccepted } from '../protocol/accepted-requirement.ts'
import { type ProofRefusal, requirementV2, resourceUrl } from '../protocol/challenge.ts'
import { decodeProof } from '../protocol/decode-proof.ts'
import { INVALID_REASONS, type InvalidReason } from '../protocol/invalid-reason.ts'
import type { PaymentTimes } from '../protocol/payment-times.ts'
import type { AuthorizationProof, PaymentProof, TransferProof } from '../protocol/proof.ts'
import { signedRequest } from '../protocol/request-signature.ts'
import {
  allTerms,
  type Binding,
  type PaymentTerms,
  type PricedResource,
} from '../protocol/terms.ts'
import { authorizationId } from '../settle/authorization.ts'
import { isAuthorizationExecuted } from '../settle/find-execution.ts'
import type { Settlement, SettleResult } from '../settle/settlement.ts'
import { TransferVerifier } from '../verify/transfer-verifier.ts'
import {
  bodyTooLongAnswer,
  commonHeaders,
  paymentRequiredAnswer,
  preflightAnswer,
  receiptHeaders,
  unavailableAnswer,
} from './answers.ts'
import type { Admission, GateRequest, PaymentGate, PaymentRefusal } from './payment-gate.ts'

export interface PaymentGateParts {
  readonly chain: PaymentChain
  readonly claims: Claims
  readonly challenges: Challenges
  /** Absent if authorizations are not accepted. */
  readonly settlement?: Settlement
  readonly recovery: SignatureRecovery
  readonly binding: Binding
  readonly times: PaymentTimes
  /** Failed attempts to serve that one payment allows. Default: 3. */
  readonly maxAttempts?: number
  /**
   * Whether pages of any origin may pay and read; if false, the surrounding server sets CORS headers. Default: true.
   */
  readonly cors?: boolean
  /** Receives errors of the chain, the settler and the claims disk. */
  readonly onFailure?: (error: unknown) => void
}

/** Defaults: 30 s clock skew, 5 s wait for a pending transaction, one hour to show a payment. */
export const DEFAULT_TIMES: PaymentTimes = {
  clockSkew: 30,
  receiptDeadline: 5_000,
  proofLifetime: 3_600,
}

/** Bounds the load that one payment can put on a failing upstream. */
export const DEFAULT_ATTEMPTS = 3

const LOST: Readonly<Record<LostReason, InvalidReason>> = {
  spent: 'payment_spent',
  refunded: 'payment_refunded',
  'in progress': 'payment_in_progress',
  'other request': 'payment_of_other_request',
  exhausted: 'payment_attempts_exhausted',
}

/** A request and the resource it is for. */
interface GateContext {
  readonly resource: PricedResource
  readonly request: GateRequest
  /** Those of the resource's terms that the proof is for. */
  readonly terms: PaymentTerms
}

type WonClaim = Extract<ClaimOutcome, { won: true }>

const NO_BODY = new Uint8Array()

function bodyHash(body: Uint8Array): Hex {
  return body.length === 0 ? '0x' : `0x${createHash('sha256').update(body).digest('hex')}`
}

/** Returns the terms whose token a v2 proof names, or the preferred terms. */
function termsFor(resource: PricedResource, proof: PaymentProof): PaymentTerms {
  if (proof.kind === 'transfer' || proof.version === 1) return resource.terms
  const asset = lookup(proof.accepted as Readonly<Record<string, unknown>>, 'asset')
  const named = typeof asset === 'string' ? asset.toLowerCase() : undefined
  return allTerms(resource).find((terms) => terms.asset === named) ?? resource.terms
}

/** Compares a v2 proof with the terms; a v1 proof does not say what the payer accepted. */
function mismatchOf(
  { version, accepted, resourceUrl: named }: AuthorizationProof,
  terms: PaymentTerms,
  url: URL,
): ProofRefusal | undefined {
  if (version === 1) return undefined
  const mismatch = matchAccepted(accepted, requirementV2(terms))
  if (mismatch !== undefined) return mismatch
  // Some clients omit it, and no signature covers it
  if (named === undefined || named === resourceUrl(url)) return undefined
  return { reason: 'resource_mismatch' }
}

class Gate implements PaymentGate {
  readonly #parts: PaymentGateParts
  readonly #transfers: TransferVerifier
  readonly #headers: Readonly<Record<string, string>>

  constructor(parts: PaymentGateParts) {
    this.#parts = parts
    this.#transfers = new TransferVerifier(parts)
    this.#headers = commonHeaders(parts.cors ?? true)
  }

  async decide(
    resource: PricedResource,
    request: GateRequest,
  ): Promise<PaymentRefusal | Admission> {
    if (request.method === 'OPTIONS') {
      const requested = request.header('access-control-request-headers')
      return preflightAnswer(this.#headers, this.#parts.cors ?? true, requested)
    }
    try {
      // HEAD learns the price and spends no proof, since it has no body
      return request.method === 'HEAD'
        ? { ...(await this.#challenge({ resource, request })), body: '' }
        : await this.#answer(resource, request)
    } catch (error) {
      return this.#unavailable('unexpected_verify_error', error)
    }
  }

  async #answer(
    resource: PricedResource,
    request: GateRequest,
  ): Promise<PaymentRefusal | Admission> {
    const proof = decodeProof((name) => request.header(name), resource.terms)
    if (proof === undefined) return this.#challenge({ resource, request })
    if (proof.kind === 'undecodable') return this.#challenge({ resource, request }, proof)
    const visit = { resource, request, terms: termsFor(resource, proof) }
    return proof.kind === 'transfer'
      ? this.#byTransfer(visit, proof)
      : this.#byAuthorization(visit, proof)
  }

  async #challenge(
    { resource, request }: Omit<GateContext, 'terms'>,
    refusal?: ProofRefusal,
  ): Promise<PaymentRefusal> {
    if (refusal !== undefined && INVALID_REASONS[refusal.reason].error === 'unavailable') {
      return unavailableAnswer(refusal.reason, this.#headers)
    }
    const { challenges, chain, binding, settlement } = this.#parts
    const reference = await challenges.issue(resource.path, chain.now())
    const takesAuthorizations = settlement !== undefined
    const { method, url } = request
    const demand = { resource, method, url, reference, binding, takesAuthorizations }
    return paymentRequiredAnswer(demand, this.#headers, refusal)
  }

  #unavailable(reason: 'unexpected_verify_error' | 'unexpected_settle_error', error: unknown) {
    this.#parts.onFailure?.(error)
    return unavailableAnswer(reason, this.#headers)
  }

  async #byTransfer(visit: GateContext, proof: TransferProof): Promise<PaymentRefusal | Admission> {
    const { resource, request } = visit
    const { method, url, client = '', signal } = request
    const shownAt = { method, url, client, signal }
    const refusal = await this.#transfers.verify(resource, proof, shownAt)
    if (refusal !== undefined) return this.#challenge(visit, { ...refusal, payer: proof.from })
    const key = { chainId: resource.terms.chainId, kind: 'transfer', id: proof.txHash } as const
    const outcome = await this.#claim(key, visit, proof)
    if ('status' in outcome) return outcome
    return this.#admit(this.#held(outcome.record), visit, proof, proof.txHash)
  }

  async #byAuthorization(
    visit: GateContext,
    proof: AuthorizationProof,
  ): Promise<PaymentRefusal | Admission> {
    const { request, terms } = visit
    const { settlement } = this.#parts
    if (settlement === undefined) {
      return this.#challenge(visit, { reason: 'authorization_unsupported', payer: proof.from })
    }
    const mismatch = mismatchOf(proof, terms, request.url)
    if (mismatch !== undefined) return this.#challenge(visit, { ...mismatch, payer: proof.from })
    const verified = await settlement.verify(proof, terms)
    // An earlier attempt of this request may have used this authorization to pay
    const isOpen =
      verified.isValid || verified.invalidReason === 'invalid_exact_evm_nonce_already_used'
    if (!isOpen) {
      return this.#challenge(visit, { reason: verified.invalidReason, payer: proof.from })
    }
    const key = this.#authorizationKey(proof, terms)
    const outcome = await this.#claim(key, visit, proof)
    if ('status' in outcome) return outcome
    return this.#settle(settlement, this.#held(outcome.record), visit, proof)
  }

  #held(record: ClaimRecord): HeldClaim {
    return new HeldClaim(this.#parts.claims, record)
  }

  async #settle(
    settlement: Settlement,
    claim: HeldClaim,
    visit: GateContext,
    proof: AuthorizationProof,
  ): Promise<PaymentRefusal | Admission> {
    const { terms } = visit
    try {
      const earlier = await this.#settledBefore(claim, proof, visit)
      if (earlier !== undefined) return this.#admit(claim, visit, proof, earlier)
      const sending = (txHash: Hex) => claim.settling(txHash)
      // Not the request's signal: a client that disconnected may return with the same proof
      const result = await settlement.settle(proof, terms, sending, neverAborted())
      if (!result.success) return await this.#unsettled(claim, visit, proof, result)
      await claim.settled(result.txHash)
      return this.#admit(claim, visit, proof, result.txHash)
    } catch (error) {
      // Settlement is unknown: a retry of the same request finds out
      await claim.release()
      return this.#unavailable('unexpected_settle_error', error)
    }
  }

  async #unsettled(
    claim: HeldClaim,
    visit: GateContext,
    proof: AuthorizationProof,
    result: Extract<SettleResult, { success: false }>,
  ): Promise<PaymentRefusal> {
    await claim.release()
    const { errorReason, payer } = result
    const refusal = await this.#challenge(visit, { reason: errorReason, payer })
    const receipt = receiptHeaders(proof, visit.terms, result)
    return { ...refusal, headers: { ...refusal.headers, ...receipt } }
  }

  /** Returns the transaction with which an earlier attempt settled. */
  async #settledBefore(
    claim: HeldClaim,
    proof: AuthorizationProof,
    { terms }: GateContext,
  ): Promise<Hex | undefined> {
    const { isPaid, txHash } = claim.record
    if (isPaid || txHash === undefined) return txHash
    const receipt = await this.#parts.chain.receipt(txHash)
    if (receipt === undefined || !isAuthorizationExecuted(receipt, proof, terms)) return undefined
    await claim.settled(txHash)
    return txHash
  }

  #authorizationKey(proof: AuthorizationProof, { chainId, asset }: PaymentTerms): ClaimKey {
    const id = authorizationId(proof, asset, this.#parts.recovery)
    return { chainId, kind: 'authorization', id }
  }

  /** Claims the payment, or returns the refusal. */
  async #claim(
    key: ClaimKey,
    visit: GateContext,
    { from }: PaymentProof,
  ): Promise<WonClaim | PaymentRefusal> {
    const { resource, request, terms } = visit
    const body = await (request.body?.() ?? NO_BODY)
    if (body === undefined) return bodyTooLongAnswer(this.#headers)
    const { method, resource: path } = signedRequest(request.method, request.url)
    const { payTo, asset, amount } = terms
    const facts: ClaimFacts = {
      resource: resource.path,
      request: `${method} ${path}`,
      body: bodyHash(body),
      payer: from,
      payTo,
      asset,
      amount,
    }
    const { claims, maxAttempts = DEFAULT_ATTEMPTS } = this.#parts
    const outcome = await claims.claim(key, facts, maxAttempts)
    if (outcome.won) return outcome
    return this.#challenge(visit, { reason: LOST[outcome.reason], payer: from })
  }

  #admit(claim: HeldClaim, { terms }: GateContext, proof: PaymentProof, txHash: Hex): Admission {
    const payer = proof.from
    return {
      kind: 'admitted',
      payment: { isValid: true, txHash, payer },
      protocol: proof.kind === 'transfer' ? 'contract' : `x402-v${proof.version}`,
      headers: { ...this.#headers, ...receiptHeaders(proof, terms, { txHash, payer }) },
      isHeld: () => claim.isHeld(),
      delivered: () => claim.delivered(),
      failed: () => claim.failed(),
      released: () => claim.release(),
    }
  }
}

/** Opens a payment gate over one chain, one store and one binding. */
export function openPaymentGate(parts: PaymentGateParts): PaymentGate {
  if (parts.binding === 'eip3009' && parts.settlement === undefined) {
    throw new LockstepError(
      'CONFIG_INVALID',
      'binding eip3009 takes only authorizations, and no settler is configured',
      { hint: 'configure the key of a settler, or use another binding' },
    )
  }
  return new Gate(parts)
}
