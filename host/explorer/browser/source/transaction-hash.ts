import { LockstepError } from '../../../base/error.ts'
import { formatData, type Hex, parseData } from '../../../base/hex.ts'

/** @throws INVALID_ARGUMENT unless it is a transaction hash */
export function transactionHash(text: string): Hex {
  if (/^0x[0-9a-f]{64}$/i.test(text)) return formatData(parseData(text))
  throw new LockstepError('INVALID_ARGUMENT', `"${text.slice(0, 80)}" is not a transaction hash`, {
    hint: 'write it as 0x and 64 hex digits',
  })
}
