import type { Vault } from '../../../host/wallet/vault/vault.ts'

/** A vault that hides nothing, and refuses a key that is of another wallet. */
export const plainVault: Vault = {
  seal: (secret, { walletId }) => ({
    version: 1,
    wrapped: Buffer.from(walletId),
    sealed: Uint8Array.from(secret),
    masterKey: 1,
  }),
  open(key, { walletId }, use) {
    if (Buffer.from(key.wrapped).toString() !== walletId) throw new Error('a key of another wallet')
    return use(Uint8Array.from(key.sealed))
  },
  rewrap: (key) => key,
  close() {},
}
