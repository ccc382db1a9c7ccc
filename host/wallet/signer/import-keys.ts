import { WalletError } from '../protocol/wallet-error.ts'
import { createImportKey, type ImportKey } from '../vault/hpke.ts'
import { freshId } from './fresh-id.ts'

/** Time between the two requests of an import. Encrypting a key takes no time. */
const KEPT_MS = 15 * 60_000

/** Over all apps; each has some hundred bytes. */
const MOST_KEPT = 1_000

interface KeptKey {
  readonly appId: string
  /** Address of the account to import, in lower-case hex. */
  readonly address: string
  readonly key: ImportKey
  readonly madeAt: number
}

/** Keys that imported private keys are encrypted to. Kept in memory only. */
export class ImportKeys {
  readonly #keys = new Map<string, KeptKey>()

  async create(
    appId: string,
    address: string,
    now: number,
  ): Promise<{ readonly id: string; readonly publicKey: string }> {
    const key = await createImportKey()
    for (const [id, { madeAt }] of this.#keys) {
      if (madeAt + KEPT_MS < now || this.#keys.size >= MOST_KEPT) this.#keys.delete(id)
    }
    const id = freshId()
    this.#keys.set(id, { appId, address, key, madeAt: now })
    return { id, publicKey: key.publicKey }
  }

  /**
   * Returns the key of an import by its id, or the latest for the account.
   * @throws WalletError invalid_data
   */
  find(
    appId: string,
    address: string,
    id: string | undefined,
    now: number,
  ): { readonly id: string; readonly key: ImportKey } {
    const [found] = [...this.#keys]
      .filter(([own, kept]) => kept.appId === appId && (id === undefined || own === id))
      .filter(([, kept]) => kept.address === address && kept.madeAt + KEPT_MS >= now)
      .reverse()
    if (found === undefined) {
      throw new WalletError(
        'invalid_data',
        'no import of that address was started in the last 15 minutes: call /v1/wallets/import/init',
      )
    }
    return { id: found[0], key: found[1].key }
  }

  /** Deletes a key: it serves for one import. */
  delete(id: string): void {
    this.#keys.delete(id)
  }
}
