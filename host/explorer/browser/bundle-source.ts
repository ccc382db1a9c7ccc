import { LockstepError, messageOf } from '../../base/error.ts'

/** A bundle in any form: parsed JSON, JSON text or its UTF-8 bytes, a dropped file, or a fetch response. */
export type BundleSource = object | string | Uint8Array | ArrayBuffer | Blob | Response

/** A source that can be sent to a worker. */
export type PlainSource = object | string | ArrayBuffer | Blob

/** Returns the source in a form that a worker can receive: a Response is read to its end. */
export async function plainSource(source: BundleSource, signal: AbortSignal): Promise<PlainSource> {
  if (source instanceof Uint8Array) {
    const { buffer, byteOffset, byteLength } = source
    return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
  }
  if (typeof Response === 'undefined' || !(source instanceof Response)) return source
  if (!source.ok) {
    throw new LockstepError(
      'BUNDLE_INVALID',
      `${source.url}: want a bundle, got HTTP ${source.status} ${source.statusText}`.trimEnd(),
    )
  }
  const text = source.blob()
  signal.addEventListener('abort', () => void source.body?.cancel().catch(() => {}), { once: true })
  return text
}

/**
 * Returns the parsed JSON of a source.
 * @throws BUNDLE_INVALID if it is not JSON
 */
export async function readDocument(source: PlainSource): Promise<unknown> {
  if (source instanceof Blob) return parse(await source.text())
  if (source instanceof ArrayBuffer) return parse(new TextDecoder().decode(source))
  return typeof source === 'string' ? parse(source) : source
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw new LockstepError('BUNDLE_INVALID', `want JSON text: ${messageOf(thrown)}`, {
      cause: thrown,
    })
  }
}
