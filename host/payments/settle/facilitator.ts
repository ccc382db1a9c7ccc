import type { Hex } from '../../base/hex.ts'
import { neverAborted } from '../../base/signal.ts'
import type { SignatureRecovery } from '../../chain-types/signature-recovery.ts'
import type { ClaimFacts, ClaimKey, Claims } from '../claim/claims.ts'
import { HeldClaim } from '../claim/held-claim.ts'
import { INVALID_REASONS, type InvalidReason } from '../protocol/invalid-reason.ts'
import { caip2 } from '../protocol/network.ts'
import { authorizationId } from './authorization.ts'
import {
  decodeOrder,
  type FacilitatorNetwork,
  type FacilitatorOrder,
  type RefusedOrder,
  reasonName,
} from './facilitator-message.ts'
import type { Settlement } from './settlement.ts'

/** Bytes of a request's body: the largest payments have some 6,000. */
export const MAX_FACILITATOR_BODY = 65_536

export interface FacilitatorParts extends FacilitatorNetwork {
  readonly settlement: Settlement
  /** Account that pays the gas. */
  readonly signer: Hex
  /** Those of the gate beside it, where there is one: what was paid there is not paid here again. */
  readonly claims: Claims
  readonly recovery: SignatureRecovery
  /** Told of what the chain, the settler or the disk of the claims has thrown. */
  readonly onFailure?: (error: unknown) => void
}

/** A request to a facilitator, from whatever server it comes. */
export interface FacilitatorRequest {
  readonly method: string
  /** `/verify`, `/settle` or `/supported`: below wherever the facilitator is mounted. */
  readonly path: string
  readonly body: Uint8Array
}

/** One of `delivered` and `failed` must be called. */
export interface FacilitatorAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
  /** The answer is out, whole. */
  delivered(): Promise<void>
  /** Nobody has the answer: who asks for the same again gets it. */
  failed(): Promise<void>
}

/** Checks authorizations, and carries them out, for servers that have no key of their own. */
export interface Facilitator {
  /** Undefined for a path that is none of the facilitator's. */
  answer(request: FacilitatorRequest): Promise<FacilitatorAnswer | undefined>
}

const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' } as const

const METHODS: Readonly<Record<string, 'GET' | 'POST'>> = {
  '/verify': 'POST',
  '/settle': 'POST',
  '/supported': 'GET',
}

const nothing = async () => {}

function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): FacilitatorAnswer {
  return {
    status,
    headers: { ...HEADERS, ...headers },
    body: JSON.stringify(body),
    delivered: nothing,
    failed: nothing,
  }
}

class ClaimingFacilitator implements Facilitator {
  readonly #parts: FacilitatorParts
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

  constructor(parts: FacilitatorParts) {
    this.#parts = parts
  }

  async answer({ method, path, body }: FacilitatorRequest): Promise<FacilitatorAnswer | undefined> {
    const allowed = METHODS[path]
    if (allowed === undefined) return undefined
    if (method !== allowed) {
      return json(405, { error: `${path} is asked for by ${allowed}` }, { allow: allowed })
    }
    if (path === '/supported') return this.#supported()
    if (body.length > MAX_FACILITATOR_BODY) {
      return json(413, { error: `the body has more than ${MAX_FACILITATOR_BODY} bytes` })
    }
    const order = this.#decode(body)
    if ('reason' in order) return this.#refuse(path, order)
    try {
      return path === '/verify' ? await this.#verify(order) : await this.#settle(order)
    } catch (error) {
      this.#parts.onFailure?.(error)
      const { version, from: payer } = order.proof
      const reason = path === '/verify' ? 'unexpected_verify_error' : 'unexpected_settle_error'
      const detail = INVALID_REASONS[reason].means
      return this.#refuse(path, { status: 500, version, reason, detail, payer })
    }
  }

  #supported(): FacilitatorAnswer {
    const { network, chainId, signer } = this.#parts
    return json(200, {
      kinds: [
        { x402Version: 1, scheme: 'exact', network },
        { x402Version: 2, scheme: 'exact', network: caip2(chainId) },
      ],
      extensions: [],
      signers: { 'eip155:*': [signer] },
    })
  }

  #decode(body: Uint8Array): FacilitatorOrder | RefusedOrder {
    let text: string
    try {
      text = this.#decoder.decode(body)
    } catch {
      const detail = 'the body is not UTF-8'
      return { status: 400, version: 1, reason: 'invalid_payload', detail }
    }
    return decodeOrder(text, this.#parts)
  }

  #refuse(
    path: string,
    { status, version, reason, detail, payer }: Omit<RefusedOrder, 'status'> & { status: number },
  ): FacilitatorAnswer {
    const name = reasonName(reason, version)
    const payerMember = payer === undefined ? {} : { payer }
    if (path === '/verify') {
      return json(status, {
        isValid: false,
        invalidReason: name,
        invalidMessage: detail,
        ...payerMember,
      })
    }
    return json(status, {
      success: false,
      errorReason: name,
      errorMessage: detail,
      transaction: '',
      network: this.#networkOf(version),
      ...payerMember,
    })
  }

  #networkOf(version: 1 | 2): string {
    return version === 1 ? this.#parts.network : caip2(this.#parts.chainId)
  }

  async #verify({ proof, terms }: FacilitatorOrder): Promise<FacilitatorAnswer> {
    const found = await this.#parts.settlement.verify(proof, terms)
    if (found.isValid) return json(200, { isValid: true, payer: found.payer })
    return this.#decline('/verify', proof, found.invalidReason)
  }

  #decline(
    path: string,
    { version, from: payer }: FacilitatorOrder['proof'],
    reason: InvalidReason,
  ): FacilitatorAnswer {
    const detail = INVALID_REASONS[reason].means
    return this.#refuse(path, { status: 200, version, reason, detail, payer })
  }

  /** Who asks first for an authorization gets its settlement told, once: two servers cannot both be paid by it. */
  async #settle(order: FacilitatorOrder): Promise<FacilitatorAnswer> {
    const { settlement, claims } = this.#parts
    const { proof, terms } = order
    const found = await settlement.verify(proof, terms)
    if (!found.isValid) return this.#decline('/settle', proof, found.invalidReason)
    const outcome = await claims.claim(this.#keyOf(order), factsOf(order))
    if (!outcome.won) return this.#decline('/settle', proof, 'duplicate_settlement')
    const claim = new HeldClaim(claims, outcome.record)
    try {
      const sending = (txHash: Hex) => claim.settling(txHash)
      const result = await settlement.settle(proof, terms, sending, neverAborted())
      if (!result.success) {
        await claim.release()
        return this.#decline('/settle', proof, result.errorReason)
      }
      await claim.settled(result.txHash)
      const { txHash: transaction, payer } = result
      const network = this.#networkOf(proof.version)
      return {
        ...json(200, { success: true, transaction, network, payer }),
        delivered: () => claim.delivered(),
        failed: () => claim.release(),
      }
    } catch (error) {
      // Whether it is settled is not known: who asks for the same again finds out.
      await claim.release()
      throw error
    }
  }

  #keyOf({ proof, terms }: FacilitatorOrder): ClaimKey {
    const id = authorizationId(proof, terms.asset, this.#parts.recovery)
    return { chainId: terms.chainId, kind: 'authorization', id }
  }
}

function factsOf({ proof, terms, resource }: FacilitatorOrder): ClaimFacts {
  const { payTo, asset } = terms
  const request = `POST /settle ${payTo} ${resource}`
  return { resource: '/settle', request, payer: proof.from, payTo, asset, amount: proof.value }
}

/** The endpoints of a facilitator of x402, versions 1 and 2. */
export function openFacilitator(parts: FacilitatorParts): Facilitator {
  return new ClaimingFacilitator(parts)
}
