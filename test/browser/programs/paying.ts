// lockstep/payments/fetch in a page, with a wallet as an extension gives it.
import { createWalletClient, custom } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import * as payments from '../../../host/entry/payments-fetch.ts'
import { injectedProvider } from '../../support/payments/injected-provider.ts'

const MNEMONIC = 'test test test test test test test test test test test junk'

/** A wallet client on a provider of EIP-1193, whose account is the dev account of this number. */
function walletOf(rpc: string, addressIndex: number) {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex })
  const transport = custom(injectedProvider(rpc, account))
  return createWalletClient({ account: account.address, chain: hardhat, transport })
}

const program = { payments, walletOf }

export type PayingProgram = typeof program

Object.assign(globalThis, { program })
