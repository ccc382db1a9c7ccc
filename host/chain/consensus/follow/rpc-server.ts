import { LockstepError, messageOf } from '../../../base/error.ts'
import { FAILURES } from '../../../base/failure-table.ts'
import { timeoutSignal } from '../../../base/timer.ts'
import type { CometBlock } from '../comet/block.ts'
import type { Commit } from '../comet/commit.ts'
import {
  decodeBlockResult,
  decodeSignedHeader,
  decodeStatus,
  decodeValidators,
  type SignedHeader,
} from '../comet/json-decode.ts'
import type { CometValidator } from '../comet/validator-set.ts'
import type { LightBlock } from '../light/light-block.ts'

/** Time that a server has for an answer. */
const TIMEOUT_MS = 10_000

/** Time that it has for a chunk of a snapshot, of up to 10 MB. */
const LONG_TIMEOUT_MS = 60_000

/** Bytes of an answer without a block. */
const MAX_SMALL = 4 * 1024 * 1024

/** Bytes of JSON for a byte of a block: base64, and the commit in front. */
const JSON_SHARE = 1.5

const PER_PAGE = 100
const MAX_VALIDATORS = 10_000

/** A block as a server gives it, with the commit that it gives for it. Neither is verified. */
export interface GivenBlock {
  readonly block: CometBlock
  readonly commit: Commit
}

export interface ServerStatus {
  readonly chainId: string
  readonly earliestHeight: number
  readonly latestHeight: number
}

interface Call {
  readonly method: string
  readonly params: Readonly<Record<string, string>>
}

type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly text: string } }

/**
 * The base URL of a consensus RPC: `http://host:port`, or with another scheme or none, as CometBFT takes it.
 * @throws CONFIG_INVALID
 */
export function serverUrl(text: string): URL {
  const withScheme = /^[a-z]+:\/\//.test(text) ? text.replace(/^tcp:/, 'http:') : `http://${text}`
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) {
    if (!url.pathname.endsWith('/')) url.pathname += '/'
    return url
  }
  throw new LockstepError('CONFIG_INVALID', `rpc-servers: "${text}" is no URL of a consensus RPC`, {
    hint: 'write each server as http://host:26657',
  })
}

/** Another node, by its consensus RPC. Whatever it says is checked for form, and for nothing else. */
export class RpcServer {
  readonly url: URL
  /** How messages name it; without the password that a URL may have. */
  readonly name: string
  readonly #maxBlockBytes: number
  readonly #signal: AbortSignal
  readonly #timeoutMs: number

  /**
   * @param signal ends what is asked, for good
   * @param timeoutMs time for an answer without the chunk of a snapshot
   */
  constructor(url: URL, maxBlockBytes: number, signal: AbortSignal, timeoutMs = TIMEOUT_MS) {
    this.url = url
    this.name = `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`
    this.#maxBlockBytes = maxBlockBytes
    this.#signal = signal
    this.#timeoutMs = timeoutMs
  }

  /** Bytes of the largest answer with one block. */
  get largestBlock(): number {
    return Math.ceil(this.#maxBlockBytes * JSON_SHARE) + MAX_SMALL
  }

  async status(): Promise<ServerStatus> {
    return decodeStatus(await this.#one({ method: 'status', params: {} }))
  }

  /**
   * Blocks from `height` on, as many of `count` as the server has.
   * @throws NODE_UNREACHABLE, PEER_INVALID
   */
  async blocks(height: number, count: number): Promise<readonly GivenBlock[]> {
    const calls: Call[] = []
    for (let i = 0; i < count; i++) {
      const params = { height: String(height + i) }
      calls.push({ method: 'block', params }, { method: 'commit', params })
    }
    const answers = await this.#ask(calls, this.largestBlock)
    const given: GivenBlock[] = []
    for (let i = 0; i < answers.length; i += 2) {
      const [block, commit] = [answers[i] as Answer, answers[i + 1] as Answer]
      if ('error' in block || 'error' in commit || isNull(block.result)) break
      given.push({
        block: decodeBlockResult(block.result),
        commit: decodeSignedHeader(commit.result).commit,
      })
    }
    return given
  }

  /** @throws NODE_UNREACHABLE, PEER_INVALID, NOT_FOUND */
  async signedHeader(height: number): Promise<SignedHeader> {
    const params = { height: String(height) }
    return decodeSignedHeader(await this.#one({ method: 'commit', params }))
  }

  /** @throws NODE_UNREACHABLE, PEER_INVALID, NOT_FOUND */
  async lightBlock(height: number): Promise<LightBlock> {
    const [signed, validators] = await Promise.all([
      this.signedHeader(height),
      this.#validators(height),
    ])
    return { ...signed, validators }
  }

  /**
   * Hands over a transaction.
   * @returns why the server refuses it; undefined where it has taken it or had it
   * @throws NODE_UNREACHABLE where it has not said
   */
  async broadcast(raw: Uint8Array): Promise<string | undefined> {
    const tx = Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString('base64')
    const [answer] = await this.#ask([{ method: 'broadcast_tx_sync', params: { tx } }], MAX_SMALL)
    if (answer !== undefined && 'result' in answer) {
      const { code, log } = answer.result as { code?: unknown; log?: unknown }
      return code === 0 ? undefined : String(log)
    }
    const text = answer?.error.text ?? ''
    if (text.includes('already exists in cache')) return undefined
    throw this.#unreachable(text)
  }

  /** The body of a GET route that is no JSON-RPC. @throws NODE_UNREACHABLE, NOT_FOUND */
  async get(path: string, maxBytes: number): Promise<Uint8Array> {
    return this.#fetch(new URL(path, this.url), {}, maxBytes, LONG_TIMEOUT_MS)
  }

  async #validators(height: number): Promise<readonly CometValidator[]> {
    const all: CometValidator[] = []
    for (let page = 1; ; page++) {
      const params = { height: String(height), page: String(page), per_page: String(PER_PAGE) }
      const { validators, total } = decodeValidators(
        await this.#one({ method: 'validators', params }),
      )
      all.push(...validators)
      if (all.length >= total) return all
      if (validators.length > 0 && total <= MAX_VALIDATORS) continue
      throw this.invalid(`${all.length} of ${total} validators of block ${height}`)
    }
  }

  /** @throws NOT_FOUND where the server answers with an error */
  async #one(call: Call): Promise<unknown> {
    const [answer] = await this.#ask([call], MAX_SMALL)
    if (answer !== undefined && 'result' in answer) return answer.result
    throw new LockstepError('NOT_FOUND', `${this.name}: ${call.method}: ${answer?.error.text}`)
  }

  async #ask(calls: readonly Call[], maxBytes: number): Promise<readonly Answer[]> {
    const requests = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))
    const body = await this.#fetch(
      this.url,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(requests.length === 1 ? requests[0] : requests),
      },
      maxBytes,
    )
    let parsed: unknown
    try {
      parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
    } catch (cause) {
      throw this.invalid(`the answer is no JSON: ${messageOf(cause)}`)
    }
    const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed]
    if (list.length !== calls.length) {
      throw this.invalid(`${list.length} answers to ${calls.length} calls`)
    }
    const answers: (Answer | undefined)[] = Array.from({ length: calls.length })
    for (const item of list) {
      const { id, answer } = this.#answer(item)
      const at = calls.length === 1 ? 0 : id
      if (typeof at !== 'number' || !(at in answers) || answers[at] !== undefined) {
        throw this.invalid('an answer to an id that was not asked')
      }
      answers[at] = answer
    }
    return answers as Answer[]
  }

  #answer(item: unknown): { readonly id: unknown; readonly answer: Answer } {
    if (typeof item !== 'object' || item === null) throw this.invalid('an answer is no object')
    const { id, result, error } = item as { id?: unknown; result?: unknown; error?: unknown }
    if (error === undefined || error === null) return { id, answer: { result } }
    const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown }
    const text = data === undefined || data === '' ? String(message) : `${message}: ${data}`
    return { id, answer: { error: { code: Number(code), text } } }
  }

  async #fetch(
    url: URL,
    request: RequestInit,
    maxBytes: number,
    timeoutMs = this.#timeoutMs,
  ): Promise<Uint8Array> {
    // A signal of its own: one that many requests share would keep a listener for each.
    const signal = AbortSignal.any([this.#signal, timeoutSignal(timeoutMs)])
    let response: Response
    const parts: Uint8Array[] = []
    let length = 0
    try {
      response = await fetch(url, { ...request, signal })
      for await (const part of response.body ?? []) {
        length += part.length
        if (length > maxBytes) break
        parts.push(part)
      }
    } catch (cause) {
      throw this.#unreachable(reasonOf(cause, timeoutMs), cause)
    }
    if (length > maxBytes) throw this.invalid(`an answer of more than ${maxBytes} bytes`)
    if (response.status === 404) {
      throw new LockstepError('NOT_FOUND', `${this.name} has no ${url.pathname}`)
    }
    if (!response.ok) throw this.#unreachable(`HTTP ${response.status}`)
    return Buffer.concat(parts)
  }

  invalid(what: string): LockstepError {
    return new LockstepError('PEER_INVALID', `${this.name}: ${what}`)
  }

  #unreachable(reason: string, cause?: unknown): LockstepError {
    return new LockstepError('NODE_UNREACHABLE', `${this.name} does not answer: ${reason}`, {
      cause,
    })
  }
}

function isNull(result: unknown): boolean {
  return (result as { block?: unknown } | null)?.block === null
}

/** What fetch hides in the cause of its error. */
function reasonOf(error: unknown, timeoutMs: number): string {
  if ((error as Error).name === 'TimeoutError') return `not within ${timeoutMs / 1000} s`
  const { cause } = error as { cause?: { code?: string; message?: string } }
  if (cause?.code === 'ECONNREFUSED') {
    const { text, remedy } = FAILURES.DIAL_REFUSED
    return `${text} (${cause.code}): ${remedy}`
  }
  return cause?.code ?? cause?.message ?? messageOf(error)
}
