/** Members of calls, transactions, overrides, filters and block arguments that are quantities. */
const QUANTITY_MEMBERS: ReadonlySet<string> = new Set([
  'amount',
  'balance',
  'baseFee',
  'baseFeePerGas',
  'blobBaseFee',
  'blockNumber',
  'chainId',
  'difficulty',
  'fromBlock',
  'gas',
  'gasLimit',
  'gasPrice',
  'index',
  'maxFeePerBlobGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'nonce',
  'number',
  'time',
  'toBlock',
  'type',
  'validatorIndex',
  'value',
  'yParity',
])

/**
 * Returns an argument with its quantities in the form that JSON-RPC prescribes. anvil and Hardhat's tools accept and
 * send leading zeros. Data and hashes are unchanged.
 */
export function withoutLeadingZeros(argument: unknown): unknown {
  return typeof argument === 'string' ? shortened(argument) : withShortMembers(argument)
}

function shortened(text: string): string {
  return text.replace(/^0x0+(?=[0-9a-f])/i, '0x')
}

function withShortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withShortMembers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => {
      const isQuantity = typeof member === 'string' && QUANTITY_MEMBERS.has(name)
      return [name, isQuantity ? shortened(member) : withShortMembers(member)]
    }),
  )
}
