import type { Hex } from '../base/hex.ts'
import { AbiCall } from './abi-call.ts'
import type { JsonValue } from './abi-value.ts'
import type { Chain } from './chain.ts'
import { ERC20, returnedText } from './token.ts'

export interface TokenBalance {
  readonly token: Hex
  readonly symbol: string
  readonly decimals: number
  /** Undefined if the address is not a token. */
  readonly units: bigint | undefined
}

const AGGREGATE = new AbiCall(
  'function aggregate3((address, bool, bytes)[]) payable returns ((bool, bytes)[])',
)
const SYMBOL = '0x95d89b41'
const DECIMALS = '0x313ce567'

/** Returns the balances of many tokens at one block, in one call. */
export async function readTokenBalances(
  chain: Chain,
  multicall: Hex,
  owner: Hex,
  tokens: readonly Hex[],
): Promise<readonly TokenBalance[]> {
  const balance = ERC20.balanceOf.encode([owner])
  const calls = tokens.flatMap((token) =>
    [balance, DECIMALS, SYMBOL].map((data) => [token, true, data]),
  )
  const output = await chain.call({ to: multicall, data: AGGREGATE.encode([calls]) })
  const [answers] = AGGREGATE.decode(output) as readonly [readonly (readonly JsonValue[])[]]
  return tokens.map((token, i) => {
    const [units, decimals, symbol] = answers.slice(3 * i, 3 * i + 3).map(wordOf)
    const places = units === undefined || decimals === undefined ? 78n : BigInt(decimals)
    if (units === undefined || units.length !== 66 || places > 77n) {
      return { token, symbol: '', decimals: 0, units: undefined }
    }
    const name = symbol === undefined ? undefined : returnedText(symbol, 24)
    return { token, symbol: name ?? '', decimals: Number(places), units: BigInt(units) }
  })
}

/** Returns the result of a call; undefined if it failed or returned nothing. */
function wordOf(answer: readonly JsonValue[]): Hex | undefined {
  const [succeeded, data] = answer
  return succeeded === true && data !== '0x' ? (data as Hex) : undefined
}
