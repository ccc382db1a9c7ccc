import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../../../host/base/hex.ts'
import { mineDynamicFee } from '../../support/node/progress.ts'

/** Key of a new account with some of the native token, from an account of a dev node that nobody else uses then. */
export async function fundedKey(rpc: string, chainId: number, donor: number): Promise<Hex> {
  const key = generatePrivateKey()
  const to = privateKeyToAccount(key).address
  await mineDynamicFee(rpc, donor, { chainId, to, value: 10n ** 18n })
  return key
}
