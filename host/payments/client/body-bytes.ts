import { concatBytes } from '../../base/bytes.ts'

const encoder = new TextEncoder()

/**
 * Serialises form entries: names, texts, and files with their types. The encoded form differs each time by its
 * boundary.
 */
async function formBytes(form: FormData): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for (const [name, value] of form as unknown as Iterable<[string, string | File]>) {
    const file = typeof value === 'string' ? undefined : value
    const content = new Uint8Array(await new Blob([value]).arrayBuffer())
    const head = JSON.stringify([name, file?.name, file?.type, content.length])
    parts.push(encoder.encode(head), content)
  }
  return concatBytes(parts)
}

/** Returns bytes that identify a request body; undefined for a body that can be read only once. */
export async function bodyBytes(body: unknown): Promise<Uint8Array | undefined> {
  if (body === undefined || body === null) return new Uint8Array()
  if (typeof body === 'string') return encoder.encode(body)
  if (body instanceof URLSearchParams) return encoder.encode(`${body}`)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (ArrayBuffer.isView(body)) {
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  }
  if (body instanceof Blob) return new Uint8Array(await body.arrayBuffer())
  if (body instanceof FormData) return formBytes(body)
  return undefined
}
