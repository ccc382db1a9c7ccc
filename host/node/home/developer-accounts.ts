import { equalBytes } from '../../base/bytes.ts'
import { DEV_KEYS } from '../../base/config/dev-keys.ts'
import type { Config } from '../../base/config/schema.ts'
import type { TomlLiteral } from '../../base/config/value-type.ts'
import { DEV_ACCOUNTS, DEV_MNEMONIC } from '../../base/dev-accounts.ts'
import { LockstepError } from '../../base/error.ts'
import { formatData, parseFixedData } from '../../base/hex.ts'
import type { AccountKey } from '../../evm/chain-types/account-key.ts'
import type { Genesis } from '../../evm/chain-types/genesis.ts'

const WEI_PER_TOKEN = 10n ** 18n

/** The accounts of a development chain by the configuration. */
export interface DeveloperAccounts {
  /** The node signs for them. */
  readonly keys: readonly AccountKey[]
  /** Words that they are derived from. */
  readonly mnemonic: string
  /** Of each at genesis, in wei. */
  readonly balance: bigint
  /** True where the configuration asks for other accounts or another balance than the table of keys. */
  readonly isSet: boolean
  /** What a new home keeps of them in app.toml: a next start needs no flags. */
  readonly settings: Readonly<Record<string, TomlLiteral>>
}

/** @throws INVALID_ARGUMENT where the words are no mnemonic */
export async function developerAccounts({
  accounts,
  mnemonic,
  balance,
}: Config['dev']): Promise<DeveloperAccounts> {
  const { fallback } = DEV_KEYS.balance
  const isOwn = mnemonic !== DEV_MNEMONIC || accounts !== DEV_ACCOUNTS.length
  return {
    keys: await keysOf(mnemonic, accounts),
    mnemonic,
    balance: BigInt(balance) * WEI_PER_TOKEN,
    isSet: isOwn || balance !== fallback,
    settings: { 'dev.accounts': accounts, 'dev.mnemonic': mnemonic, 'dev.balance': balance },
  }
}

async function keysOf(mnemonic: string, count: number): Promise<AccountKey[]> {
  // Words cost some 50 ms.
  if (mnemonic === DEV_MNEMONIC && count <= DEV_ACCOUNTS.length) {
    return DEV_ACCOUNTS.slice(0, count).map(({ address, privateKey }) => ({
      secret: parseFixedData(privateKey, 32),
      address: parseFixedData(address, 20),
    }))
  }
  const { keysFromMnemonic } = await import('../../wallet/keys/mnemonic.ts')
  return keysFromMnemonic(mnemonic, count)
}

/**
 * Holds the accounts of the configuration against those that the chain has begun with.
 * @throws INVALID_ARGUMENT where one is missing or has begun with another balance
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
      `${path} has ${has} ${formatData(address)}; dev.accounts, dev.mnemonic and dev.balance ask for ` +
        `${balance / WEI_PER_TOKEN} tokens`,
      {
        hint: 'leave them as the home was made with, or use another --home: balances of a chain that exists are set with anvil_setBalance',
      },
    )
  }
}
