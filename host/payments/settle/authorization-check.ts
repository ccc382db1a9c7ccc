import type { Hex } from '../../base/hex.ts'
import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'
import { callResult } from '../chain/call-result.ts'
import type { PaymentChain } from '../chain/payment-chain.ts'
import type { InvalidReason } from '../protocol/invalid-reason.ts'
import type { AuthorizationProof } from '../protocol/proof.ts'
import type { PaymentTerms } from '../protocol/terms.ts'
import {
  authorizationDigest,
  authorizationState,
  balanceOf,
  isUndeployed,
  readResultWord,
  transferByContract,
  transferByKey,
} from './authorization.ts'
import { findExecution, type SearchReach } from './find-execution.ts'
import { signedByContract, signedByKey } from './payer-signature.ts'

/** Dependencies and limits of an authorization check. */
export interface CheckOptions {
  readonly chain: PaymentChain
  readonly recovery: SignatureRecovery
  /** Account that will send the transaction; absent if another party settles. */
  readonly sender?: Hex
  readonly gas: SettlementGas
  /** Maximum clock difference between payer and chain, seconds. */
  readonly clockSkew: bigint
  readonly reach: SearchReach
}

/** Gas limits of a settlement. */
export interface SettlementGas {
  /** For an authorization signed by a key. */
  readonly byKey: bigint
  /** For one whose payer is a contract, which verifies the signature itself. */
  readonly byContract: bigint
}

export type Examination =
  | { readonly kind: 'refused'; readonly reason: InvalidReason }
  /** The payer's tokens are there already. */
  | { readonly kind: 'carried out'; readonly txHash: Hex }
  | { readonly kind: 'ready'; readonly data: Hex; readonly gas: bigint }

/** Minimum remaining validity, seconds: three blocks, as in x402's published verifiers. */
const LAST_SECONDS = 6n

function refused(reason: InvalidReason): Examination {
  return { kind: 'refused', reason }
}

/**
 * Checks an authorization in the order of x402's published verifiers (1.2.0 and 2.27.0): signature, recipient,
 * expiry, start, value, balance. As there, a v1 value must be at least the price, and a v2 value equal to it. In
 * addition it checks whether the authorization was used, by whom and for whom, and also simulates v1 authorizations.
 */
export class AuthorizationCheck {
  readonly #options: CheckOptions

  constructor(options: CheckOptions) {
    this.#options = options
  }

  /** @throws if the chain cannot be reached */
  async examine(proof: AuthorizationProof, terms: PaymentTerms): Promise<Examination> {
    const signed = await this.#readSignature(proof, terms)
    if (signed.kind !== 'ready') return signed
    if (proof.to !== terms.payTo) return refused('invalid_exact_evm_payload_recipient_mismatch')
    const unfit = this.#timeProblem(proof) ?? valueProblem(proof, terms)

    const used = await this.#whereUsed(proof, terms)
    if (used !== undefined) return used
    if (unfit !== undefined) return refused(unfit)
    const problem = await this.#simulationProblem(proof, terms, signed)
    if (problem === undefined) return signed
    // If it was executed since the lookup, a retry fails and the payer no longer has the tokens.
    return (await this.#whereUsed(proof, terms)) ?? problem
  }

  /** Returns the outcome of a used authorization; undefined if it is unused. */
  async #whereUsed(
    proof: AuthorizationProof,
    terms: PaymentTerms,
  ): Promise<Examination | undefined> {
    const { chain, reach } = this.#options
    const answer = await callResult(chain.call(terms.asset, authorizationState(proof)))
    const state = answer === undefined ? undefined : readResultWord(answer)
    if (state === undefined) return refused('authorization_unsupported')
    if (state === 0n) return undefined
    const txHash = await findExecution(chain, proof, terms, reach)
    // For an executed authorization the time is irrelevant; the value is not.
    if (txHash === undefined || valueProblem(proof, terms) !== undefined) {
      return refused('invalid_exact_evm_nonce_already_used')
    }
    return { kind: 'carried out', txHash }
  }

  async #readSignature(proof: AuthorizationProof, terms: PaymentTerms): Promise<Examination> {
    const { recovery, chain, gas } = this.#options
    if (isUndeployed(proof.signature)) {
      return refused('invalid_exact_evm_payload_undeployed_smart_wallet')
    }
    const digest = authorizationDigest(proof, terms, recovery)
    const key = signedByKey(digest, proof.signature, proof.from, recovery)
    if (key !== undefined) return { kind: 'ready', data: transferByKey(proof, key), gas: gas.byKey }
    const { from, signature } = proof
    if (!(await signedByContract(digest, signature, from, chain, gas.byContract))) {
      return refused('invalid_exact_evm_payload_signature')
    }
    return { kind: 'ready', data: transferByContract(proof), gas: gas.byContract }
  }

  #timeProblem({ validAfter, validBefore }: AuthorizationProof): InvalidReason | undefined {
    const now = this.#options.chain.now()
    if (validBefore < now + LAST_SECONDS) {
      return 'invalid_exact_evm_payload_authorization_valid_before'
    }
    if (validAfter > now + this.#options.clockSkew) {
      return 'invalid_exact_evm_payload_authorization_valid_after'
    }
    return undefined
  }

  /** Simulates the transfer, so that a failing one costs no gas. Skipped if the authorization is not valid yet. */
  async #simulationProblem(
    proof: AuthorizationProof,
    terms: PaymentTerms,
    { data, gas }: Extract<Examination, { kind: 'ready' }>,
  ): Promise<Examination | undefined> {
    const { chain, sender } = this.#options
    const isValidYet = proof.validAfter < chain.now()
    if (isValidYet) {
      const from = sender === undefined ? {} : { from: sender }
      const call = chain.call(terms.asset, data, { ...from, gas })
      if ((await callResult(call)) !== undefined) return undefined
    }
    const held = readResultWord(await chain.call(terms.asset, balanceOf(proof.from)))
    if (held !== undefined && held < proof.value) return refused('insufficient_funds')
    return isValidYet ? refused('invalid_exact_evm_transaction_simulation_failed') : undefined
  }
}

function valueProblem(
  { version, value }: AuthorizationProof,
  { amount }: PaymentTerms,
): InvalidReason | undefined {
  const isEnough = version === 1 ? value >= amount : value === amount
  return isEnough ? undefined : 'invalid_exact_evm_payload_authorization_value'
}
