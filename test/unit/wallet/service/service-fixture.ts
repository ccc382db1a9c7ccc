import type { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import type { HttpRequest, HttpResponse } from '../../../../host/api/server/server.ts'
import { WorkScheduler } from '../../../../host/api/server/work-scheduler.ts'
import { GroupCommit } from '../../../../host/storage/store/sqlite/group-commit.ts'
import type { Pipeline } from '../../../../host/wallet/pipeline/pipeline.ts'
import { WalletError } from '../../../../host/wallet/protocol/wallet-error.ts'
import { AppStore, type NewApp } from '../../../../host/wallet/service/app-store.ts'
import { IdempotencyStore } from '../../../../host/wallet/service/idempotency-store.ts'
import { RateLimits } from '../../../../host/wallet/service/rate-limits.ts'
import { RouteAnswers } from '../../../../host/wallet/service/route-answers.ts'
import { openServiceDatabase } from '../../../../host/wallet/service/service-database.ts'
import { WalletApi } from '../../../../host/wallet/service/wallet-api.ts'
import type { SignerLink, SignerRequest } from '../../../../host/wallet/signer/signer-link.ts'
import { openWebhooks } from '../../../../host/wallet/webhook/open-webhooks.ts'

export interface Asking {
  readonly method?: string
  readonly path?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
}

export interface WalletServiceAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Record<string, unknown>
}

/** An API over a signer and a chain with configured answers. */
export interface Fixture {
  readonly app: NewApp
  readonly apps: AppStore
  readonly database: DatabaseSync
  /** Calls that reached the signer or the pipeline. */
  readonly asked: SignerRequest[]
  readonly failures: unknown[]
  ask(asking?: Asking): Promise<WalletServiceAnswer>
}

export interface FixtureOptions {
  readonly path?: string
  readonly rateLimit?: number
  readonly now?: () => number
  readonly answer?: (asked: SignerRequest) => unknown
  /** Throws the signer's error for an unauthorized request. */
  readonly authorize?: (asked: SignerRequest) => void
  readonly pipeline?: Partial<Pipeline>
  /** Uses this app instead of creating one. */
  readonly app?: NewApp
}

const work = new WorkScheduler(1 << 24)

export function basic({ appId, appSecret }: NewApp): string {
  return `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`
}

/** Opens an API for the current test, at whose end its webhooks are closed. */
export function openFixture(options: FixtureOptions = {}): Fixture {
  const now = options.now ?? Date.now
  const database = openServiceDatabase(options.path ?? ':memory:')
  const commits = new GroupCommit(database)
  const apps = new AppStore(database, now)
  const app = options.app ?? apps.create('test')
  const asked: SignerRequest[] = []
  const failures: unknown[] = []
  const answer = async (question: SignerRequest): Promise<unknown> => {
    asked.push(question)
    return options.answer?.(question) ?? { id: 'w1' }
  }
  const link: SignerLink = {
    identify: async () => {
      throw new WalletError('unauthorized', 'there is no agent with this id and secret')
    },
    ask: answer,
    authorize: async (question) => options.authorize?.(question),
    precheck: async () => [],
    sign: async (question) => {
      await answer(question)
      return {
        signed: { kind: 'signature', signature: '0x1234' },
        decision: { allowed: true, reason: '', rules: [], charges: [] },
      }
    },
    close: async () => {},
  }
  const webhooks = openWebhooks({ database, commits, allowPrivate: true, now })
  onTestFinished(() => webhooks.close())
  const api = new WalletApi({
    apps,
    link,
    idempotency: new IdempotencyStore(database, commits, now),
    limits: new RateLimits(options.rateLimit ?? 0),
    answers: new RouteAnswers({
      link,
      pipeline: (options.pipeline ?? {}) as Pipeline,
      webhooks,
      commits,
    }),
    onFailure: (error) => failures.push(error),
    now,
  })
  const ask: Fixture['ask'] = async (asking = {}) => {
    const { method = 'POST', path = '/v1/wallets', query = '', body } = asking
    const headers = { authorization: basic(app), 'wallet-app-id': app.appId, ...asking.headers }
    const bytes =
      body instanceof Uint8Array
        ? body
        : new TextEncoder().encode(
            body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body),
          )
    const request: HttpRequest = {
      method,
      path,
      query,
      headers: new Map(
        Object.entries(headers).filter(
          (entry): entry is [string, string] => entry[1] !== undefined,
        ),
      ),
      body: bytes,
      remoteAddress: '127.0.0.1',
      signal: new AbortController().signal,
      account: work.account('test'),
    }
    const response: HttpResponse = await api.handle(request)
    return {
      status: response.status,
      headers: { ...response.headers },
      body: JSON.parse(response.body as string),
    }
  }
  return { app, apps, database, asked, failures, ask }
}
