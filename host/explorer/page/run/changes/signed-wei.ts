import { weiText } from '../../decode/format/amount.ts'

/** Formats a signed difference: `+1 ether`, `−30 gwei`. */
export function signedWei(difference: bigint): string {
  return difference < 0n ? `−${weiText(-difference)}` : `+${weiText(difference)}`
}
