import net from 'node:net'
import tls from 'node:tls'

/** A TCP client that sends given bytes and records what it receives. */
export class RawSocket {
  readonly #socket: net.Socket
  #received = ''
  #closed = false
  #waiters: (() => void)[] = []

  private constructor(socket: net.Socket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      this.#received += text
      this.#wake()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#closed = true
      this.#wake()
    })
  }

  /** Connects, over TLS if a trusted certificate is given. */
  static async connect(port: number, trusted?: string): Promise<RawSocket> {
    const host = '127.0.0.1'
    const socket =
      trusted === undefined ? net.connect(port, host) : tls.connect({ port, host, ca: trusted })
    const raw = new RawSocket(socket)
    await new Promise<void>((resolve, reject) => {
      socket.once(trusted === undefined ? 'connect' : 'secureConnect', resolve)
      socket.once('error', reject)
    })
    return raw
  }

  get received(): string {
    return this.#received
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** Common name of the server's certificate, undefined without TLS. */
  get peer(): string | undefined {
    const socket = this.#socket
    const name =
      socket instanceof tls.TLSSocket ? socket.getPeerCertificate().subject?.CN : undefined
    return typeof name === 'string' ? name : undefined
  }

  send(text: string | Uint8Array): void {
    this.#socket.write(text)
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** Resolves with everything received when it contains `text` this many times. Rejects if the peer closes before. */
  async until(text: string, times = 1): Promise<string> {
    while (this.#received.split(text).length - 1 < times) {
      if (this.#closed) throw new Error(`closed before ${text}: ${this.#received}`)
      await this.#change()
    }
    return this.#received
  }

  /** Resolves with everything received when it is this long. */
  async length(characters: number): Promise<string> {
    while (this.#received.length < characters) {
      if (this.#closed) throw new Error(`closed after ${this.#received.length} bytes`)
      await this.#change()
    }
    return this.#received
  }

  /** Resolves with everything received when the peer has closed. */
  async closed(): Promise<string> {
    while (!this.#closed) await this.#change()
    return this.#received
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve))
  }

  #wake(): void {
    const waiters = this.#waiters
    this.#waiters = []
    for (const waiter of waiters) waiter()
  }
}

/** Headers in order, as written. A name may occur twice. */
export type RawHeaders = readonly (readonly [name: string, value: string])[]

/** A response, parsed here so that no client library normalizes it. */
export interface RawResponse {
  readonly status: number
  /** All values in order, by lower-case name. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly body: string
}

export function requestText(
  method: string,
  target: string,
  headers: RawHeaders = [],
  body = '',
): string {
  const length: RawHeaders =
    body === '' ? [] : [['content-length', String(Buffer.byteLength(body))]]
  const lines = [['host', 'localhost'] as const, ...headers, ...length]
  return `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}

/** Returns the text of a POST request with JSON to the root path. */
export function postText(body: string, headers: Readonly<Record<string, string>> = {}): string {
  // A server waits for the body of a POST without a length
  const length: RawHeaders = body === '' ? [['content-length', '0']] : []
  const fields = Object.entries({ 'content-type': 'application/json', ...headers })
  return requestText('POST', '/', [...fields, ...length], body)
}

function parseHead(head: string): Omit<RawResponse, 'body'> {
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()])
  }
  return { status: Number(statusLine.split(' ')[1]), headers }
}

function joinChunks(text: string): string {
  let body = ''
  for (let at = 0; ; ) {
    const end = text.indexOf('\r\n', at)
    const size = Number.parseInt(text.slice(at, end), 16)
    if (size === 0) return body
    body += text.slice(end + 2, end + 2 + size)
    at = end + 2 + size + 2
  }
}

const SEPARATOR = '\r\n\r\n'

async function readResponse(socket: RawSocket, withBody: boolean): Promise<RawResponse> {
  const received = await socket.until(SEPARATOR)
  const start = received.indexOf(SEPARATOR) + SEPARATOR.length
  const head = parseHead(received.slice(0, start - SEPARATOR.length))
  if (!withBody || head.status === 204 || head.status === 304) return { ...head, body: '' }
  if (head.headers.get('transfer-encoding')?.[0] === 'chunked') {
    const all = await socket.until('\r\n0\r\n\r\n')
    return { ...head, body: joinChunks(all.slice(start)) }
  }
  const length = head.headers.get('content-length')?.[0]
  const all =
    length === undefined ? await socket.closed() : await socket.length(start + Number(length))
  return { ...head, body: all.slice(start) }
}

/** Sends bytes on a new connection and reads one response. */
export async function exchange(port: number, text: string): Promise<RawResponse> {
  const socket = await RawSocket.connect(port)
  try {
    socket.send(text)
    return await readResponse(socket, !text.startsWith('HEAD '))
  } finally {
    socket.destroy()
  }
}
