import { formatData, type Hex } from '../../base/hex.ts'
import { abortable, neverAborted } from '../../base/signal.ts'
import { PAYMENT_HEADERS } from '../protocol/payment-header.ts'
import { isExpiredUnused, randomHex } from './authorize.ts'
import { MAX_CHALLENGE_LENGTH, quoted, readChallenge, readRefusal } from './challenge.ts'
import { type Choice, chooseOffer } from './choose-offer.ts'
import { SpendingGuard } from './limits.ts'
import type { Payment } from './payment.ts'
import { PaymentError, type PaymentErrorCode, type PaymentErrorDetails } from './payment-error.ts'
import { type PaymentDraft, PaymentMaker } from './payment-maker.ts'
import type { PaymentOptions } from './payment-options.ts'
import { memoryPayments, type PaymentStore } from './payment-store.ts'
import { keccak256 } from './token-transfer.ts'
import type { PayerAccount, PayingWallet } from './wallet.ts'
import { WalletList } from './wallet-list.ts'

/** The members of a request that paying needs. */
export interface PayableRequest {
  /** Upper case. */
  readonly method: string
  readonly url: URL
  /** Identifies the body; undefined if it can be sent only once. */
  readonly body: Uint8Array | undefined
  readonly signal: AbortSignal | undefined
}

/** The members of a response that paying needs. */
export interface PayableResponse {
  readonly status: number
  /** Final URL after redirects; empty if unknown. */
  readonly url: string
  header(name: string): string | null
  /** Reads the beginning of the body, which stays readable. */
  text(limit: number): Promise<string>
}

/** A proof and the URL it was made for. */
export interface ShownProof {
  readonly header: string
  readonly value: string
  readonly url: string
}

/** Sends a request by `fetch` or axios. */
export interface PayingExchange<R> {
  /** With a proof, sends to the proof's URL and follows no redirect. */
  send(proof?: ShownProof): Promise<R>
  answer(response: R): PayableResponse
  /** Returns the paid response. If its body errors, `broken` is awaited before the reader sees the error. */
  delivered(response: R, broken: () => Promise<void>): R
}

/** Maximum validity of an authorization in seconds, whatever the seller requests. */
const MAX_VALIDITY = 600

/** Reasons that say the payment buys nothing any more. */
const SPENT: ReadonlySet<string> = new Set([
  'payment_spent',
  'payment_refunded',
  'invalid_exact_evm_nonce_already_used',
])

/** Errors with their own response, or without one. */
const AFTER_PROOF: ReadonlySet<PaymentErrorCode> = new Set([
  'PAYMENT_REFUSED',
  'NOT_DELIVERED',
  'ABORTED',
])

const encoder = new TextEncoder()

/** A payment of an earlier attempt, and the account that made it. */
interface KeptPayment {
  readonly payment: Payment
  readonly account: PayerAccount
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}

/** Pays for requests, once each and within the caller's limits. */
export class Payer {
  readonly #wallets: WalletList
  readonly #options: PaymentOptions
  readonly #store: PaymentStore
  readonly #purse: SpendingGuard
  readonly #makers = new Map<PayerAccount, PaymentMaker>()
  /** Payments in use by a request. */
  readonly #used = new Set<string>()

  constructor(wallets: PayingWallet | readonly PayingWallet[], options: PaymentOptions) {
    this.#wallets = new WalletList(wallets)
    this.#options = options
    this.#store = options.payments ?? memoryPayments()
    this.#purse = new SpendingGuard(options)
  }

  #makerOf(account: PayerAccount): PaymentMaker {
    const known = this.#makers.get(account)
    if (known !== undefined) return known
    const { pollingInterval = 100 } = this.#options
    const maker = new PaymentMaker(account, this.#store, pollingInterval)
    this.#makers.set(account, maker)
    return maker
  }

  /**
   * Returns the response of a request, after paying if it is a 402. A payment left by an earlier attempt is used
   * first.
   * @throws PaymentError; if nothing was paid, also the errors of `send` and the signal's reason
   */
  async pay<R>(request: PayableRequest, exchange: PayingExchange<R>): Promise<R> {
    const { body } = request
    const kept = body === undefined ? undefined : await this.#takeAny(request, body)
    if (kept !== undefined) return this.#use(kept.payment, kept.account, true, request, exchange)
    const response = await exchange.send()
    const answer = exchange.answer(response)
    const { status } = answer
    if (isSuccess(status)) return response
    const what = `${request.method} ${request.url}`
    if (status !== 402) {
      throw new PaymentError('UNEXPECTED_STATUS', `${what} gave ${status}`, { status, response })
    }
    if (body === undefined) {
      const text = `${what} requires payment, and its body is a stream`
      throw new PaymentError('BODY_NOT_REPEATABLE', text, { status, response })
    }
    try {
      return await this.#payFor(request, body, answer, exchange)
    } catch (error) {
      // Before the proof was shown, the 402 is the response that the error is about
      const isBefore = error instanceof PaymentError && !AFTER_PROOF.has(error.code)
      throw isBefore ? error.of(response, status) : error
    }
  }

  async #payFor<R>(
    request: PayableRequest,
    sent: Uint8Array,
    answer: PayableResponse,
    exchange: PayingExchange<R>,
  ): Promise<R> {
    const url = this.#urlToPay(request, answer)
    const body = await answer.text(MAX_CHALLENGE_LENGTH)
    const offers = readChallenge(answer.header(PAYMENT_HEADERS.required), body)
    const wallets = await this.#wallets.byChain()
    request.signal?.throwIfAborted()
    const choice = await chooseOffer(offers, url, wallets, this.#options, this.#purse)
    request.signal?.throwIfAborted()
    const { account, chainId } = choice.wallet
    const giveBack = this.#purse.spend(choice.offer, chainId)
    const draft = this.#draft(request, this.#digest(request, sent, account.address), url, choice)
    try {
      const payment = await this.#begin(choice, draft, request.signal ?? neverAborted())
      return await this.#use(payment, account, false, request, exchange)
    } catch (error) {
      if (!(error instanceof PaymentError) || error.moneyMoved === 'no') giveBack()
      throw error
    }
  }

  #digest({ method, url }: PayableRequest, body: Uint8Array, payer: string): Hex {
    const { origin, pathname, search } = url
    const named = `${origin}${pathname}${search}`
    const lines = [method, named, payer.toLowerCase(), formatData(keccak256(body))]
    return formatData(keccak256(encoder.encode(lines.join('\n'))))
  }

  /** Reserves a payment that a wallet made in an earlier attempt at the same request. */
  async #takeAny(request: PayableRequest, body: Uint8Array): Promise<KeptPayment | undefined> {
    for (const address of this.#wallets.addresses) {
      const kept = await this.#take(this.#digest(request, body, address))
      if (kept !== undefined) return kept
    }
    return undefined
  }

  async #take(digest: Hex): Promise<KeptPayment | undefined> {
    for (const payment of await this.#store.list(digest)) {
      const account = await this.#wallets.ofPayment(payment)
      if (account === undefined || this.#used.has(payment.id)) continue
      this.#used.add(payment.id)
      try {
        if (!(await isExpiredUnused(payment, account))) return { payment, account }
        await this.#store.delete(payment.id)
      } catch (cause) {
        const text = 'cannot check whether a stored authorization was used'
        this.#used.delete(payment.id)
        throw new PaymentError('WALLET_FAILED', text, { cause, payment })
      }
      this.#used.delete(payment.id)
    }
    return undefined
  }

  /** @throws LIMIT_EXCEEDED if a redirect led to a URL that the caller did not request and may not expect to pay */
  #urlToPay(request: PayableRequest, answer: PayableResponse): URL {
    const url = answer.url === '' ? request.url : new URL(answer.url)
    this.#purse.checkUrl(url)
    const isElsewhere = url.origin !== request.url.origin
    const isOther = url.pathname !== request.url.pathname || url.search !== request.url.search
    if (isElsewhere || (isOther && request.method !== 'GET')) {
      const text = `${request.url} redirects to ${url}, which requires payment`
      const hint = 'request that URL directly if it is the one to pay'
      throw new PaymentError('LIMIT_EXCEEDED', text, { hint })
    }
    return url
  }

  #draft(
    { method }: PayableRequest,
    request: Hex,
    url: URL,
    { offer, wallet }: Choice,
  ): PaymentDraft {
    return {
      id: randomHex(16),
      request,
      method,
      url: url.href,
      payer: wallet.account.address,
      payTo: offer.payTo,
      asset: offer.asset,
      amount: `${offer.amount}`,
      chainId: wallet.chainId,
      network: offer.network,
      madeAt: Date.now(),
      maxTimeoutSeconds: Math.min(offer.maxTimeoutSeconds, MAX_VALIDITY),
    }
  }

  async #begin(choice: Choice, draft: PaymentDraft, signal: AbortSignal): Promise<Payment> {
    let begun: Payment | undefined
    this.#used.add(draft.id)
    const beginning = this.#makerOf(choice.wallet.account).begin(
      choice,
      draft,
      (payment) => {
        begun = payment
      },
      signal,
    )
    try {
      return await abortable(beginning, signal)
    } catch (error) {
      // The wallet may still send, so keep the payment reserved until it settles
      const free = () => this.#used.delete(draft.id)
      beginning.then(free, free)
      throw begun === undefined ? error : asPaymentError(error, begun, signal)
    }
  }

  /** Shows a payment for its request and deletes it after the response has arrived. */
  async #use<R>(
    payment: Payment,
    account: PayerAccount,
    again: boolean,
    { signal = neverAborted() }: PayableRequest,
    exchange: PayingExchange<R>,
  ): Promise<R> {
    let current = payment
    try {
      current = await this.#makerOf(account).prove(payment, again, signal)
      signal.throwIfAborted()
      return await this.#show(current, exchange)
    } catch (error) {
      throw asPaymentError(error, current, signal)
    } finally {
      this.#used.delete(payment.id)
    }
  }

  async #show<R>(payment: Payment, exchange: PayingExchange<R>): Promise<R> {
    const proof = { ...(payment.proof as NonNullable<Payment['proof']>), url: payment.url }
    const what = `${payment.method} ${payment.url}`
    let response: R
    try {
      response = await exchange.send(proof)
    } catch (cause) {
      const text = `${what} was paid, but the connection broke before its response`
      throw new PaymentError('NOT_DELIVERED', text, { cause, payment })
    }
    const answer = exchange.answer(response)
    const { status } = answer
    if (isSuccess(status)) {
      await this.#deliver(payment)
      return exchange.delivered(response, () => this.#store.put(payment))
    }
    const details = { payment, response, status }
    if (status !== 402) {
      const text = `${what} was paid, but returned ${status}`
      throw new PaymentError('NOT_DELIVERED', text, details)
    }
    throw await this.#refusal(payment, answer, details)
  }

  /** Completes a payment. The response is not lost if this fails: a payment that stays stored is refused as spent. */
  async #deliver(payment: Payment): Promise<void> {
    try {
      await this.#store.delete(payment.id)
      this.#options.onPaid?.(payment)
    } catch {
      // Errors of the caller's hook
    }
  }

  async #refusal(
    payment: Payment,
    answer: PayableResponse,
    details: PaymentErrorDetails,
  ): Promise<PaymentError> {
    const body = await answer.text(MAX_CHALLENGE_LENGTH).catch(() => '')
    const { error, reason } = readRefusal(answer.header(PAYMENT_HEADERS.required), body)
    const words = [error, reason].filter((one) => one !== undefined).map(quoted)
    const text = `${payment.url} refused the payment: ${words.join(', ') || 'no reason given'}`
    if (![error, reason].some((one) => one !== undefined && SPENT.has(one))) {
      return new PaymentError('PAYMENT_REFUSED', text, details)
    }
    await this.#store.delete(payment.id)
    const isRefunded = error === 'payment_refunded' || reason === 'payment_refunded'
    const hint = isRefunded
      ? 'the seller has refunded it; the next such request pays again'
      : 'the seller has already sent its response; the next such request pays again'
    return new PaymentError('PAYMENT_REFUSED', text, { ...details, hint, moneyMoved: 'yes' })
  }
}

/** Converts an error after which money may have moved. */
function asPaymentError(error: unknown, payment: Payment, signal: AbortSignal): PaymentError {
  const isOwn = error instanceof PaymentError && error.code !== 'NOT_DELIVERED'
  if (isOwn || (error instanceof PaymentError && !signal.aborted)) return error
  const paid = `after its payment of ${payment.amount} to ${payment.payTo}`
  const details = { cause: error, payment }
  return signal.aborted
    ? new PaymentError('ABORTED', `the request was aborted ${paid}`, details)
    : new PaymentError('NOT_DELIVERED', `the request failed ${paid}`, details)
}
