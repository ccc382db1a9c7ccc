import { type Hex, parseData } from '../base/hex.ts'
import { goText } from '../base/utf8.ts'
import { abiBytesAt, abiSizeAt } from '../evm/chain-types/abi.ts'
import { AbiCall } from './abi-call.ts'
import { ActionError } from './action-error.ts'
import type { Chain } from './chain.ts'
import { plainText } from './plain-text.ts'

export const ERC20 = {
  balanceOf: new AbiCall('function balanceOf(address) view returns (uint256)'),
  allowance: new AbiCall('function allowance(address, address) view returns (uint256)'),
  totalSupply: new AbiCall('function totalSupply() view returns (uint256)'),
  transfer: new AbiCall('function transfer(address, uint256) returns (bool)'),
  approve: new AbiCall('function approve(address, uint256) returns (bool)'),
} as const

/** What a token says about itself. It is unverified: any contract can call itself USDC. */
export interface TokenDetails {
  readonly address: Hex
  /** Sanitized and shortened. Not unique. */
  readonly symbol: string
  readonly decimals: number
}

const SYMBOL: Hex = '0x95d89b41'
const DECIMALS: Hex = '0x313ce567'

/** Characters shown of a symbol. */
const MAX_SYMBOL = 24

/** A contract with more decimals is not a token: 10^77 is the highest power of ten in 256 bits. */
const MAX_DECIMALS = 77n

/** Decodes a returned text: `string`, or `bytes32` as older tokens return it. */
export function returnedText(output: Hex, limit: number): string | undefined {
  const bytes = parseData(output)
  if (bytes.length === 32) {
    const end = bytes.indexOf(0)
    return plainText(goText(bytes.subarray(0, end < 0 ? 32 : end)), limit)
  }
  const text = abiSizeAt(bytes, 0) === 32 ? abiBytesAt(bytes, 32) : undefined
  return text && plainText(goText(text.subarray(0, 8 * limit)), limit)
}

function notToken(address: Hex, reason: string): ActionError {
  return new ActionError('NOT_FOUND', `${address} is not a token: ${reason}`, {
    next: "check the token's address, and the network",
  })
}

/** Returns symbol and decimals of a token. @throws NOT_FOUND if the address is not a token contract */
export async function readTokenDetails(chain: Chain, address: Hex): Promise<TokenDetails> {
  const [hasCode, decimals, symbol] = await Promise.all([
    chain.hasCode(address),
    chain.call({ to: address, data: DECIMALS }).catch(onlyReverted),
    chain.call({ to: address, data: SYMBOL }).catch(onlyReverted),
  ])
  if (!hasCode) throw notToken(address, 'there is no contract')
  if (decimals.length !== 66 || BigInt(decimals) > MAX_DECIMALS) {
    throw notToken(address, 'it does not state its decimals')
  }
  const name = returnedText(symbol, MAX_SYMBOL) ?? ''
  return {
    address,
    symbol: name === '' ? 'a token without a symbol' : name,
    decimals: Number(BigInt(decimals)),
  }
}

/** A contract without the function reverts, and is not a token. */
function onlyReverted(error: unknown): Hex {
  if (error instanceof ActionError && error.code === 'REVERTED') return '0x'
  throw error
}

/** Returns the integer that a function of a token returns. */
export async function readTokenInteger(
  chain: Chain,
  to: Hex,
  call: AbiCall,
  ...args: readonly string[]
): Promise<bigint> {
  const [value] = call.decode(await chain.call({ to, data: call.encode(args) }))
  return BigInt(value as string)
}

/**
 * Simulates a call that returns a boolean, and throws unless it is true. Tokens that return nothing report success by
 * not reverting.
 * @throws REVERTED if it returns false
 */
export async function requireTrue(chain: Chain, from: Hex, to: Hex, data: Hex): Promise<void> {
  const output = await chain.call({ from, to, data })
  if (output === '0x' || (output.length === 66 && BigInt(output) === 1n)) return
  const text = `the token would reject it by returning ${plainText(output.slice(0, 66), 66)}`
  throw new ActionError('REVERTED', text)
}

/** Formats a token for sentences. The symbol is in quotes, since the contract chooses it. */
export function shownToken({ symbol, address }: TokenDetails): string {
  return `"${symbol}" (${address})`
}
