import { z } from 'zod'
import { AbiCall } from '../abi-call.ts'
import type { JsonValue } from '../abi-value.ts'
import { type ActionProvider, defineAction } from '../action.ts'
import { ActionError } from '../action-error.ts'
import { formatUnits, parseUnits } from '../amount.ts'
import {
  addressArgument,
  addressOutput,
  amountInput,
  amountOutput,
  integerOutput,
} from '../argument.ts'
import { plainText } from '../plain-text.ts'

const jsonValue: z.ZodType<JsonValue> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.array(jsonValue)]),
)
const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.unknown())])

const call = {
  contract: addressArgument,
  function: z
    .string()
    .max(1000)
    .describe('signature as in Solidity: function balanceOf(address owner) view returns (uint256)'),
  args: z
    .array(value)
    .max(50)
    .default([])
    .describe('one for each parameter; integers as strings, structs and arrays as arrays'),
}

function valuesOf(args: readonly unknown[]): readonly JsonValue[] {
  const parsed = z.array(jsonValue).safeParse(args)
  if (parsed.success) return parsed.data
  throw new ActionError(
    'INVALID_ARGUMENT',
    'args: may contain only texts, numbers, booleans and arrays',
  )
}

const result = z
  .array(z.unknown())
  .describe('one for each return value; integers as decimal strings, structs as arrays')

const read = defineAction({
  name: 'contract_read',
  title: 'Read a contract',
  description:
    'Calls a view function of a contract, given by its signature, and decodes the result.',
  input: z.strictObject(call),
  output: z.strictObject({ contract: addressOutput, function: z.string(), result }),
  readOnly: true,
  destructive: false,
  async invoke({ contract, function: signature, args }, { chain, wallet }) {
    const method = new AbiCall(signature)
    const data = method.encode(valuesOf(args))
    if (!(await chain.hasCode(contract))) {
      throw new ActionError('NOT_FOUND', `there is no contract at ${contract}`)
    }
    const output = await chain.call({ from: wallet?.address, to: contract, data })
    const found = method.decode(output)
    return {
      text: `${method.name} of ${contract} returns ${plainText(JSON.stringify(found), 500)}.`,
      data: { contract, function: method.name, result: [...found] },
    }
  },
})

const simulate = defineAction({
  name: 'contract_simulate',
  title: 'Simulate a call',
  description:
    'Simulates a contract call that would change something, from the wallet or another address, on the latest state: what it would return, cost, or fail with. Nothing is sent.',
  input: z.strictObject({
    ...call,
    from: addressArgument.optional(),
    value: amountInput.optional().describe('native tokens to send along, as a decimal string'),
  }),
  output: z.strictObject({
    contract: addressOutput,
    function: z.string(),
    from: addressOutput.nullable(),
    value: amountOutput,
    succeeds: z.boolean(),
    result: result.nullable(),
    reason: z.string().nullable().describe('why it would fail, as stated by the contract'),
    gas: integerOutput.nullable(),
  }),
  readOnly: true,
  destructive: false,
  async invoke({ contract, function: signature, args, ...given }, { chain, wallet, network }) {
    const method = new AbiCall(signature)
    const data = method.encode(valuesOf(args))
    const value = parseUnits(given.value ?? '0', network.decimals, 'value')
    const from = given.from ?? wallet?.address
    const request = { from, to: contract, value, data }
    const facts = {
      contract,
      function: method.name,
      from: from ?? null,
      value: formatUnits(value, network.decimals),
    }
    try {
      const [output, gas] = await Promise.all([chain.call(request), chain.estimateGas(request)])
      const found = method.decode(output)
      return {
        text: `It would succeed with ${gas} gas and return ${plainText(JSON.stringify(found), 500)}. Nothing was sent.`,
        data: { ...facts, succeeds: true, result: [...found], reason: null, gas: `${gas}` },
      }
    } catch (error) {
      if (!(error instanceof ActionError) || error.code !== 'REVERTED') throw error
      const reason = (error.details.reason as string | null) ?? 'it gives no reason'
      return {
        text: `It would fail: ${reason}. Nothing was sent.`,
        data: { ...facts, succeeds: false, result: null, reason, gas: null },
      }
    }
  },
})

/** Actions for any contract, by function signature. */
export const contractProvider: ActionProvider = {
  name: 'contract',
  needs: [],
  actions: [read, simulate],
}
