import { formatData, type Hex, parseData } from '../../base/hex.ts'
import { RecentCache } from '../../base/recent-cache.ts'
import { delay } from '../../base/timer.ts'
import type { OpenPart } from '../policy/decision.ts'
import type { ApiWallet } from '../protocol/wallet.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type {
  FilledTransaction,
  KnownTransaction,
  SignAnswer,
  SignerLink,
  SignerRequest,
} from '../signer/signer-link.ts'

/** Cached wallet addresses. */
const MAX_ADDRESSES = 10_000

/** Pause in milliseconds before a restarting signer is asked again. */
const PAUSE_MS = 50

export interface SignedBytes {
  readonly raw: Hex
  /** Lower case. */
  readonly hash: Hex
}

/** The signer as used for transactions. Calls wait for a restarting signer. */
export class TransactionSigner {
  readonly #link: SignerLink
  readonly #patienceMs: number
  readonly #makeId: () => string
  readonly #addresses = new RecentCache<string, Hex>(MAX_ADDRESSES)
  #isClosed = false

  /** @param patienceMs how long to wait for an unreachable signer, in milliseconds */
  constructor(link: SignerLink, patienceMs: number, makeId: () => string) {
    this.#link = link
    this.#patienceMs = patienceMs
    this.#makeId = makeId
  }

  /** @throws WalletError if a required authorization is missing */
  authorize(asked: SignerRequest): Promise<void> {
    return this.#link.authorize(asked)
  }

  /**
   * Returns the unknown parts that the decision depends on. @throws WalletError policy_violation, and as `authorize`
   */
  precheck(asked: SignerRequest, known?: KnownTransaction): Promise<readonly OpenPart[]> {
    return this.#link.precheck(asked, known)
  }

  /** Signs a request as given. */
  sign(asked: SignerRequest, filled?: FilledTransaction): Promise<SignAnswer> {
    return this.#link.sign(asked, filled)
  }

  /** Signs a transaction. Retries use the same nonce. */
  async signTransaction(asked: SignerRequest, filled: FilledTransaction): Promise<SignedBytes> {
    const end = performance.now() + this.#patienceMs
    for (;;) {
      try {
        const { signed } = await this.#link.sign(asked, filled)
        if (signed.kind !== 'transaction')
          throw new WalletError('internal_error', 'the signer returned no transaction')
        return { raw: signed.raw, hash: signed.hash.toLowerCase() as Hex }
      } catch (error) {
        const isAway = error instanceof WalletError && error.code === 'signer_unreachable'
        if (!isAway || this.#isClosed || performance.now() > end) throw error
        await delay(PAUSE_MS)
      }
    }
  }

  /** Returns the address in lower case. @throws WalletError not_found */
  async addressOf(appId: string, walletId: string): Promise<Hex> {
    const key = `${appId} ${walletId}`
    const known = this.#addresses.get(key)
    if (known !== undefined) return known
    const request = {
      method: 'GET',
      // Includes archived wallets: refusing to sign with them is the signer's decision.
      path: `/v1/wallets/${walletId}?include_archived=true`,
      body: '',
      headers: {},
      signatures: [],
    } as const
    const asked = { appId, requestId: this.#makeId(), request }
    const wallet = (await this.#link.ask(asked)) as ApiWallet
    const address = formatData(parseData(wallet.address))
    this.#addresses.set(key, address)
    return address
  }

  /** Ends all waits for the signer. */
  close(): void {
    this.#isClosed = true
  }
}
