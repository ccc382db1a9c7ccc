import { lookup } from '../../base/lookup.ts'
import type { ProofRefusal } from './challenge.ts'

type Members = Readonly<Record<string, unknown>>

/** Members of an x402 v2 requirement. A payer may add members only to `extra`. */
const CORE = ['scheme', 'network', 'amount', 'asset', 'payTo', 'maxTimeoutSeconds'] as const

const ADDRESS = /^0x[0-9a-f]{40}$/i

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null
}

/** Compares JSON values, ignoring the order of members and the case of addresses. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a === 'string' && typeof b === 'string') {
    return ADDRESS.test(a) && ADDRESS.test(b) && a.toLowerCase() === b.toLowerCase()
  }
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(lookup(a, name), b[name]))
  )
}

function refused(detail: string): ProofRefusal {
  return { reason: 'invalid_payment_requirements', detail }
}

/**
 * Checks the `accepted` of an x402 v2 payer against the current requirement, as the published servers do (@x402/core
 * 2.27.0): each member must be present and equal, and additional members of `extra` are ignored. One of those has a
 * meaning here: `assetTransferMethod` must be `eip3009` or absent, since the proof is an authorization.
 * @returns the reason if it is refused
 */
export function matchAccepted(accepted: unknown, required: object): ProofRefusal | undefined {
  const asked = required as Members
  if (!isObject(accepted)) return refused('accepted is not an object')
  const added = Object.keys(accepted).find(
    (name) => name !== 'extra' && !Object.hasOwn(asked, name),
  )
  if (added !== undefined)
    return refused(`accepted.${added} is not part of the requirement: omit it`)
  for (const name of CORE) {
    if (!isSame(accepted[name], asked[name])) {
      return refused(`accepted.${name} differs from the requirement, which asks for ${asked[name]}`)
    }
  }
  const extra = isObject(accepted.extra) ? accepted.extra : {}
  for (const [name, value] of Object.entries(isObject(asked.extra) ? asked.extra : {})) {
    const isThere = Object.hasOwn(extra, name) && isSame(extra[name], value)
    if (!isThere) return refused(`accepted.extra.${name} differs from the requirement`)
  }
  const method = Object.hasOwn(extra, 'assetTransferMethod') ? extra.assetTransferMethod : 'eip3009'
  if (method === 'eip3009') return undefined
  return refused('accepted.extra.assetTransferMethod is not "eip3009", and the payload is')
}
