import type { Hex } from '../../base/hex.ts'
import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'
import type { PaymentChain, PaymentReceipt } from '../chain/payment-chain.ts'
import { isAuthorizationLog, isTransferLog } from '../chain/token-log.ts'
import type { Challenges } from '../challenge/challenges.ts'
import type { ProofRefusal } from '../protocol/challenge.ts'
import type { InvalidReason } from '../protocol/invalid-reason.ts'
import type { PaymentTimes } from '../protocol/payment-times.ts'
import type { TransferProof } from '../protocol/proof.ts'
import {
  paidRequestDigest,
  referenceCommitment,
  signedRequest,
} from '../protocol/request-signature.ts'
import type { Binding, PaymentTerms, PricedResource } from '../protocol/terms.ts'
import { signedByContract, signedByKey } from '../settle/payer-signature.ts'
import { TransferLookup } from './transfer-lookup.ts'

/** Gas with which a contract payer verifies a signature. */
const CONTRACT_GAS = 200_000n

export interface TransferVerifierParts {
  readonly chain: PaymentChain
  readonly challenges: Challenges
  readonly binding: Binding
  readonly recovery: SignatureRecovery
  readonly times: PaymentTimes
}

/** The request that shows a proof. */
export interface ShownAt {
  readonly method: string
  readonly url: URL
  /** Client identity for per-client limits. */
  readonly client: string
  readonly signal: AbortSignal
}

/** Verifies that a transaction named by a payer is the requested payment. It claims nothing. */
export class TransferVerifier {
  readonly #parts: TransferVerifierParts
  readonly #lookup: TransferLookup

  constructor(parts: TransferVerifierParts) {
    this.#parts = parts
    this.#lookup = new TransferLookup(parts.chain)
  }

  /**
   * Returns why the proof is refused; undefined if it is valid. Free checks run before the chain is queried.
   * @throws errors of the chain if it cannot be reached
   */
  async verify(
    resource: PricedResource,
    proof: TransferProof,
    request: ShownAt,
  ): Promise<ProofRefusal | undefined> {
    return (
      this.#agreed(resource, proof) ??
      (await this.#paid(resource, proof, request)) ??
      (await this.#signed(proof, request))
    )
  }

  /** Checks binding, price and challenge of the resource. */
  #agreed({ path, terms }: PricedResource, proof: TransferProof): ProofRefusal | undefined {
    const { binding, challenges } = this.#parts
    if (binding === 'eip3009') return { reason: 'authorization_required' }
    if (proof.amount !== terms.amount) {
      return {
        reason: 'amount_mismatch',
        detail: `payload.amount is ${proof.amount}: the price is ${terms.amount}`,
      }
    }
    if (binding === 'bearer') return undefined
    const { reference } = proof
    if (reference === undefined || challenges.issuedAt(reference, path) === undefined) {
      return { reason: 'invalid_reference' }
    }
    if (binding === 'signed' && proof.signature === undefined) {
      return { reason: 'invalid_request_signature', detail: 'payload.signature is missing' }
    }
    return undefined
  }

  /** Checks the payer's signature of this request, by its key or by its contract. */
  async #signed(proof: TransferProof, { method, url }: ShownAt): Promise<ProofRefusal | undefined> {
    const { binding, chain, recovery } = this.#parts
    const { from, txHash, reference, signature } = proof
    if (binding !== 'signed' || reference === undefined || signature === undefined) return undefined
    const digest = paidRequestDigest(
      { chainId: chain.chainId, ...signedRequest(method, url), reference, txHash },
      (bytes) => recovery.keccak256(bytes),
    )
    const isSigned =
      signedByKey(digest, signature, from, recovery) !== undefined ||
      (await signedByContract(digest, signature, from, chain, CONTRACT_GAS))
    return isSigned ? undefined : { reason: 'invalid_request_signature' }
  }

  async #paid(
    resource: PricedResource,
    proof: TransferProof,
    { client, signal }: ShownAt,
  ): Promise<ProofRefusal | undefined> {
    const { receiptDeadline } = this.#parts.times
    const receipt = await this.#lookup.receipt(proof.txHash, client, receiptDeadline, signal)
    if (receipt === undefined) {
      return {
        reason: 'invalid_transaction_state',
        detail: `no block has ${proof.txHash}: send the proof again when one does`,
      }
    }
    const mismatch = matchTransfer(receipt, proof.from, resource.terms)
    if (mismatch === 'transfer_missing')
      return { reason: mismatch, detail: missing(proof, resource) }
    if (mismatch !== undefined) return { reason: mismatch }
    return (await this.#timely(resource, proof, receipt)) ?? this.#bound(proof, receipt)
  }

  async #timely(
    { path, terms }: PricedResource,
    { reference }: TransferProof,
    { blockTime }: PaymentReceipt,
  ): Promise<ProofRefusal | undefined> {
    const { chain, challenges, binding, times } = this.#parts
    const age = chain.now() - blockTime
    if (age > BigInt(times.proofLifetime)) {
      const detail = `the payment is ${age} s old: use one within ${times.proofLifetime} s`
      return { reason: 'payment_expired', detail }
    }
    // The challenge must be issued at most this long before the block, or slightly after
    const earliest = blockTime - BigInt(terms.maxTimeoutSeconds)
    const latest = blockTime + BigInt(times.clockSkew)
    const isTimely =
      binding === 'bearer'
        ? await challenges.issuedWithin(path, earliest, latest)
        : isWithin(challenges.issuedAt(reference as string, path), earliest, latest)
    if (isTimely) return undefined
    return {
      reason: 'payment_outside_window',
      detail: `the payment's block has time ${blockTime}, outside every challenge: request first, then pay within ${terms.maxTimeoutSeconds} s`,
    }
  }

  #bound({ reference }: TransferProof, { input }: PaymentReceipt): ProofRefusal | undefined {
    const { binding, recovery } = this.#parts
    if (binding !== 'reference') return undefined
    const commitment = referenceCommitment(reference as string, (bytes) =>
      recovery.keccak256(bytes),
    )
    // Anywhere in the calldata: the transfer may be one of several calls of a contract account
    return input.includes(commitment.slice(2)) ? undefined : { reason: 'transfer_unbound' }
  }
}

function isWithin(second: bigint | undefined, from: bigint, to: bigint): boolean {
  return second !== undefined && second >= from && second <= to
}

function missing({ txHash, from }: TransferProof, { terms }: PricedResource): string {
  const { amount, asset, payTo } = terms
  return `${txHash} has no Transfer of ${amount} of the token ${asset} from ${from} to ${payTo}`
}

/**
 * Checks a transaction against the terms by its logs, not its calldata. A transfer by a contract account, a batch or
 * `transferFrom` therefore counts as a payment of the account that the tokens left. A transfer reduced by a token fee
 * does not count, nor does one of a look-alike contract. A transfer that executed an authorization is no proof by its
 * hash: the authorization is a proof already, and would pay twice.
 * @returns the reason if it is not the payment
 */
function matchTransfer(
  receipt: PaymentReceipt,
  from: Hex,
  { asset, payTo, amount }: PaymentTerms,
): InvalidReason | undefined {
  if (!receipt.succeeded) return 'invalid_transaction_state'
  const transfer = { asset, from, to: payTo, amount }
  const found = receipt.logs.filter((log) => isTransferLog(log, transfer))
  if (found.length === 0) return 'transfer_missing'
  if (receipt.logs.some((log) => isAuthorizationLog(log, asset, from))) {
    return 'transfer_by_authorization'
  }
  return found.length === 1 ? undefined : 'transfer_ambiguous'
}
