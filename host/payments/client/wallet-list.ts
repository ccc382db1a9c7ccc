import type { Payment } from './payment.ts'
import { PayerAccount, type PayingWallet } from './wallet.ts'

/** An account on one chain. */
export interface ChainWallet {
  readonly account: PayerAccount
  readonly chainId: number
}

/** The wallets of a payer, in the order of their preference. */
export class WalletList {
  readonly #accounts: readonly PayerAccount[]

  /** @throws TypeError if there is none, or one has no account */
  constructor(wallets: PayingWallet | readonly PayingWallet[]) {
    this.#accounts = [wallets].flat().map((wallet) => new PayerAccount(wallet as PayingWallet))
    if (this.#accounts.length === 0) throw new TypeError('wallets is empty: pass a wallet client')
  }

  /** The addresses, each once, in lower case. */
  get addresses(): readonly string[] {
    return [...new Set(this.#accounts.map(({ address }) => address.toLowerCase()))]
  }

  /** Returns the chains of the wallets, each with the first wallet on it. */
  async byChain(): Promise<readonly ChainWallet[]> {
    const found = new Map<number, PayerAccount>()
    for (const account of this.#accounts) {
      const chainId = await account.configuredChainId()
      if (!found.has(chainId)) found.set(chainId, account)
    }
    return [...found].map(([chainId, account]) => ({ chainId, account }))
  }

  /** Returns the wallet that made a payment; undefined if it is not among these. */
  async ofPayment({ payer, chainId }: Payment): Promise<PayerAccount | undefined> {
    const own = this.#accounts.filter(
      ({ address }) => address.toLowerCase() === payer.toLowerCase(),
    )
    if (own.length < 2) return own[0]
    for (const account of own) {
      if ((await account.configuredChainId()) === chainId) return account
    }
    return undefined
  }
}
