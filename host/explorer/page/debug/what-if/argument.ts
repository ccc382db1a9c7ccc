import { type AbiParameter, encodeAbiParameters } from 'viem'
import { LockstepError, messageOf } from '../../../../base/error.ts'
import type { Hex } from '../../../../base/hex.ts'
import type { AbiItem } from '../../decode/abi/abi-item.ts'
import type { DecodedValue } from '../../decode/abi/value.ts'

/** Formats an argument as editable text: plain, or JSON for arrays and tuples with numbers as strings. */
export function argumentText(value: DecodedValue): string {
  const plain = plainValue(value)
  return typeof plain === 'string' ? plain : JSON.stringify(plain)
}

type Plain = string | readonly Plain[]

function plainValue({ data, parts }: DecodedValue): Plain {
  return parts === undefined ? String(data ?? '') : parts.map(plainValue)
}

/**
 * Encodes calldata of a function from typed arguments.
 * @throws INVALID_ARGUMENT naming the argument and its error
 */
export function encodeTypedCall(item: AbiItem, texts: readonly string[]): Hex {
  const values = item.inputs.map((input, at) => {
    const name = input.name ?? `argument ${at}`
    const value = inNameOf(name, () => parseArgument(input, texts[at] ?? ''))
    // Encoded alone first, so that the message names it.
    inNameOf(name, () => encodeAbiParameters([input], [value]))
    return value
  })
  const encoded = encodeAbiParameters(item.inputs, values)
  return `${item.selector}${encoded.slice(2)}` as Hex
}

function inNameOf<Result>(name: string, act: () => Result): Result {
  try {
    return act()
  } catch (thrown) {
    const [reason] = messageOf(thrown).split('\n')
    throw new LockstepError('INVALID_ARGUMENT', `${name}: ${reason}`, { cause: thrown })
  }
}

function parseArgument(parameter: AbiParameter, text: string): unknown {
  const { type } = parameter
  return type.endsWith(']') || type === 'tuple'
    ? parseValue(parameter, JSON.parse(text))
    : parseValue(parameter, type === 'string' ? text : text.trim())
}

function parseValue(parameter: AbiParameter, value: unknown): unknown {
  const list = /^(.*)\[\d*\]$/.exec(parameter.type)
  if (list !== null) {
    const element = { ...parameter, type: list[1] } as AbiParameter
    return listOf(parameter, value).map((each) => parseValue(element, each))
  }
  if ('components' in parameter) {
    const values = listOf(parameter, value)
    if (values.length !== parameter.components.length) {
      throw new Error(`want ${parameter.components.length} members, got ${values.length}`)
    }
    return parameter.components.map((component, at) => parseValue(component, values[at]))
  }
  if (/^u?int/.test(parameter.type)) return integerOf(parameter, value)
  if (parameter.type === 'bool') return booleanOf(value)
  return value
}

function listOf({ type }: AbiParameter, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new Error(`want a list in JSON for ${type}, got ${JSON.stringify(value)}`)
}

function integerOf({ type }: AbiParameter, value: unknown): bigint {
  const text = String(value)
  if (!/^(-?\d+|0x[0-9a-f]+)$/i.test(text)) {
    throw new Error(`want a whole number for ${type}, got ${JSON.stringify(text)}`)
  }
  return BigInt(text)
}

function booleanOf(value: unknown): boolean {
  const text = String(value)
  if (text !== 'true' && text !== 'false') {
    throw new Error(`want true or false, got ${JSON.stringify(text)}`)
  }
  return text === 'true'
}
