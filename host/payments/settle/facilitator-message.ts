import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import { lookup } from '../../base/lookup.ts'
import { decodeMessage } from '../protocol/decode-proof.ts'
import type { InvalidReason } from '../protocol/invalid-reason.ts'
import { caip2 } from '../protocol/network.ts'
import type { AuthorizationProof } from '../protocol/proof.ts'
import { parseStrictJson } from '../protocol/strict-json.ts'
import type { PaymentTerms, TokenDomain } from '../protocol/terms.ts'

/** A token whose authorizations a facilitator settles. */
export interface FacilitatedAsset {
  readonly address: Hex
  readonly token: TokenDomain
}

/** The network and tokens that a facilitator supports. */
export interface FacilitatorNetwork {
  readonly chainId: bigint
  /** Name in x402 v1. */
  readonly network: string
  readonly assets: readonly FacilitatedAsset[]
}

/** A decoded request: the payment and the requirement it is for. */
export interface FacilitatorOrder {
  readonly proof: AuthorizationProof
  readonly terms: PaymentTerms
  /** `paymentRequirements` as received. */
  readonly requirement: object
  /** From the requirement, or in version 2 from the payment. */
  readonly resource: string
}

/** A request that is malformed or unsupported. */
export interface RefusedOrder {
  /** 400 for a malformed request, 200 for one answered with a reason. */
  readonly status: 200 | 400
  readonly version: 1 | 2
  readonly reason: InvalidReason
  readonly detail: string
  readonly payer?: Hex
}

const MAX_UINT256 = 2n ** 256n - 1n
const MAX_QUOTED = 80
/** Maximum characters: the URL is stored with the claim. */
const MAX_URL = 2_048

/**
 * Substitutes for reasons that published v1 clients do not know: they accept a closed list (`ErrorReasons` of x402
 * 1.2.0).
 */
const FIRST_NAMES: Partial<Record<InvalidReason, InvalidReason>> = {
  resource_mismatch: 'invalid_payment_requirements',
  authorization_required: 'invalid_payload',
  authorization_unsupported: 'invalid_payment_requirements',
  payment_spent: 'duplicate_settlement',
  payment_refunded: 'duplicate_settlement',
  payment_in_progress: 'duplicate_settlement',
  payment_of_other_request: 'duplicate_settlement',
  invalid_exact_evm_nonce_already_used: 'invalid_transaction_state',
  invalid_exact_evm_transaction_simulation_failed: 'invalid_transaction_state',
  invalid_exact_evm_transaction_failed: 'invalid_transaction_state',
  settle_exact_node_failure: 'unexpected_settle_error',
}

/** Returns the reason by a name that clients of the version know. */
export function reasonName(reason: InvalidReason, version: 1 | 2): InvalidReason {
  return version === 1 ? (FIRST_NAMES[reason] ?? reason) : reason
}

type Members = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

class Refused extends Error {
  readonly order: RefusedOrder

  constructor(order: RefusedOrder) {
    super(order.detail)
    this.order = order
  }
}

function quoted(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value)
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}...` : text
}

function parse(body: string): Members {
  let message: unknown
  try {
    message = parseStrictJson(body)
  } catch (error) {
    if (!(error instanceof LockstepError)) throw error
    throw malformed(1, `the body holds ${error.message}`)
  }
  if (isObject(message)) return message
  throw malformed(1, 'the body is not an object: write paymentPayload and paymentRequirements')
}

function malformed(version: 1 | 2, detail: string): Refused {
  return new Refused({ status: 400, version, reason: 'invalid_payload', detail })
}

/** Reads the terms of a requirement of either version and checks them against the supported ones. */
class RequirementReader {
  readonly #requirement: Members
  readonly #version: 1 | 2

  constructor(requirement: Members, version: 1 | 2) {
    this.#requirement = requirement
    this.#version = version
  }

  read({ chainId, network, assets }: FacilitatorNetwork): PaymentTerms {
    const expected = this.#version === 1 ? network : caip2(chainId)
    const { scheme, network: named } = this.#requirement
    if (scheme !== 'exact') this.#refuse('unsupported_scheme', 'scheme', scheme, '"exact"')
    if (named !== expected) this.#refuse('invalid_network', 'network', named, quoted(expected))
    const address = this.#address('asset')
    const asset = assets.find((known) => known.address === address)
    if (asset === undefined) {
      const known = assets.map((each) => each.address).join(', ')
      return this.#refuse('invalid_payment_requirements', 'asset', address, known)
    }
    this.#requireDomain(asset.token)
    return {
      chainId,
      network,
      asset: address,
      token: asset.token,
      amount: this.#amount(),
      payTo: this.#address('payTo'),
      maxTimeoutSeconds: this.#seconds(),
    }
  }

  #refuse(reason: InvalidReason, name: string, value: unknown, rule: string): never {
    const detail = `paymentRequirements.${name} is ${quoted(value)}: write ${rule}`
    throw new Refused({ status: 200, version: this.#version, reason, detail })
  }

  #malformed(name: string, value: unknown, rule: string): never {
    throw malformed(this.#version, `paymentRequirements.${name} is ${quoted(value)}: write ${rule}`)
  }

  #address(name: string): Hex {
    const value = lookup(this.#requirement, name)
    if (typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)) {
      return value.toLowerCase() as Hex
    }
    return this.#malformed(name, value, '0x and 40 hex digits')
  }

  #amount(): bigint {
    const name = this.#version === 1 ? 'maxAmountRequired' : 'amount'
    const value = this.#requirement[name]
    const isInteger = typeof value === 'string' && /^(?:0|[1-9][0-9]{0,77})$/.test(value)
    const amount = isInteger ? BigInt(value) : undefined
    if (amount !== undefined && amount <= MAX_UINT256) return amount
    return this.#malformed(name, value, 'an integer as a string of decimal digits')
  }

  #seconds(): number {
    const { maxTimeoutSeconds: value } = this.#requirement
    if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
    return this.#malformed('maxTimeoutSeconds', value, 'whole seconds')
  }

  /** The payer has signed name and version: a different pair is a different token. */
  #requireDomain({ name, version }: TokenDomain): void {
    const { extra } = this.#requirement
    if (extra === undefined || extra === null) return
    if (!isObject(extra)) this.#malformed('extra', extra, 'an object')
    const isSame =
      (extra.name === undefined || extra.name === name) &&
      (extra.version === undefined || extra.version === version)
    if (isSame) return
    this.#refuse('invalid_payment_requirements', 'extra', extra, quoted({ name, version }))
  }
}

function resourceOf(proof: AuthorizationProof, { resource }: Members): string {
  const named = proof.resourceUrl ?? (typeof resource === 'string' ? resource : '')
  if (named.length <= MAX_URL) return named
  throw malformed(proof.version, `the URL of the resource has ${named.length} characters`)
}

/** Decodes the body of `POST /verify` and `POST /settle`, of either version. */
export function decodeOrder(
  body: string,
  network: FacilitatorNetwork,
): FacilitatorOrder | RefusedOrder {
  try {
    const message = parse(body)
    const { paymentPayload, paymentRequirements } = message
    const version = isObject(paymentPayload) && paymentPayload.x402Version === 2 ? 2 : 1
    if (!isObject(paymentPayload) || !isObject(paymentRequirements)) {
      throw malformed(version, 'paymentPayload and paymentRequirements must be objects in the body')
    }
    // Some clients omit it, and no published server reads it.
    const { x402Version = version } = message
    if (x402Version !== version) {
      const detail = `x402Version is ${quoted(x402Version)}: the payment has version ${version}`
      throw new Refused({ status: 200, version, reason: 'invalid_x402_version', detail })
    }
    const terms = new RequirementReader(paymentRequirements, version).read(network)
    const proof = decodeMessage(paymentPayload, network)
    if (proof.kind === 'undecodable') {
      const { reason, detail } = proof
      const status = reason === 'invalid_payload' ? 400 : 200
      throw new Refused({ status, version, reason, detail })
    }
    if (proof.kind === 'transfer') {
      const detail = 'payload is a transaction hash: there is nothing left to settle'
      throw new Refused({ status: 200, version, reason: 'invalid_payload', detail })
    }
    const resource = resourceOf(proof, paymentRequirements)
    return { proof, terms, requirement: paymentRequirements, resource }
  } catch (error) {
    if (error instanceof Refused) return error.order
    throw error
  }
}
