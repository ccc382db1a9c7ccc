import { formatData, type Hex } from '../../base/hex.ts'
import { encodeAbiCall } from '../../evm/chain-types/abi.ts'
import { paymentTokenOf } from '../../evm/chain-types/payment-token.ts'
import { WalletError } from '../protocol/wallet-error.ts'
import type { EvmNode } from './evm-node.ts'
import type { AssetBalance, BalanceFilter } from './pipeline.ts'
import type { PipelineChain } from './pipeline-options.ts'

const NATIVE_DECIMALS = 18
const USDC = 'usdc'

/** ERC-20 selector of `decimals()`. */
const DECIMALS_CALL = '0x313ce567'

/** A chain and its node. */
export interface ReadChain {
  readonly chain: PipelineChain
  readonly node: EvmNode
}

function invalid(message: string): WalletError {
  return new WalletError('invalid_data', message)
}

/** Returns the name of the native token. Default: eth. */
function nativeName({ symbol = 'ETH' }: PipelineChain): string {
  return symbol.toLowerCase()
}

function balanceOf(caip2: string, asset: string, units: bigint, decimals: number): AssetBalance {
  return {
    caip2,
    chain: caip2,
    asset,
    raw_value: String(units),
    raw_value_decimals: decimals,
    display_values: { [asset]: decimalText(units, decimals) },
  }
}

function decimalText(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0')
  const at = digits.length - decimals
  const fraction = digits.slice(at).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, at) : `${digits.slice(0, at)}.${fraction}`
}

function wordOf(output: Hex | undefined): bigint | undefined {
  return output !== undefined && /^0x[0-9a-fA-F]{64}$/.test(output) ? BigInt(output) : undefined
}

/** Returns an ERC-20 balance, or undefined if there is no such contract. */
async function tokenBalance(
  { chain, node }: ReadChain,
  token: Hex,
  asset: string,
  owner: Hex,
): Promise<AssetBalance | undefined> {
  const [units, decimals] = await Promise.all([
    node.read(token, formatData(encodeAbiCall('balanceOf(address)', [BigInt(owner)]))),
    node.read(token, DECIMALS_CALL),
  ])
  const [amount, places] = [wordOf(units), wordOf(decimals)]
  if (amount === undefined || places === undefined || places > 255n) return undefined
  return balanceOf(chain.caip2, asset, amount, Number(places))
}

/** Parses `<CAIP-2>:<address>`. */
function readTokenParameter(text: string): { readonly caip2: string; readonly address: Hex } {
  const [, caip2, address] = /^(eip155:[1-9][0-9]{0,19}):(0x[0-9a-fA-F]{40})$/.exec(text) ?? []
  if (caip2 !== undefined && address !== undefined) return { caip2, address: address as Hex }
  throw invalid('token: pass chain and contract, such as eip155:1329:0x followed by 40 hex digits')
}

async function tokenOnly(
  chains: readonly ReadChain[],
  owner: Hex,
  text: string,
): Promise<readonly AssetBalance[]> {
  const { caip2, address } = readTokenParameter(text)
  const found = chains.find(({ chain }) => chain.caip2 === caip2)
  if (found === undefined) {
    throw new WalletError('unsupported_chain', `token: ${caip2} is not configured`)
  }
  const token = address.toLowerCase() as Hex
  const balance = await tokenBalance(found, token, token, owner)
  if (balance !== undefined) return [balance]
  throw invalid(`token: ${caip2} has no ERC-20 token at ${address}`)
}

async function assetOn(
  read: ReadChain,
  owner: Hex,
  asset: string | undefined,
): Promise<AssetBalance | undefined> {
  const { chain, node } = read
  const native = nativeName(chain)
  if (asset === undefined || asset === native) {
    return balanceOf(chain.caip2, native, await node.balance(owner), NATIVE_DECIMALS)
  }
  if (asset !== USDC) return undefined
  const chainId = BigInt(chain.caip2.slice('eip155:'.length))
  return tokenBalance(read, paymentTokenOf(chainId), USDC, owner)
}

/**
 * Returns the balances of a wallet: of each chain's native token, of the given asset, or of the given token.
 * @throws WalletError invalid_data if no chain has the asset; unsupported_chain, chain_unreachable
 */
export async function readWalletBalances(
  chains: readonly ReadChain[],
  owner: Hex,
  { asset, token, chain: caip2 }: BalanceFilter,
): Promise<readonly AssetBalance[]> {
  if (token !== undefined) {
    if (asset !== undefined || caip2 !== undefined) {
      throw invalid('token: contains its chain: do not pass asset or chain with it')
    }
    return tokenOnly(chains, owner, token)
  }
  const wanted = asset?.toLowerCase()
  const read = await Promise.all(chains.map((chain) => assetOn(chain, owner, wanted)))
  const found = read.filter((balance) => balance !== undefined)
  if (found.length > 0) return found
  const known = [...new Set([...chains.map(({ chain }) => nativeName(chain)), USDC])].join(', ')
  throw invalid(
    `asset: no chain that was asked has ${JSON.stringify(asset)}: known are ${known}; any other token is asked for ` +
      'with token',
  )
}
