import { formatData, formatQuantity, parseData, parseQuantity } from '../../../base/hex.ts'
import { requireBits, requireLength } from '../../../base/writable.ts'
import type { HeaderOverrides } from '../../../evm/execute/header-overrides.ts'

/** Encodes the header overrides of a block as JSON with hex values; undefined if there are none. */
export function encodeSettings(settings: HeaderOverrides): Uint8Array | undefined {
  const { baseFee, coinbase, prevRandao, gasLimit } = settings
  if (baseFee !== undefined) requireBits(baseFee, 256, 'a base fee')
  if (coinbase !== undefined) requireLength(coinbase, 20, 'a coinbase')
  if (prevRandao !== undefined) requireLength(prevRandao, 32, 'PREVRANDAO')
  if (gasLimit !== undefined) requireBits(gasLimit, 256, 'a gas limit')
  const row = {
    ...(baseFee !== undefined && { baseFee: formatQuantity(baseFee) }),
    ...(coinbase !== undefined && { coinbase: formatData(coinbase) }),
    ...(prevRandao !== undefined && { prevRandao: formatData(prevRandao) }),
    ...(gasLimit !== undefined && { gasLimit: formatQuantity(gasLimit) }),
  }
  if (Object.keys(row).length === 0) return undefined
  return new TextEncoder().encode(JSON.stringify(row))
}

export function decodeSettings(encoded: Uint8Array): HeaderOverrides {
  const row = JSON.parse(new TextDecoder().decode(encoded)) as Record<string, string | undefined>
  const { baseFee, coinbase, prevRandao, gasLimit } = row
  return {
    ...(baseFee !== undefined && { baseFee: parseQuantity(baseFee) }),
    ...(coinbase !== undefined && { coinbase: parseData(coinbase) }),
    ...(prevRandao !== undefined && { prevRandao: parseData(prevRandao) }),
    ...(gasLimit !== undefined && { gasLimit: parseQuantity(gasLimit) }),
  }
}
