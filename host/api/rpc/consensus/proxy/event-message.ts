import type { RpcError } from '../response.ts'

/** What CometBFT sends over its WebSocket. */
export type EventMessage =
  | {
      readonly id: number
      /** The members of the event after its query, `"data":...}}`; undefined in the answer to a request. */
      readonly data: string | undefined
    }
  | { readonly id: number; readonly error: RpcError }

/** How the messages begin: an event has its query next. */
const HEAD =
  /^\{"jsonrpc":"2\.0","id":(\d{1,15}),"(result|error)":(?:\{"query":"((?:[^"\\]|\\.)*)",)?/

/** Bytes in which the head ends: the query of 512 bytes, each of which may be written in six. */
const MAX_HEAD_BYTES = 4096

/** Reads a message; undefined where it is none that is meant for a subscription. */
export function readEvent(message: Buffer): EventMessage | undefined {
  const begin = message.toString('latin1', 0, MAX_HEAD_BYTES)
  const found = HEAD.exec(begin)
  if (found === null) return undefined
  const [head, id, kind, query] = found
  if (kind === 'result') {
    const data = query === undefined ? undefined : message.toString('utf8', head.length)
    return { id: Number(id), data }
  }
  const { code, message: text, data = '' } = JSON.parse(message.toString()).error
  return {
    id: Number(id),
    error: { code: Number(code), message: String(text), data: String(data) },
  }
}
