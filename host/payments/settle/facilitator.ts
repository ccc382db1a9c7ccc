import type { Hex } from '../../base/hex.ts'
import { lookup } from '../../base/lookup.ts'
import { neverAborted } from '../../base/signal.ts'
import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'
import type { ClaimFacts, ClaimKey, Claims, LostReason } from '../claim/claims.ts'
import { HeldClaim } from '../claim/held-claim.ts'
import { matchAccepted } from '../protocol/accepted-requirement.ts'
import type { ProofRefusal } from '../protocol/challenge.ts'
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
import type { FacilitatorRules } from './facilitator-rules.ts'
import type { Settlement } from './settlement.ts'

/** Maximum bytes of a request body; the largest payments have about 6,000. */
export const MAX_FACILITATOR_BODY = 65_536

export interface FacilitatorParts extends FacilitatorNetwork {
  readonly settlement: Settlement
  /** Account that pays gas. */
  readonly signer: Hex
  /** Shared with a gate in the same process, if any, so that a payment used there is not settled here again. */
  readonly claims: Claims
  readonly recovery: SignatureRecovery
  readonly rules: FacilitatorRules
  /** Receives errors of the chain, the settler and the claims disk. */
  readonly onFailure?: (error: unknown) => void
}

/** A request to a facilitator, independent of the server framework. */
export interface FacilitatorRequest {
  readonly method: string
  /** `/verify`, `/settle` or `/supported`, relative to the mount path. */
  readonly path: string
  /** `Authorization` header. */
  readonly authorization?: string | undefined
  readonly body: Uint8Array
}

/** Call exactly one of `delivered` and `failed`. */
export interface FacilitatorAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
  /** Call after the whole response was sent. */
  delivered(): Promise<void>
  /** Call if the client did not receive the response: a repeated request gets it again. */
  failed(): Promise<void>
}

const HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' } as const

const METHODS: Readonly<Record<string, 'GET' | 'POST'>> = {
  '/verify': 'POST',
  '/settle': 'POST',
  '/supported': 'GET',
}

/** Reasons for lost claims of authorizations. */
const LOST: Readonly<Record<LostReason, InvalidReason>> = {
  spent: 'invalid_exact_evm_nonce_already_used',
  refunded: 'invalid_exact_evm_nonce_already_used',
  'in progress': 'duplicate_settlement',
  'other request': 'duplicate_settlement',
  exhausted: 'duplicate_settlement',
}

const TOO_MANY: ProofRefusal = {
  reason: 'settle_exact_node_failure',
  detail: 'the settlement limit of this payee is reached: retry in a moment',
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

const UNAUTHORIZED = json(
  401,
  { error: 'this facilitator requires a known token: Authorization: Bearer' },
  { 'www-authenticate': 'Bearer realm="facilitator"' },
)

/** The endpoints of an x402 facilitator, versions 1 and 2. Settles authorizations for servers without a key. */
export class Facilitator {
  readonly #parts: FacilitatorParts
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

  constructor(parts: FacilitatorParts) {
    this.#parts = parts
  }

  /** Returns undefined for paths that are not the facilitator's. */
  async answer({
    method,
    path,
    authorization,
    body,
  }: FacilitatorRequest): Promise<FacilitatorAnswer | undefined> {
    const allowed = lookup(METHODS, path)
    if (allowed === undefined) return undefined
    if (method !== allowed) {
      return json(405, { error: `${path} takes ${allowed}` }, { allow: allowed })
    }
    if (path === '/supported') return this.#supported()
    if (!this.#parts.rules.admits(authorization)) return UNAUTHORIZED
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

  async #verify(order: FacilitatorOrder): Promise<FacilitatorAnswer> {
    const refusal = await this.#judge(order)
    if (refusal !== undefined) return this.#decline('/verify', order.proof, refusal)
    return json(200, { isValid: true, payer: order.proof.from })
  }

  /** Returns why an order cannot be settled now. Used by `/verify`, and by `/settle` before it begins. */
  async #judge(order: FacilitatorOrder): Promise<ProofRefusal | undefined> {
    const { settlement, claims, rules } = this.#parts
    const { proof, terms, requirement } = order
    const isSecond = proof.version === 2
    const mismatch = isSecond ? matchAccepted(proof.accepted, requirement) : undefined
    const refused = rules.refuse(order) ?? mismatch
    if (refused !== undefined) return refused
    const found = await settlement.verify(proof, terms)
    if (!found.isValid) return { reason: found.invalidReason }
    const unfit = found.gas === undefined ? undefined : await rules.refuseAmount(order, found.gas)
    if (unfit !== undefined) return unfit
    const lost = await claims.obstacle(this.#keyOf(order), factsOf(order))
    if (lost !== undefined) return { reason: LOST[lost] }
    return rules.isFree(terms.payTo) ? undefined : TOO_MANY
  }

  #decline(
    path: string,
    { version, from: payer }: FacilitatorOrder['proof'],
    { reason, detail = INVALID_REASONS[reason].means }: ProofRefusal,
  ): FacilitatorAnswer {
    return this.#refuse(path, { status: 200, version, reason, detail, payer })
  }

  /**
   * Settles an order. The first caller for an authorization gets the result, once, so that two servers cannot both
   * use it.
   */
  async #settle(order: FacilitatorOrder): Promise<FacilitatorAnswer> {
    const { proof, terms } = order
    const refusal = await this.#judge(order)
    if (refusal !== undefined) return this.#decline('/settle', proof, refusal)
    const end = this.#parts.rules.begin(terms.payTo)
    if (end === undefined) return this.#decline('/settle', proof, TOO_MANY)
    try {
      return await this.#carryOut(order)
    } finally {
      end()
    }
  }

  async #carryOut(order: FacilitatorOrder): Promise<FacilitatorAnswer> {
    const { settlement, claims } = this.#parts
    const { proof, terms } = order
    const outcome = await claims.claim(this.#keyOf(order), factsOf(order))
    if (!outcome.won) return this.#decline('/settle', proof, { reason: LOST[outcome.reason] })
    const claim = new HeldClaim(claims, outcome.record)
    try {
      const sending = (txHash: Hex) => claim.settling(txHash)
      const result = await settlement.settle(proof, terms, sending, neverAborted())
      if (!result.success) {
        await claim.release()
        return this.#decline('/settle', proof, { reason: result.errorReason })
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
      // Settlement is unknown: a repeated request finds out.
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
