import type { Hex } from '../../base/hex.ts'
import { PaymentError } from './payment-error.ts'

/** Takes whatever its parameters are: the types of viem's methods depend on the chain and the account. */
type Method = (parameters: never) => Promise<unknown>

/**
 * A wallet client of viem with an account, of whichever transport: structural, so that this package does not bring
 * viem along. An account with a key (`type` is `local`) signs its transactions first, so that one whose sending breaks
 * off is found again by its hash.
 */
export interface PayingWallet {
  readonly account?: { readonly address: Hex; readonly type?: string } | undefined
  readonly chain?: { readonly id: number } | undefined
  /** EIP-1193: reads the chain too. */
  readonly request: Method
  readonly signTypedData: Method
  readonly sendTransaction: Method
  readonly prepareTransactionRequest?: Method
  readonly signTransaction?: Method
}

/** EIP-712 data as `signTypedData` takes it. */
export interface TypedData {
  readonly domain: Readonly<Record<string, unknown>>
  readonly types: Readonly<
    Record<string, readonly { readonly name: string; readonly type: string }[]>
  >
  readonly primaryType: string
  readonly message: Readonly<Record<string, unknown>>
}

/** A wallet with the account that pays. */
export class PayerAccount {
  readonly #wallet: PayingWallet
  readonly #account: NonNullable<PayingWallet['account']>

  /** @throws TypeError without an account */
  constructor(wallet: PayingWallet) {
    if (wallet.account === undefined) {
      throw new TypeError('the wallet client has no account: createWalletClient({ account, ... })')
    }
    this.#wallet = wallet
    this.#account = wallet.account
  }

  get address(): Hex {
    return this.#account.address
  }

  /** A call of the node behind the wallet. */
  async read<T>(method: string, ...params: unknown[]): Promise<T> {
    return (await this.#wallet.request({ method, params } as never)) as T
  }

  /** Id of the chain that the wallet is on now. */
  async chainId(): Promise<number> {
    return Number(await this.read<Hex>('eth_chainId'))
  }

  /** Id of the chain that the wallet was made for; asked where it was made for none. */
  async configuredChainId(): Promise<number> {
    return this.#wallet.chain?.id ?? (await this.chainId())
  }

  async sign(data: TypedData): Promise<Hex> {
    return (await this.#wallet.signTypedData({ account: this.#account, ...data } as never)) as Hex
  }

  async nonce(): Promise<number> {
    return Number(await this.read<Hex>('eth_getTransactionCount', this.address, 'pending'))
  }

  /** A signed transaction with its nonce, where the wallet signs without sending. */
  async signTransaction(
    to: Hex,
    data: Hex,
  ): Promise<{ readonly raw: Hex; readonly nonce: number } | undefined> {
    const { prepareTransactionRequest: prepare, signTransaction: sign } = this.#wallet
    if (this.#account.type !== 'local' || prepare === undefined || sign === undefined) return
    const chain = this.#wallet.chain ?? null
    const prepared = (await prepare({ account: this.#account, chain, to, data } as never)) as {
      readonly nonce: number
    }
    const raw = (await sign({ account: this.#account, chain, ...prepared } as never)) as Hex
    return { raw, nonce: prepared.nonce }
  }

  async sendRaw(raw: Hex): Promise<Hex> {
    return this.read('eth_sendRawTransaction', raw)
  }

  /** Has the wallet sign and send; resolves with the hash. */
  async send(to: Hex, data: Hex, nonce: number): Promise<Hex> {
    const chain = this.#wallet.chain ?? null
    const transaction = { account: this.#account, chain, to, data, nonce }
    return (await this.#wallet.sendTransaction(transaction as never)) as Hex
  }
}

/** Codes after which a request may have been carried out: internal errors, lost connections, viem's for unknown. */
const UNCERTAIN: ReadonlySet<number> = new Set([-32603, 4900, 4901, -1])

/**
 * Whether a wallet or a node has answered that it refuses: by the JSON-RPC code (EIP-1193, EIP-1474) of an error or of
 * one of its causes. What broke off on the way may have been carried out.
 */
export function isRefused(thrown: unknown): boolean {
  let error = thrown
  for (let depth = 0; depth < 8 && typeof error === 'object' && error !== null; depth++) {
    const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown }
    if (typeof code === 'number' && !UNCERTAIN.has(code)) return true
    error = cause
  }
  return false
}

/** An error of a wallet after which nothing of the payment can be on its way. */
export function walletFailed(what: string, cause: unknown): PaymentError {
  const text = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
  return new PaymentError('WALLET_FAILED', `${what}: ${text}`, { cause, moneyMoved: 'no' })
}
