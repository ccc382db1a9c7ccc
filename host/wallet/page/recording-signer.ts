import { createHash } from 'node:crypto'
import { lookup } from '../../base/lookup.ts'
import type { OpenPart, RuleFinding } from '../policy/decision.ts'
import type { AgentIdentity, AgentProof } from '../protocol/agent.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type {
  FilledTransaction,
  KnownTransaction,
  SignAnswer,
  SignerLink,
  SignerRequest,
} from '../signer/signer-link.ts'
import type { RecordedDecision, WaitingApproval, WalletsSource } from './wallets-source.ts'

/** Decisions, and waiting requests, kept in memory. */
const KEPT = 50

/** How long a request without an expiry is listed as waiting. */
const WAITING_MS = 3_600_000

const SIGNING_PATH = /\/v1\/wallets\/([^/?]+)\/(?:rpc|raw_sign|export)$/

/** A signer link that records in memory the latest decisions and the requests with too few signatures. */
export class RecordingSigner implements SignerLink, Pick<WalletsSource, 'decisions' | 'waiting'> {
  readonly #link: SignerLink
  readonly #now: () => number
  #decisions: readonly RecordedDecision[] = []
  /** By request without its signatures, oldest first. */
  readonly #waiting = new Map<string, WaitingApproval>()

  constructor(link: SignerLink, now: () => number = Date.now) {
    this.#link = link
    this.#now = now
  }

  identify(agent: AgentProof): Promise<AgentIdentity> {
    return this.#link.identify(agent)
  }

  ask(asked: SignerRequest): Promise<unknown> {
    return this.#watch(asked, () => this.#link.ask(asked))
  }

  authorize(asked: SignerRequest): Promise<void> {
    return this.#watch(asked, () => this.#link.authorize(asked))
  }

  precheck(asked: SignerRequest, known?: KnownTransaction): Promise<readonly OpenPart[]> {
    return this.#watch(asked, () => this.#link.precheck(asked, known))
  }

  async sign(asked: SignerRequest, filled?: FilledTransaction): Promise<SignAnswer> {
    const answer = await this.#watch(asked, () => this.#link.sign(asked, filled))
    this.#note(asked, true, answer.decision)
    return answer
  }

  close(): Promise<void> {
    return this.#link.close()
  }

  decisions(): readonly RecordedDecision[] {
    return this.#decisions
  }

  waiting(): readonly WaitingApproval[] {
    const now = this.#now()
    return [...this.#waiting.values()].filter(({ until }) => until > now).reverse()
  }

  async #watch<T>(asked: SignerRequest, run: () => Promise<T>): Promise<T> {
    try {
      const answer = await run()
      if (asked.request.method !== 'GET') this.#waiting.delete(nameOf(asked))
      return answer
    } catch (error) {
      if (error instanceof WalletError) this.#noteRefusal(asked, error)
      throw error
    }
  }

  #noteRefusal(asked: SignerRequest, { code, message, details }: WalletError): void {
    if (code === 'policy_violation') {
      const { reason = message, rules = [] } = details as {
        reason?: string
        rules?: readonly RuleFinding[]
      }
      this.#waiting.delete(nameOf(asked))
      this.#note(asked, false, { reason, rules })
    }
    if (code !== 'insufficient_correct_authorization_signatures') return
    const name = nameOf(asked)
    const now = this.#now()
    const since = this.#waiting.get(name)?.since ?? now
    this.#waiting.delete(name)
    this.#waiting.set(name, {
      since,
      until: expiryOf(asked) ?? since + WAITING_MS,
      appId: asked.appId,
      request: requestOf(asked),
      missing: message,
    })
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= KEPT) break
      this.#waiting.delete(oldest)
    }
  }

  #note(
    asked: SignerRequest,
    allowed: boolean,
    { reason, rules }: Pick<RecordedDecision, 'reason' | 'rules'>,
  ): void {
    const [, walletId = ''] = SIGNING_PATH.exec(asked.request.path) ?? []
    const method = methodOf(asked)
    const noted = { at: this.#now(), appId: asked.appId, walletId, method, allowed, reason, rules }
    this.#decisions = [noted, ...this.#decisions.slice(0, KEPT - 1)]
  }
}

/** Returns a digest that identifies a request without its signatures. */
function nameOf({ appId, request: { method, path, body } }: SignerRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([appId, method, path, body]))
    .digest('base64')
}

function expiryOf({ request: { headers } }: SignerRequest): number | undefined {
  const name = Object.keys(headers).find((header) => header.endsWith('-request-expiry'))
  const expiry = Number(name && lookup(headers, name))
  return Number.isSafeInteger(expiry) && expiry > 0 ? expiry : undefined
}

/** Returns the RPC method, or the last path segment if the body has no method. */
function methodOf({ request: { path, body } }: SignerRequest): string {
  const last = path.slice(path.lastIndexOf('/') + 1)
  try {
    const { method } = JSON.parse(body) as { readonly method?: unknown }
    return typeof method === 'string' ? method : last
  } catch {
    return last
  }
}

function requestOf(asked: SignerRequest): string {
  const { method, path } = asked.request
  return path.endsWith('/rpc') ? `${method} ${path} ${methodOf(asked)}` : `${method} ${path}`
}
