import { pbkdf2Sync } from 'node:crypto'
import type { HDAccount, Hex, LocalAccount } from 'viem'
import { HDKey, hdKeyToAccount } from 'viem/accounts'

const MNEMONIC = 'test test test test test test test test test test test junk'

/** The BIP-39 seed, derived once: viem derives it for each account in JavaScript, which takes 50 ms. */
const ROOT = HDKey.fromMasterSeed(pbkdf2Sync(MNEMONIC, 'mnemonic', 2048, 64, 'sha512'))

const ACCOUNTS: readonly HDAccount[] = Array.from({ length: 10 }, (_, addressIndex) =>
  hdKeyToAccount(ROOT, { addressIndex }),
)

/** Returns the n-th of the ten funded accounts of the dev preset (m/44'/60'/0'/0/n), derived by viem. */
export function devAccount(index: number): HDAccount {
  const account = ACCOUNTS[index]
  if (account === undefined) throw new RangeError(`dev account ${index} of ${ACCOUNTS.length}`)
  return account
}

/** An account that signs for itself. */
export type LocalSigner = Pick<LocalAccount, 'address' | 'signTransaction'>

/** Transaction fields that a test sets. The others have the defaults of `signDynamicFee`. */
export interface DynamicFeeFields {
  readonly nonce: number
  readonly chainId?: number
  readonly to?: Hex | undefined
  readonly value?: bigint | undefined
  readonly data?: Hex | undefined
  readonly gas?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
}

/**
 * Returns a signed EIP-1559 transaction. Unless `fields` differ, it is for the chain of the dev preset, with the gas
 * of a transfer, a tip of 1 gwei and a maximum fee of 100 gwei.
 * @param from an account, or the index of a dev account
 */
export function signDynamicFee(from: number | LocalSigner, fields: DynamicFeeFields): Promise<Hex> {
  const account = typeof from === 'number' ? devAccount(from) : from
  return account.signTransaction({
    chainId: 31_337,
    gas: 21_000n,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    ...fields,
    type: 'eip1559',
  })
}
