import { formatData, type Hex, parseData } from '../../base/hex.ts'
import { delay } from '../../base/timer.ts'
import type { OpenPart } from '../policy/decision.ts'
import type { Wallet } from '../protocol/wallet.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type {
  Asked,
  FilledTransaction,
  KnownTransaction,
  SignAnswer,
  SignerLink,
} from '../signer/signer-link.ts'

/** Addresses of wallets that are remembered. */
const MAX_ADDRESSES = 10_000

/** Pause before a signer that is started again is asked again. */
const PAUSE_MS = 50

export interface SignedTransaction {
  readonly raw: Hex
  /** Lower case. */
  readonly hash: Hex
}

/** The signer as those see it who send transactions: one that is started again is waited for. */
export class TransactionSigner {
  readonly #link: SignerLink
  readonly #patienceMs: number
  readonly #makeId: () => string
  readonly #addresses = new Map<string, Hex>()
  #isClosed = false

  /** @param patienceMs for how long a signer that is away is waited for */
  constructor(link: SignerLink, patienceMs: number, makeId: () => string) {
    this.#link = link
    this.#patienceMs = patienceMs
    this.#makeId = makeId
  }

  /** @throws WalletError if who has to agree has not */
  authorize(asked: Asked): Promise<void> {
    return this.#link.authorize(asked)
  }

  /** What the decision depends on beyond what is known. @throws WalletError policy_violation, and as `authorize` */
  foresee(asked: Asked, known?: KnownTransaction): Promise<readonly OpenPart[]> {
    return this.#link.foresee(asked, known)
  }

  /** What is asked for, as it is asked for. */
  sign(asked: Asked, filled?: FilledTransaction): Promise<SignAnswer> {
    return this.#link.sign(asked, filled)
  }

  /** The same is signed with the same nonce, however often it is asked for. */
  async signTransaction(asked: Asked, filled: FilledTransaction): Promise<SignedTransaction> {
    const end = performance.now() + this.#patienceMs
    for (;;) {
      try {
        const { signed } = await this.#link.sign(asked, filled)
        if (signed.kind !== 'transaction')
          throw new WalletError('internal_error', 'the signer gave no transaction')
        return { raw: signed.raw, hash: signed.hash.toLowerCase() as Hex }
      } catch (error) {
        const isAway = error instanceof WalletError && error.code === 'signer_unreachable'
        if (!isAway || this.#isClosed || performance.now() > end) throw error
        await delay(PAUSE_MS)
      }
    }
  }

  /** Lower case. @throws WalletError not_found */
  async addressOf(appId: string, walletId: string): Promise<Hex> {
    const key = `${appId} ${walletId}`
    const known = this.#addresses.get(key)
    if (known !== undefined) return known
    const request = {
      method: 'GET',
      // An archived one too: that it signs nothing is the signer's to say.
      path: `/v1/wallets/${walletId}?include_archived=true`,
      body: '',
      headers: {},
      signatures: [],
    } as const
    const asked = { appId, requestId: this.#makeId(), request }
    const wallet = (await this.#link.ask(asked)) as Wallet
    const address = formatData(parseData(wallet.address))
    if (this.#addresses.size >= MAX_ADDRESSES) this.#addresses.clear()
    this.#addresses.set(key, address)
    return address
  }

  /** Nobody is waited for any more. */
  close(): void {
    this.#isClosed = true
  }
}
