import { bytesToBigint } from '../base/bytes.ts'
import { type Hex, parseData } from '../base/hex.ts'
import { goText } from '../base/utf8.ts'
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

/** What a token says of itself. Nobody vouches for it: anybody may call a token USDC. */
export interface Token {
  readonly address: Hex
  /** Cleaned, and cut; of more than one contract there may be the same. */
  readonly symbol: string
  readonly decimals: number
}

const SYMBOL: Hex = '0x95d89b41'
const DECIMALS: Hex = '0x313ce567'

/** Characters of a symbol that are shown. */
const MAX_SYMBOL = 24

/** More places than this say that a contract is no token: 10^77 is the last power that 256 bits hold. */
const MAX_DECIMALS = 77n

/** A text that a function without arguments has returned: as `string`, or as `bytes32` of older tokens. */
export function returnedText(output: Hex, limit: number): string | undefined {
  const bytes = parseData(output)
  const word = (at: number) => bytesToBigint(bytes.subarray(at, at + 32))
  if (bytes.length === 32) {
    const end = bytes.indexOf(0)
    return plainText(goText(bytes.subarray(0, end < 0 ? 32 : end)), limit)
  }
  if (bytes.length < 64 || word(0) !== 32n) return undefined
  const length = word(32)
  if (length > BigInt(bytes.length - 64)) return undefined
  const shown = Math.min(Number(length), 8 * limit)
  return plainText(goText(bytes.subarray(64, 64 + shown)), limit)
}

function notToken(address: Hex, reason: string): ActionError {
  return new ActionError('NOT_FOUND', `${address} is no token: ${reason}`, {
    next: "check the token's address, and the network",
  })
}

/** Symbol and decimals of a token. @throws NOT_FOUND where the address is no contract, or none of a token */
export async function readToken(chain: Chain, address: Hex): Promise<Token> {
  const [hasCode, decimals, symbol] = await Promise.all([
    chain.hasCode(address),
    chain.call({ to: address, data: DECIMALS }).catch(onlyReverted),
    chain.call({ to: address, data: SYMBOL }).catch(onlyReverted),
  ])
  if (!hasCode) throw notToken(address, 'there is no contract')
  if (decimals.length !== 66 || BigInt(decimals) > MAX_DECIMALS) {
    throw notToken(address, 'it does not say how many decimals it has')
  }
  const name = returnedText(symbol, MAX_SYMBOL) ?? ''
  return {
    address,
    symbol: name === '' ? 'a token without a symbol' : name,
    decimals: Number(BigInt(decimals)),
  }
}

/** A contract without the function reverts, and is then no token. */
function onlyReverted(error: unknown): Hex {
  if (error instanceof ActionError && error.code === 'REVERTED') return '0x'
  throw error
}

/** The integer that a function of a token returns. */
export async function readInteger(
  chain: Chain,
  to: Hex,
  call: AbiCall,
  ...args: readonly string[]
): Promise<bigint> {
  const [value] = call.decode(await chain.call({ to, data: call.encode(args) }))
  return BigInt(value as string)
}

/**
 * Whether a call that returns a boolean has said that it worked: tokens that return nothing say it by not reverting.
 * @throws REVERTED where it says no
 */
export async function requireTrue(chain: Chain, from: Hex, to: Hex, data: Hex): Promise<void> {
  const output = await chain.call({ from, to, data })
  if (output === '0x' || (output.length === 66 && BigInt(output) === 1n)) return
  const text = `the token would refuse, by returning ${plainText(output.slice(0, 66), 66)}`
  throw new ActionError('REVERTED', text)
}

/** As it stands in sentences: the symbol in quotes, since it is the contract's own word. */
export function shownToken({ symbol, address }: Token): string {
  return `"${symbol}" (${address})`
}
