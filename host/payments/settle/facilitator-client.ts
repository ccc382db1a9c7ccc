import { LockstepError, messageOf } from '../../base/error.ts'
import { type Hex, parseFixedData } from '../../base/hex.ts'
import { timeoutSignal } from '../../base/timer.ts'
import { boundedText } from '../../client/chain-client/bounded-text.ts'
import { requirementV2 } from '../protocol/challenge.ts'
import { authorizationPayload } from '../protocol/encode-proof.ts'
import { INVALID_REASONS, type InvalidReason } from '../protocol/invalid-reason.ts'
import type { AuthorizationProof } from '../protocol/proof.ts'
import type { PaymentTerms } from '../protocol/terms.ts'

export interface FacilitatorClientOptions {
  /** Base URL of the facilitator, without `/verify`: `https://facilitator.example/base`. */
  readonly url: string
  /** The resource to name in version 1: an absolute URL, such as the seller's. */
  readonly resource: string
  /** Timeout of a response including its body, ms. */
  readonly timeoutMs: number
  /** Extra request headers, such as `authorization`. */
  readonly headers?: (path: '/verify' | '/settle') => Promise<Readonly<Record<string, string>>>
}

export type FacilitatorOpinion =
  | { readonly ok: true; readonly txHash?: Hex }
  | { readonly ok: false; readonly reason: InvalidReason; readonly txHash?: Hex }

/** Maximum characters; responses have a few hundred. */
const MAX_ANSWER = 65_536

/** Reasons that the published v2 facilitator names differently. */
const OTHER_NAMES: Readonly<Record<string, InvalidReason>> = {
  invalid_exact_evm_signature: 'invalid_exact_evm_payload_signature',
  invalid_exact_evm_recipient_mismatch: 'invalid_exact_evm_payload_recipient_mismatch',
  invalid_exact_evm_payload_authorization_value_mismatch:
    'invalid_exact_evm_payload_authorization_value',
  invalid_exact_evm_insufficient_balance: 'insufficient_funds',
  invalid_exact_evm_network_mismatch: 'invalid_network',
  invalid_exact_evm_scheme: 'unsupported_scheme',
}

/** Maps a facilitator's reason; an unknown one counts as its failure. */
function reasonOf(named: unknown, unknown: InvalidReason): InvalidReason {
  if (typeof named !== 'string') return unknown
  if (Object.hasOwn(INVALID_REASONS, named)) return named as InvalidReason
  return Object.hasOwn(OTHER_NAMES, named) ? (OTHER_NAMES[named] as InvalidReason) : unknown
}

function hashOf(value: unknown): Hex | undefined {
  try {
    parseFixedData(value as string, 32)
  } catch {
    return undefined
  }
  return (value as string).toLowerCase() as Hex
}

/** Calls an x402 facilitator over HTTP, in the version of the payment. */
export class FacilitatorClient {
  readonly #options: FacilitatorClientOptions
  readonly #base: string

  constructor(options: FacilitatorClientOptions) {
    this.#options = options
    this.#base = options.url.replace(/\/+$/, '')
  }

  /** @throws NODE_UNREACHABLE if there is no response, or an invalid one */
  async verify(
    proof: AuthorizationProof,
    terms: PaymentTerms,
    signal: AbortSignal,
  ): Promise<FacilitatorOpinion> {
    const { isValid, invalidReason } = await this.#post('/verify', proof, terms, signal)
    if (isValid === true) return { ok: true }
    if (isValid !== false) throw this.#failure('/verify', 'its response has no isValid')
    return { ok: false, reason: reasonOf(invalidReason, 'unexpected_verify_error') }
  }

  /** The response is not proof of settlement: check the chain. @throws NODE_UNREACHABLE as `verify` */
  async settle(
    proof: AuthorizationProof,
    terms: PaymentTerms,
    signal: AbortSignal,
  ): Promise<FacilitatorOpinion> {
    const answer = await this.#post('/settle', proof, terms, signal)
    const { success, errorReason } = answer
    const txHash = hashOf(answer.transaction)
    const named = txHash === undefined ? {} : { txHash }
    if (success === true) return { ok: true, ...named }
    if (success !== false) throw this.#failure('/settle', 'its response has no success')
    return { ok: false, reason: reasonOf(errorReason, 'unexpected_settle_error'), ...named }
  }

  async #post(
    path: '/verify' | '/settle',
    proof: AuthorizationProof,
    terms: PaymentTerms,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { headers, timeoutMs } = this.#options
    let answer: unknown
    try {
      const response = await fetch(`${this.#base}${path}`, {
        method: 'POST',
        headers: { ...(await headers?.(path)), 'content-type': 'application/json' },
        body: JSON.stringify(this.#order(proof, terms)),
        // The redirect target is not a configured facilitator.
        redirect: 'error',
        signal: AbortSignal.any([signal, timeoutSignal(timeoutMs)]),
      })
      if ([401, 403].includes(response.status)) {
        throw new Error(`status ${response.status}: it does not accept the token of this server`)
      }
      answer = JSON.parse(await boundedText(response, MAX_ANSWER))
    } catch (error) {
      throw this.#failure(path, messageOf(error), error)
    }
    // A refusal with a status other than 200 has the same members.
    if (typeof answer === 'object' && answer !== null) return answer as Record<string, unknown>
    throw this.#failure(path, 'its response is not an object')
  }

  #order(proof: AuthorizationProof, terms: PaymentTerms): object {
    const payload = authorizationPayload(proof)
    if (proof.version === 2) {
      const requirement = requirementV2(terms)
      const { accepted = requirement, resourceUrl: url } = proof
      const resource = url === undefined ? {} : { resource: { url } }
      return {
        x402Version: 2,
        paymentPayload: { x402Version: 2, ...resource, accepted, payload },
        paymentRequirements: requirement,
      }
    }
    const { network, asset, payTo, maxTimeoutSeconds, token } = terms
    const common = { scheme: 'exact', network }
    return {
      x402Version: 1,
      paymentPayload: { x402Version: 1, ...common, payload },
      paymentRequirements: {
        ...common,
        maxAmountRequired: `${terms.amount}`,
        resource: this.#options.resource,
        description: '',
        mimeType: '',
        payTo,
        maxTimeoutSeconds,
        asset,
        extra: { name: token.name, version: token.version },
      },
    }
  }

  /** The message names only the host: a path or query may hold a key. */
  #failure(path: string, problem: string, cause?: unknown): LockstepError {
    const { host } = new URL(this.#base)
    const message = `the facilitator ${host} did not answer ${path}: ${problem}`
    return new LockstepError('NODE_UNREACHABLE', message, { cause })
  }
}
