import { isDefaultValue } from '../../../host/base/config/load.ts'
import { CONFIG_ENTRIES, type ConfigEntry } from '../../../host/base/config/schema.ts'
import type { EngineName, TomlLiteral } from '../../../host/base/config/value-type.ts'

/** Tried in this order. A key gets the first valid one that is not its default. */
const CANDIDATES: readonly TomlLiteral[] = [
  false,
  true,
  7,
  1,
  12_345,
  1_000_000,
  2 ** 30,
  '7s',
  '7ms',
  'tcp://127.0.0.1:34567',
  '127.0.0.1:34567',
  '127.0.0.1',
  '7gwei',
  "m/44'/60'/0'/1/",
  '7.5',
  'debug',
  'json',
  'plain',
  'full',
  'validator',
  'http://127.0.0.1:7/',
  'postgres://127.0.0.1/payments',
  ['later@1000'],
  '0x00000000000000000000000000000000000000a7',
  'text',
  ['text'],
  ['0x00000000000000000000000000000000000000a7'],
]

/** Returns the choices in the rule of a key. */
function choicesOf({ type }: ConfigEntry): readonly string[] {
  return /^one of (.*)$/.exec(type.rule)?.[1]?.split(', ') ?? []
}

/** Returns a valid value of a key other than its default, or undefined if only the default is valid. */
export function rightValue(entry: ConfigEntry, engine: EngineName): TomlLiteral | undefined {
  if (entry.instead !== undefined && entry.engine !== engine) return undefined
  return [...choicesOf(entry), ...CANDIDATES].find((value) => {
    const decoded = entry.type.decode(value)
    return decoded !== undefined && !isDefaultValue(entry, decoded)
  })
}

/** Returns a valid value for each key except the engine, by flag. */
export function rightValues(engine: EngineName): ReadonlyMap<string, TomlLiteral> {
  const values = CONFIG_ENTRIES.flatMap((entry): [string, TomlLiteral][] => {
    const value = entry.flag === 'consensus.engine' ? undefined : rightValue(entry, engine)
    return value === undefined ? [] : [[entry.flag, value]]
  })
  return new Map([...values, ['consensus.engine', engine]])
}
