import { keccak_256 } from '@noble/hashes/sha3.js'
import { formatData, type Hex } from '../../base/hex.ts'
import { abiWord, encodeAbiCall } from '../../evm/chain-types/abi.ts'
import { referenceCommitment } from '../protocol/request-signature.ts'
import type { PaymentOffer } from './offer.ts'
import type { PayerAccount } from './wallet.ts'

/** `Transfer(address indexed,address indexed,uint256)` */
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes)
}

/** Returns the calldata that pays an offer; with binding `reference`, the challenge's reference follows it. */
export function transferData({ payTo, amount, binding, reference }: PaymentOffer): Hex {
  const data = formatData(encodeAbiCall('transfer(address,uint256)', [BigInt(payTo), amount]))
  if (binding !== 'reference' || reference === undefined) return data
  return `${data}${referenceCommitment(reference, keccak256).slice(2)}`
}

/** Returns an account's balance of a token, in its smallest unit. @throws if the node cannot tell */
export async function tokenBalance(account: PayerAccount, token: Hex): Promise<bigint> {
  const data = formatData(encodeAbiCall('balanceOf(address)', [BigInt(account.address)]))
  const answer = await account.read<Hex>('eth_call', { to: token, data }, 'latest')
  if (/^0x[0-9a-f]{64}$/i.test(answer)) return BigInt(answer)
  throw new TypeError(`${token} has no balanceOf(address): its answer is ${answer.slice(0, 80)}`)
}

export function hashOfTransaction(raw: Hex): Hex {
  const bytes = Uint8Array.from(raw.slice(2).match(/../g) ?? [], (byte) =>
    Number.parseInt(byte, 16),
  )
  return formatData(keccak256(bytes))
}

/** Returns the eth_getLogs filter for transfers of a token between two addresses. */
export function transferFilter(asset: Hex, from: Hex, to: Hex, fromBlock: Hex): object {
  const topics = [TRANSFER_TOPIC, ...[from, to].map((one) => formatData(abiWord(BigInt(one))))]
  return { address: asset, topics, fromBlock, toBlock: 'latest' }
}
