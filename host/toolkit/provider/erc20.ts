import { z } from 'zod'
import type { Hex } from '../../base/hex.ts'
import { type ActionProvider, defineAction } from '../action.ts'
import { type ActionContext, contextContract, contextWallet } from '../action-context.ts'
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
import { readTokenBalances } from '../balances.ts'
import { submissionShape, submissionText, submitAction } from '../submission.ts'
import { ERC20, readTokenDetails, readTokenInteger, requireTrue, shownToken } from '../token.ts'

const tokenShape = { token: addressOutput, symbol: z.string().describe("the token's own word") }
const token = recipientInput.describe('contract of the token, with its checksum')

function ownerOf(given: Hex | undefined, { wallet }: ActionContext): Hex {
  const owner = given ?? wallet?.address
  if (owner !== undefined) return owner
  throw new ActionError('INVALID_ARGUMENT', 'owner: is required, as there is no wallet', {
    next: 'name an address',
  })
}

const balance = defineAction({
  name: 'erc20_balance',
  title: 'Token balance',
  description: 'Reads the balance of an ERC-20 token of an address, by default the wallet.',
  input: z.strictObject({ token: addressArgument, owner: addressArgument.optional() }),
  output: z.strictObject({ ...tokenShape, owner: addressOutput, balance: amountOutput }),
  readOnly: true,
  destructive: false,
  async invoke(args, context) {
    const owner = ownerOf(args.owner, context)
    const found = await readTokenDetails(context.chain, args.token)
    const units = await readTokenInteger(context.chain, args.token, ERC20.balanceOf, owner)
    const shown = formatUnits(units, found.decimals)
    return {
      text: `${owner} has ${shown} ${shownToken(found)}.`,
      data: { token: args.token, symbol: found.symbol, owner, balance: shown },
    }
  },
})

const balances = defineAction({
  name: 'erc20_balances',
  title: 'Token balances',
  description:
    'Reads the balances of up to 50 ERC-20 tokens of an address, by default the wallet, all at the same block.',
  input: z.strictObject({
    tokens: z.array(addressArgument).min(1).max(50),
    owner: addressArgument.optional(),
  }),
  output: z.strictObject({
    owner: addressOutput,
    balances: z.array(z.strictObject({ ...tokenShape, balance: amountOutput })),
    unreadable: z.array(addressOutput).describe('addresses that are not tokens'),
  }),
  needs: ['multicall3'],
  readOnly: true,
  destructive: false,
  async invoke(args, context) {
    const owner = ownerOf(args.owner, context)
    const multicall = contextContract(context, 'multicall3')
    const read = await readTokenBalances(context.chain, multicall, owner, args.tokens)
    const found = read.filter((one) => one.units !== undefined)
    const rows = found.map(({ token, symbol, decimals, units = 0n }) => ({
      token,
      symbol,
      balance: formatUnits(units, decimals),
    }))
    const unreadable = read.filter((one) => one.units === undefined).map((one) => one.token)
    const listed = rows.map((row) => `${row.balance} "${row.symbol}" (${row.token})`)
    const rest = unreadable.length === 0 ? '' : ` Not tokens: ${unreadable.join(', ')}.`
    return {
      text: `${owner} has ${listed.join(', ') || 'none of these'}.${rest}`,
      data: { owner, balances: rows, unreadable },
    }
  },
})

const transfer = defineAction({
  name: 'erc20_transfer',
  title: 'Token transfer',
  description:
    'Sends an ERC-20 token from the wallet to an address. This is irreversible. If in doubt, use dryRun first.',
  input: z.strictObject({ token, to: recipientInput, amount: amountInput, ...sending }),
  output: z.strictObject({
    ...submissionShape,
    ...tokenShape,
    recipient: addressOutput,
    amount: amountOutput,
  }),
  needs: ['wallet'],
  readOnly: false,
  destructive: true,
  async invoke({ token, to, amount, ...options }, context, signal) {
    const { chain } = context
    const from = contextWallet(context).address
    if (to === token) {
      throw new ActionError(
        'INVALID_ARGUMENT',
        'to: is the token contract itself, where tokens are lost',
      )
    }
    const found = await readTokenDetails(chain, token)
    const units = parseUnits(amount, found.decimals, 'amount')
    if (units === 0n) throw new ActionError('INVALID_ARGUMENT', 'amount: must be more than 0')
    const has = await readTokenInteger(chain, token, ERC20.balanceOf, from)
    if (has < units) {
      const text = `the wallet has ${formatUnits(has, found.decimals)} ${shownToken(found)}, but ${amount} are to be sent`
      throw new ActionError('INSUFFICIENT_FUNDS', text)
    }
    const data = ERC20.transfer.encode([to, `${units}`])
    await requireTrue(chain, from, token, data)
    const submission = await submitAction(context, { to: token, data }, options, signal)
    const shown = formatUnits(units, found.decimals)
    return {
      text: `${shown} ${shownToken(found)} to ${to}. ${submissionText(submission)}`,
      data: {
        ...submission,
        value: '0',
        token,
        symbol: found.symbol,
        recipient: to,
        amount: shown,
      },
    }
  },
})

const approve = defineAction({
  name: 'erc20_approve',
  title: 'Token approval',
  description:
    'Allows a spender to take up to an amount of an ERC-20 token from the wallet, replacing its previous allowance; "0" revokes it. More than the total supply is refused: approve what is needed.',
  input: z.strictObject({ token, spender: recipientInput, amount: amountInput, ...sending }),
  output: z.strictObject({
    ...submissionShape,
    ...tokenShape,
    spender: addressOutput,
    amount: amountOutput,
    before: amountOutput.describe('the previous allowance of the spender'),
  }),
  needs: ['wallet'],
  readOnly: false,
  destructive: true,
  async invoke({ token, spender, amount, ...options }, context, signal) {
    const { chain } = context
    const from = contextWallet(context).address
    if (spender === token || spender === from) {
      throw new ActionError('INVALID_ARGUMENT', 'spender: is the token or the wallet itself')
    }
    const found = await readTokenDetails(chain, token)
    const units = parseUnits(amount, found.decimals, 'amount')
    const [supply, before] = await Promise.all([
      readTokenInteger(chain, token, ERC20.totalSupply),
      readTokenInteger(chain, token, ERC20.allowance, from, spender),
    ])
    if (units > supply) {
      const text = `amount: ${amount} is more than the total supply of ${formatUnits(supply, found.decimals)} ${shownToken(found)}: an approval without a limit`
      throw new ActionError('LIMIT_EXCEEDED', text, {
        next: 'approve only what the next call needs',
      })
    }
    if (units > 0n && before > 0n && units !== before) {
      const text = `${spender} still has an allowance of ${formatUnits(before, found.decimals)} ${shownToken(found)}: it could take that as well as the new amount`
      throw new ActionError('LIMIT_EXCEEDED', text, {
        next: 'approve "0" first, then the new amount',
      })
    }
    const data = ERC20.approve.encode([spender, `${units}`])
    await requireTrue(chain, from, token, data)
    const submission = await submitAction(context, { to: token, data }, options, signal)
    const shown = formatUnits(units, found.decimals)
    return {
      text: `${spender} may take ${shown} ${shownToken(found)}. ${submissionText(submission)}`,
      data: {
        ...submission,
        value: '0',
        token,
        symbol: found.symbol,
        spender,
        amount: shown,
        before: formatUnits(before, found.decimals),
      },
    }
  },
})

const allowance = defineAction({
  name: 'erc20_allowance',
  title: 'Token allowance',
  description:
    'Reads how much of an ERC-20 token a spender may take from an owner, by default the wallet.',
  input: z.strictObject({
    token: addressArgument,
    spender: addressArgument,
    owner: addressArgument.optional(),
  }),
  output: z.strictObject({
    ...tokenShape,
    owner: addressOutput,
    spender: addressOutput,
    allowance: amountOutput,
  }),
  readOnly: true,
  destructive: false,
  async invoke({ token, spender, ...args }, context) {
    const owner = ownerOf(args.owner, context)
    const found = await readTokenDetails(context.chain, token)
    const units = await readTokenInteger(context.chain, token, ERC20.allowance, owner, spender)
    const shown = formatUnits(units, found.decimals)
    return {
      text: `${spender} may take ${shown} ${shownToken(found)} from ${owner}.`,
      data: { token, symbol: found.symbol, owner, spender, allowance: shown },
    }
  },
})

/** Fungible tokens by contract address. */
export const erc20Provider: ActionProvider = {
  name: 'erc20',
  needs: [],
  actions: [balance, balances, transfer, approve, allowance],
}
