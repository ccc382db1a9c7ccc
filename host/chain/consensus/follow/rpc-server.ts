import { fetchFailure, LockstepError, messageOf } from '../../../base/error.ts'
import { FAILURES } from '../../../base/failure-table.ts'
import { timeoutSignal } from '../../../base/timer.ts'
import { boundedBytes } from '../../../client/remote-node/http-exchange.ts'
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
import {
  type CometAnswer,
  type CometCall,
  cometAnswer,
  cometErrorText,
} from '../cometbft/comet-rpc.ts'
import type { LightBlock } from '../light/light-block.ts'

/** Response timeout of a server. */
const TIMEOUT_MS = 10_000

/** Timeout for a snapshot chunk of up to 10 MB. */
const LONG_TIMEOUT_MS = 60_000

/** Size limit in bytes of a response without a block. */
const MAX_SMALL = 4 * 1024 * 1024

/** JSON bytes per block byte: base64, plus the commit. */
const JSON_SHARE = 1.5

const PER_PAGE = 100
const MAX_VALIDATORS = 10_000

/** A block and its commit as a server returned them. Neither is verified. */
export interface GivenBlock {
  readonly block: CometBlock
  readonly commit: Commit
}

export interface ServerStatus {
  readonly chainId: string
  readonly earliestHeight: number
  readonly latestHeight: number
}

/**
 * Returns the base URL of a consensus RPC: `http://host:port`. Like CometBFT it accepts another scheme or none.
 * @throws CONFIG_INVALID
 */
export function serverUrl(text: string): URL {
  const withScheme = /^[a-z]+:\/\//.test(text) ? text.replace(/^tcp:/, 'http:') : `http://${text}`
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined
  if (url !== undefined && ['http:', 'https:'].includes(url.protocol)) {
    if (!url.pathname.endsWith('/')) url.pathname += '/'
    return url
  }
  throw new LockstepError(
    'CONFIG_INVALID',
    `rpc-servers: "${text}" is not the URL of a consensus RPC`,
    {
      hint: 'write each server as http://host:26657',
    },
  )
}

/** Client of another node's consensus RPC. Validates only the shape of responses. */
export class RpcServer {
  readonly url: URL
  /** Name for messages; without the password that a URL may contain. */
  readonly name: string
  readonly #maxBlockBytes: number
  readonly #signal: AbortSignal
  readonly #timeoutMs: number

  /**
   * @param signal aborts all requests for good
   * @param timeoutMs response timeout, except for snapshot chunks
   */
  constructor(url: URL, maxBlockBytes: number, signal: AbortSignal, timeoutMs = TIMEOUT_MS) {
    this.url = url
    this.name = `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`
    this.#maxBlockBytes = maxBlockBytes
    this.#signal = signal
    this.#timeoutMs = timeoutMs
  }

  /** Size limit in bytes of a response with one block. */
  get largestBlock(): number {
    return Math.ceil(this.#maxBlockBytes * JSON_SHARE) + MAX_SMALL
  }

  async status(): Promise<ServerStatus> {
    return decodeStatus(await this.#one({ method: 'status', params: {} }))
  }

  /**
   * Returns the blocks from `height` on: up to `count`, as far as the server has them.
   * @throws NODE_UNREACHABLE, PEER_INVALID
   */
  async blocks(height: number, count: number): Promise<readonly GivenBlock[]> {
    const calls: CometCall[] = []
    for (let i = 0; i < count; i++) {
      const params = { height: String(height + i) }
      calls.push({ method: 'block', params }, { method: 'commit', params })
    }
    const answers = await this.#ask(calls, this.largestBlock)
    const given: GivenBlock[] = []
    for (let i = 0; i < answers.length; i += 2) {
      const [block, commit] = [answers[i] as CometAnswer, answers[i + 1] as CometAnswer]
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
   * Sends a transaction.
   * @returns why the server rejects it; undefined if it accepts or already has it
   * @throws NODE_UNREACHABLE if it does not answer
   */
  async broadcast(raw: Uint8Array): Promise<string | undefined> {
    const tx = Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString('base64')
    const calls = [{ method: 'broadcast_tx_sync', params: { tx } }]
    const [answer] = (await this.#ask(calls, MAX_SMALL)) as [CometAnswer]
    if ('result' in answer) {
      const { code, log } = answer.result as { code?: unknown; log?: unknown }
      return code === 0 ? undefined : String(log)
    }
    const text = cometErrorText(answer.error)
    if (text.includes('already exists in cache')) return undefined
    throw this.#unreachable(text)
  }

  /**
   * Returns the body of a plain GET route.
   * @throws NODE_UNREACHABLE, NOT_FOUND
   */
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

  /** @throws NOT_FOUND if the server returns an error */
  async #one(call: CometCall): Promise<unknown> {
    const [answer] = (await this.#ask([call], MAX_SMALL)) as [CometAnswer]
    if ('result' in answer) return answer.result
    const text = `${this.name}: ${call.method}: ${cometErrorText(answer.error)}`
    throw new LockstepError('NOT_FOUND', text)
  }

  async #ask(calls: readonly CometCall[], maxBytes: number): Promise<readonly CometAnswer[]> {
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
      throw this.invalid(`the answer is not JSON: ${messageOf(cause)}`)
    }
    const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed]
    if (list.length !== calls.length) {
      throw this.invalid(`${list.length} answers to ${calls.length} calls`)
    }
    const answers: (CometAnswer | undefined)[] = Array.from({ length: calls.length })
    for (const item of list) {
      if (typeof item !== 'object' || item === null)
        throw this.invalid('an answer is not an object')
      const at = calls.length === 1 ? 0 : (item as { id?: unknown }).id
      if (typeof at !== 'number' || !(at in answers) || answers[at] !== undefined) {
        throw this.invalid('an answer matches no call')
      }
      answers[at] = cometAnswer(item)
    }
    return answers as CometAnswer[]
  }

  async #fetch(
    url: URL,
    request: RequestInit,
    maxBytes: number,
    timeoutMs = this.#timeoutMs,
  ): Promise<Uint8Array> {
    // A new signal per request: a shared one would accumulate listeners.
    const signal = AbortSignal.any([this.#signal, timeoutSignal(timeoutMs)])
    let response: Response
    let body: Uint8Array | undefined
    try {
      response = await fetch(url, { ...request, signal })
      body = await boundedBytes(response, maxBytes)
    } catch (cause) {
      throw this.#unreachable(reasonOf(cause, timeoutMs), cause)
    }
    if (body === undefined) throw this.invalid(`an answer of more than ${maxBytes} bytes`)
    if (response.status === 404) {
      throw new LockstepError('NOT_FOUND', `${this.name} has no ${url.pathname}`)
    }
    if (!response.ok) throw this.#unreachable(`HTTP ${response.status}`)
    return body
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

/** Returns the reason in the cause of a `fetch` error. */
function reasonOf(error: unknown, timeoutMs: number): string {
  if ((error as Error).name === 'TimeoutError') return `timed out after ${timeoutMs / 1000} s`
  const reason = fetchFailure(error)
  if (reason !== 'ECONNREFUSED') return reason
  const { text, remedy } = FAILURES.DIAL_REFUSED
  return `${text} (${reason}): ${remedy}`
}
