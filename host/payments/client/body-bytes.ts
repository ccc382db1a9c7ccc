import { concatBytes } from '../../base/bytes.ts'

const encoder = new TextEncoder()

/** Entries of a form: names, texts, and files with their types. How it is sent differs each time by its boundary. */
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

/** Bytes that tell a body of a request from others; undefined for one that can be read only once. */
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
