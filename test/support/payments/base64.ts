import { formatBase64 } from '../../../host/base/base64.ts'

/** A value of a payment header: base64 of its JSON. */
export function base64(value: unknown): string {
  return formatBase64(new TextEncoder().encode(JSON.stringify(value)))
}
