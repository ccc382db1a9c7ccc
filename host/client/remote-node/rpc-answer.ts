import { LockstepError } from '../../base/error.ts'
import type { HttpAnswer } from './http-exchange.ts'

/** A call of JSON-RPC. */
export interface NodeCall {
  readonly method: string
  readonly params: readonly unknown[]
}

/** An error that a node returned instead of a result. */
export interface NodeError {
  readonly code: number
  /** The node's message: one line of bounded length. */
  readonly message: string
  /** True if a later retry may succeed. */
  readonly isBusy: boolean
  /** The error's data, as received. */
  readonly data?: unknown
}

export type CallAnswer = { readonly result: unknown } | { readonly error: NodeError }

/** Maximum characters of a node's text in a message. */
const SHOWN = 200

/** Messages of providers that limit rates; -32005 is EIP-1474's code for it. */
const BUSY =
  /rate.?limit|too many requests|request.{0,20}(limit|capacity)|throughput|compute units/i
const BUSY_CODES: readonly number[] = [-32005, 429]

const MISSING_METHOD = /method.{0,80}(not|un)|unsupported method|unknown method|not implemented/i

/** Messages of geth, reth, Erigon, Nethermind, Besu and providers for a state that they do not retain. */
const MISSING_STATE =
  /missing trie node|historical state|state .{0,40}(not available|unavailable|pruned)|no state available|pruned|archive|header not found|distance to target block|world state unavailable|old data not available/i

/** Returns true if the node lacks the method, or does not allow it to this client. */
export function isMissingMethod({ code, message }: NodeError): boolean {
  return code === -32601 || code === -32004 || (code !== -32000 && MISSING_METHOD.test(message))
}

/** Returns true if the node does not retain the state of so old a block. */
export function isMissingState({ code, message }: NodeError): boolean {
  return code === 4444 || MISSING_STATE.test(message)
}

/** Returns the error of a call that the node rejects. */
export function nodeCallError(name: string, method: string, refusal: NodeError): LockstepError {
  const { code, message } = refusal
  const text = `${name}: ${method} is refused: ${message} (${code})`
  if (isMissingMethod(refusal)) {
    return new LockstepError('METHOD_NOT_FOUND', text, {
      hint: 'enable the namespace of the method on the node (geth and reth: --http.api eth,debug), or ask another node',
    })
  }
  if (isMissingState(refusal)) {
    return new LockstepError('STATE_PRUNED', text, {
      hint: 'ask a node that retains the state of old blocks: an archive node (geth --gcmode archive, reth without pruning), or Lockstep',
    })
  }
  return new LockstepError('NOT_FOUND', text, {
    hint: refusal.isBusy
      ? 'the node limits how much is asked of it: wait, or use a key or a node of your own'
      : 'check the target, and that the node serves the method and has the block',
  })
}

/** The outcome of one request. */
export type CallResponse =
  | { readonly kind: 'answers'; readonly answers: readonly CallAnswer[] }
  /** The node takes fewer calls in one request. */
  | { readonly kind: 'split' }
  /** No JSON-RPC came, but an HTTP status that says why. */
  | { readonly kind: 'http'; readonly isBusy: boolean }

/** Statuses with which nodes reject a batch. */
const TOO_MUCH: readonly number[] = [400, 405, 413, 415, 422]

/**
 * Returns the answers to calls whose ids count from `firstId`.
 * @throws the error of `invalid` if the answer is malformed
 */
export function readBatch(
  answer: HttpAnswer,
  count: number,
  firstId: number,
  invalid: (what: string, hint?: string) => LockstepError,
): CallResponse {
  const { status, text } = answer
  const isGood = status >= 200 && status < 300
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    if (isGood) throw noJson(text, invalid)
    parsed = undefined
  }
  const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  const isRpc = list.length > 0 && list.every(isAnswer)
  if (!isRpc) {
    if (count > 1 && TOO_MUCH.includes(status)) return { kind: 'split' }
    if (!isGood) return { kind: 'http', isBusy: status === 429 || status >= 500 }
    throw invalid(`the answer is not JSON-RPC, but ${shown(text)}`)
  }
  if (!Array.isArray(parsed) && count > 1) {
    const { error } = readAnswer(list[0] as object) as { error?: NodeError }
    if (error === undefined) throw invalid(`one answer to ${count} calls`)
    return error.isBusy || status === 429 ? { kind: 'http', isBusy: true } : { kind: 'split' }
  }
  if (list.length !== count) throw invalid(`${list.length} answers to ${count} calls`)
  const answers = new Array<CallAnswer | undefined>(count).fill(undefined)
  for (const item of list as readonly { readonly id?: unknown }[]) {
    const read = readAnswer(item)
    // An error of the whole request has no id
    const isWhole = count === 1 && 'error' in read && (item.id === null || item.id === undefined)
    const at = isWhole ? 0 : Number(item.id) - firstId
    if (!(at in answers) || answers[at] !== undefined) {
      throw invalid('an answer matches no call')
    }
    answers[at] = read
  }
  return { kind: 'answers', answers: answers as CallAnswer[] }
}

function isAnswer(item: unknown): boolean {
  if (typeof item !== 'object' || item === null) return false
  return Object.hasOwn(item, 'result') || Object.hasOwn(item, 'error')
}

function readAnswer(item: object): CallAnswer {
  const { result, error } = item as { result?: unknown; error?: unknown }
  if (error === undefined || error === null) return { result }
  const { code, message, data } = (typeof error === 'object' ? error : { message: error }) as {
    code?: unknown
    message?: unknown
    data?: unknown
  }
  const words = typeof message === 'string' ? oneLine(message) : 'without a word'
  const number = typeof code === 'number' ? code : 0
  return {
    error: {
      code: number,
      message: words,
      isBusy: BUSY_CODES.includes(number) || BUSY.test(words),
      ...(data !== undefined && { data }),
    },
  }
}

function noJson(text: string, invalid: (what: string, hint?: string) => LockstepError) {
  if (!/^\s*</.test(text)) return invalid(`the answer is not JSON, but ${shown(text)}`)
  return invalid(
    `the answer is a page, not JSON: ${shown(text)}`,
    "pass the address of the node's JSON-RPC, which differs from that of its web pages",
  )
}

function shown(text: string): string {
  return text === '' ? 'empty' : JSON.stringify(oneLine(text.slice(0, 60)))
}

/** Makes untrusted text fit a message of one line. */
function oneLine(text: string): string {
  const line = text
    .slice(0, SHOWN)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  return text.length > SHOWN ? `${line}...` : line
}
