import { bytesToBigint } from '../../../base/bytes.ts'
import { formatData, parseData } from '../../../base/hex.ts'
import { goText } from '../../../base/utf8.ts'
import type { EnterEvent } from '../../engine/trace-event.ts'
import type { ConsoleTable } from './console-table.ts'

/** Address that console.sol of Hardhat and Foundry calls: `console.log` in ASCII. It has no code. */
export const CONSOLE_ADDRESS: Uint8Array = parseData('0x000000000000000000636f6e736f6c652e6c6f67')

const WORD = 32

/** An argument value. */
export type ConsoleValue = bigint | boolean | string

/** A call of console.log. */
export interface ConsoleCall {
  /** The contract that called it. */
  readonly contract: Uint8Array
  readonly signature: string
  readonly types: readonly string[]
  /** Numbers and booleans as they are; addresses and bytes as 0x hex. */
  readonly values: readonly ConsoleValue[]
}

export function isConsole(address: Uint8Array): boolean {
  return CONSOLE_ADDRESS.every((byte, i) => address[i] === byte)
}

/** Decodes a frame's console.log call; undefined if it is another call, or its data does not match the signature. */
export function consoleCall(
  { to, from, input }: Pick<EnterEvent, 'to' | 'from' | 'input'>,
  table: ConsoleTable,
): ConsoleCall | undefined {
  if (!isConsole(to) || input.length < 4) return undefined
  const selector = new DataView(input.buffer, input.byteOffset).getUint32(0)
  const found = table.find(selector)
  if (found === undefined) return undefined
  const data = input.subarray(4)
  const values: ConsoleValue[] = []
  for (const [index, type] of found.types.entries()) {
    const value = valueAt(data, index * WORD, type)
    if (value === undefined) return undefined
    values.push(value)
  }
  return { contract: from.slice(), ...found, values }
}

function valueAt(data: Uint8Array, at: number, type: string): ConsoleValue | undefined {
  const word = data.subarray(at, at + WORD)
  if (word.length < WORD) return undefined
  switch (type) {
    case 'uint256':
      return bytesToBigint(word)
    case 'int256':
      return BigInt.asIntN(256, bytesToBigint(word))
    case 'bool':
      return word.some((byte) => byte !== 0)
    case 'address':
      return formatData(word.subarray(12))
    case 'string':
    case 'bytes': {
      const bytes = bytesAt(data, bytesToBigint(word))
      if (bytes === undefined || type === 'bytes') return bytes && formatData(bytes)
      return goText(bytes)
    }
    default:
      return formatData(word.subarray(0, Number(type.slice('bytes'.length))))
  }
}

/** Returns the bytes after a length word; undefined if they exceed the data. */
function bytesAt(data: Uint8Array, offset: bigint): Uint8Array | undefined {
  if (offset + 32n > BigInt(data.length)) return undefined
  const at = Number(offset) + WORD
  const length = bytesToBigint(data.subarray(at - WORD, at))
  if (BigInt(at) + length > BigInt(data.length)) return undefined
  return data.subarray(at, at + Number(length))
}

/** %s, %d, %i: as is; %o, %O, %j: text is quoted; %x: hex; %%: a percent sign. */
const PLACES = /%[sdioOjxX%]/g

/**
 * Formats a call as text. A leading string may have placeholders for the following values; the others are appended
 * with spaces.
 */
export function consoleText({ types, values }: Pick<ConsoleCall, 'types' | 'values'>): string {
  const rest = [...values]
  const isFormat = types[0] === 'string' && values.length > 1
  if (!isFormat) return rest.map(String).join(' ')
  const format = String(rest.shift())
  const head = format.replace(PLACES, (place) => {
    if (place === '%%') return '%'
    const value = rest.shift()
    return value === undefined ? place : placed(place, value)
  })
  return [head, ...rest.map(String)].join(' ')
}

function placed(place: string, value: ConsoleValue): string {
  if ((place === '%x' || place === '%X') && typeof value === 'bigint') {
    return value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`
  }
  const isQuoted = place === '%o' || place === '%O' || place === '%j'
  return isQuoted && typeof value === 'string' ? `'${value}'` : String(value)
}
