import { LockstepError } from '../../../base/error.ts'

/** Maximum characters of a bundle in a link: browsers and chat programs accept about 32,000. */
export const LARGEST_LINK = 30_000

/** Packs a bundle for a link: deflated, in base64url; undefined if that is too long. */
export async function packBundle(text: string): Promise<string | undefined> {
  // Deflate does not shrink JSON to a hundredth: skip larger bundles.
  if (text.length > 100 * LARGEST_LINK) return undefined
  const packed = await through(new Blob([text]), new CompressionStream('deflate-raw'))
  const base64 = btoa(binary(new Uint8Array(await packed.arrayBuffer())))
  const link = base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  return link.length > LARGEST_LINK ? undefined : link
}

/** Maximum characters of unpacked JSON: a link of a few kilobytes may unpack to gigabytes. */
const LARGEST_BUNDLE = 100 * LARGEST_LINK

/** Unpacks the bundle of a link. @throws BUNDLE_INVALID */
export async function unpackBundle(link: string): Promise<string> {
  try {
    const base64 = link.replaceAll('-', '+').replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const reader = new Blob([bytes])
      .stream()
      .pipeThrough(new DecompressionStream('deflate-raw'))
      .getReader()
    const decoder = new TextDecoder()
    let text = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      text += decoder.decode(value, { stream: true })
      if (text.length > LARGEST_BUNDLE) throw new Error('it is larger than a link may hold')
    }
  } catch (cause) {
    throw new LockstepError('BUNDLE_INVALID', 'the bundle in the link is damaged', {
      hint: 'copy the whole link again, or open the file of the bundle',
      cause,
    })
  }
}

function through(blob: Blob, stream: CompressionStream): Promise<Blob> {
  return new Response(blob.stream().pipeThrough(stream)).blob()
}

function binary(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 8_192) {
    text += String.fromCharCode(...bytes.subarray(i, i + 8_192))
  }
  return text
}
