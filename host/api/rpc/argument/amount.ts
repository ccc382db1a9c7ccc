import { LockstepError } from '../../../base/error.ts'
import { kindOf, type ParamType, QUANTITY } from './parameter.ts'

const MOST = 2n ** 256n - 1n

function wrong(rule: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', rule)
}

function ofText(text: string): bigint {
  const isNumber = /^(\d{1,78}|0x[0-9a-f]{1,64})$/i.test(text)
  const amount = isNumber ? BigInt(text) : QUANTITY.decode(text)
  if (amount > MOST) throw wrong(`want at most 256 bits, got ${text}`)
  return amount
}

/**
 * A non-negative integer in the forms that development tools send: a JSON number, a hex quantity, or a decimal
 * string.
 */
export const AMOUNT: ParamType<bigint> = {
  label: 'number or quantity',
  decode: (value) => {
    if (typeof value === 'string') return ofText(value)
    if (typeof value !== 'number')
      throw wrong(`want a number or a hex quantity, got ${kindOf(value)}`)
    if (!Number.isInteger(value) || value < 0) {
      throw wrong(`want a non-negative integer, got ${value}`)
    }
    if (value > Number.MAX_SAFE_INTEGER) {
      throw wrong(`${value} is imprecise as a JSON number above 2^53: write it as a hex quantity`)
    }
    return BigInt(value)
  },
}

/** A count, for example of blocks or seconds. */
export const COUNT_AMOUNT: ParamType<number> = {
  label: AMOUNT.label,
  decode: (value) => {
    const amount = AMOUNT.decode(value)
    if (amount > BigInt(Number.MAX_SAFE_INTEGER)) throw wrong(`${amount} is above 2^53`)
    return Number(amount)
  },
}
