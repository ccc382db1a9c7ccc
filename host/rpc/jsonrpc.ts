import type { RpcError } from './error.ts'

/** A parsed message, not yet trusted: every member may be anything. */
export interface Message {
  readonly jsonrpc?: unknown
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
}

/** What the body of a request holds. */
export type Parsed =
  | { readonly kind: 'single'; readonly message: Message }
  | { readonly kind: 'batch'; readonly messages: readonly Message[] }
  | { readonly kind: 'malformed' }

const NOT_AN_OBJECT: Message = {}

function asMessage(value: unknown): Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? value
    : NOT_AN_OBJECT
}

/** Parses a body as geth does: whatever is JSON is a message or a batch, sound or not. */
export function parseBody(body: Uint8Array): Parsed {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'))
  } catch {
    return { kind: 'malformed' }
  }
  if (Array.isArray(value)) return { kind: 'batch', messages: value.map(asMessage) }
  return { kind: 'single', message: asMessage(value) }
}

/** A call without an id, which gets no answer. A null id is an id (geth). */
export function isNotification(message: Message): boolean {
  return message.id === undefined && isSound(message)
}

/** Whether a message has the members of a request. */
export function isSound(message: Message): boolean {
  return message.jsonrpc === '2.0' && typeof message.method === 'string' && message.method !== ''
}

/** The id as it goes into the answer; null for what cannot be an id. */
export function encodeId(id: unknown): string {
  switch (typeof id) {
    case 'number':
      return String(id)
    case 'string':
    case 'boolean':
      return JSON.stringify(id)
    default:
      return 'null'
  }
}

export function encodeSuccess(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

export function encodeFailure(id: string, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`
}
