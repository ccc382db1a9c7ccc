import type { AcceptedPayment } from './payment-gate.ts'

/** Returns whether a media type is JSON (RFC 6839, 3.1). */
export function isJson(mediaType: string): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(mediaType)
}

/**
 * Adds the member `payment` to a JSON object, as the contract requires; other text is returned unchanged. The rest of
 * the text is kept byte for byte, so that no number changes.
 */
export function mergePayment(json: string, payment: AcceptedPayment): string {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return json
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return json
  const { isValid, txHash } = payment
  const member = { payment: { isValid, txHash } }
  if (Object.hasOwn(value, 'payment')) return JSON.stringify({ ...value, ...member })
  const end = json.lastIndexOf('}')
  const comma = Object.keys(value).length === 0 ? '' : ','
  return `${json.slice(0, end)}${comma}${JSON.stringify(member).slice(1, -1)}${json.slice(end)}`
}
