import type { Hex } from '../../base/hex.ts'
import { PaymentError } from './payment-error.ts'

/** Accepts any parameters: the types of viem's methods depend on the chain and the account. */
type Method = (parameters: never) => Promise<unknown>

/**
 * A viem wallet client with an account, on any transport. Structural, so that this package does not depend on viem. A
 * `local` account signs its transactions first, so that one whose sending is interrupted can be found by its hash.
 */
export interface PayingWallet {
  readonly account?: { readonly address: Hex; readonly type?: string } | undefined
  readonly chain?: { readonly id: number } | undefined
  /** EIP-1193; also reads the chain. */
  readonly request: Method
  readonly signTypedData: Method
  readonly sendTransaction: Method
  readonly prepareTransactionRequest?: Method
  readonly signTransaction?: Method
}

/** EIP-712 data as `signTypedData` takes it. */
export interface SignableTypedData {
  readonly domain: Readonly<Record<string, unknown>>
  readonly types: Readonly<
    Record<string, readonly { readonly name: string; readonly type: string }[]>
  >
  readonly primaryType: string
  readonly message: Readonly<Record<string, unknown>>
}

/** The wallet and the account that pays. */
export class PayerAccount {
  readonly #wallet: PayingWallet
  readonly #account: NonNullable<PayingWallet['account']>

  /** @throws TypeError if the wallet has no account */
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

  /** Calls the node behind the wallet. */
  async read<T>(method: string, ...params: unknown[]): Promise<T> {
    return (await this.#wallet.request({ method, params } as never)) as T
  }

  /** Returns the wallet's current chain id. */
  async chainId(): Promise<number> {
    return Number(await this.read<Hex>('eth_chainId'))
  }

  /** Returns the chain id that the wallet is configured for, or its current one if unconfigured. */
  async configuredChainId(): Promise<number> {
    return this.#wallet.chain?.id ?? (await this.chainId())
  }

  async sign(data: SignableTypedData): Promise<Hex> {
    return (await this.#wallet.signTypedData({ account: this.#account, ...data } as never)) as Hex
  }

  async nonce(): Promise<number> {
    return Number(await this.read<Hex>('eth_getTransactionCount', this.address, 'pending'))
  }

  /** Returns a signed transaction and its nonce, if the wallet can sign without sending. */
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

  /** Has the wallet sign and send; returns the hash. */
  async send(to: Hex, data: Hex, nonce: number): Promise<Hex> {
    const chain = this.#wallet.chain ?? null
    const transaction = { account: this.#account, chain, to, data, nonce }
    return (await this.#wallet.sendTransaction(transaction as never)) as Hex
  }
}

/** Codes after which a request may have been executed: internal errors, lost connections, viem's unknown error. */
const UNCERTAIN: ReadonlySet<number> = new Set([-32603, 4900, 4901, -1])

/**
 * Returns whether a wallet or node has refused: by the JSON-RPC code (EIP-1193, EIP-1474) of an error or of one of
 * its causes. A request that was interrupted may have been executed.
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

/** Returns a wallet error after which nothing of the payment can be in flight. */
export function walletFailed(what: string, cause: unknown): PaymentError {
  const text = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
  return new PaymentError('WALLET_FAILED', `${what}: ${text}`, { cause, moneyMoved: 'no' })
}
