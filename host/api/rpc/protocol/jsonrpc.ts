import type { JsonRpcErrorObject } from '../call/error.ts'
import type { RequestScan } from './request-scan.ts'

/** A parsed but unvalidated message. */
export interface Message {
  readonly jsonrpc?: unknown
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
  /** The id as written in the request, if known. */
  readonly rawId?: string | undefined
}

/** The content of a request body. */
export type Parsed =
  | { readonly kind: 'single'; readonly message: Message }
  | { readonly kind: 'batch'; readonly messages: readonly Message[] }
  | { readonly kind: 'malformed' }

function asMessage(value: unknown, rawId: string | undefined): Message {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {}
  const { jsonrpc, id, method, params } = value as Message
  return { jsonrpc, id, method, params, rawId }
}

/** Returns the text of a body; invalid UTF-8 is replaced. */
export function bodyText(body: Uint8Array): string {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(body.buffer, body.byteOffset, body.length)
  return bytes.toString('utf8')
}

/** Parses a body like geth: any JSON is a message or a batch, valid or not. */
export function parseRpcBody(body: Uint8Array, scan: RequestScan): Parsed {
  const text = bodyText(body)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'malformed' }
  }
  if (!Array.isArray(value)) return { kind: 'single', message: asMessage(value, scan.id(0, text)) }
  return { kind: 'batch', messages: value.map((item, i) => asMessage(item, scan.id(i, text))) }
}

/** Returns true for a call without an id, which receives no response. A null id is an id (geth). */
export function isNotification(message: Message): boolean {
  return message.id === undefined && isValidMessage(message)
}

/** Returns true if a message has the members of a request. */
export function isValidMessage(message: Message): boolean {
  const { jsonrpc, method, id } = message
  const isId = typeof id !== 'object' || id === null
  return jsonrpc === '2.0' && typeof method === 'string' && method !== '' && isId
}

/** Returns the id for the response exactly as it was written, whatever number it is; null if it is not a valid id. */
export function encodeId({ id, rawId }: Message): string {
  if (id === undefined || typeof id === 'object') return 'null'
  return rawId ?? JSON.stringify(id)
}

export function encodeSuccess(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

export function encodeFailure(id: string, error: JsonRpcErrorObject): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`
}
