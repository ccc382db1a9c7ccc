import { z } from 'zod'
import { type ActionProvider, defineAction } from '../action.ts'
import { contextWallet } from '../action-context.ts'
import { formatUnits } from '../amount.ts'
import { addressOutput, amountOutput, integerOutput } from '../argument.ts'

const contract = addressOutput.nullable()

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
    blockNumber: integerOutput,
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
    address: addressOutput,
    kind: z.string(),
    balance: amountOutput,
    symbol: z.string(),
    transactions: integerOutput,
  }),
  needs: ['wallet'],
  readOnly: true,
  destructive: false,
  async invoke(_, context) {
    const { network, chain } = context
    const { address, kind } = contextWallet(context)
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
