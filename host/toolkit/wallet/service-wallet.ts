import type { Hex } from '../../base/hex.ts'
import type { SignableTypedData } from '../../payments/client/wallet.ts'
import type { WalletClient } from '../../wallet/client/wallet-client.ts'
import {
  WalletRequestError,
  type WalletRequestErrorCode,
} from '../../wallet/client/wallet-request-error.ts'
import { ActionError, type ActionErrorCode } from '../action-error.ts'
import type { AgentWallet, WalletTransaction } from '../agent-wallet.ts'
import { checksummed } from '../checksum.ts'
import { plainText } from '../plain-text.ts'

/** The used part of the wallet client. */
export type WalletService = Pick<
  WalletClient,
  'getWallet' | 'sendTransaction' | 'signMessage' | 'signTypedData'
>

/** Codes by those of the service. All others mean that the wallet refused. */
const CODES: Partial<Record<WalletRequestErrorCode, ActionErrorCode>> = {
  policy_violation: 'POLICY_DENIED',
  insufficient_funds: 'INSUFFICIENT_FUNDS',
  rate_limited: 'LIMIT_EXCEEDED',
  transaction_broadcast_failure: 'CHAIN_REFUSED',
  chain_unreachable: 'CHAIN_UNREACHABLE',
  signer_unreachable: 'CHAIN_UNREACHABLE',
}

/** Errors after which a transaction may have been sent nevertheless. */
const UNCERTAIN: ReadonlySet<WalletRequestErrorCode> = new Set([
  'network_error',
  'timeout',
  'aborted',
  'unexpected_answer',
  'internal_error',
])

/** Returns the policy's reason, if it gives one. */
function reasonOf({ message, explanation }: WalletRequestError): string {
  const { reason } = explanation
  const words = typeof reason === 'string' ? `${message}: ${reason}` : message
  return plainText(words, 400)
}

/** @param sends true if a transaction may have been sent */
function refused(thrown: unknown, sends: boolean): ActionError {
  if (!(thrown instanceof WalletRequestError)) {
    return new ActionError('INTERNAL', 'the wallet service cannot be reached', { cause: thrown })
  }
  const details = { walletCode: thrown.code, ...thrown.explanation }
  const uncertain = sends && UNCERTAIN.has(thrown.code)
  const code = uncertain ? 'OUTCOME_UNKNOWN' : (CODES[thrown.code] ?? 'WALLET_REFUSED')
  const { idempotencyKey } = thrown
  const next =
    uncertain && idempotencyKey !== undefined
      ? `do not send again, except by the same call with idempotencyKey "${idempotencyKey}", which sends nothing twice`
      : undefined
  const text = `the wallet service: ${reasonOf(thrown)}`
  return new ActionError(code, text, {
    details,
    cause: thrown,
    ...(next !== undefined && { next }),
  })
}

/** A wallet with its key in the signer of a wallet service. The signer's policies decide what it signs. */
export class ServiceWallet implements AgentWallet {
  readonly kind = 'a wallet service, whose signer decides by the policies of the wallet'
  readonly address: Hex
  readonly #service: WalletService
  readonly #walletId: string
  readonly #caip2: string

  /**
   * @param caip2 sent with each transaction, as the wallet may be used on several chains
   * @throws ActionError if the wallet does not exist
   */
  static async open(
    service: WalletService,
    walletId: string,
    caip2: string,
  ): Promise<ServiceWallet> {
    try {
      const { address } = await service.getWallet({ walletId })
      return new ServiceWallet(service, walletId, caip2, checksummed(address))
    } catch (error) {
      throw refused(error, false)
    }
  }

  private constructor(service: WalletService, walletId: string, caip2: string, address: Hex) {
    this.#service = service
    this.#walletId = walletId
    this.#caip2 = caip2
    this.address = address
  }

  async sendTransaction(transaction: WalletTransaction): Promise<Hex> {
    const { to, value, data, idempotencyKey } = transaction
    const chainId = Number(this.#caip2.slice('eip155:'.length))
    try {
      const { hash } = await this.#service.sendTransaction(
        {
          walletId: this.#walletId,
          caip2: this.#caip2,
          transaction: { to, value, data, chainId },
        },
        { idempotencyKey },
      )
      return hash
    } catch (error) {
      throw refused(error, true)
    }
  }

  async signMessage(message: string): Promise<Hex> {
    try {
      return await this.#service.signMessage({ walletId: this.#walletId, message })
    } catch (error) {
      throw refused(error, false)
    }
  }

  async signTypedData(typedData: SignableTypedData): Promise<Hex> {
    try {
      return await this.#service.signTypedData({ walletId: this.#walletId, typedData })
    } catch (error) {
      throw refused(error, false)
    }
  }
}
