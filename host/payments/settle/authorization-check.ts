import type { Hex } from '../../base/hex.ts'
import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'
import { answerOf } from '../chain/call-answer.ts'
import type { PaymentChain } from '../chain/payment-chain.ts'
import type { InvalidReason } from '../protocol/invalid-reason.ts'
import type { AuthorizationProof } from '../protocol/proof.ts'
import type { PaymentTerms } from '../protocol/terms.ts'
import {
  authorizationDigest,
  authorizationState,
  balanceOf,
  isUndeployed,
  readWord,
  transferByContract,
  transferByKey,
} from './authorization.ts'
import { findCarriedOut, type SearchReach } from './carried-out.ts'
import { signedByContract, signedByKey } from './payer-signature.ts'

/** What an authorization is checked with. */
export interface CheckOptions {
  readonly chain: PaymentChain
  readonly recovery: SignatureRecovery
  /** Who will send the transaction; absent where somebody else settles. */
  readonly sender?: Hex
  readonly gas: SettlementGas
  /** Seconds by which the clocks of payer and chain may differ. */
  readonly clockSkew: bigint
  readonly reach: SearchReach
}

/** Gas limits of a settlement. */
export interface SettlementGas {
  /** Of an authorization that a key has signed. */
  readonly byKey: bigint
  /** Of one whose payer is a contract, which decides on the signature. */
  readonly byContract: bigint
}

export type Examination =
  | { readonly kind: 'refused'; readonly reason: InvalidReason }
  /** The payer's tokens are there already. */
  | { readonly kind: 'carried out'; readonly txHash: Hex }
  | { readonly kind: 'ready'; readonly data: Hex; readonly gas: bigint }

/**
 * Seconds before the end of an authorization at which it is not taken any more: those of x402's published verifiers,
 * three blocks of their chains.
 */
const LAST_SECONDS = 6n

function refused(reason: InvalidReason): Examination {
  return { kind: 'refused', reason }
}

/**
 * Checks an authorization in the order of x402's published verifiers (1.2.0 and 2.27.0): signature, recipient, end,
 * begin, value, balance. As there the value of version 1 is at least the price, that of version 2 the price. Beyond
 * them it looks whether the authorization was used, by whom and for whom, and version 1's is simulated too.
 */
export class AuthorizationCheck {
  readonly #options: CheckOptions

  constructor(options: CheckOptions) {
    this.#options = options
  }

  /** @throws where the chain cannot be asked */
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
    // Carried out since it was looked up, it can be tried no more, and its tokens are no longer the payer's.
    return (await this.#whereUsed(proof, terms)) ?? problem
  }

  /** What became of an authorization that was used; undefined where it was not. */
  async #whereUsed(
    proof: AuthorizationProof,
    terms: PaymentTerms,
  ): Promise<Examination | undefined> {
    const { chain, reach } = this.#options
    const answer = await answerOf(chain.call(terms.asset, authorizationState(proof)))
    const state = answer === undefined ? undefined : readWord(answer)
    if (state === undefined) return refused('authorization_unsupported')
    if (state === 0n) return undefined
    const txHash = await findCarriedOut(chain, proof, terms, reach)
    // Time does not matter to what is done, the value does.
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

  /** A call that fails costs no gas. One that is not valid for some seconds yet cannot be tried. */
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
      if ((await answerOf(call)) !== undefined) return undefined
    }
    const held = readWord(await chain.call(terms.asset, balanceOf(proof.from)))
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
