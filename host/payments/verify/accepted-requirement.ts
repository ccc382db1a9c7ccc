import type { ProofRefusal } from '../protocol/challenge.ts'
import { requirementV2, resourceUrl } from '../protocol/challenge.ts'
import type { AuthorizationProof } from '../protocol/proof.ts'
import type { PaymentTerms } from '../protocol/terms.ts'

type Members = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null
}

/** Whether two values of JSON are the same, whatever the order of their members. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  )
}

/**
 * Holds what a payer says it has accepted (x402 v2) against what is asked for now: a price that has changed, another
 * token, or another resource's URL is a refusal. Version 1 says nothing of the kind.
 */
export function matchAccepted(
  { version, accepted, resourceUrl: named }: AuthorizationProof,
  terms: PaymentTerms,
  url: URL,
): ProofRefusal | undefined {
  if (version === 1) return undefined
  if (!isSame(accepted, requirementV2(terms))) return { reason: 'invalid_payment_requirements' }
  // Some clients leave it out, and nothing signs it
  if (named === undefined || named === resourceUrl(url)) return undefined
  return { reason: 'resource_mismatch' }
}
