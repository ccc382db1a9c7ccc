import type { AcceptedPayment } from './payment-gate.ts'

/** True for JSON's media types (RFC 6839, 3.1). */
export function isJson(mediaType: string): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(mediaType)
}

/**
 * A JSON object with the member `payment`, as the contract has it; anything else as it was. The rest of the text stays
 * as it was written, so that no number of it changes.
 */
export function withPayment(json: string, payment: AcceptedPayment): string {
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
