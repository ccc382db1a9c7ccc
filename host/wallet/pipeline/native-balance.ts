import type { NativeBalance } from './pipeline.ts'

const DECIMALS = 18

/** A balance of wei as the API shows it. */
export function nativeBalance(
  { caip2, symbol = 'ETH' }: { readonly caip2: string; readonly symbol?: string },
  wei: bigint,
): NativeBalance {
  const asset = symbol.toLowerCase()
  return {
    caip2,
    chain: caip2,
    asset,
    raw_value: String(wei),
    raw_value_decimals: DECIMALS,
    display_values: { [asset]: decimalText(wei) },
  }
}

function decimalText(wei: bigint): string {
  const digits = String(wei).padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  const whole = digits.slice(0, -DECIMALS)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
