import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../../../host/base/hex.ts'
import { mineDynamicFee } from '../../support/node/progress.ts'

/** Returns the key of a new account, funded by an account of a dev node that has no other use then. */
export async function fundedKey(rpc: string, chainId: number, donor: number): Promise<Hex> {
  const key = generatePrivateKey()
  const to = privateKeyToAccount(key).address
  await mineDynamicFee(rpc, donor, { chainId, to, value: 10n ** 18n })
  return key
}
