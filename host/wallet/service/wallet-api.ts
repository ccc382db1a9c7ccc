import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { HttpRequest, HttpResponse } from '../../api/server/server.ts'
import {
  type AgentIdentity,
  type AgentProof,
  requireOwnTransaction,
  requireReach,
} from '../protocol/agent.ts'
import type { SignedRequest } from '../protocol/authorization.ts'
import { type FoundRoute, findRoute } from '../protocol/find-route.ts'
import { parseWalletBody, readQuery, readShape } from '../protocol/read-body.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { SignerLink, SignerRequest } from '../signer/signer-link.ts'
import { type ApiAnswer, errorAnswer, httpResponse, jsonAnswer } from './api-answer.ts'
import type { AppStore } from './app-store.ts'
import { type Credentials, readCredentials } from './credentials.ts'
import type { IdempotencyStore } from './idempotency-store.ts'
import type { RateLimits } from './rate-limits.ts'
import { checkExpiry, type RequestHeaders, readHeaders } from './request-headers.ts'
import type { RouteAnswers, RouteInput } from './route-answers.ts'

/** Typed data or a list of rules has some kilobytes; larger bodies are mistakes. */
export const MAX_BODY_BYTES: number = 1 << 20

/** The caller: an app, or one of its agents. */
interface Caller {
  /** Id of the app or the agent. Each has its own idempotency keys and rate limits. */
  readonly id: string
  readonly appId: string
  readonly agent?: AgentIdentity & { readonly proof: AgentProof }
}

export interface WalletApiParts {
  readonly apps: AppStore
  readonly idempotency: IdempotencyStore
  readonly limits: RateLimits
  readonly answers: RouteAnswers
  /** Authenticates agents. */
  readonly link: Pick<SignerLink, 'identify'>
  /** Called with internal errors. The caller gets only the request id. */
  readonly onFailure: (error: unknown, requestId: string) => void
  readonly now?: () => number
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The REST API: answers every request, and never throws. */
export class WalletApi {
  readonly #parts: WalletApiParts
  readonly #now: () => number

  constructor(parts: WalletApiParts) {
    this.#parts = parts
    this.#now = parts.now ?? Date.now
  }

  readonly handle = async (request: HttpRequest): Promise<HttpResponse> => {
    const requestId = randomUUID()
    const answer = await this.#failing(requestId, () => this.#answer(request, requestId))
    const { headers } = answer
    return httpResponse({ ...answer, headers: { ...headers, 'x-request-id': requestId } })
  }

  /** Converts a thrown error to an answer. */
  async #failing(requestId: string, run: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
    try {
      return await run()
    } catch (error) {
      if (error instanceof WalletError) return errorAnswer(error)
      this.#parts.onFailure(error, requestId)
      const text = `internal error of the service: see its log for ${requestId}`
      return errorAnswer(new WalletError('internal_error', text, { request_id: requestId }))
    }
  }

  async #answer(request: HttpRequest, requestId: string): Promise<ApiAnswer> {
    const found = findRoute(request.method, request.path)
    if (found === undefined) {
      throw new WalletError('not_found', `there is no ${request.path.slice(0, 200)}`)
    }
    if ('allowed' in found) return notAllowed(request.method, found.allowed)
    const { answers } = this.#parts
    if (found.route.authority === 'nobody') return jsonAnswer(answers.document())
    const headers = readHeaders(request.headers)
    const caller = await this.#authenticate(request, headers)
    if (caller.agent !== undefined) this.#requireReach(caller.agent, found)
    const body = bodyOf(request)
    const parsed = readInput(found, request.query, body)
    checkExpiry(headers.expiry, this.#now())
    const { path } = request
    const { method } = found.route
    const signed: SignedRequest = {
      method,
      path: request.query === '' ? path : `${path}?${request.query}`,
      body,
      headers: headers.signed,
      signatures: headers.signatures,
    }
    const { appId, agent } = caller
    const askedAs = (id: string): SignerRequest => ({
      appId,
      requestId: id,
      request: signed,
      ...(agent !== undefined && { agent: agent.proof }),
    })
    const ask = async (id: string): Promise<ApiAnswer> =>
      jsonAnswer(await answers.answer(found, askedAs(id), parsed))
    const key = method === 'GET' ? undefined : headers.idempotencyKey
    if (key === undefined) return ask(requestId)
    const { signatures } = signed
    return this.#parts.idempotency.once(
      { caller: caller.id, key, method, path, body, signatures },
      (id) => this.#failing(requestId, () => ask(id)),
      () => answers.authorize(found, askedAs(requestId)),
    )
  }

  /** The signer authenticates the agent; the API checks that its app still exists. @throws WalletError unauthorized */
  async #agent({ id, secret, named }: Credentials): Promise<Caller> {
    const { apps, link } = this.#parts
    const proof = { id, secret }
    const { appId, walletId } = await link.identify(proof)
    if ((named !== appId && named !== id) || !apps.has(appId)) {
      throw new WalletError('unauthorized', 'there is no agent with this id and secret')
    }
    return { id, appId, agent: { appId, walletId, proof } }
  }

  /** @throws WalletError agent_forbidden */
  #requireReach(agent: AgentIdentity, { route, ids }: FoundRoute): void {
    requireReach(agent, route, ids)
    const { transaction_id: id } = ids
    if (id === undefined) return
    requireOwnTransaction(agent, id, this.#parts.answers.senderOf(agent.appId, id))
  }

  /** @throws WalletError unauthorized, rate_limited */
  async #authenticate(request: HttpRequest, { appId }: RequestHeaders): Promise<Caller> {
    const { apps, limits } = this.#parts
    try {
      const claimed = readCredentials(request.headers.get('authorization'), appId)
      const caller = claimed.isAgent ? await this.#agent(claimed) : appOf(apps, claimed)
      await limits.ofCaller(caller.id)
      return caller
    } catch (error) {
      if (error instanceof WalletError && error.code === 'unauthorized') {
        await limits.ofFailure(request.remoteAddress)
      }
      throw error
    }
  }
}

function appOf(apps: AppStore, { id, secret }: Credentials): Caller {
  if (apps.accepts(id, secret)) return { id, appId: id }
  throw new WalletError('unauthorized', 'there is no app with this id and secret')
}

function notAllowed(method: string, allowed: readonly string[]): ApiAnswer {
  const text = `the path has no method ${method.slice(0, 20)}: it has ${allowed.join(', ')}`
  const answer = errorAnswer(new WalletError('method_not_allowed', text))
  return { ...answer, headers: { ...answer.headers, allow: allowed.join(', ') } }
}

/** @throws WalletError if the body is too long or is not text */
function bodyOf({ body, headers, method }: HttpRequest): string {
  if (body.length > MAX_BODY_BYTES) {
    throw new WalletError('payload_too_large', `the body is over ${MAX_BODY_BYTES} bytes`)
  }
  if (body.length === 0) return ''
  if (method === 'GET') throw new WalletError('invalid_data', 'a GET has no body')
  const type = headers.get('content-type')
  if (type !== undefined && !/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new WalletError('invalid_data', 'send the body as content-type: application/json')
  }
  try {
    return UTF8.decode(body)
  } catch {
    throw new WalletError('invalid_data', 'the body is not UTF-8')
  }
}

/** @throws WalletError invalid_data with the member and its rule */
function readInput({ route, ids }: FoundRoute, query: string, text: string): RouteInput {
  const parsed = parseWalletBody(text) as Readonly<Record<string, unknown>>
  const body = readBodyOf(route.body, parsed)
  const { wallet_id: named } = parsed
  if (named !== undefined && ids.wallet_id !== undefined && named !== ids.wallet_id) {
    throw new WalletError('invalid_data', 'wallet_id: the path names another wallet')
  }
  if (route.query === undefined && query !== '') {
    throw new WalletError('invalid_data', 'the path takes no query')
  }
  return { query: route.query === undefined ? {} : readQuery(route.query, query), body }
}

function readBodyOf(shape: z.ZodType | undefined, parsed: object): unknown {
  if (shape !== undefined) return readShape(shape, parsed)
  if (Object.keys(parsed).length === 0) return parsed
  throw new WalletError('invalid_data', 'the path takes no body')
}
