import { LockstepError } from '../../../base/error.ts'
import { impersonatedSender } from '../../../evm/chain-types/impersonation.ts'
import type {
  DeferredRecovery,
  SignatureRecovery,
} from '../../../evm/chain-types/signature-recovery.ts'
import type { Transaction } from '../../../evm/chain-types/transaction.ts'
import {
  decodeSigned,
  recoverSender,
  recoverSenderLater,
  type SignedTransaction,
} from '../../../evm/chain-types/transaction-codec.ts'
import type { RecordedTransaction } from '../../../evm/engine/transaction-record.ts'
import { checkEncoding, checkFields, poolRejection } from './admission.ts'
import type { PoolContents } from './pool-contents.ts'
import type { PoolRules } from './pool-options.ts'
import { RejectionCache } from './rejection-cache.ts'
import type { AddOptions } from './transaction-pool.ts'

export interface ScreeningOptions {
  readonly rules: PoolRules
  readonly recovery: SignatureRecovery
  /** Recovers the senders of encoded transactions. If undefined, `recovery` does. */
  readonly deferredRecovery?: DeferredRecovery | undefined
  /** Capacity of the cache of rejected transactions, whose repeats are not checked again. No cache if undefined. */
  readonly refusedKept?: number
}

/** Turns submissions into transactions with a sender, or refuses them without a look at the state. */
export class Screening {
  readonly #options: ScreeningOptions
  readonly #contents: Pick<PoolContents, 'find'>
  readonly #refused: RejectionCache

  constructor(options: ScreeningOptions, contents: Pick<PoolContents, 'find'>) {
    this.#options = options
    this.#contents = contents
    this.#refused = new RejectionCache(options.refusedKept ?? 0)
  }

  /** Runs the checks that need neither sender nor state, so that an invalid transaction costs no recovery. */
  screen(raw: Uint8Array): SignedTransaction {
    const { rules, recovery } = this.#options
    checkEncoding(raw, rules)
    const signed = decodeSigned(raw, (bytes) => recovery.keccak256(bytes))
    this.refuseKnown(signed.hash)
    checkFields(signed, rules)
    return signed
  }

  /** Decodes, screens and recovers the sender. */
  async read(raw: Uint8Array): Promise<Transaction> {
    const signed = this.screen(raw)
    this.#refused.refuseRepeat(signed.hash)
    return { ...signed, from: await this.#recoverSender(signed) }
  }

  /** Returns a transaction whose sender need not be recovered. */
  known(raw: Uint8Array, { isImpersonated, signer, checked }: AddOptions): Transaction | undefined {
    if (isImpersonated) return this.#impersonated(raw)
    if (checked !== undefined) return this.takeChecked(checked)
    return signer && { ...this.screen(raw), from: signer }
  }

  /** Returns a transaction that a worker has checked, unless it is known. */
  takeChecked(transaction: RecordedTransaction): Transaction {
    this.refuseKnown(transaction.hash)
    this.#refused.refuseRepeat(transaction.hash)
    return transaction
  }

  refuseKnown(hash: Uint8Array): void {
    if (this.#contents.find(hash) !== undefined) throw poolRejection('already known')
  }

  /** Caches a rejection that is final in every later state. */
  refuseAlways(hash: Uint8Array, refusal: LockstepError): LockstepError {
    this.#refused.add(hash, refusal)
    return refusal
  }

  /** Forgets cached rejections, which a removal of blocks may lift. */
  forgetRefusals(): void {
    this.#refused.clear()
  }

  #impersonated(raw: Uint8Array): Transaction {
    const signed = this.screen(raw)
    const from = this.#options.rules.isDevelopment ? impersonatedSender(signed) : undefined
    if (from === undefined) {
      throw poolRejection(
        'impersonated transactions are not accepted on this chain',
        'only development chains accept them, with "development" in genesis.json: create one with start --dev on a new home',
      )
    }
    return { ...signed, from }
  }

  async #recoverSender(signed: SignedTransaction): Promise<Uint8Array> {
    const { recovery, deferredRecovery } = this.#options
    try {
      if (deferredRecovery === undefined) return recoverSender(signed, recovery)
      const keccak256 = (bytes: Uint8Array) => recovery.keccak256(bytes)
      return await recoverSenderLater(signed, keccak256, deferredRecovery)
    } catch (error) {
      if (!(error instanceof LockstepError)) throw error
      throw this.refuseAlways(signed.hash, poolRejection(`invalid sender: ${error.message}`))
    }
  }
}
