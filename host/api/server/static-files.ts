import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { acceptedCoding, type CompressedPeers } from './content-coding.ts'
import type { HttpRequest, HttpResponse } from './server.ts'

export interface StaticFile {
  /** Media type. */
  readonly type: string
  readonly bytes: Uint8Array
  /** The name changes with the content, so clients may cache the file forever. */
  readonly isImmutable: boolean
}

/** A content coding in which files are cached. */
interface KeptCoding {
  readonly name: string
  pack(bytes: Uint8Array): Promise<Uint8Array>
}

const gzip = promisify(zlib.gzip)
const brotli = promisify(zlib.brotliCompress)

/**
 * Brotli above quality 9 takes ten times as long to save a tenth. Browsers accept it only over TLS and from
 * localhost.
 */
const BROTLI_QUALITY = 9

const CODINGS: readonly KeptCoding[] = [
  {
    name: 'br',
    pack: (bytes) =>
      brotli(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  },
  { name: 'gzip', pack: (bytes) => gzip(bytes, { level: 9 }) },
]

/** A shorter body fits one packet uncompressed. */
const MIN_BYTES = 1400

/** Serves text and WebAssembly files, all of which compress well. */
export class StaticFiles {
  readonly #headers: Readonly<Record<string, string>>
  readonly #peers: CompressedPeers
  readonly #tags = new WeakMap<StaticFile, string>()
  readonly #packed = new WeakMap<StaticFile, Map<KeptCoding, Promise<Uint8Array>>>()

  /**
   * @param headers sent with every response
   * @param peers the clients for which files are compressed
   */
  constructor(headers: Readonly<Record<string, string>>, peers: CompressedPeers) {
    this.#headers = headers
    this.#peers = peers
  }

  /** Returns the response to GET or HEAD for a file. Compresses it once for each coding, off the main thread. */
  answer(file: StaticFile, request: HttpRequest): HttpResponse | Promise<HttpResponse> {
    const coding =
      file.bytes.length < MIN_BYTES ? undefined : acceptedCoding(CODINGS, request, this.#peers)
    const tag = this.#tag(file, coding)
    const headers = {
      ...this.#headers,
      'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag: tag,
      vary: 'accept-encoding',
    }
    if (matches(request.headers.get('if-none-match'), tag))
      return { status: 304, headers, body: '' }
    const typed = { ...headers, 'content-type': file.type }
    if (coding === undefined) return { status: 200, headers: typed, body: file.bytes }
    return this.#pack(file, coding).then((body) => ({
      status: 200,
      headers: { ...typed, 'content-encoding': coding.name },
      body,
    }))
  }

  #tag(file: StaticFile, coding: KeptCoding | undefined): string {
    let digest = this.#tags.get(file)
    if (digest === undefined) {
      digest = createHash('sha256').update(file.bytes).digest('base64url').slice(0, 22)
      this.#tags.set(file, digest)
    }
    // The bytes differ, so the strong tag must differ too (RFC 9110, 8.8.3.3).
    return coding === undefined ? `"${digest}"` : `"${digest}-${coding.name}"`
  }

  #pack(file: StaticFile, coding: KeptCoding): Promise<Uint8Array> {
    let packed = this.#packed.get(file)
    if (packed === undefined) {
      packed = new Map()
      this.#packed.set(file, packed)
    }
    const known = packed.get(coding)
    if (known !== undefined) return known
    const fresh = coding.pack(file.bytes)
    packed.set(coding, fresh)
    return fresh
  }
}

/** Returns whether If-None-Match contains the tag, by weak comparison (RFC 9110, 13.1.2). */
function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some((item) => item.trim().replace(/^W\//, '') === tag)
}
