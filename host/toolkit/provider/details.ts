import { z } from 'zod'
import { type ActionProvider, defineAction } from '../action.ts'
import { walletOf } from '../action-context.ts'
import { formatUnits } from '../amount.ts'
import { shownAddress, shownAmount, shownInteger } from '../argument.ts'

const contract = shownAddress.nullable()

const networkDetails = defineAction({
  name: 'network_details',
  title: 'Network details',
  description:
    'Returns the chain that the other actions act on: its ids, its native token, known contracts, the latest block.',
  input: z.strictObject({}),
  output: z.strictObject({
    chainId: z.int(),
    caip2: z.string(),
    networkId: z.string().nullable(),
    nativeSymbol: z.string(),
    decimals: z.int(),
    contracts: z.strictObject({ wrappedNative: contract, usdc: contract, multicall3: contract }),
    explorerUrl: z.string().nullable(),
    blockNumber: shownInteger,
  }),
  readOnly: true,
  destructive: false,
  async invoke(_, { network, chain }) {
    const { chainId, caip2, networkId = null, nativeSymbol, decimals, explorerUrl = null } = network
    const { wrappedNative = null, usdc = null, multicall3 = null } = network.contracts
    const blockNumber = `${await chain.quantity('eth_blockNumber')}`
    const contracts = { wrappedNative, usdc, multicall3 }
    return {
      text: `Chain ${chainId} (${networkId ?? caip2}) at block ${blockNumber}; its native token is ${nativeSymbol}.`,
      data: {
        chainId,
        caip2,
        networkId,
        nativeSymbol,
        decimals,
        contracts,
        explorerUrl,
        blockNumber,
      },
    }
  },
})

const walletDetails = defineAction({
  name: 'wallet_details',
  title: 'Wallet details',
  description:
    'Returns the address that the other actions act for, its native balance and where its key is.',
  input: z.strictObject({}),
  output: z.strictObject({
    address: shownAddress,
    kind: z.string(),
    balance: shownAmount,
    symbol: z.string(),
    transactions: shownInteger,
  }),
  needs: ['wallet'],
  readOnly: true,
  destructive: false,
  async invoke(_, context) {
    const { network, chain } = context
    const { address, kind } = walletOf(context)
    const [units, count] = await Promise.all([
      chain.balance(address),
      chain.quantity('eth_getTransactionCount', address, 'latest'),
    ])
    const balance = formatUnits(units, network.decimals)
    return {
      text: `The wallet is ${address} with ${balance} ${network.nativeSymbol}: ${kind}.`,
      data: { address, kind, balance, symbol: network.nativeSymbol, transactions: `${count}` },
    }
  },
})

/** Actions that describe the network and the wallet. */
export const detailsProvider: ActionProvider = {
  name: 'details',
  needs: [],
  actions: [networkDetails, walletDetails],
}
