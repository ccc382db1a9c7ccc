import type { ActionProvider } from '../action.ts'
import { contractProvider } from './contract.ts'
import { detailsProvider } from './details.ts'
import { erc20Provider } from './erc20.ts'
import { erc721Provider } from './erc721.ts'
import { nativeProvider } from './native.ts'
import { priceFeedProvider } from './price-feed.ts'
import { transactionProvider } from './transaction.ts'
import { wrappedNativeProvider } from './wrapped-native.ts'
import { x402Provider } from './x402.ts'

/** All providers. Those that the network or the configuration does not support are left out. */
export const PROVIDERS: readonly ActionProvider[] = [
  detailsProvider,
  nativeProvider,
  erc20Provider,
  erc721Provider,
  wrappedNativeProvider,
  x402Provider,
  priceFeedProvider,
  contractProvider,
  transactionProvider,
]
