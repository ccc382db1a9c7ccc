import type { ConsensusRpcError } from '../response.ts'

/** A message of CometBFT's WebSocket. */
export type EventMessage =
  | {
      readonly id: number
      /** The rest of the event after its query, `"data":...}}`; undefined in a response to a request. */
      readonly data: string | undefined
    }
  | { readonly id: number; readonly error: ConsensusRpcError }

/** Start of a message; an event continues with its query. */
const HEAD =
  /^\{"jsonrpc":"2\.0","id":(\d{1,15}),"(result|error)":(?:\{"query":"((?:[^"\\]|\\.)*)",)?/

/** Maximum size of the start: a query has up to 512 bytes, and escaping may expand each to six. */
const MAX_HEAD_BYTES = 4096

/** Parses a message; returns undefined if it does not belong to a subscription. */
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
