import type { Hex } from '../../base/hex.ts'
import { Mutex } from '../../base/mutex.ts'
import { delay } from '../../base/timer.ts'
import type { Payment, Transfer } from './payment.ts'
import { PaymentError } from './payment-error.ts'
import type { PaymentStore } from './payment-store.ts'
import { hashOfTransaction, transferFilter } from './token-transfer.ts'
import { isRefused, type PayerAccount, walletFailed } from './wallet.ts'

interface Receipt {
  readonly status: Hex
}

interface Log {
  readonly transactionHash: Hex
  readonly data: Hex
}

interface Transaction {
  readonly from: Hex
  readonly nonce: Hex
  readonly input: Hex
}

/** Sends the transactions of payments and finds them again after an interruption. */
export class TransferSender {
  readonly #account: PayerAccount
  readonly #store: PaymentStore
  readonly #pollingInterval: number
  /** Serialises nonces: the next is requested after the node has the previous transaction. */
  readonly #sends = new Mutex()

  constructor(account: PayerAccount, store: PaymentStore, pollingInterval: number) {
    this.#account = account
    this.#store = store
    this.#pollingInterval = pollingInterval
  }

  /**
   * Stores the transfer, then sends it.
   * @param transfer calldata and binding
   * @param begins called with the payment after it is stored, before anything is sent
   * @throws WALLET_FAILED if nothing was sent, PAYMENT_PENDING if that is uncertain; the signal's reason if nothing
   * was begun
   */
  send(
    payment: Omit<Payment, 'state'>,
    transfer: Pick<Transfer, 'data' | 'binding' | 'reference'>,
    begins: (payment: Payment) => void,
    signal: AbortSignal,
  ): Promise<Payment> {
    return this.#sends.runExclusive(async () => {
      signal.throwIfAborted()
      const made = await this.#make(payment, transfer)
      await this.#store.put(made)
      if (signal.aborted) {
        await this.#store.delete(made.id)
        throw signal.reason
      }
      begins(made)
      return this.#hand(made)
    })
  }

  async #make(
    payment: Omit<Payment, 'state'>,
    transfer: Pick<Transfer, 'data' | 'binding' | 'reference'>,
  ): Promise<Payment> {
    try {
      const sinceBlock = await this.#account.read<Hex>('eth_blockNumber')
      const signed = await this.#account.signTransaction(payment.asset, transfer.data)
      if (signed === undefined) {
        const nonce = await this.#account.nonce()
        return { ...payment, state: 'intended', transfer: { ...transfer, nonce, sinceBlock } }
      }
      const { raw, nonce } = signed
      const txHash = hashOfTransaction(raw)
      return {
        ...payment,
        state: 'sent',
        transfer: { ...transfer, nonce, sinceBlock, raw, txHash },
      }
    } catch (cause) {
      throw walletFailed('the transfer cannot be made', cause)
    }
  }

  /**
   * Passes a transaction to the wallet or its node. @throws WALLET_FAILED if it is refused; the payment is then
   * deleted
   */
  async #hand(payment: Payment): Promise<Payment> {
    const transfer = payment.transfer as Transfer
    try {
      if (transfer.raw !== undefined) {
        await this.#account.sendRaw(transfer.raw)
        return payment
      }
      const txHash = await this.#account.send(payment.asset, transfer.data, transfer.nonce)
      return await this.#keep({ ...payment, state: 'sent', transfer: { ...transfer, txHash } })
    } catch (cause) {
      if (!isRefused(cause)) {
        const text = 'the wallet did not say whether it sent the transfer'
        throw new PaymentError('PAYMENT_PENDING', text, { cause, payment })
      }
      if (transfer.txHash !== undefined && (await this.#knows(transfer.txHash))) return payment
      await this.#store.delete(payment.id)
      throw walletFailed('the transfer was not sent', cause)
    }
  }

  async #keep(payment: Payment): Promise<Payment> {
    await this.#store.put(payment)
    return payment
  }

  async #knows(txHash: Hex): Promise<boolean> {
    const found = await this.#account.read<Transaction | null>('eth_getTransactionByHash', txHash)
    return found !== null
  }

  /**
   * Waits until a block has the transfer.
   * @param again true if an earlier attempt sent it, or was about to
   * @throws PAYMENT_FAILED if it reverted or can never be included, and deletes it; PAYMENT_PENDING after
   * `maxTimeoutSeconds`; the signal's reason
   */
  async confirm(payment: Payment, again: boolean, signal: AbortSignal): Promise<Payment> {
    const deadline = Date.now() + payment.maxTimeoutSeconds * 1000
    let current = payment
    let mayResend = again
    let cause: unknown
    const longest = this.#pollingInterval * 10
    for (let wait = this.#pollingInterval; ; wait = Math.min(wait * 1.5, longest)) {
      try {
        const found = await this.#look(current)
        if (found === 'unsent' && mayResend) {
          mayResend = false
          current = await this.#hand(current)
        } else if (found !== 'unsent') {
          current = found
        }
        if (current.state === 'confirmed') return current
      } catch (error) {
        if (error instanceof PaymentError) throw error
        // An unreachable node may respond at the next poll
        cause = error
      }
      if (Date.now() + wait > deadline) {
        const text = `no block has the payment after ${payment.maxTimeoutSeconds} s`
        throw new PaymentError('PAYMENT_PENDING', text, { cause, payment: current })
      }
      await delay(wait, { signal })
    }
  }

  /** Returns the payment with its on-chain state; `unsent` if its nonce is free and it may be sent unchanged. */
  async #look(payment: Payment): Promise<Payment | 'unsent'> {
    const transfer = payment.transfer as Transfer
    const { txHash, nonce, raw } = transfer
    const count = async (block: string) =>
      Number(await this.#account.read<Hex>('eth_getTransactionCount', payment.payer, block))
    // Count first: a transaction included in between is then found by its receipt
    const mined = await count('latest')
    const pending = await count('pending')
    if (txHash !== undefined) {
      const receipt = await this.#account.read<Receipt | null>('eth_getTransactionReceipt', txHash)
      if (receipt !== null) return this.#settle(payment, txHash, receipt)
    }
    if (mined > nonce) return this.#lookForOther(payment, mined === pending)
    // Resending is safe: a block can include only one transaction with this nonce
    return pending <= nonce && (raw !== undefined || txHash === undefined) ? 'unsent' : payment
  }

  async #settle(payment: Payment, txHash: Hex, { status }: Receipt): Promise<Payment> {
    const transfer = { ...(payment.transfer as Transfer), txHash }
    if (Number(status) === 1) return this.#keep({ ...payment, state: 'confirmed', transfer })
    await this.#store.delete(payment.id)
    throw new PaymentError('PAYMENT_FAILED', `the transfer ${txHash} reverted`, {
      payment: { ...payment, transfer },
      moneyMoved: 'no',
    })
  }

  /** Resolves a used nonce: by a replacement that made the payment, or by an unrelated transaction. */
  async #lookForOther(payment: Payment, isIdle: boolean): Promise<Payment> {
    const { nonce, txHash } = payment.transfer as Transfer
    const replaced = await this.#findTransfer(payment)
    if (replaced !== undefined) return this.#settle(payment, replaced, { status: '0x1' })
    // A wallet that chooses nonces itself may have used one that is still pending
    if (!isIdle && txHash === undefined) return payment
    await this.#store.delete(payment.id)
    const text = `another transaction took nonce ${nonce} of ${payment.payer}`
    throw new PaymentError('PAYMENT_FAILED', text, { payment, moneyMoved: 'no' })
  }

  /**
   * Returns the hash of the transaction that made the transfer with this nonce, or a later one if the wallet chose
   * it.
   */
  async #findTransfer(payment: Payment): Promise<Hex | undefined> {
    const { nonce, data, sinceBlock, txHash } = payment.transfer as Transfer
    const filter = transferFilter(payment.asset, payment.payer, payment.payTo, sinceBlock)
    let best: { readonly nonce: number; readonly hash: Hex } | undefined
    for (const log of await this.#account.read<Log[]>('eth_getLogs', filter)) {
      if (BigInt(log.data) !== BigInt(payment.amount)) continue
      const hash = log.transactionHash
      const found = await this.#account.read<Transaction | null>('eth_getTransactionByHash', hash)
      if (found?.from.toLowerCase() !== payment.payer.toLowerCase() || found.input !== data)
        continue
      const its = Number(found.nonce)
      const isOne = its === nonce || (txHash === undefined && its > nonce)
      if (isOne && (best === undefined || its < best.nonce)) best = { nonce: its, hash }
    }
    return best?.hash
  }
}
