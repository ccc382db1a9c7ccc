import { bytesKey } from '../../base/bytes.ts'
import type { AccountKey, SignDigest } from '../../evm/chain-types/account-key.ts'

/**
 * Unlocked accounts, for which the node signs, and impersonated accounts of one run, in memory. Addresses have 20
 * bytes. Keys are given at each start.
 */
export class UnlockedAccounts {
  /** True to impersonate every address. */
  autoImpersonate = false
  readonly #held = new Map<string, AccountKey>()
  readonly #impersonated = new Map<string, Uint8Array>()
  /** The last task of each account; it never rejects. */
  readonly #last = new Map<string, Promise<void>>()
  #signDigest: Promise<SignDigest> | undefined

  constructor(keys: Iterable<AccountKey>) {
    for (const key of keys) this.add(key)
  }

  /** Accounts with a key, in order. */
  get addresses(): readonly Uint8Array[] {
    return Array.from(this.#held.values(), ({ address }) => address)
  }

  get impersonated(): readonly Uint8Array[] {
    return [...this.#impersonated.values()]
  }

  keyOf(address: Uint8Array): AccountKey | undefined {
    return this.#held.get(bytesKey(address))
  }

  /**
   * Returns what signs for the accounts: libsecp256k1, which takes a fifth of the time of the default. It is loaded
   * at the first call, which takes 20 ms.
   */
  signDigest(): Promise<SignDigest> {
    this.#signDigest ??= import('tiny-secp256k1').then(
      ({ signRecoverable }) =>
        (digest, secret) => {
          const { signature, recoveryId } = signRecoverable(digest, secret)
          return { r: signature.subarray(0, 32), s: signature.subarray(32), yParity: recoveryId }
        },
    )
    return this.#signDigest
  }

  add(key: AccountKey): void {
    this.#held.set(bytesKey(key.address), key)
  }

  impersonate(address: Uint8Array): void {
    this.#impersonated.set(bytesKey(address), address.slice())
  }

  /** Returns false if the account was not impersonated. */
  stopImpersonating(address: Uint8Array): boolean {
    return this.#impersonated.delete(bytesKey(address))
  }

  /** Returns true if the address may act without a signature. */
  mayAct(address: Uint8Array): boolean {
    return this.autoImpersonate || this.#impersonated.has(bytesKey(address))
  }

  /** Runs the tasks of an account one after another, in call order, so that its nonces follow that order. */
  inOrder<Result>(address: Uint8Array, work: () => Promise<Result>): Promise<Result> {
    const key = bytesKey(address)
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work)
    const ended = () => {
      if (this.#last.get(key) === last) this.#last.delete(key)
    }
    const last = result.then(ended, ended)
    this.#last.set(key, last)
    return result
  }
}
