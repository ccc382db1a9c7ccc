import { z } from 'zod'
import { type ActionProvider, defineAction } from '../action.ts'
import { contextWallet } from '../action-context.ts'
import { ActionError } from '../action-error.ts'
import { formatUnits, parseUnits } from '../amount.ts'
import {
  addressArgument,
  addressOutput,
  amountInput,
  amountOutput,
  recipientInput,
  sending,
} from '../argument.ts'
import { submissionShape, submissionText, submitAction } from '../submission.ts'

const balance = defineAction({
  name: 'native_balance',
  title: 'Native balance',
  description: "Reads the native balance of an address, by default the wallet's own.",
  input: z.strictObject({ address: addressArgument.optional() }),
  output: z.strictObject({ address: addressOutput, balance: amountOutput, symbol: z.string() }),
  readOnly: true,
  destructive: false,
  async invoke(args, { network, chain, wallet }) {
    const owner = args.address ?? wallet?.address
    if (owner === undefined) {
      throw new ActionError('INVALID_ARGUMENT', 'address: is required, as there is no wallet', {
        next: 'name an address',
      })
    }
    const shown = formatUnits(await chain.balance(owner), network.decimals)
    return {
      text: `${owner} has ${shown} ${network.nativeSymbol}.`,
      data: { address: owner, balance: shown, symbol: network.nativeSymbol },
    }
  },
})

const transfer = defineAction({
  name: 'native_transfer',
  title: 'Native transfer',
  description:
    "Sends the chain's native token from the wallet to an address. This is irreversible. If in doubt, use dryRun first.",
  input: z.strictObject({ to: recipientInput, amount: amountInput, ...sending }),
  output: z.strictObject({ ...submissionShape, symbol: z.string() }),
  needs: ['wallet'],
  readOnly: false,
  destructive: true,
  async invoke({ to, amount, ...options }, context, signal) {
    const { network, chain } = context
    const symbol = network.nativeSymbol
    const value = parseUnits(amount, network.decimals, 'amount')
    if (value === 0n) throw new ActionError('INVALID_ARGUMENT', 'amount: must be more than 0')
    const has = await chain.balance(contextWallet(context).address)
    if (has < value) {
      const text = `the wallet has ${formatUnits(has, network.decimals)} ${symbol}, but ${amount} are to be sent`
      throw new ActionError('INSUFFICIENT_FUNDS', text)
    }
    const submission = await submitAction(context, { to, value }, options, signal)
    const shown = formatUnits(value, network.decimals)
    return {
      text: `${shown} ${symbol} to ${to}. ${submissionText(submission)}`,
      data: { ...submission, value: shown, symbol },
    }
  },
})

/** The native token, with the symbol and the decimals of the network. */
export const nativeProvider: ActionProvider = {
  name: 'native',
  needs: [],
  actions: [balance, transfer],
}
