import { equalBytes } from '../../base/bytes.ts'
import { DEV_KEYS } from '../../base/config/dev-keys.ts'
import type { Config } from '../../base/config/schema.ts'
import type { TomlLiteral } from '../../base/config/value-type.ts'
import { DEV_ACCOUNTS, DEV_MNEMONIC, DEV_PATH } from '../../base/dev-accounts.ts'
import { LockstepError } from '../../base/error.ts'
import { formatData, parseFixedData } from '../../base/hex.ts'
import type { AccountKey } from '../../evm/chain-types/account-key.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'

const WEI_PER_TOKEN = 10n ** 18n

/** The configured accounts of a development chain. */
export interface DeveloperAccounts {
  /** Keys with which the node signs. */
  readonly keys: readonly AccountKey[]
  /** Mnemonic that the keys are derived from. */
  readonly mnemonic: string
  /** BIP-32 path of the keys, without the index. */
  readonly path: string
  /** Genesis balance of each, in wei. */
  readonly balance: bigint
  /** True if accounts or balance differ from the defaults. */
  readonly isSet: boolean
  /** Settings that a new home stores in app.toml, so that the next start needs no flags. */
  readonly settings: Readonly<Record<string, TomlLiteral>>
}

/** @throws INVALID_ARGUMENT if the mnemonic is invalid */
export async function developerAccounts({
  accounts,
  mnemonic,
  balance,
  derivationPath: path,
}: Config['dev']): Promise<DeveloperAccounts> {
  const { fallback } = DEV_KEYS.balance
  const isOwn = mnemonic !== DEV_MNEMONIC || path !== DEV_PATH || accounts !== DEV_ACCOUNTS.length
  return {
    keys: await keysOf(mnemonic, path, accounts),
    mnemonic,
    path,
    balance: BigInt(balance) * WEI_PER_TOKEN,
    isSet: isOwn || balance !== fallback,
    settings: {
      'dev.accounts': accounts,
      'dev.mnemonic': mnemonic,
      'dev.derivation-path': path,
      'dev.balance': balance,
    },
  }
}

async function keysOf(mnemonic: string, path: string, count: number): Promise<AccountKey[]> {
  // Deriving keys from a mnemonic takes about 50 ms.
  if (mnemonic === DEV_MNEMONIC && path === DEV_PATH && count <= DEV_ACCOUNTS.length) {
    return DEV_ACCOUNTS.slice(0, count).map(({ address, privateKey }) => ({
      secret: parseFixedData(privateKey, 32),
      address: parseFixedData(address, 20),
    }))
  }
  const { keysFromMnemonic } = await import('../../wallet/keys/mnemonic.ts')
  return keysFromMnemonic(mnemonic, count, path)
}

/**
 * Compares the configured accounts with those in the genesis.
 * @throws INVALID_ARGUMENT if one is missing or has another genesis balance
 */
export function checkDeveloperAccounts(
  path: string,
  { accounts }: Genesis,
  { keys, balance }: DeveloperAccounts,
): void {
  for (const { address } of keys) {
    const begun = accounts.find((account) => equalBytes(account.address, address))
    if (begun?.balance === balance) continue
    const has = begun === undefined ? 'no account' : `${begun.balance / WEI_PER_TOKEN} tokens for`
    throw new LockstepError(
      'INVALID_ARGUMENT',
      `${path} has ${has} ${formatData(address)}; dev.accounts, dev.mnemonic, dev.derivation-path and dev.balance ask for ` +
        `${balance / WEI_PER_TOKEN} tokens`,
      {
        hint: 'leave them as the home was created with, or use another --home: set balances of an existing chain with anvil_setBalance',
      },
    )
  }
}
