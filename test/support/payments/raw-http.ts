import { RawSocket } from '../node/raw-socket.ts'

/** Headers as they are written, in order: a name may come twice. */
export type RawHeaders = readonly (readonly [name: string, value: string])[]

/** A response, taken apart here so that no client tidies up what the server sent. */
export interface RawResponse {
  readonly status: number
  /** Lower case names; every value, in order. */
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

/** Sends bytes on a connection of their own and reads one response. */
export async function exchange(port: number, text: string): Promise<RawResponse> {
  const socket = await RawSocket.connect(port)
  try {
    socket.send(text)
    return await readResponse(socket, !text.startsWith('HEAD '))
  } finally {
    socket.destroy()
  }
}
