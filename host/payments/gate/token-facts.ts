import { bytesToBigint } from '../../base/bytes.ts'
import { LockstepError } from '../../base/error.ts'
import { type Hex, parseData } from '../../base/hex.ts'
import { strictUtf8 } from '../../base/utf8.ts'
import type { PaymentChain } from '../chain/payment-chain.ts'
import type { TokenDomain } from '../protocol/terms.ts'

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
  try {
    return parseData(await chain.call(token, selector))
  } catch (thrown) {
    const isIts =
      thrown instanceof LockstepError &&
      ['EXECUTION_REVERTED', 'EXECUTION_FAILED'].includes(thrown.code)
    if (isIts) return new Uint8Array(0)
    throw thrown
  }
}

/** Decodes an ABI `string`; undefined for anything else. */
function decodeText(data: Uint8Array): string | undefined {
  if (data.length < 64) return undefined
  const length = Number(bytesToBigint(data.subarray(32, 64)))
  if (!(length <= data.length - 64)) return undefined
  return strictUtf8(data.subarray(64, 64 + length))
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
