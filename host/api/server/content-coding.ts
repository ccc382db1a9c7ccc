import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import zlib from 'node:zlib'
import type { BorrowedView } from '../../base/borrowed-view.ts'
import { isLoopback } from './loopback.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from './server.ts'

/** Clients that receive compressed responses if they accept them: those on other machines, all, or none. */
export type CompressedPeers = 'remote' | 'all' | 'none'

/** A shorter body fits one packet uncompressed. */
const MIN_BYTES = 1400

/**
 * Favours speed over size: traces are repetitive and compress well at low levels. gzip level 2 reduces them to 2 to 8
 * % at 330 to 700 MB/s, smaller than level 1 and as fast. Level 4 halves the throughput.
 */
const GZIP = { level: 2, chunkSize: 64 * 1024 }
const ZSTD = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 }, chunkSize: 64 * 1024 }

/** A content coding (RFC 9110, 8.4.1). */
interface Coding {
  readonly name: string
  open(): Transform
}

/** Most preferred first: zstd is faster and compresses better. */
const CODINGS: readonly Coding[] = [
  { name: 'zstd', open: () => zlib.createZstdCompress(ZSTD) },
  { name: 'gzip', open: () => zlib.createGzip(GZIP) },
]

/**
 * Wraps a handler so that it compresses its responses for clients that ask for it (Accept-Encoding). `remote` leaves
 * clients on the same machine uncompressed, because copying is cheaper than compressing there.
 */
export function compressedHandler(handler: HttpHandler, peers: CompressedPeers): HttpHandler {
  if (peers === 'none') return handler
  return (request) => compressedAnswer(handler(request), request, peers)
}

/** Returns the response compressed if the client accepts a coding and the body is worth it. */
export function compressedAnswer(
  answer: HttpResponse | Promise<HttpResponse>,
  request: HttpRequest,
  peers: CompressedPeers,
): HttpResponse | Promise<HttpResponse> {
  if (answer instanceof Promise) return answer.then((late) => compressed(late, request, peers))
  return compressed(answer, request, peers)
}

function compressed(answer: HttpResponse, request: HttpRequest, peers: CompressedPeers) {
  const { body, headers } = answer
  const isWhole = typeof body === 'string' || body instanceof Uint8Array
  if (isWhole && body.length < MIN_BYTES) return answer
  const coding = codingFor(request, peers)
  if (coding === undefined) return answer
  const vary = [headers?.vary, 'accept-encoding'].filter((name) => name !== undefined).join(', ')
  return {
    status: answer.status,
    headers: { ...headers, 'content-encoding': coding.name, vary },
    body: packed(isWhole ? [Buffer.from(body as string)] : copies(body), coding),
  }
}

function codingFor(request: HttpRequest, peers: CompressedPeers): Coding | undefined {
  if (request.method === 'HEAD') return undefined
  return acceptedCoding(CODINGS, request, peers)
}

/** Returns the first coding that the client accepts, or undefined if it accepts none of them. */
export function acceptedCoding<Named extends { readonly name: string }>(
  codings: readonly Named[],
  request: HttpRequest,
  peers: CompressedPeers,
): Named | undefined {
  const accepted = request.headers.get('accept-encoding')
  if (accepted === undefined || peers === 'none') return undefined
  if (peers === 'remote' && isLoopback(request.remoteAddress)) return undefined
  const weights = weightsOf(accepted)
  return codings.find(({ name }) => (weights.get(name) ?? weights.get('*') ?? 0) > 0)
}

/** Weights by coding (RFC 9110, 12.5.3). The default weight is 1. */
function weightsOf(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const item of header.split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)))
  }
  return weights
}

/** Copies each chunk, because the encoder may still use one when it requests the next. */
async function* copies(body: AsyncIterable<BorrowedView>): AsyncGenerator<Buffer> {
  for await (const { borrowed } of body) yield Buffer.from(borrowed)
}

/** Encodes the source. Rethrows errors of the source, and closes the source when the reader stops. */
async function* packed(
  source: Iterable<Buffer> | AsyncIterable<Buffer>,
  coding: Coding,
): AsyncGenerator<BorrowedView> {
  const coder = coding.open()
  const end = new AbortController()
  const fed = pipeline(Readable.from(source), coder, { signal: end.signal })
  // A failure also fails the encoder, which throws below.
  fed.catch(() => {})
  try {
    for await (const chunk of coder) yield { borrowed: chunk as Buffer }
  } finally {
    end.abort()
  }
}
