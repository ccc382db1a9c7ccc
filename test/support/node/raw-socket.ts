import net from 'node:net'
import tls from 'node:tls'

/** A TCP client that sends what it is told, byte by byte, and keeps what comes back. */
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

  /** Connects, over TLS where a certificate is trusted. */
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

  /** Common name of the server's certificate; undefined without TLS. */
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

  /** Everything received, once it contains `text` this many times; rejects when the peer closes first. */
  async until(text: string, times = 1): Promise<string> {
    while (this.#received.split(text).length - 1 < times) {
      if (this.#closed) throw new Error(`closed before ${text}: ${this.#received}`)
      await this.#change()
    }
    return this.#received
  }

  /** Everything received, once it is this long. */
  async length(characters: number): Promise<string> {
    while (this.#received.length < characters) {
      if (this.#closed) throw new Error(`closed after ${this.#received.length} bytes`)
      await this.#change()
    }
    return this.#received
  }

  /** Everything received, once the peer has closed. */
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

/** The text of a POST request with the given body. */
export function post(body: string, headers: Record<string, string> = {}): string {
  const all = { host: 'localhost', 'content-type': 'application/json', ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = Buffer.byteLength(body)
  return `POST / HTTP/1.1\r\n${lines.join('')}content-length: ${length}\r\n\r\n${body}`
}
