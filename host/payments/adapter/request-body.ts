import { LockstepError } from '../../base/error.ts'

/** What is needed of a request of Node, to read its body and leave it to the handlers. */
export interface NodeBody {
  readonly rawHeaders: readonly string[]
  /** True once somebody has read from it. */
  readonly readableDidRead: boolean
  /** The whole message has arrived. */
  readonly complete: boolean
  /** What a parser that ran before has left. */
  readonly body?: unknown
  read(): Uint8Array | null
  unshift(chunk: Uint8Array): void
  on(event: 'readable' | 'close' | 'error', listener: () => void): unknown
  off(event: 'readable' | 'close' | 'error', listener: () => void): unknown
}

const NO_BODY = new Uint8Array()
const encoder = new TextEncoder()

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

function gone(): LockstepError {
  return new LockstepError('INTERRUPTED', 'the client left before its body was there')
}

/** What a body parser has made of a body: the same bytes always come to the same. */
function parsedBody(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  if (typeof body === 'string') return encoder.encode(body)
  return encoder.encode(JSON.stringify(body) ?? '')
}

/** Whether a request of HTTP/1.1 has a body (RFC 9112, 6.3). */
export function hasBody(rawHeaders: readonly string[]): boolean {
  return rawHeaders.some((name, at) => {
    if (at % 2 === 1) return false
    const lower = name.toLowerCase()
    if (lower === 'content-length') return rawHeaders[at + 1] !== '0'
    return lower === 'transfer-encoding'
  })
}

/**
 * Returns the whole body of a request, which handlers can read as if it were unread; undefined if it is longer than
 * `maxBytes`. If a parser has read it before, what that has made of it stands for it.
 * @throws INTERRUPTED if the client leaves before all of it is there
 */
export function nodeBody(
  request: NodeBody,
  maxBytes: number,
): Uint8Array | Promise<Uint8Array | undefined> {
  if (!hasBody(request.rawHeaders)) return NO_BODY
  if (request.readableDidRead) return parsedBody(request.body)
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const end = () => {
      request.off('readable', take)
      request.off('close', leave)
      request.off('error', leave)
    }
    const leave = () => {
      end()
      reject(gone())
    }
    const take = () => {
      for (let chunk = request.read(); chunk !== null; chunk = request.read()) {
        chunks.push(chunk)
        length += chunk.length
      }
      if (length <= maxBytes && !request.complete) return
      const whole = joined(chunks, length)
      // Put back before the stream has told anybody that it is at its end, which it does in the next turn.
      if (length > 0) request.unshift(whole)
      end()
      resolve(length > maxBytes ? undefined : whole)
    }
    request.on('readable', take)
    request.on('close', leave)
    request.on('error', leave)
  })
}

/**
 * The same for a request of the Fetch API, of which a copy is read.
 * @throws CONFIG_INVALID if somebody has read it before
 */
export async function fetchBody(
  request: Request,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (['GET', 'HEAD'].includes(request.method)) return NO_BODY
  if (request.bodyUsed) {
    throw new LockstepError(
      'CONFIG_INVALID',
      'the body was read before the payment was decided on',
      {
        hint: 'mount what is paid for behind the payment, or read a clone of the request',
      },
    )
  }
  const reader = request.clone().body?.getReader()
  if (reader === undefined) return NO_BODY
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return joined(chunks, length)
    chunks.push(value)
    length += value.length
    if (length <= maxBytes) continue
    // The copy ends, and the rest is not read.
    reader.cancel().catch(() => {})
    return undefined
  }
}
