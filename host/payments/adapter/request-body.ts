import { LockstepError } from '../../base/error.ts'

/** The members of a Node request needed to read its body and still leave it to the handlers. */
export interface NodeBody {
  readonly rawHeaders: readonly string[]
  /** True if the body has been read from. */
  readonly readableDidRead: boolean
  /** True if the whole message has arrived. */
  readonly complete: boolean
  /** Result of a body parser that ran earlier. */
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
  return new LockstepError('INTERRUPTED', 'the client disconnected before its body was complete')
}

/** Serialises a parsed body; equal bodies give equal bytes. */
function parsedBody(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  if (typeof body === 'string') return encoder.encode(body)
  return encoder.encode(JSON.stringify(body) ?? '')
}

/** Returns whether an HTTP/1.1 request has a body (RFC 9112, 6.3). */
export function hasBody(rawHeaders: readonly string[]): boolean {
  return rawHeaders.some((name, at) => {
    if (at % 2 === 1) return false
    const lower = name.toLowerCase()
    if (lower === 'content-length') return rawHeaders[at + 1] !== '0'
    return lower === 'transfer-encoding'
  })
}

/**
 * Returns the whole body of a request and leaves it readable for handlers; undefined if it exceeds `maxBytes`. If a
 * parser has already consumed it, the parsed body is serialised instead.
 * @throws INTERRUPTED if the client disconnects before the body is complete
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
      // Unshift now: the stream emits 'end' on the next tick.
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
 * Returns the body of a Fetch API request, read from a clone; undefined if it exceeds `maxBytes`.
 * @throws CONFIG_INVALID if the body was already read
 */
export async function fetchBody(
  request: Request,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (['GET', 'HEAD'].includes(request.method)) return NO_BODY
  if (request.bodyUsed) {
    throw new LockstepError('CONFIG_INVALID', 'the body was read before the payment was checked', {
      hint: 'mount body readers after the payment middleware, or read a clone of the request',
    })
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
    // Cancels the clone only.
    reader.cancel().catch(() => {})
    return undefined
  }
}
