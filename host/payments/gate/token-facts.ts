import { bytesToBigint } from '../../base/bytes.ts'
import { type Hex, parseData } from '../../base/hex.ts'
import { strictUtf8 } from '../../base/utf8.ts'
import { abiBytesAt } from '../../evm/chain-types/abi.ts'
import { callResult } from '../chain/call-result.ts'
import type { PaymentChain } from '../chain/payment-chain.ts'
import type { TokenDomain } from '../protocol/terms.ts'
import { authorizationState, readResultWord } from '../settle/authorization.ts'

/** Selectors of ERC-20 and EIP-3009 views. */
const DECIMALS = '0x313ce567'
const NAME = '0x06fdde03'
const SYMBOL = '0x95d89b41'
const VERSION = '0x54fd4d50'

/** Metadata read from a token contract. */
export interface TokenFacts {
  readonly decimals: number
  /** Empty if the token has none. */
  readonly symbol: string
  readonly domain: TokenDomain
}

/** Returns the result of a view, empty if the call fails. */
async function view(chain: PaymentChain, token: Hex, selector: Hex): Promise<Uint8Array> {
  return parseData((await callResult(chain.call(token, selector))) ?? '0x')
}

/** Decodes an ABI `string`; undefined for anything else. */
function decodeText(data: Uint8Array): string | undefined {
  const text = abiBytesAt(data, 32)
  return text && strictUtf8(text)
}

/** Reads a token's metadata; undefined if the address has no contract with decimals(). The default version is 1. */
export async function readTokenFacts(
  chain: PaymentChain,
  token: Hex,
): Promise<TokenFacts | undefined> {
  const decimals = await view(chain, token, DECIMALS)
  if (decimals.length !== 32 || bytesToBigint(decimals) > 77n) return undefined
  const name = decodeText(await view(chain, token, NAME)) ?? ''
  const symbol = decodeText(await view(chain, token, SYMBOL)) ?? ''
  const version = decodeText(await view(chain, token, VERSION)) ?? '1'
  return { decimals: Number(bytesToBigint(decimals)), symbol, domain: { name, version } }
}

const UNUSED = { from: `0x${'00'.repeat(20)}`, nonce: `0x${'00'.repeat(32)}` } as const

/** Returns whether a token has EIP-3009 authorizations. */
export async function hasAuthorizations(chain: PaymentChain, token: Hex): Promise<boolean> {
  const answer = await callResult(chain.call(token, authorizationState(UNUSED)))
  return answer !== undefined && readResultWord(answer) !== undefined
}
