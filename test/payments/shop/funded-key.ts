import { createWalletClient, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../../../host/base/hex.ts'
import { devAccount } from '../../support/node/dev-wallet.ts'
import { call } from '../../support/node/json-rpc.ts'

/** Key of a new account with some of the native token, from an account of a dev node that nobody else uses then. */
export async function fundedKey(rpc: string, chainId: number, donor: number): Promise<Hex> {
  const key = generatePrivateKey()
  const account = devAccount(donor)
  const wallet = createWalletClient({ account, transport: http(rpc) })
  const nonce = await call<Hex>(rpc, 'eth_getTransactionCount', [account.address, 'pending'])
  const raw = await wallet.signTransaction({
    chain: null,
    chainId,
    type: 'eip1559',
    to: privateKeyToAccount(key).address,
    value: 10n ** 18n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 10n ** 9n,
    nonce: Number(nonce),
  })
  await call(rpc, 'eth_sendRawTransactionSync', [raw])
  return key
}
