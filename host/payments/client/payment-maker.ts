import { abortable } from '../../base/signal.ts'
import { encodeTransferProof } from '../protocol/encode-proof.ts'
import { PAYMENT_HEADERS } from '../protocol/payment-header.ts'
import { paidRequestTypedData, signedRequest } from '../protocol/request-signature.ts'
import { authorize, randomHex } from './authorize.ts'
import type { Choice } from './choose-offer.ts'
import type { PaymentOffer } from './offer.ts'
import type { Payment, Transfer } from './payment.ts'
import { PaymentError } from './payment-error.ts'
import type { PaymentStore } from './payment-store.ts'
import { TransferSender } from './send-transfer.ts'
import { transferData } from './token-transfer.ts'
import { type PayerAccount, walletFailed } from './wallet.ts'

/** The terms of a payment before anything is signed or sent. */
export type PaymentDraft = Omit<Payment, 'state'>

/** Makes payments with a wallet, and the headers that prove them. */
export class PaymentMaker {
  readonly #account: PayerAccount
  readonly #store: PaymentStore
  readonly #sender: TransferSender

  constructor(account: PayerAccount, store: PaymentStore, pollingInterval: number) {
    this.#account = account
    this.#store = store
    this.#sender = new TransferSender(account, store, pollingInterval)
  }

  /**
   * Signs an authorization, or sends a transfer.
   * @param begins called with the payment when money may move from now on
   * @throws WALLET_FAILED, PAYMENT_PENDING; the signal's reason if nothing was begun
   */
  begin(
    { offer, way }: Pick<Choice, 'offer' | 'way'>,
    draft: PaymentDraft,
    begins: (payment: Payment) => void,
    signal: AbortSignal,
  ): Promise<Payment> {
    return way === 'transfer'
      ? this.#transfer(offer, draft, begins, signal)
      : this.#authorize(offer, draft, begins, signal)
  }

  async #transfer(
    offer: PaymentOffer,
    draft: PaymentDraft,
    begins: (payment: Payment) => void,
    signal: AbortSignal,
  ): Promise<Payment> {
    const now = await this.#account.chainId()
    if (now !== draft.chainId) {
      const text = `the wallet is on chain ${now}, the payment is for chain ${draft.chainId}`
      throw new PaymentError('WALLET_FAILED', text, { hint: 'switch the wallet to that chain' })
    }
    const { reference } = offer
    const binding = offer.binding === 'eip3009' ? 'bearer' : offer.binding
    const isBound = binding !== 'bearer' && reference !== undefined
    const transfer = { data: transferData(offer), binding, ...(isBound ? { reference } : {}) }
    return this.#sender.send(draft, transfer, begins, signal)
  }

  async #authorize(
    offer: PaymentOffer,
    draft: PaymentDraft,
    begins: (payment: Payment) => void,
    signal: AbortSignal,
  ): Promise<Payment> {
    const nonce = randomHex(32)
    const validBefore = Math.floor(draft.madeAt / 1000) + draft.maxTimeoutSeconds
    let proof: Payment['proof'] & object
    try {
      // A signature that is not sent out moves nothing
      proof = await authorize(this.#account, offer, draft.chainId, nonce, validBefore)
    } catch (cause) {
      throw walletFailed('the authorization was not signed', cause)
    }
    signal.throwIfAborted()
    const authorization = { nonce, validBefore }
    const payment: Payment = { ...draft, state: 'authorized', authorization, proof }
    await this.#store.put(payment)
    begins(payment)
    return payment
  }

  /**
   * Returns the payment with its proof; for a transfer after it is in a block.
   * @param again true if an earlier attempt began the payment
   * @throws PAYMENT_FAILED, PAYMENT_PENDING, WALLET_FAILED; the signal's reason
   */
  async prove(payment: Payment, again: boolean, signal: AbortSignal): Promise<Payment> {
    if (payment.proof !== undefined) return payment
    const confirmed =
      payment.state === 'confirmed' ? payment : await this.#sender.confirm(payment, again, signal)
    const value = await abortable(this.#proofOf(confirmed), signal)
    return { ...confirmed, proof: { header: PAYMENT_HEADERS.proof, value } }
  }

  async #proofOf(payment: Payment): Promise<string> {
    const { txHash, binding, reference } = payment.transfer as Required<Transfer>
    const proof = {
      kind: 'transfer',
      txHash,
      amount: BigInt(payment.amount),
      from: payment.payer,
      ...(reference === undefined ? {} : { reference }),
    } as const
    if (binding !== 'signed') return encodeTransferProof(proof, payment.network)
    try {
      const signature = await this.#account.sign(
        paidRequestTypedData({
          chainId: BigInt(payment.chainId),
          ...signedRequest(payment.method, new URL(payment.url)),
          reference,
          txHash,
        }),
      )
      return encodeTransferProof({ ...proof, signature }, payment.network)
    } catch (cause) {
      throw new PaymentError('WALLET_FAILED', 'the paid request was not signed', { cause, payment })
    }
  }
}
