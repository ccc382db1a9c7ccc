import type { Hex } from '../../base/hex.ts'
import { pause } from './abortable.ts'
import type { Payment, Transfer } from './payment.ts'
import { PaymentError } from './payment-error.ts'
import type { PaymentStore } from './payment-store.ts'
import { hashOfTransaction, transferFilter } from './token-transfer.ts'
import { type PayerAccount, rpcCodeOf, walletFailed } from './wallet.ts'

/** Milliseconds between two looks for a receipt: the first, and the longest. */
const FIRST_PAUSE = 100
const LONGEST_PAUSE = 1000

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

/** Sends the transactions of payments and finds them again, whatever broke off in between. */
export class TransferSender {
  readonly #account: PayerAccount
  readonly #store: PaymentStore
  /** Nonces are taken one after the other: the next is asked for once the node has the one before. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(account: PayerAccount, store: PaymentStore) {
    this.#account = account
    this.#store = store
  }

  /**
   * Pays: keeps what it is about to send, and sends it.
   * @param transfer the data and the binding
   * @param begins is told of the payment once it is kept, before anything is sent
   * @throws WALLET_FAILED where nothing was sent, PAYMENT_PENDING where that is not certain; the signal's reason where
   *   nothing was begun
   */
  send(
    payment: Omit<Payment, 'state'>,
    transfer: Pick<Transfer, 'data' | 'binding' | 'reference'>,
    begins: (payment: Payment) => void,
    signal: AbortSignal,
  ): Promise<Payment> {
    const before = this.#last
    const sending = (async () => {
      await before.catch(() => undefined)
      signal.throwIfAborted()
      const made = await this.#make(payment, transfer)
      signal.throwIfAborted()
      begins(made)
      await this.#store.put(made)
      return this.#hand(made)
    })()
    this.#last = sending
    return sending
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

  /** Gives a transaction to the wallet or its node. @throws WALLET_FAILED where it is refused, and forgets it */
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
      if (rpcCodeOf(cause) === undefined) {
        throw new PaymentError(
          'PAYMENT_PENDING',
          'the wallet did not say whether it sent the transfer',
          {
            cause,
            payment,
          },
        )
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
   * @param again of an earlier attempt: what it sent may be unknown to the node
   * @throws PAYMENT_FAILED where it reverted or will never be in a block, and forgets it; PAYMENT_PENDING once
   *   `maxTimeoutSeconds` are over
   */
  async confirm(payment: Payment, again: boolean, signal: AbortSignal): Promise<Payment> {
    const deadline = Date.now() + payment.maxTimeoutSeconds * 1000
    let current = payment
    if (again && current.transfer?.raw !== undefined) current = await this.#hand(current)
    for (let wait = FIRST_PAUSE; ; wait = Math.min(wait * 1.5, LONGEST_PAUSE)) {
      const found = await this.#look(current, again)
      if (found.state === 'confirmed') return found
      current = found
      if (Date.now() + wait > deadline) {
        throw new PaymentError(
          'PAYMENT_PENDING',
          `no block has the payment after ${payment.maxTimeoutSeconds} s`,
          { payment: current },
        )
      }
      await pause(wait, signal)
    }
  }

  async #look(payment: Payment, again: boolean): Promise<Payment> {
    const transfer = payment.transfer as Transfer
    const { txHash } = transfer
    if (txHash !== undefined) {
      const receipt = await this.#account.read<Receipt | null>('eth_getTransactionReceipt', txHash)
      if (receipt !== null) return this.#settle(payment, txHash, receipt)
    }
    const [mined, pending] = await Promise.all(
      ['latest', 'pending'].map(async (block) =>
        Number(await this.#account.read<Hex>('eth_getTransactionCount', payment.payer, block)),
      ),
    )
    if ((mined as number) > transfer.nonce) return this.#lookForOther(payment, mined === pending)
    if (txHash === undefined && again && (pending as number) <= transfer.nonce) {
      // The nonce is free: at most one transaction with it will ever be in a block
      return this.#hand(payment)
    }
    return payment
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

  /** The nonce is in a block: by this payment, by one that replaced it with the same data, or by another. */
  async #lookForOther(payment: Payment, isIdle: boolean): Promise<Payment> {
    const transfer = payment.transfer as Transfer
    // The receipt may have come between the two reads
    if (transfer.txHash !== undefined) {
      const receipt = await this.#account.read<Receipt | null>(
        'eth_getTransactionReceipt',
        transfer.txHash,
      )
      if (receipt !== null) return this.#settle(payment, transfer.txHash, receipt)
    }
    const replaced = await this.#findTransfer(payment)
    if (replaced !== undefined) return this.#settle(payment, replaced, { status: '0x1' })
    // A wallet that chooses nonces itself may have given it another
    if (!isIdle && transfer.txHash === undefined) return payment
    await this.#store.delete(payment.id)
    throw new PaymentError(
      'PAYMENT_FAILED',
      `another transaction took nonce ${transfer.nonce} of ${payment.payer}`,
      { payment, moneyMoved: 'no' },
    )
  }

  /** Hash of the transaction with the nonce and the data of a payment. */
  async #findTransfer(payment: Payment): Promise<Hex | undefined> {
    const { nonce, data, sinceBlock } = payment.transfer as Transfer
    const filter = transferFilter(payment.asset, payment.payer, payment.payTo, sinceBlock)
    for (const log of await this.#account.read<Log[]>('eth_getLogs', filter)) {
      if (BigInt(log.data) !== BigInt(payment.amount)) continue
      const found = await this.#account.read<Transaction | null>(
        'eth_getTransactionByHash',
        log.transactionHash,
      )
      if (found === null || found.from.toLowerCase() !== payment.payer.toLowerCase()) continue
      if (Number(found.nonce) === nonce && found.input === data) return log.transactionHash
    }
    return undefined
  }
}
