// lockstep/payments/fetch in a page, with a wallet like that of a browser extension.
import { createWalletClient, custom } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import * as payments from '../../../host/entry/payments-fetch.ts'
import { injectedProvider } from '../../support/payments/injected-provider.ts'

const MNEMONIC = 'test test test test test test test test test test test junk'

/** Returns a wallet client on an EIP-1193 provider for the dev account of this index. */
function walletOf(rpc: string, addressIndex: number) {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex })
  const transport = custom(injectedProvider(rpc, account))
  return createWalletClient({ account: account.address, chain: hardhat, transport })
}

const program = { payments, walletOf }

export type PayingProgram = typeof program

Object.assign(globalThis, { program })
