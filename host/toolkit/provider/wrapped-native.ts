import { z } from 'zod'
import { AbiCall } from '../abi-call.ts'
import { type ActionProvider, defineAction } from '../action.ts'
import { contextContract, contextWallet } from '../action-context.ts'
import { ActionError } from '../action-error.ts'
import { formatUnits, parseUnits } from '../amount.ts'
import { addressOutput, amountInput, amountOutput, sending } from '../argument.ts'
import { submissionShape, submissionText, submitAction } from '../submission.ts'
import { ERC20, readTokenInteger } from '../token.ts'

const DEPOSIT = new AbiCall('function deposit() payable')
const WITHDRAW = new AbiCall('function withdraw(uint256)')

const output = z.strictObject({
  ...submissionShape,
  contract: addressOutput,
  amount: amountOutput,
  symbol: z.string().describe('of the native token'),
})
const input = z.strictObject({ amount: amountInput, ...sending })

const wrap = defineAction({
  name: 'native_wrap',
  title: 'Wrap the native token',
  description:
    'Converts native tokens of the wallet to the same amount of the wrapped token (ERC-20) of the network.',
  input,
  output,
  needs: ['wallet'],
  readOnly: false,
  destructive: true,
  async invoke({ amount, ...options }, context, signal) {
    const { network, chain } = context
    const contract = contextContract(context, 'wrappedNative')
    const value = parseUnits(amount, network.decimals, 'amount')
    if (value === 0n) throw new ActionError('INVALID_ARGUMENT', 'amount: must be more than 0')
    const has = await chain.balance(contextWallet(context).address)
    const symbol = network.nativeSymbol
    if (has < value) {
      const text = `the wallet has ${formatUnits(has, network.decimals)} ${symbol}, but ${amount} are to be wrapped`
      throw new ActionError('INSUFFICIENT_FUNDS', text)
    }
    const data = DEPOSIT.encode([])
    const submission = await submitAction(context, { to: contract, value, data }, options, signal)
    const shown = formatUnits(value, network.decimals)
    return {
      text: `${shown} ${symbol} wrapped by ${contract}. ${submissionText(submission)}`,
      data: { ...submission, value: shown, contract, amount: shown, symbol },
    }
  },
})

const unwrap = defineAction({
  name: 'native_unwrap',
  title: 'Unwrap the native token',
  description:
    'Converts wrapped tokens of the wallet back to the same amount of native tokens of the network.',
  input,
  output,
  needs: ['wallet'],
  readOnly: false,
  destructive: true,
  async invoke({ amount, ...options }, context, signal) {
    const { network, chain } = context
    const contract = contextContract(context, 'wrappedNative')
    const units = parseUnits(amount, network.decimals, 'amount')
    if (units === 0n) throw new ActionError('INVALID_ARGUMENT', 'amount: must be more than 0')
    const from = contextWallet(context).address
    const has = await readTokenInteger(chain, contract, ERC20.balanceOf, from)
    const symbol = network.nativeSymbol
    if (has < units) {
      const text = `the wallet has ${formatUnits(has, network.decimals)} wrapped ${symbol}, but ${amount} are to be unwrapped`
      throw new ActionError('INSUFFICIENT_FUNDS', text)
    }
    const data = WITHDRAW.encode([`${units}`])
    const submission = await submitAction(context, { to: contract, data }, options, signal)
    const shown = formatUnits(units, network.decimals)
    return {
      text: `${shown} wrapped ${symbol} unwrapped by ${contract}. ${submissionText(submission)}`,
      data: { ...submission, value: '0', contract, amount: shown, symbol },
    }
  },
})

/** The wrapped native token, at the address that the network configures. */
export const wrappedNativeProvider: ActionProvider = {
  name: 'wrapped_native',
  needs: ['wrappedNative'],
  actions: [wrap, unwrap],
}
